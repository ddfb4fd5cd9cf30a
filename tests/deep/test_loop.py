"""The training loop: the same bytes however it was interrupted, and nothing finished is lost."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from comitia.data.joined import Joined
from comitia.deep.directory import Directory, read_record
from comitia.deep.events import Event
from comitia.deep.loop import train_run
from comitia.deep.members import assemble
from comitia.deep.networks import settle
from comitia.deep.task import Task
from comitia.recipes import Model, Recipe, plan
from small_training import contents, dataset, small_recipe

Events = list[Any]
RICH = {"augment": "flip-shift", "accumulate": 2, "l2": 0.001, "class_weights": "balanced"}


class Interrupted(Exception):
    """Stands for a crash."""


def task(root: Path, recipe: Recipe, run: int = 1) -> Task:
    settle(1)
    data = dataset(mean=True)
    return Task.of(recipe, plan(recipe, run), Directory(root), data, torch.device("cpu"))


def train(root: Path, recipe: Recipe, run: int = 1) -> Events:
    events: Events = []
    train_run(task(root, recipe, run), events.append)
    return events


def crash_at(kind: str, count: int) -> Callable[[Event], None]:
    """A listener that raises at the count-th event of that kind."""
    seen = [0]

    def listen(event: Event) -> None:
        seen[0] += event.kind == kind
        if seen[0] == count:
            raise Interrupted

    return listen


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
@pytest.mark.parametrize(("kind", "count"), [("epoch", 1), ("epoch", 3), ("member", 2)])
def test_a_crash_does_not_show(tmp_path: Path, optimiser: str, kind: str, count: int) -> None:
    plain = {"momentum": 0.0, "nesterov": False} if optimiser == "adam" else {}
    recipe = small_recipe(optimiser=optimiser, epochs=4, **{**RICH, **plain})
    train(tmp_path / "whole", recipe)
    with pytest.raises(Interrupted):
        train_run(task(tmp_path / "cut", recipe), crash_at(kind, count))
    resumed = train(tmp_path / "cut", recipe)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert [event.epoch for event in resumed if event.kind == "epoch"] == [*range(count + 1, 5)]


def test_a_crash_does_not_show_in_batch_norm(tmp_path: Path) -> None:
    recipe = small_recipe(epochs=3, l2=0.002, augment="flip-shift")
    recipe = replace(recipe, model=Model(name="resnet", options={"depth": 8}))
    train(tmp_path / "whole", recipe)
    with pytest.raises(Interrupted):
        train_run(task(tmp_path / "cut", recipe), crash_at("epoch", 1))
    train(tmp_path / "cut", recipe)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_runs_and_seeds_differ(tmp_path: Path) -> None:
    recipe = small_recipe(epochs=1)
    train(tmp_path, recipe, run=1)
    train(tmp_path, recipe, run=2)
    train(tmp_path / "other", replace(recipe, seed=1), run=1)
    states = [Directory(tmp_path).state(run, 1).read_bytes() for run in (1, 2)]
    states.append(Directory(tmp_path / "other").state(1, 1).read_bytes())
    assert len(set(states)) == 3


def test_what_is_finished_is_not_trained_again(tmp_path: Path) -> None:
    recipe = small_recipe()
    first = train(tmp_path, recipe)
    before = contents(tmp_path)
    assert [event.kind for event in first] == ["epoch", "member"] * 3
    assert train(tmp_path, recipe) == []
    assert contents(tmp_path) == before


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_damaged_state_is_made_again(tmp_path: Path, step: int) -> None:
    recipe = small_recipe()
    train(tmp_path, recipe)
    before, path = contents(tmp_path), Directory(tmp_path).state(1, step)
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(bytes(damaged))
    events = train(tmp_path, recipe)
    assert events[0].kind == "lost"
    assert path.name in events[0].message
    assert [event.step for event in events if event.kind == "member"] == [step]
    assert contents(tmp_path) == before


def test_a_damaged_resume_file_is_passed_over(tmp_path: Path) -> None:
    recipe = small_recipe(epochs=4)
    train(tmp_path / "whole", recipe)
    with pytest.raises(Interrupted):
        train_run(task(tmp_path / "cut", recipe), crash_at("epoch", 3))
    Directory(tmp_path / "cut").resume(1, 3).write_bytes(b"nonsense")
    events = train(tmp_path / "cut", recipe)
    # Its states are good: only the epoch after them needs the training, from the resume file before.
    assert [event.epoch for event in events if event.kind == "epoch"] == [3, 4]
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_lost_row_is_computed_without_training(tmp_path: Path) -> None:
    recipe = small_recipe()
    train(tmp_path, recipe)
    before = contents(tmp_path)
    Directory(tmp_path).row(1, 2, "test").unlink()
    assert [event.kind for event in train(tmp_path, recipe)] == ["lost", "member"]
    assert contents(tmp_path) == before


def test_an_unreadable_record_costs_the_run_alone(tmp_path: Path) -> None:
    recipe = small_recipe()
    train(tmp_path, recipe)
    before = contents(tmp_path)
    Directory(tmp_path).record(1).write_text("{")
    train(tmp_path, recipe)
    assert contents(tmp_path) == before


def test_a_loss_that_is_not_finite_stops_the_run(tmp_path: Path) -> None:
    schedule = {"shape": "step", "milestones": [2], "factors": [1e30]}
    recipe = small_recipe(epochs=4, schedule=schedule)
    events = train(tmp_path, recipe)
    assert [event.epoch for event in events if event.kind == "stopped"] == [3]
    record = read_record(Directory(tmp_path), 1)
    assert record.stopped == "the loss of epoch 3 is not finite"
    assert [saved.step for saved in record.saved] == [1, 2]
    assert all(saved.rows for saved in record.saved)
    assert train(tmp_path, recipe) == []
    before = contents(tmp_path)
    Directory(tmp_path).state(1, 1).write_bytes(b"damaged")
    assert [event.epoch for event in train(tmp_path, recipe) if event.kind == "stopped"] == [3]
    assert contents(tmp_path) == before


def test_a_loss_that_explodes_and_stays_finite_is_told_once(tmp_path: Path) -> None:
    schedule = {"shape": "step", "milestones": [1], "factors": [1e4]}
    events = train(tmp_path, small_recipe(epochs=4, schedule=schedule))
    losses = {event.epoch: event.loss for event in events if event.kind == "epoch"}
    assert all(np.isfinite(list(losses.values())))
    guess = np.log(dataset(mean=True).classes)
    (warned,) = (event for event in events if event.kind == "warning")
    assert warned.epoch == min(epoch for epoch, loss in losses.items() if loss > 10 * guess)
    assert f"the loss exploded to {losses[warned.epoch]:.3g}" in warned.message


def test_early_stopping_keeps_the_best_on_select(tmp_path: Path) -> None:
    data = {"select": 20, "holdout": 20}
    recipe = small_recipe(data=data, strategy="simple", early_stopping=True, epochs=6, save_every=0, lr=0.02)
    events = train(tmp_path / "whole", recipe)
    chosen = [event.select_accuracy for event in events if event.kind == "epoch"]
    assert len(set(chosen)) > 1
    assert [event.step for event in events if event.kind == "member"] == [int(np.argmax(chosen)) + 1]
    with pytest.raises(Interrupted):
        train_run(task(tmp_path / "cut", recipe), crash_at("epoch", 4))
    train(tmp_path / "cut", recipe)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


STOPPING = {"strategy": "simple", "early_stopping": True, "save_every": 0, "lr": 0.02}


@pytest.mark.parametrize("patience", [1, 2])
def test_patience_ends_a_run_that_no_longer_improves(tmp_path: Path, patience: int) -> None:
    data = {"select": 20, "holdout": 20}
    long = train(tmp_path / "long", small_recipe(data=data, epochs=12, **STOPPING))
    curve = [event.select_accuracy for event in long if event.kind == "epoch"]
    best = 0
    while best + patience < 12 and max(curve[best + 1 : best + patience + 1]) > curve[best]:
        best = next(k for k in range(best + 1, 12) if curve[k] > curve[best])
    recipe = small_recipe(data=data, epochs=12, patience=patience, **STOPPING)
    short = train(tmp_path / "short", recipe)
    assert [event.select_accuracy for event in short if event.kind == "epoch"] == curve[: best + patience + 1]
    assert best + patience + 1 < 12, "the runs of this test must be cut short"
    assert [event.step for event in short if event.kind == "member"] == [best + 1]
    for crash in range(1, best + patience + 2):
        cut = tmp_path / f"cut-{crash}"
        with pytest.raises(Interrupted):
            train_run(task(cut, recipe), crash_at("epoch", crash))
        train(cut, recipe)
        assert contents(cut) == contents(tmp_path / "short")
    assert train(tmp_path / "short", recipe) == []


def test_a_split_per_run_resumes_byte_for_byte_and_is_masked(tmp_path: Path) -> None:
    recipe = small_recipe(data={"split": "per run"}, epochs=3)
    for run in (1, 2):
        train(tmp_path / "whole", recipe, run)
        with pytest.raises(Interrupted):
            train_run(task(tmp_path / "cut", recipe, run), crash_at("epoch", 2))
        train(tmp_path / "cut", recipe, run)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    job = task(tmp_path, recipe)
    (file,) = [
        path
        for part, path in assemble(Directory(tmp_path / "whole"), recipe, job.data).items()
        if part == "holdout"
    ]
    with np.load(file) as pack:
        assert pack["probs"].shape == (6, 90, 3)
        assert pack["mask"].sum(axis=1).tolist() == [30] * 6
        assert np.array_equal(pack["mask"][0], pack["mask"][2])
        assert not np.array_equal(pack["mask"][0], pack["mask"][3])
        assert np.array_equal(np.flatnonzero(pack["mask"][0]), job.parts.holdout)
        right = pack["probs"][0].argmax(axis=1) == pack["labels"]
        record = read_record(Directory(tmp_path / "whole"), 1)
        assert record.saved[0].accuracy == pytest.approx(right[pack["mask"][0]].mean())


def test_bags_that_chose_by_what_they_left_out_have_no_hold_out(tmp_path: Path) -> None:
    data = {"holdout": 0, "select": "out-of-bag"}
    recipe = small_recipe(data=data, epochs=4, **{**STOPPING, "strategy": "bagging"})
    train(tmp_path, recipe)
    assert set(assemble(Directory(tmp_path), recipe, task(tmp_path, recipe).data)) == {"test"}


def test_predictions_can_be_all_that_stays(tmp_path: Path) -> None:
    recipe = replace(small_recipe(), keep="predictions")
    train(tmp_path / "rows", recipe)
    train(tmp_path / "states", small_recipe())
    rows = contents(tmp_path / "rows")
    assert not [name for name in rows if name.endswith(".safetensors")]
    assert {name: content for name, content in rows.items() if name.endswith(".npy")} == {
        name: content for name, content in contents(tmp_path / "states").items() if name.endswith(".npy")
    }
    assert train(tmp_path / "rows", recipe) == []


def test_bagging_predicts_all_samples_that_could_be_out_of_bag(tmp_path: Path) -> None:
    recipe = small_recipe(data={"holdout": 0}, strategy="bagging", save_every=0)
    job = task(tmp_path, recipe)
    assert len(job.parts.train) == 90 > len(set(job.parts.train.tolist()))
    train(tmp_path, recipe)
    assert np.load(Directory(tmp_path).row(1, 3, "holdout")).shape == (1, 90, 3)


@pytest.mark.parametrize("strategy", ["checkpoints", "bagging"])
def test_samples_in_several_arrays_train_as_in_one(tmp_path: Path, strategy: str) -> None:
    holdout = 0 if strategy == "bagging" else 30
    recipe = small_recipe(data={"holdout": holdout}, strategy=strategy, augment="flip-shift", epochs=2)
    train(tmp_path / "one", recipe)
    job = task(tmp_path / "several", recipe)
    whole = job.data.train_x
    data = replace(job.data, train_x=Joined([whole[:37], whole[37:]]))
    train_run(Task.of(recipe, job.plan, job.directory, data, job.device), lambda event: None)
    assert contents(tmp_path / "one") == contents(tmp_path / "several")


def test_accumulated_pieces_add_up_to_the_batch(tmp_path: Path) -> None:
    states = []
    for pieces in (1, 4):
        recipe = small_recipe(epochs=1, accumulate=pieces)
        recipe = replace(recipe, model=replace(recipe.model, options={"filters": 2}))
        train(tmp_path / str(pieces), recipe)
        states.append(np.load(Directory(tmp_path / str(pieces)).row(1, 1, "test")))
    assert np.allclose(states[0], states[1], atol=1e-5)


def test_mixed_precision_trains_nearly_the_same(tmp_path: Path) -> None:
    losses = []
    for precision in ("float32", "bfloat16"):
        events = train(tmp_path / precision, small_recipe(epochs=3, precision=precision))
        losses.append([event.loss for event in events if event.kind == "epoch"])
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], abs=0.02)


def test_the_hold_out_has_no_part_in_the_mean_image(tmp_path: Path) -> None:
    job = task(tmp_path, small_recipe())
    assert job.inputs.mean is not None
    expected = job.data.train_x[job.parts.train].astype(np.float64).mean(axis=0) / 255
    assert np.allclose(job.inputs.mean.numpy(), expected, atol=1e-6)
