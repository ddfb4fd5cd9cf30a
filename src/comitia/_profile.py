r"""How sure the vote is and how much its members disagree, as counts that can be compared with those of new samples.

Per sample: u = 1 - the largest share of the vote, and the probability that two members drawn by weight vote
differently, d = 1 - sum_c s_c^2, s_c the weight of the votes for class c (no answer is an answer of its own). With
groups these are averaged within each group first. Both are counted between fixed edges, so that a permutation test of
the counts is exact.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._certificate import UNITS
from comitia._gain import by_unit
from comitia._predictions import Predictions
from comitia._samples import Groups
from comitia._votes import walk_totals, winners

#: Lower ends of all cells but the first. They are no shares that equal weights give, so that rounding moves nothing.
EDGES = np.array(
    [
        *(1e-9, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.035, 0.05, 0.07, 0.1),
        *(0.13, 0.16, 0.2, 0.24, 0.28, 0.32, 0.36, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9),
    ]
)
EDGES[1:] *= 1 + 1.234567e-6

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """Counts of samples (or groups) by how unsure the vote is and by how much members disagree, and both means."""

    unit: str
    samples: int
    unsure: tuple[int, ...]
    disagreeing: tuple[int, ...]
    mean_share: float
    mean_disagreement: float

    def fault(self) -> str | None:
        """Return what is wrong with the counts, or None."""
        for counts in (self.unsure, self.disagreeing):
            if len(counts) != len(EDGES) + 1 or min(counts) < 0 or sum(counts) != self.samples:
                return f"profile must count each of {self.samples} samples once, in {len(EDGES) + 1} cells"
        return None if self.unit in UNITS and self.samples > 0 else "profile: impossible unit or samples"


@dataclass(frozen=True, eq=False)
class Scored:
    """What the vote says of each sample, (n,): its class, the largest share, and the disagreement of the members."""

    classes: NDArray[np.int64]
    top: Array
    apart: Array


def profile_of(predictions: Predictions, weights: Array, vote: str) -> Profile:
    """Return the profile of the vote on those samples; labels are not looked at.

    >>> two = Predictions.from_arrays(votes=[[0, 1, 1], [0, 0, 1]])
    >>> found = profile_of(two, np.array([0.75, 0.25]), "majority")
    >>> found.unsure[0], round(found.mean_share, 6), round(found.mean_disagreement, 6)
    (2, 0.916667, 0.125)
    """
    return profile_from(score(predictions, weights, vote), predictions.groups)


def profile_from(scored: Scored, groups: Groups | None) -> Profile:
    """Return the profile of samples whose scores are known."""
    unsure, disagreeing = (by_unit(values, groups) for values in (1.0 - scored.top, scored.apart))
    return Profile(
        "samples" if groups is None else "groups",
        len(unsure),
        _counted(unsure),
        _counted(disagreeing),
        float(1.0 - unsure.mean()),
        float(disagreeing.mean()),
    )


def _counted(values: Array) -> tuple[int, ...]:
    """How many of the values are in each cell."""
    return tuple(np.bincount(np.searchsorted(EDGES, values), minlength=len(EDGES) + 1).tolist())


def score(predictions: Predictions, weights: Array, vote: str) -> Scored:
    """Return what the vote says of each sample, in one pass over what is averaged and one over the votes."""
    count = predictions.samples
    classes, top, apart = np.empty(count, np.int64), np.empty(count), np.empty(count)
    for block, totals in walk_totals(predictions, weights, vote):
        place = slice(block.start, block.start + len(totals))
        classes[place], top[place] = winners(totals), totals.max(axis=1)
        if vote == "majority":
            apart[place] = _disagreement(totals)
    if vote == "average":
        for block, totals in walk_totals(predictions, weights, "majority"):
            apart[block.start : block.start + len(totals)] = _disagreement(totals)
    return Scored(classes, np.clip(top, 0.0, 1.0), np.clip(apart, 0.0, 1.0))


def _disagreement(totals: Array) -> Array:
    silent = 1.0 - totals.sum(axis=1)
    return np.asarray(1.0 - (totals**2).sum(axis=1) - silent**2)
