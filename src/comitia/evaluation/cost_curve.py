"""Error against cost: what an ensemble of fewer members loses, and the fewest that lose nothing."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions
from comitia._samples import Groups
from comitia._simplex import prune
from comitia._words import counted
from comitia.evaluation.cost_records import CostCurve, CostPoint
from comitia.evaluation.draws import Members
from comitia.evaluation.findings import by_unit, half_width, rounded
from comitia.evaluation.folds import Half
from comitia.evaluation.records import Settings
from comitia.evaluation.scores import score
from comitia.weighting import Evidence, Method, choose
from comitia.weighting.selection import picking_order

Array = NDArray[np.float64]
Costs = Mapping[str, tuple[float, ...]]

#: What is weighed anew among the members that are left.
WEIGHED = ("tandem", "uniform")
COUNTED = "members"
# Numbers of members in the curve: all of the first ones, then these.
DENSE, FURTHER = 10, (12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000)


def sizes_of(members: int) -> list[int]:
    """Return the numbers of members that the curve is computed for.

    >>> sizes_of(3), sizes_of(17)
    ([1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 17])
    """
    return [k for k in (*range(1, DENSE + 1), *FURTHER) if k < members] + [members]


def cost_curves(
    predictions: Predictions,
    halves: tuple[Half, Half],
    members: Members,
    settings: Settings,
    methods: Mapping[str, Method],
    costs: Costs,
) -> Iterator[CostCurve]:
    """Yield a curve for each weighting and vote, by the number of members and by each of their costs.

    Each half picks members one by one by its tandem losses (`comitia.weighting.selection`) and weighs them anew; the
    other half is scored.
    """
    chosen = np.array(members)
    weightings = [name for name in WEIGHED if name in methods] or list(methods)[:1]
    for unit, own in {COUNTED: None, **costs}.items():
        prices = None if own is None else np.array(own)[chosen]
        orders = [picking_order(_evidence(half, chosen, settings), prices) for half in halves]
        spent = np.mean([_spent(order, prices) for order in orders], axis=0)
        for name in weightings:
            found: dict[str, Array] = {
                vote: np.empty((len(spent), predictions.samples)) for vote in settings.votes
            }
            for one, other, order in zip(halves, halves[::-1], orders):
                weights = _weights(one, chosen, order, methods[name], settings)
                for vote, right in found.items():
                    right[:, other.samples] = score(other.predictions, weights, vote).correct
            for vote, right in found.items():
                yield CostCurve(unit, name, vote, _points(right, spent, len(chosen), predictions.groups))


def _evidence(half: Half, members: NDArray[np.int64], settings: Settings) -> Evidence:
    return Evidence(
        half.predictions.pick(members),
        vote="majority",
        delta=settings.delta,
        random_state=settings.seed,
        measured={"hard": half.hard.pick(members)},
    )


def _spent(order: NDArray[np.int64], prices: Array | None) -> Array:
    """(K,) what the first members cost together, at each size."""
    each = np.ones(len(order)) if prices is None else prices[order]
    return np.asarray(np.cumsum(each)[np.array(sizes_of(len(order))) - 1])


def _weights(
    weighing: Half, members: NDArray[np.int64], order: NDArray[np.int64], method: Method, settings: Settings
) -> Array:
    """(K, M) weights of the first members at each size, chosen on one half."""
    sizes = sizes_of(len(order))
    weights = np.zeros((len(sizes), weighing.predictions.members))
    for row, size in zip(weights, sizes):
        some = members[np.sort(order[:size])]
        row[some] = prune(choose(method, _evidence(weighing, some, settings)).weights)
    return weights


def _points(right: Array, spent: Array, members: int, groups: Groups | None) -> tuple[CostPoint, ...]:
    """The points of a curve by (K, n) whether each size is right about each sample; the last is all members."""
    points = []
    for row, cost, size in zip(right, spent, sizes_of(members)):
        lost = right[-1] - row
        reach = 0.0 if size == members else half_width(by_unit(lost, groups), np.zeros(1))
        errors, more = rounded(1.0 - row.mean()), rounded(lost.mean())
        points.append(CostPoint(size, rounded(cost), errors, more, rounded(reach)))
    return tuple(points)


def fewest_in_words(curve: CostCurve) -> str:
    """Return the fewest members that lose nothing, as a line."""
    whole, equal, close = curve.points[-1], curve.fewest, curve.unproven
    cost = "" if curve.unit == COUNTED else f" ({equal.cost:.4g} of {whole.cost:.4g} {curve.unit})"
    first = f"{curve.weights}, {curve.vote} vote: {equal.members} of {counted(whole.members, 'member')}{cost}"
    lost = f"err on {equal.error:.2%}, all on {whole.error:.2%}"
    return f"{first} are the fewest that lose nothing: they {lost}; from {close.members} on no loss is shown"
