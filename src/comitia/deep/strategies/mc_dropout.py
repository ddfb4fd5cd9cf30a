"""MC dropout: stochastic forward passes of one dropout network are the members.

Gal and Ghahramani 2016, "Dropout as a Bayesian approximation". The masks of pass s belong to (seed, run, s), so
that predictions can be computed again.
"""

from comitia.deep.strategies.plan import Plan, passes_plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """One: the recipe is checked for it."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """The passes of the last state."""
    return passes_plan(recipe, run)
