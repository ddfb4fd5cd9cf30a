"""What each strategy plans for the runs of a recipe, and that nobody else knows its name."""

import ast
from pathlib import Path

import numpy as np
import pytest

import comitia
from comitia.deep.seeds import bootstrap, out_of_bag
from comitia.recipes import STRATEGIES, Recipe, names, plan, plans, read_recipe, strategy_of
from comitia.recipes.strategies import size_groups
from small_training import bayes_recipe, small_recipe

BUILT_IN = [
    name for name in names() if name.rsplit("-", 1)[-1] in ("simple", "checkpoints", "sse", "bagging")
]


def saves(recipe: Recipe) -> list[tuple[int, ...]]:
    return [one.saves for one in plans(recipe)]


def test_simple_keeps_the_last_state() -> None:
    assert saves(small_recipe(strategy="simple", runs=3, epochs=4, save_every=0)) == [(4,)] * 3


def test_early_stopping_keeps_one_state() -> None:
    recipe = small_recipe(data={"select": 10}, strategy="simple", early_stopping=True, save_every=0)
    assert [(one.best, one.members) for one in plans(recipe)] == [(True, 1)] * 2


def test_checkpoints_keep_every_few_and_the_last() -> None:
    assert saves(small_recipe(strategy="checkpoints", epochs=7, save_every=3))[0] == (3, 6, 7)


@pytest.mark.parametrize(("epochs", "cycles", "expected"), [(10, 5, (2, 4, 6, 8, 10)), (8, 3, (3, 6, 8))])
def test_sse_keeps_the_ends_of_cycles(epochs: int, cycles: int, expected: tuple[int, ...]) -> None:
    schedule = {"shape": "cyclic", "cycles": cycles}
    assert saves(small_recipe(strategy="sse", epochs=epochs, save_every=0, schedule=schedule))[0] == expected


def test_epoch_budget_shares_the_epochs() -> None:
    recipe = small_recipe(strategy="epoch-budget", runs=1, epochs=10, save_every=0, budget=10, sizes=[1, 3])
    found = [(one.run, one.size, one.epochs, one.saves) for one in plans(recipe)]
    assert found == [(1, 1, 10, (10,)), (2, 3, 3, (3,)), (3, 3, 3, (3,)), (4, 3, 3, (3,))]


def test_averaging_collects_after_the_burn_in_and_saves_at_the_end() -> None:
    sampler = {"burn_in": 1, "collect_every": 2}
    mean = plan(bayes_recipe("swa", sampler=sampler, epochs=8), 1)
    assert (mean.collects, mean.saves, mean.steps, mean.members) == ((3, 5, 7), (8,), (8,), 1)
    drawn = plan(bayes_recipe("swag", sampler={**sampler, "samples": 4}, epochs=8), 2)
    assert (drawn.collects, drawn.saves, drawn.steps, drawn.members) == ((3, 5, 7), (8,), (1, 2, 3, 4), 4)


def test_bagging_draws_by_seed_and_run() -> None:
    assert plan(small_recipe(data={"holdout": 0}, strategy="bagging", save_every=0), 1).bootstrap
    drawn = bootstrap(500, seed=4, run=2)
    mask = out_of_bag(500, seed=4, run=2)
    assert [position for position in range(500) if position not in drawn.tolist()] == np.flatnonzero(
        mask
    ).tolist()
    assert len(drawn) == 500
    assert abs(mask.mean() - np.exp(-1)) < 0.06
    assert not np.array_equal(drawn, bootstrap(500, seed=4, run=3))
    assert not np.array_equal(drawn, bootstrap(500, seed=5, run=2))


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_recipes_have_plans(name: str) -> None:
    for one in plans(read_recipe(name)):
        assert one.members >= 1
        assert one.saves[-1] == one.epochs


def test_names_of_strategies_stand_in_their_table_alone() -> None:
    root = Path(comitia.__file__).parent
    # there "checkpoints" are files, and "swa" is a part of their names
    others = {root / "cli" / "build.py", root / "cli" / "collect.py", root / "members" / "naming.py"}
    found = [
        f"{path.relative_to(root)}:{node.lineno}: {node.value}"
        for path in root.rglob("*.py")
        if path not in {root / "recipes" / "strategies.py", *others}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in STRATEGIES
    ]
    assert found == []


def test_sizes_of_an_epoch_budget() -> None:
    recipe = small_recipe(strategy="epoch-budget", runs=1, epochs=10, save_every=0, budget=10, sizes=[3, 1])
    assert size_groups(recipe) == {3: range(1, 4), 1: range(4, 5)}
    assert size_groups(small_recipe()) is None


def test_repeats_of_one_dropout_network_are_several() -> None:
    recipe = read_recipe("eyepacs-resnet50-mc-dropout")
    repeated = strategy_of(recipe).repeated(recipe, 4)
    assert (repeated.training.strategy, repeated.training.runs) == ("mc-dropout-ensemble", 4)
    simple = small_recipe(strategy="simple", save_every=0)
    assert strategy_of(simple).repeated(simple, 3).training.runs == 6


def test_the_table_of_strategies() -> None:
    """Who may stop early, has out-of-bag samples, is Bayesian, is compared: by name, so that a slip is seen."""
    by = {
        trait: {name for name, strategy in STRATEGIES.items() if getattr(strategy, trait)}
        for trait in (
            "early_stopping",
            "out_of_bag",
            "bayesian",
            "independent",
            "comparable",
            "sampler",
            "keys",
        )
    }
    bayesian = {"csgld", "csghmc-ap", "mc-dropout", "mc-dropout-ensemble", "swag"}
    assert by["early_stopping"] == {"simple", "bagging", "epoch-budget"}
    assert by["out_of_bag"] == {"bagging"}
    assert by["bayesian"] == bayesian
    assert by["sampler"] == {"swa", *bayesian}
    assert by["independent"] == {"simple"}
    assert by["comparable"] == {"simple", "checkpoints", "sse", "swa", *bayesian}
    assert by["keys"] == {"epoch-budget"}
