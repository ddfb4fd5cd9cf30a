"""Bagging: each run trains on a bootstrap sample; the samples it never saw are its own hold-out."""

import numpy as np
from numpy.typing import NDArray

from comitia.deep.seeds import stream
from comitia.deep.strategies.plan import Plan, plain_plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """As many as the recipe says."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """As `simple`, on a bootstrap sample."""
    return plain_plan(recipe, run, bootstrap=True)


def bootstrap(samples: int, *, seed: int, run: int) -> NDArray[np.int64]:
    """The positions 0..samples-1 drawn uniformly with replacement, as many as there are, sorted.

    >>> drawn = bootstrap(1000, seed=0, run=1)
    >>> len(drawn), 350 < 1000 - len(set(drawn.tolist())) < 390
    (1000, True)
    """
    return np.sort(stream(seed, run, 0, "bootstrap").integers(samples, size=samples))


def out_of_bag(samples: int, *, seed: int, run: int) -> NDArray[np.bool_]:
    """True where the bootstrap sample of that run holds no copy of the position."""
    mask = np.ones(samples, dtype=np.bool_)
    mask[bootstrap(samples, seed=seed, run=run)] = False
    return mask
