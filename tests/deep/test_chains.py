"""Samplers in the place of optimisers: what a recipe makes of them, and that a chain resumes as if never cut."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from comitia.deep.chains import begin_epoch, read_at, temperature_events
from comitia.deep.directory import Directory
from comitia.deep.events import LayerReading, event_line, parse_event
from comitia.deep.loop import train_run
from comitia.deep.networks import settle
from comitia.deep.optimisers import advance, build
from comitia.deep.samplers import SGHMC, SGLD
from comitia.deep.samplers.temperatures import Reading
from comitia.deep.task import Task
from comitia.recipes import STRATEGIES, Plan, Recipe, Sampler, Training, names, plan, plans, read_recipe
from small_training import bayes_recipe, contents, dataset

Events = list[Any]


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


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv1d(1, 3, 2), nn.LayerNorm(3), nn.Linear(3, 2)).double()


def chain(
    strategy: str, *, momentum: float = 0.0, l2: float = 0.0, prior_scale: float = 0.0, **sampler: Any
) -> Plan:
    training = Training(
        strategy=strategy, epochs=6, lr=0.05, momentum=momentum, l2=l2, prior_scale=prior_scale
    )
    dynamics = {"csgld": "sgld", "csghmc-ap": "sghmc"}[strategy]
    return Plan(run=1, training=training, saves=(6,), sampler=Sampler(**sampler), dynamics=dynamics)


@pytest.mark.parametrize(("strategy", "momentum"), [("csgld", 0.0), ("csghmc-ap", 0.7)])
def test_without_temperature_a_chain_is_gradient_descent(strategy: str, momentum: float) -> None:
    """Against torch's SGD on the loss with penalty and prior written out; the burn-in has the full step."""
    planned = chain(
        strategy, momentum=momentum, l2=0.02, prior_scale=1.5, burn_in=2, cycle=4, temperature=0.0
    )
    ours, plain = network(), network()
    sampler = build(ours, planned, samples=20)
    reference = torch.optim.SGD(plain.parameters(), lr=0.05, momentum=momentum)
    batch = torch.randn(8, 1, 4, dtype=torch.float64)
    begin_epoch(sampler, planned, 0, noise_seed=1)
    for _ in range(3):
        advance(sampler, planned, 1.5)
        sampler.zero_grad()
        torch.autograd.backward(ours(batch).square().mean())
        sampler.step()
        reference.zero_grad()
        kernels = (plain.get_parameter("0.weight") ** 2).sum()
        everything = sum((p**2).sum() for p in plain.parameters())
        torch.autograd.backward(
            plain(batch).square().mean() + 0.02 * kernels + everything / (2 * 1.5**2 * 20)
        )
        reference.step()
    for one, other in zip(ours.parameters(), plain.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-12)


def test_no_prior_is_an_infinite_scale() -> None:
    sampler = build(network(), chain("csgld", l2=0.02), samples=50)
    assert [group["prior_scale"] for group in sampler.param_groups] == [
        pytest.approx(1 / math.sqrt(2 * 50 * 0.02)),
        math.inf,
    ]


def test_noise_masses_and_steps_follow_the_cycles() -> None:
    planned = chain(
        "csghmc-ap",
        momentum=0.9,
        burn_in=1,
        cycle=2,
        noise_epochs=1,
        temperature=0.3,
        preconditioner="layers",
    )
    module = network()
    sampler = build(module, planned, samples=20)
    assert isinstance(sampler, SGHMC)
    found = []
    for epoch in range(4):
        begin_epoch(sampler, planned, epoch, noise_seed=epoch)
        masses = {float(state["mass"]) for state in sampler.state.values()}
        found.append((sampler.param_groups[0]["temperature"], len(masses) > 1))
        advance(sampler, planned, epoch + 0.5)
        torch.autograd.backward(module(torch.ones(3, 1, 4, dtype=torch.float64)).square().sum())
        sampler.step()
    assert found == [(0.0, False), (0.0, True), (0.3, True), (0.0, True)]
    assert sampler.param_groups[0]["step_factor"] == pytest.approx((math.cos(math.pi / 4) + 1) / 2)
    assert sampler.param_groups[0]["lr"] == 0.05


def test_the_stream_of_noise_is_that_of_the_epoch() -> None:
    planned = chain("csgld", cycle=2)
    sampler = build(network(), planned, samples=20)
    assert isinstance(sampler, SGLD)
    draws = []
    for seed in (5, 5, 6):
        begin_epoch(sampler, planned, 0, noise_seed=seed)
        draws.append(float(torch.randn(1, generator=sampler.generator)))
    assert draws[0] == draws[1] != draws[2]


def test_temperatures_are_read_where_there_is_noise() -> None:
    cold = chain("csgld", cycle=3, noise_epochs=1, temperature=0.0)
    warm = chain("csgld", cycle=3, noise_epochs=1)
    assert [len(read_at(warm, epoch, 640)) for epoch in range(4)] == [0, 0, 16, 0]
    assert list(read_at(warm, 2, 5)) == [0, 1, 2, 3, 4]
    assert not read_at(cold, 2, 640)


