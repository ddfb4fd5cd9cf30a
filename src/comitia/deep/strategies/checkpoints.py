"""Checkpoints: independent runs, a state every few epochs of each."""

from comitia.deep.strategies.plan import Plan, plain_plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """As many as the recipe says; each makes several members."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """A state after every `save_every` epochs and after the last."""
    return plain_plan(recipe, run)
