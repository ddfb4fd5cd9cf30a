"""States with averaged and drawn weights: their weights, their batch-norm statistics, and how they are named."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from comitia import read_predictions, weigh
from comitia.deep import WeightedEnsemble
from comitia.deep.directory import Directory
from comitia.deep.drawing import renew_statistics
from comitia.deep.loop import train_run
from comitia.deep.networks import load_network, settle
from comitia.deep.seeds import stream
from comitia.deep.states import read_state
from comitia.deep.task import Task
from comitia.engines.collection import collect
from comitia.engines.training import train
from comitia.recipes import Model, Recipe, plan
from small_training import arrays_file, bayes_recipe, contents, dataset, small_recipe

RESNET = Model(name="resnet", options={"depth": 8})


def task(root: Path, recipe: Recipe) -> Task:
    settle(1)
    return Task.of(recipe, plan(recipe, 1), Directory(root), dataset(mean=True), torch.device("cpu"))


def trained(root: Path, recipe: Recipe) -> list[Any]:
    events: list[Any] = []
    train_run(task(root, recipe), events.append)
    return events


def with_batch_norm(strategy: str, **changes: Any) -> Recipe:
    recipe = bayes_recipe(strategy, augment="flip-shift", accumulate=2, **changes)
    return replace(recipe, model=RESNET)


def weights(root: Path, step: int) -> dict[str, np.ndarray]:
    tensors, _ = read_state(Directory(root).state(1, step))
    return {name: value.numpy().astype(np.float64) for name, value in tensors.items()}


def epochs_of(root: Path, like: Recipe) -> list[dict[str, np.ndarray]]:
    """The states after all epochs of the same training, by a strategy that keeps them all."""
    table = replace(like, sampler=None, training=replace(like.training, strategy="checkpoints", save_every=1))
    trained(root, table)
    return [weights(root, epoch + 1) for epoch in range(like.training.epochs)]


def test_swa_saves_the_mean_of_the_epochs_after_the_burn_in(tmp_path: Path) -> None:
    recipe = bayes_recipe("swa", sampler={"burn_in": 1, "collect_every": 2}, epochs=6)
    trained(tmp_path / "swa", recipe)
    states = epochs_of(tmp_path / "all", recipe)
    found = weights(tmp_path / "swa", 6)
    assert [path.name for path in tmp_path.glob("swa/runs/*/*.safetensors")] == ["step-0006.safetensors"]
    for name in ("first.weight", "dense.bias"):
        assert np.allclose(found[name], (states[2][name] + states[4][name]) / 2, atol=1e-6)


def test_swag_saves_draws_around_the_mean(tmp_path: Path) -> None:
    """Each draw again in numpy, from the states after the epochs and the noise of its own stream."""
    recipe = bayes_recipe("swag")
    trained(tmp_path / "swag", recipe)
    states = epochs_of(tmp_path / "all", recipe)[1:]
    names = sorted(name for name in states[0] if name != "comitia.mean_image")
    mean = {name: np.mean([one[name] for one in states], axis=0) for name in names}
    for step in (1, 2, 3):
        random = stream(recipe.seed, 1, step, "draw")
        low, found = random.standard_normal(2), weights(tmp_path / "swag", step)
        for name in names:
            rows = np.stack([one[name] for one in states])
            noise = random.standard_normal(rows.shape[1:])
            columns = [rows[i] - rows[: i + 1].mean(axis=0) for i in (2, 3)]  # K = 2, K - 1 = 1
            shift = rows.std(axis=0) * noise + low[0] * columns[0] + low[1] * columns[1]
            assert np.allclose(found[name], mean[name] + 0.8 / np.sqrt(2) * shift, atol=1e-6)


class Statistics(nn.Module):
    """Batch norm of a linear map, behind dropout that must not drop."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout, self.linear, self.norm = (
            nn.Dropout(0.9),
            nn.Linear(3, 2),
            nn.BatchNorm1d(2, momentum=0.3),
        )

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        normed: torch.Tensor = self.norm(self.linear(self.dropout(batch)))
        return normed


def test_statistics_are_averages_over_the_batches() -> None:
    torch.manual_seed(0)
    network, batches = Statistics().double().train(), [torch.randn(n, 3).double() + n for n in (4, 7, 5)]
    renew_statistics(network, iter(batches))
    outputs = [network.linear(batch).detach().numpy() for batch in batches]
    assert np.allclose(network.norm.running_mean, np.mean([one.mean(axis=0) for one in outputs], axis=0))
    assert np.allclose(
        network.norm.running_var, np.mean([one.var(axis=0, ddof=1) for one in outputs], axis=0)
    )
    assert not network.training
    assert not network.norm.training


def test_without_batch_norm_no_batch_is_read() -> None:
    def batches() -> Any:
        raise AssertionError
        yield

    renew_statistics(nn.Linear(2, 2), batches())


