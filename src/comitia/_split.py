"""How a hold-out is divided: which samples choose the weights, and which are kept for certifying."""

import numpy as np
from numpy.typing import NDArray

from comitia._samples import Groups

# Below this many samples a split leaves too few on either side to be of use.
SMALLEST_SPLIT = 20


def default_fraction(samples: int) -> float:
    """Return the share of the hold-out that is kept for certifying when nothing is asked for.

    One fifth of the samples chooses the weights, or 1,000 if that is more, but never more than half:
    1 - max(.2, min(.5, 1000 / n)). Fewer than 20 samples are not split.

    >>> default_fraction(10_000), default_fraction(2_500), default_fraction(100), default_fraction(10)
    (0.8, 0.6, 0.5, 0.0)
    """
    if samples < SMALLEST_SPLIT:
        return 0.0
    return 1 - max(0.2, min(0.5, 1000 / samples))


def split_samples(
    samples: int, fraction: float, seed: int, groups: Groups | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sorted indices of the samples that choose the weights, and of those kept for certifying.

    Groups stay whole: that fraction of them is kept.

    >>> [part.tolist() for part in split_samples(5, 0.4, seed=0)]
    [[0, 1, 3], [2, 4]]
    >>> [part.tolist() for part in split_samples(4, 0.5, 0, Groups.of("groups", ["a", "b", "b", "a"], 4))]
    [[1, 2], [0, 3]]
    """
    units = np.arange(samples) if groups is None else np.unique(groups.codes)
    order = np.random.default_rng(seed).permutation(len(units))
    kept = round(fraction * len(units))
    if groups is None:
        return np.sort(order[kept:]), np.sort(order[:kept])
    inside = np.isin(groups.codes, units[order[:kept]])
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def random_folds(
    samples: int, folds: int, seed: int, groups: Groups | None = None
) -> list[NDArray[np.int64]]:
    """Return the sorted samples of each of that many random parts, groups whole.

    >>> [part.tolist() for part in random_folds(5, 2, seed=0)]
    [[2, 3, 4], [0, 1]]
    """
    units = np.arange(samples) if groups is None else np.unique(groups.codes)
    order = np.random.default_rng(seed).permutation(len(units))
    parts = np.array_split(order, min(folds, len(units)))
    if groups is None:
        return [np.sort(part) for part in parts]
    return [np.flatnonzero(np.isin(groups.codes, units[part])) for part in parts]
