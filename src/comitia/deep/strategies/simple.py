"""Simple deep ensembles: independent runs, the last state of each or the best by early stopping."""

from comitia.deep.strategies.plan import Plan, plain_plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """One run a member."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """The last state (or those of `save_every`), or the best on `select` with early stopping."""
    return plain_plan(recipe, run)
