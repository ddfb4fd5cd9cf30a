"""Which samples a run trains on, chooses its epoch by and is judged by, and which ones its hold-out file holds."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comitia.data.dataset import Dataset, Index, Parts, divide
from comitia.deep.seeds import bootstrap, out_of_bag
from comitia.recipes import OUT_OF_BAG, PER_RUN, Plan, Recipe

NONE: Index = np.empty(0, dtype=np.int64)


def run_parts(recipe: Recipe, plan: Plan, samples: int, groups: Index | None = None) -> Parts:
    """Return the training samples of a run in its three parts; with a bootstrap sample `train` holds copies.

    What a run's bootstrap sample left out is its hold-out, or chooses its epoch if the recipe says so; of groups those
    that it left out whole.
    """
    parts = _divided(recipe, plan.run, samples, groups)
    if not plan.bootstrap:
        return parts
    names = {"seed": recipe.seed, "run": plan.run}
    left = parts.train[out_of_bag(len(parts.train), **names)]
    if groups is not None:
        bag = bootstrap(len(parts.train), **names)
        left = left[~np.isin(groups[left], groups[parts.train[bag]])]
    drawn = replace(parts, train=parts.train[bootstrap(len(parts.train), **names)])
    by_left = recipe.data.select == OUT_OF_BAG
    return replace(drawn, select=left) if by_left else replace(drawn, holdout=left)


def holdout_index(recipe: Recipe, plan: Plan, samples: int, groups: Index | None = None) -> Index:
    """Return the training samples that the hold-out file holds, the same for all runs.

    Where runs have hold-outs of their own, these are all that some run could be judged by (`holdout_mask`).
    """
    own = run_parts(recipe, plan, samples, groups).holdout
    if not len(own) or not has_own_holdout(recipe, plan):
        return own
    return (
        np.arange(samples)
        if recipe.data.split == PER_RUN
        else _divided(recipe, plan.run, samples, groups).train
    )


def has_own_holdout(recipe: Recipe, plan: Plan) -> bool:
    """Whether the hold-out of a run differs from that of others."""
    return plan.bootstrap or recipe.data.split == PER_RUN


def holdout_mask(recipe: Recipe, plan: Plan, samples: int, groups: Index | None = None) -> NDArray[np.bool_]:
    """Return True where a sample of the hold-out file is hold-out for the run."""
    index = holdout_index(recipe, plan, samples, groups)
    return np.isin(index, run_parts(recipe, plan, samples, groups).holdout)


def comes_with_holdout(data: Dataset) -> bool:
    """Whether the hold-out file holds the data set's own hold-out, which no run trains on: the same for all runs.

    With bagging too: samples out of the bags are the hold-out of data sets that have none of their own.
    """
    return data.holdout_y is not None


def _divided(recipe: Recipe, run: int, samples: int, groups: Index | None) -> Parts:
    source = recipe.data
    select = source.select if not isinstance(source.select, str) else 0
    seed = (recipe.seed, run) if source.split == PER_RUN else recipe.seed
    return divide(samples, holdout=source.holdout, select=select, seed=seed, groups=groups)