def test_a_warning_comes_once_a_cycle_and_what_is_not_finite_is_left_empty() -> None:
    planned = chain("csghmc-ap", burn_in=2, cycle=2, temperature=1.0)
    off = [(Reading("dense", 1000, 5.0, 1.0),), (Reading("dense", 1000, 5.0, 1.0),)]
    kinds = [[event.kind for event in temperature_events(planned, epoch, off)] for epoch in range(6)]
    assert kinds == [["temperatures"]] * 3 + [["temperatures", "warning"], ["temperatures"], kinds[3]]
    told, warned = temperature_events(planned, 3, off)
    assert told.layers == (LayerReading("dense", 1000, 5.0, 1.0, None),)
    assert parse_event(event_line(told)) == told
    assert warned.message.startswith("epoch 4: temperatures off in 1 of 1 layers: dense T_K = 5 instead of")
    right = [(Reading("dense", 1000, 1.0, 1.0),)] * 4
    assert [event.kind for event in temperature_events(planned, 3, right)] == ["temperatures"]


@pytest.mark.parametrize(
    ("strategy", "count"),
    [
        ("csgld", 1),
        ("csgld", 3),
        ("csghmc-ap", 1),
        ("csghmc-ap", 2),
        ("csghmc-ap", 3),
        ("mc-dropout", 1),
        ("mc-dropout-ensemble", 1),
        ("swa", 2),
        ("swa", 3),
        *(("swag", epoch) for epoch in (1, 2, 3, 4)),
    ],
)
def test_a_crash_does_not_show(tmp_path: Path, strategy: str, count: int) -> None:
    recipe = bayes_recipe(strategy)
    whole = train(tmp_path / "whole", recipe)

    def listen(event: Any) -> None:
        if event.kind == "epoch" and event.epoch == count:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_run(task(tmp_path / "cut", recipe), listen)
    resumed = train(tmp_path / "cut", recipe)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    losses = [[e.loss for e in events if e.kind == "epoch"] for events in (whole, resumed)]
    assert losses[1] == losses[0][count:]


@pytest.mark.parametrize(
    ("strategy", "members"),
    [("csgld", 2), ("csghmc-ap", 4), ("mc-dropout", 3), ("mc-dropout-ensemble", 3), ("swa", 1), ("swag", 3)],
)
def test_members_of_a_run_differ(tmp_path: Path, strategy: str, members: int) -> None:
    recipe = bayes_recipe(strategy)
    assert plan(recipe, 1).members == members
    train(tmp_path, recipe)
    rows = [np.load(path) for path in sorted(tmp_path.rglob("*.test.npy"))]
    found = np.concatenate(rows)
    assert found.shape == (members, 30, 3)
    assert len({row.tobytes() for row in found}) == members
    assert np.allclose(found.sum(axis=2), 1, atol=1e-5)


def test_temperatures_of_every_layer_are_told(tmp_path: Path) -> None:
    events = train(tmp_path, bayes_recipe("csghmc-ap"))
    told = [event for event in events if event.kind == "temperatures"]
    assert [event.epoch for event in told] == [1, 2, 3, 4]
    assert {layer.name for layer in told[0].layers} == {
        f"{part}.{kind}" for part in ("first", "second", "dense") for kind in ("weight", "bias")
    }
    assert all(layer.kinetic > 0 for event in told for layer in event.layers)
    langevin = train(tmp_path / "other", bayes_recipe("csgld"))
    told = [event for event in langevin if event.kind == "temperatures"]
    assert [event.epoch for event in told] == [3, 5]
    assert {layer.kinetic for layer in told[0].layers} == {None}


def test_chains_are_runs(tmp_path: Path) -> None:
    recipe = bayes_recipe("csgld", runs=2)
    assert [one.saves for one in plans(recipe)] == [(3, 5), (3, 5)]
    for run in (1, 2):
        train(tmp_path, recipe, run)
    assert len({path.read_bytes() for path in tmp_path.rglob("step-*.safetensors")}) == 4


def test_more_passes_are_added_to_a_network_that_is_trained(tmp_path: Path) -> None:
    few, more = bayes_recipe("mc-dropout"), bayes_recipe("mc-dropout", sampler={"dropout": 0.4, "passes": 5})
    train(tmp_path, few)
    before = np.load(Directory(tmp_path).row(1, 2, "test"))
    events = train(tmp_path, more)
    assert [event.kind for event in events] == ["lost", "lost", "member"]
    assert "holds 3 passes of the 5 wanted" in events[0].message
    after = np.load(Directory(tmp_path).row(1, 2, "test"))
    assert np.array_equal(after[:3], before)


def test_only_dropout_is_awake_when_passes_predict(tmp_path: Path) -> None:
    from comitia.deep.networks import wake_dropout

    module = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5)).eval()
    wake_dropout(module)
    assert [part.training for part in module] == [False, True]


BAYESIAN = tuple(strategy.name for strategy in STRATEGIES.values() if strategy.bayesian)
BUILT_IN = [name for name in names() if name.endswith(BAYESIAN)]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_recipes_have_plans(name: str) -> None:
    for one in plans(read_recipe(name)):
        assert one.members >= 5
        assert one.saves[-1] == one.epochs
