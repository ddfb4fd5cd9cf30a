"""Cyclical stochastic gradient Langevin dynamics: samples from the end of each cosine cycle of a chain.

Zhang et al. 2020, "Cyclical stochastic gradient MCMC for Bayesian deep learning". Their uniform average is the
Bayes prediction at the temperature of the recipe.
"""

from comitia.deep.strategies.plan import Plan, chain_plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """One run a chain."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """The samples of one chain, by `samplers.SGLD`."""
    return chain_plan(recipe, run)
