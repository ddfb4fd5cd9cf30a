"""How a hold-out is divided: which samples choose the weights, and which are kept for certifying."""

import numpy as np
from numpy.typing import NDArray

from comitia._samples import Groups

# Below this many samples a split leaves too few on either side to be of use.
SMALLEST_SPLIT = 20
# The error of weights chosen on k samples falls like 1/k, and every sample that chooses makes the certificate looser by
# about n^-3/2: the sum is least where k grows like n^(3/4). The factor was fitted on eight real ensembles.
CHOOSING, POWER = 0.7, 0.75


def default_weighing(samples: int) -> int:
    """Return how many samples (or groups) choose the weights when nothing is asked for: round(.7 n^(3/4)).

    The others certify. Fewer than 20 are not split: all of them choose.

    >>> [default_weighing(n) for n in (10, 100, 1_000, 10_000, 100_000)]
    [10, 22, 124, 700, 3936]
    """
    return samples if samples < SMALLEST_SPLIT else round(CHOOSING * samples**POWER)


def default_fraction(samples: int) -> float:
    """Return the share of the hold-out that is kept for certifying when nothing is asked for: see `default_weighing`.

    >>> [round(default_fraction(n), 3) for n in (10, 100, 1_000, 10_000, 100_000)]
    [0.0, 0.78, 0.876, 0.93, 0.961]
    """
    return 1 - default_weighing(samples) / samples


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
