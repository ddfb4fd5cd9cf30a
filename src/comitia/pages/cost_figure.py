"""Error against cost: what ensembles of fewer members lose."""

from collections.abc import Sequence

from comitia.evaluation.cost_curve import COUNTED, fewest_in_words
from comitia.evaluation.cost_records import CostCurve
from comitia.pages.figure import Figure, Panel, Series, Table, legible, role_of

# From this ratio of the largest to the smallest cost on the axis is logarithmic.
WIDE = 8.0


def cost_figures(curves: Sequence[CostCurve]) -> list[Figure]:
    """Return a figure for each cost and vote that has curves, by number of members first."""
    kinds = dict.fromkeys((curve.unit, curve.vote) for curve in curves)
    units = list(dict.fromkeys(curve.unit for curve in curves))
    return [
        _figure([c for c in curves if (c.unit, c.vote) == (unit, vote)], f"cost-{units.index(unit)}-{vote}")
        for unit, vote in kinds
    ]


def _figure(curves: Sequence[CostCurve], key: str) -> Figure:
    unit, vote = curves[0].unit, curves[0].vote
    what = "number of members" if unit == COUNTED else legible(unit)
    costs = [point.cost for curve in curves for point in curve.points]
    words = ". ".join(legible(fewest_in_words(curve)) for curve in curves)
    return Figure(
        key=key,
        title=f"Error of the {vote} vote against {what}",
        caption=(
            "One half of the samples picks members one by one, by how rarely they err together, and weighs them. The "
            f"other half is scored; they swap. The band is the 95% interval of the loss against all members. {words}."
        ),
        alt=f"Error of the {vote} vote against {what}. {words}.",
        x_title="members that vote" if unit == COUNTED else f"{what}, of the members that vote",
        panels=(Panel("lines", "error", tuple(map(_series, curves)), percent=True),),
        table=Table(
            ("weights", "members", "cost", "error", "more than all", "95% ±"),
            tuple(
                (curve.weights, point.members, point.cost, point.error, point.more, point.half_width)
                for curve in curves
                for point in curve.points
            ),
        ),
        log=min(costs) > 0 and max(costs) >= WIDE * min(costs),
    )


def _series(curve: CostCurve) -> Series:
    return Series(
        legible(curve.weights),
        role_of(curve.weights),
        tuple(point.cost for point in curve.points),
        tuple(point.error for point in curve.points),
        tuple(point.half_width for point in curve.points),
    )
