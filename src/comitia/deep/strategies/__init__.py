"""How members come to be: one strategy a file, each a `plan(recipe, run)` and a number of `runs(recipe)`."""

from importlib import import_module
from types import ModuleType

from comitia.deep.strategies.plan import Plan
from comitia.recipes.recipe import BAYESIAN, STRATEGIES, Recipe


def plan(recipe: Recipe, run: int) -> Plan:
    """What run 1, 2, ... of the recipe trains and which states become members."""
    made: Plan = _strategy(recipe).plan(recipe, run)
    return made


def plans(recipe: Recipe) -> tuple[Plan, ...]:
    """The plans of all runs of the recipe, in order."""
    return tuple(plan(recipe, run) for run in range(1, _strategy(recipe).runs(recipe) + 1))


def _strategy(recipe: Recipe) -> ModuleType:
    name = recipe.training.strategy
    assert name in STRATEGIES or name in BAYESIAN, name  # recipes are checked on reading
    return import_module(f"comitia.deep.strategies.{name.replace('-', '_')}")
