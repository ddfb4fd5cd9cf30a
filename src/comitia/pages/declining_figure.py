"""Errors among answers by the share of samples that are answered, with the certified point."""

from collections.abc import Sequence

from comitia._certificate import percent_up
from comitia.pages.figure import Figure, Panel, Reference, Series, Table, legible, percent
from comitia.promises.selective import Curve

# Points of a curve that are drawn; its thresholds are more.
DRAWN_POINTS = 40
# Shares with fewer answers are left out: one error would move them far.
FEWEST_ANSWERS = 50


def declining_figure(
    curves: Sequence[tuple[str, str, Curve]], vote: str, shown: Sequence[bool] | None = None
) -> Figure:
    """Return the curves, each given as its name, the role that colours it, and its counts; `shown` from the start."""
    target = curves[0][2].target
    series: list[Series] = []
    for (name, role, curve), drawn in zip(curves, shown or [True] * len(curves)):
        series.append(_line(legible(name), role, curve, drawn))
        if curve.chosen is not None:
            series.append(_point(legible(name), role, curve, drawn, alone=len(curves) == 1))
    return Figure(
        key=f"declining-{vote}",
        title=f"Errors among answers of the {vote} vote, if it declines",
        caption=(
            "The share of wrong answers, counted on samples that had no part in the vote, by how many samples it "
            f"answers. The single point is certified: at most {percent_up(target)} of the answers are wrong. The curve "
            "around it is what was counted, not a promise."
        ),
        alt=" ".join(_in_words(legible(name), curve) for name, _, curve in curves),
        x_title="samples answered, in per cent",
        panels=(
            Panel(
                "lines",
                "errors among answers",
                tuple(series),
                (Reference("target", "best", target),),
                percent=True,
            ),
        ),
        table=Table(
            ("curve", "threshold", "answered", "errors", "samples", "certified"),
            tuple(row for name, _, curve in curves for row in _rows(legible(name), curve)),
        ),
    )


def _places(curve: Curve) -> list[int]:
    """Which thresholds are drawn: evenly spread ones with enough answers, and the certified one."""
    usable = [place for place, count in enumerate(curve.accepted) if count >= FEWEST_ANSWERS]
    step = max(1, len(usable) // DRAWN_POINTS)
    kept = {*usable[::step], *usable[-1:]} | ({curve.chosen} if curve.chosen is not None else set())
    return sorted(kept)


def _line(name: str, role: str, curve: Curve, shown: bool) -> Series:
    places = [place for place in _places(curve) if curve.accepted[place]]
    x = tuple(100 * curve.accepted[place] / curve.n for place in places)
    y = tuple(curve.errors[place] / curve.accepted[place] for place in places)
    return Series(name, role, x, y, shown=shown)


def _point(name: str, role: str, curve: Curve, shown: bool, *, alone: bool) -> Series:
    assert curve.chosen is not None
    x, y = (100 * curve.accepted[curve.chosen] / curve.n,), (curve.target,)
    return Series(
        "certified" if alone else f"{name}, certified",
        "uniform" if alone else role,
        x,
        y,
        dashed=True,
        shown=shown,
    )


def _rows(name: str, curve: Curve) -> list[tuple[str | int | float | bool, ...]]:
    return [
        (
            name,
            curve.thresholds[place],
            curve.accepted[place],
            curve.errors[place],
            curve.n,
            place == curve.chosen,
        )
        for place in _places(curve)
    ]


def _in_words(name: str, curve: Curve) -> str:
    if curve.chosen is None:
        return f"{name}: no threshold is certified below {percent_up(curve.target)}."
    answered = curve.accepted[curve.chosen] / curve.n
    return (
        f"{name}: certified below {percent_up(curve.target)} errors while {percent(answered)} are answered."
    )
