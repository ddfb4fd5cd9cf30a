"""Cyclical stochastic gradient Hamiltonian Monte Carlo with adaptive preconditioning: a chain with momentum.

Wenzel et al. 2020, "How good is the Bayes posterior in deep neural networks really?": symplectic Euler, one mass
a layer, cosine cycles of the time step after a burn-in.
"""

from comitia.deep.strategies.plan import Plan, chain_plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """One run a chain."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """The samples of one chain, by `samplers.SGHMC`."""
    return chain_plan(recipe, run)