@pytest.mark.parametrize("strategy", ["swa", "swag"])
def test_states_have_statistics_of_their_own_weights(tmp_path: Path, strategy: str) -> None:
    """The first layer's, whose inputs are no layer's outputs, by a direct computation over the samples of the run."""
    from comitia.deep.task import pieces, stored_batch

    recipe = with_batch_norm(strategy)
    trained(tmp_path, recipe)
    job = task(tmp_path, recipe)
    for step in job.plan.steps:
        network, inputs = load_network(recipe, job.directory.state(1, step), job.device)
        random = stream(recipe.seed, 1, step, "statistics")
        order = random.permutation(job.parts.train)
        means = []
        for piece in [one for batch in pieces(order, batch=16, accumulate=2) for one in batch]:
            stored, _ = stored_batch(job.data, piece, augment="flip-shift", random=random)
            with torch.no_grad():
                maps = network.get_submodule("stem")(inputs.tensor(stored))
            means.append(maps.numpy().mean(axis=(0, 2, 3)))
        found = network.get_submodule("norm").get_buffer("running_mean")
        assert np.allclose(found.numpy(), np.mean(means, axis=0), atol=1e-5)
        assert int(network.get_submodule("norm").get_buffer("num_batches_tracked")) == len(means) == 8


class Interrupted(Exception):
    """Stands for a crash."""


@pytest.mark.parametrize(
    ("kind", "count"), [("epoch", 2), ("epoch", 3), ("epoch", 5), ("member", 1), ("member", 3)]
)
def test_a_crash_does_not_show_with_batch_norm(tmp_path: Path, kind: str, count: int) -> None:
    recipe = with_batch_norm("swag")
    trained(tmp_path / "whole", recipe)
    seen = [0]

    def listen(event: Any) -> None:
        seen[0] += event.kind == kind
        if seen[0] == count:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_run(task(tmp_path / "cut", recipe), listen)
    trained(tmp_path / "cut", recipe)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_damaged_draw_alone_is_made_again(tmp_path: Path) -> None:
    recipe = bayes_recipe("swag")
    trained(tmp_path, recipe)
    before = contents(tmp_path)
    Directory(tmp_path).state(1, 2).write_bytes(b"damaged")
    events = trained(tmp_path, recipe)
    assert [event.step for event in events if event.kind == "member"] == [2]
    assert contents(tmp_path) == before


def test_a_draw_is_the_same_however_many_there_are(tmp_path: Path) -> None:
    few, more = (
        bayes_recipe("swag", sampler={"burn_in": 1, "collect_every": 1, "rank": 2, "samples": count})
        for count in (2, 4)
    )
    trained(tmp_path / "few", few)
    trained(tmp_path / "more", more)
    for step in (1, 2):
        states = [Directory(tmp_path / name).state(1, step).read_bytes() for name in ("few", "more")]
        assert states[0] == states[1]


def test_a_loss_that_is_not_finite_leaves_no_draws(tmp_path: Path) -> None:
    schedule = {"shape": "step", "milestones": [3], "factors": [1e30]}
    events = trained(tmp_path, bayes_recipe("swag", schedule=schedule))
    assert [event.kind for event in events][-1] == "stopped"
    assert not [*tmp_path.rglob("*.safetensors")]


def test_draws_are_members_from_training_to_prediction(tmp_path: Path) -> None:
    """Names, predictions again from the states, and an ensemble that loads the states it weighed."""
    recipe, out = bayes_recipe("swag", folder=arrays_file(tmp_path), runs=2), tmp_path / "out"
    outcome = train(recipe, out, workers=1, device="cpu")
    assert (outcome.members, outcome.complete) == (6, True)
    pack = read_predictions(outcome.predictions["holdout"])
    assert pack.names == tuple(f"run {run}, sample {k}" for run in (1, 2) for k in (1, 2, 3))
    assert pack.step is not None
    assert pack.step.tolist() == [1, 2, 3] * 2
    before = contents(out)
    collect(out, device="cpu")
    assert contents(out) == before
    weighed = weigh(read_predictions(outcome.predictions["holdout"]), method="uniform", vote="average")
    ensemble = WeightedEnsemble.load(out, weighed, device="cpu")
    test = np.load(outcome.predictions["test"])["probs"]
    samples = dataset().test_x
    assert np.allclose(ensemble.predict_proba(samples), test.mean(axis=0), atol=1e-6)


def test_the_mean_is_a_state_of_the_last_epoch(tmp_path: Path) -> None:
    recipe = bayes_recipe("swa", folder=arrays_file(tmp_path), runs=1)
    outcome = train(recipe, tmp_path / "out", workers=1, device="cpu")
    assert read_predictions(outcome.predictions["test"]).names == ("run 1, step 4",)


def test_averaging_leaves_resume_files_of_others_alone(tmp_path: Path) -> None:
    def listen(event: Any) -> None:
        raise Interrupted

    for name, recipe, kinds in (
        ("plain", small_recipe(), {"network", "optimiser"}),
        (
            "swag",
            bayes_recipe("swag", sampler={"collect_every": 1, "samples": 2}),
            {"network", "optimiser", "moments"},
        ),
    ):
        with pytest.raises(Interrupted):
            train_run(task(tmp_path / name, recipe), listen)
        tensors, about = read_state(Directory(tmp_path / name).resume(1, 1))
        assert {key.partition(".")[0] for key in tensors} == kinds
        assert ("collected" in about) == (name == "swag")
