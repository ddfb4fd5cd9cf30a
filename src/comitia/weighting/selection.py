r"""Which members vote where not all of them may: those whose equal votes have the lowest tandem loss, one by one.

.. math:: f(S) = \frac{1}{|S|^2} \sum_{i, j \in S} T_{ij}

Only the tandem losses of the samples that choose the weights are looked at, so counts are enough. What is known of a
pair is noisy where samples are few, and runs of one recipe are alike up to chance. Therefore half of each entry is the
mean over all pairs of the same places in their runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._simplex import as_prior
from comitia.bounds.terms import kl_divergence
from comitia.statistics.counted import Holdout
from comitia.weighting.evidence import Evidence, Weighting
from comitia.weighting.folds import restricted, spread
from comitia.weighting.limit import Limit
from comitia.weighting.places import places_from_end

Array = NDArray[np.float64]

# How much of an entry is the mean over the pairs of the same places. 0 lost .0007 of error on ten-run CIFAR-10, and 1
# lost .006 on members that differ.
POOLED = 0.5
# Sums of the same losses in another order differ in their last bits; members that close are tied.
DIGITS = 12
FREE = 1e-300


def weigh_within(
    limit: Limit,
    evidence: Evidence,
    weigh: Callable[[Evidence], Weighting],
    *,
    sparse: bool,
    whole: Any = None,
) -> Weighting:
    """Return the weighting by `weigh` of members that the limit admits, zero for all others.

    A `sparse` method, which itself leaves members out, keeps the weights that it gives to all members which the budget
    can pay for alone, if the limit admits those; `whole` names a method that cannot do otherwise.
    """
    able = _payable(limit, evidence.pi)
    ready = replace(evidence, measured={evidence.loss: evidence.statistics, **evidence.measured})
    chosen = np.flatnonzero(able)
    if not limit.admits(able):
        found = _among(ready, chosen, weigh, evidence) if sparse else None
        if found is not None and limit.admits(found.weights > 0):
            return found
        if whole is not None:
            raise InputError(
                f"{limit.argument}: '{whole}' keeps one state of every run, which is more than {limit.in_words()}; "
                "use another method"
            )
        chosen = select(ready, limit)
    return _among(ready, chosen, weigh, evidence)


def _among(
    ready: Evidence, members: NDArray[np.int64], weigh: Callable[[Evidence], Weighting], whole: Evidence
) -> Weighting:
    """The weighting of those members; what was proved of its minimum is dropped, for it holds among them alone."""
    found = spread(weigh(restricted(ready, members)), members, whole.predictions.members)
    kl = kl_divergence(found.weights, as_prior(whole.prior, len(found.weights)))
    samples = whole.statistics.pair_samples
    kept = kl if np.isfinite(kl) else None
    return replace(found, samples=samples, lam=None, gap=None, bound=None, kl=kept)


def _payable(limit: Limit, pi: Array) -> NDArray[np.bool_]:
    """Which members could vote alone."""
    if limit.budget is None or limit.costs is None:
        return pi > 0
    costs = np.array(limit.costs)
    able = (pi > 0) & (costs <= limit.budget)
    if not able.any():
        raise InputError(
            f"budget: {limit.budget:g} pays for no member; the cheapest costs {costs[pi > 0].min():g}"
        )
    return np.asarray(able)


def select(evidence: Evidence, limit: Limit) -> NDArray[np.int64]:
    """Return the members (sorted) that are to vote under the limit, by the evidence's tandem losses.

    Members are added one by one until no further one is admitted: always the one after which f is lowest, or, where
    members cost differently, the one that lowers f most for its cost, whichever set has the lower f in the end.

    >>> from comitia._predictions import Predictions
    >>> votes = [[0, 1, 1, 1], [0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 1]]
    >>> select(Evidence(Predictions.from_arrays(votes=votes, labels=[0, 1, 1, 1])), Limit(2))
    array([0, 1])
    """
    tandem = pooled(evidence.statistics.second, evidence.predictions)
    found = [_pick(tandem, evidence.pi > 0, limit, thrifty=False)]
    if limit.costs is not None:
        found.append(_pick(tandem, evidence.pi > 0, limit, thrifty=True))
    best = min(found, key=lambda some: round(float(tandem[np.ix_(some, some)].mean()), DIGITS))
    return np.sort(best)


def picking_order(evidence: Evidence, costs: Sequence[float] | None = None) -> NDArray[np.int64]:
    """Return all members in the order in which they are added; the first k are the choice of at most k.

    With costs, the next member is the one that lowers f most for its cost.
    """
    inside = evidence.pi > 0
    everyone = Limit(int(inside.sum()), None, None if costs is None else tuple(costs))
    tandem = pooled(evidence.statistics.second, evidence.predictions)
    return _pick(tandem, inside, everyone, thrifty=costs is not None)


@dataclass
class _Picked:
    """Members picked so far: f is `total` / k^2, and each further one adds its `cross` to the total."""

    order: list[int]
    total: float
    cross: Array

    def after(self) -> Array:
        """(M,) f with each further member."""
        return np.asarray((self.total + self.cross) / (len(self.order) + 1) ** 2)

    def add(self, tandem: Array, member: int) -> None:
        self.total += float(self.cross[member])
        self.cross = self.cross + 2.0 * tandem[:, member]
        self.order.append(member)


def _pick(tandem: Array, inside: NDArray[np.bool_], limit: Limit, *, thrifty: bool) -> NDArray[np.int64]:
    """Members in the order in which they are added, until no further one is admitted."""
    picked = _Picked([], 0.0, tandem.diagonal().copy())
    costs = np.ones(len(tandem)) if limit.costs is None else np.maximum(limit.costs, FREE)
    while (free := _admitted(picked.order, inside, limit)).any():
        rank = picked.after()
        if thrifty:
            now = picked.total / len(picked.order) ** 2 if picked.order else 1.0
            rank = np.where(rank < now, (rank - now) / costs, (rank - now) * costs)
        picked.add(tandem, int(np.argmin(np.where(free, np.round(rank, DIGITS), np.inf))))
    return np.array(picked.order)


def _admitted(order: list[int], inside: NDArray[np.bool_], limit: Limit) -> NDArray[np.bool_]:
    """Which further members the limit admits beside those."""
    voting = np.zeros(len(inside), dtype=bool)
    voting[order] = True
    free = inside & ~voting
    if limit.at_most is not None and len(order) >= limit.at_most:
        return np.zeros(len(inside), dtype=bool)
    if limit.costs is not None and limit.budget is not None:
        free &= limit.cost(voting) + np.array(limit.costs) <= limit.budget
    return np.asarray(free)


def pooled(tandem: Array, predictions: Holdout) -> Array:
    """Return (M, M) tandem losses, half of each the mean over the pairs of the same places in their runs.

    Two states of one run and two of different runs are told apart. Without runs and steps nothing is pooled.

    >>> from comitia._predictions import Predictions
    >>> pack = Predictions.from_arrays(votes=[[0], [0], [0], [0]], run=[1, 1, 2, 2], step=[1, 2, 1, 2])
    >>> pooled(np.diag([0.4, 0.2, 0.2, 0.2]), pack).diagonal().round(2)
    array([0.35, 0.2 , 0.25, 0.2 ])
    """
    if predictions.run is None or predictions.step is None:
        return tandem
    place, run = places_from_end(predictions), predictions.run
    kinds = (place[:, None] * (int(place.max()) + 1) + place) * 2 + (run[:, None] == run)
    _, kind = np.unique(kinds.ravel(), return_inverse=True)
    means = np.bincount(kind, tandem.ravel()) / np.bincount(kind)
    return np.asarray((1 - POOLED) * tandem + POOLED * means[kind].reshape(tandem.shape))
