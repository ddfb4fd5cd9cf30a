"""MC dropout ensembles: stochastic forward passes of each of several dropout networks."""

from comitia.deep.strategies.plan import Plan, passes_plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """One run a network."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """The passes of the last state of that network."""
    return passes_plan(recipe, run)
