"""The marks of one panel as SVG: paths that stretch with the panel, texts that do not, and what points show.

A panel is `SPAN` units wide and high and is stretched to its place, so one drawing fits every width without a script.
Strokes do not scale. A point is a stroke of no length with a round or square cap, so points keep their shape too.
Colours are roles (`--c`), which the style sheet of the page fills in by theme.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from comitia.pages.axes import NAMES, SPAN, Axis, value_text
from comitia.pages.figure import Panel, Reference, Series, shortened, told_apart
from comitia.pages.heat_map import WHITE_UNTIL, image, share
from comitia.pages.markup import Markup, element, joined

MARKERS = 60  # a line with more points has no marker at each
DENSE = 400  # a line with more points is thinned: as many columns keep their first, last, lowest and highest point
BAR = 0.8  # of the distance of two bars
PRINTED_SQUARES = 10  # up to this many members the squares of a heat map show their values


@dataclass(frozen=True)
class Marks:
    """What is drawn: `stretched` in units of the panel, `fixed` over it by per cent; `values` are for the script."""

    stretched: Markup
    fixed: Markup
    values: dict[str, Any]


def line_marks(panel: Panel, x: Axis, y: Axis, legend: Sequence[str]) -> Marks:
    """Return lines with their bands and points, and horizontal lines across."""
    lines = [(_thinned(series, x), legend.index(series.name)) for series in panel.series]
    levels = (_level(reference, y, legend.index(reference.name)) for reference in panel.references)
    values = [_shown(series, x, y, _line_texts(series, panel.percent), place) for series, place in lines]
    drawn = (_line(series, x, y, place) for series, place in lines)
    return Marks(joined(*drawn, *levels), Markup(""), {"kind": panel.kind, "series": values})


def _line_texts(series: Series, percent: bool) -> list[str]:
    return [_point_text(series, i, percent) for i in range(len(series.x))]


def _point_text(series: Series, i: int, percent: bool) -> str:
    y, at = series.y[i], series.x[i]
    name = f"{shortened(series.labels[i], 60)}, " if series.labels is not None else ""
    spread = "" if series.spread is None else f" ± {value_text(series.spread[i], percent)}"
    return f"{name}{at:,.6g}: {value_text(y or 0.0, percent)}{spread}"


def _shown(series: Series, x: Axis, y: Axis, texts: Sequence[str], place: int | None) -> dict[str, Any]:
    """Return places and texts of the points that have a value."""
    found = [
        (x.place(a), SPAN - y.place(b), text)
        for a, b, text in zip(series.x, series.y, texts)
        if b is not None
    ]
    columns = [list(column) for column in zip(*found)] or [[], [], []]
    named = {"name": series.name, "legend": place} if place is not None else {}
    return {**named, "x": columns[0], "y": columns[1], "text": columns[2]}


def _thinned(series: Series, x: Axis) -> Series:
    """Return the series with as many points as can be told apart."""
    places = _thinned_places(series, x)
    if len(places) == len(series.x):
        return series

    def of(values: Any) -> Any:
        return None if values is None else tuple(values[i] for i in places)

    kept = {name: of(getattr(series, name)) for name in ("x", "y", "spread", "labels")}
    return replace(series, **kept, marked=None, strong=None)


def _thinned_places(series: Series, x: Axis) -> list[int]:
    """Return which points are drawn; of many in one column the first, the last, the lowest and the highest."""
    if len(series.x) <= DENSE:
        return list(range(len(series.x)))
    columns: dict[int, list[int]] = {}
    for i, at in enumerate(series.x):
        columns.setdefault(int(x.place(at) * DENSE / SPAN), []).append(i)
    found: set[int] = set()
    for inside in columns.values():
        known = [(value, i) for i in inside if (value := series.y[i]) is not None]
        found |= {inside[0], inside[-1], *({min(known)[1], max(known)[1]} if known else ())}
    return sorted(found)


def _line(series: Series, x: Axis, y: Axis, place: int) -> Markup:
    points = [
        None if value is None else (x.place(at), SPAN - y.place(value))
        for at, value in zip(series.x, series.y)
    ]
    cap = " square" if series.dashed else ""
    line = element("path", class_="line dashed" if series.dashed else "line", d=_path(points))
    dots = _dots([p for p in points if p is not None]) if len(points) <= MARKERS else ""
    marks = element("path", class_=f"mark{cap}", d=dots) if dots else None
    holes = element("path", class_=f"hole{cap}", d=dots) if dots and series.dashed else None
    band = _band(series, x, y)
    return element("g", band, line, marks, holes, class_=f"s{place}", style=f"--c:var(--{series.role})")


def _path(points: Sequence[tuple[float, float] | None]) -> str:
    """Return the line through the points, interrupted where there is none; a point by itself is a dot."""
    found, before = [], False
    for i, point in enumerate(points):
        if point is not None:
            alone = not before and (i + 1 == len(points) or points[i + 1] is None)
            found.append(f"{'L' if before else 'M'}{point[0]:g} {point[1]:g}{'h.01' if alone else ''}")
        before = point is not None
    return "".join(found)


def _dots(points: Sequence[tuple[float, float]]) -> str:
    return "".join(f"M{x:g} {y:g}h.01" for x, y in points)


def _band(series: Series, x: Axis, y: Axis) -> Markup | None:
    """Return the area of ± spread about the points that have a value."""
    if series.spread is None:
        return None
    points = [(a, b, s) for a, b, s in zip(series.x, series.y, series.spread) if b is not None]
    above = [(x.place(a), SPAN - y.place(b + s)) for a, b, s in points]
    below = [(x.place(a), SPAN - y.place(b - s)) for a, b, s in reversed(points)]
    return element("path", class_="band", d=f"{_path([*above, *below])}z" if points else "")


def _level(reference: Reference, y: Axis, place: int) -> Markup:
    at = SPAN - y.place(reference.value)
    style = f"--c:var(--{reference.role})"
    return element("path", class_=f"level s{place}", d=f"M0 {at:g}H{SPAN}", style=style)


def member_marks(panel: Panel, x: Axis, y: Axis, legend: Sequence[str]) -> Marks:
    """Return bars, or dots that are filled where they stand out and open elsewhere."""
    draw = _bars if panel.kind == "bars" else _filled_and_open
    drawn = [draw(series, x, y) for series in panel.series]
    levels = (_level(reference, y, legend.index(reference.name)) for reference in panel.references)
    values = [_shown(series, x, y, _member_texts(series, panel), None) for series in panel.series]
    return Marks(joined(*drawn, *levels), Markup(""), {"kind": panel.kind, "series": values})


def _member_texts(series: Series, panel: Panel) -> list[str]:
    names = series.labels or tuple(f"{x:,.6g}" for x in series.x)
    values = (value_text(y or 0.0, panel.percent) for y in series.y)
    return [f"{shortened(name, 60)}\n{panel.y_title} {value}" for name, value in zip(names, values)]


def _bars(series: Series, x: Axis, y: Axis) -> Markup:
    base, parts = SPAN - y.place(0.0), []
    for at, value in zip(series.x, series.y):
        if value:
            left, right = x.place(at - BAR / 2), x.place(at + BAR / 2)
            parts.append(f"M{left:g} {base:g}V{SPAN - y.place(value):g}H{right:g}V{base:g}z")
    return element("path", class_="bar", d="".join(parts), style=f"--c:var(--{series.role})")


def _filled_and_open(series: Series, x: Axis, y: Axis) -> Markup:
    strong = series.strong or (True,) * len(series.x)
    points = [
        ((x.place(at), SPAN - y.place(value)), s)
        for at, value, s in zip(series.x, series.y, strong)
        if value is not None
    ]
    weak = _dots([point for point, s in points if not s])
    every = element("path", class_="mark", d=_dots([point for point, _ in points]))
    holes = element("path", class_="hole", d=weak) if weak else None
    return element("g", every, holes, style=f"--c:var(--{series.role})")


def across_marks(panel: Panel) -> Marks:
    """Return horizontal bars from the top down: hatched where marked, strong where they stand out, with their texts."""
    series, names = panel.series[0], panel.ticks or ()
    longest = max((y or 0.0 for y in series.y), default=0.0) or 1.0
    marked, strong = series.marked or (False,) * len(names), series.strong or (True,) * len(names)
    row, parts, shown = 100 / max(len(names), 1), [], []
    for i, (y, m, s, label) in enumerate(zip(series.y, marked, strong, series.labels or ())):
        length, middle = 100 * (y or 0.0) / longest, (i + 0.5) * row
        role = series.role if s else "pale"
        fill = f"hatch {role}" if m else "bar"
        place = {"x": "0", "y": f"{middle - 0.36 * row:.2f}%", "height": f"{0.72 * row:.2f}%"}
        style = f"--c:var(--{role})"
        parts.append(element("rect", class_=fill, width=f"{length:.2f}%", style=style, **place))
        ends = {"x": f"{length:.2f}%", "y": f"{middle:.2f}%", "dx": "6"}
        parts.append(element("text", label, class_="value strong" if s else "value", **ends))
        shown.append((round(10 * length, 1), round(10 * middle, 1), f"{shortened(names[i], 60)}: {label}"))
    columns = [list(column) for column in zip(*shown)] or [[], [], []]
    values = {"kind": "across", "series": [dict(zip(("x", "y", "text"), columns))]}
    return Marks(Markup(""), joined(*parts), values)


def heat_marks(panel: Panel) -> Marks:
    """Return the matrix as an image, with its values in the squares if these are few."""
    matrix = panel.matrix or ((0.0,),)
    low, high = panel.levels or (min(map(min, matrix)), max(map(max, matrix)))
    size = {"width": "100%", "height": "100%", "preserveAspectRatio": "none"}
    drawn = element("image", href=image(matrix, low, high), **size)
    texts = _squares(matrix, low, high, panel.percent) if len(matrix) <= PRINTED_SQUARES else ()
    symmetric = all(row[j] == matrix[j][i] for i, row in enumerate(matrix) for j in range(i))
    rows = [row[: i + 1] if symmetric else row for i, row in enumerate(matrix)]
    scale = 10_000 if panel.percent else 1
    values = {
        "kind": "heat",
        "percent": panel.percent,
        "names": told_apart(panel.ticks or (), 2 * NAMES),
        "rows": [[round(scale * v) if panel.percent else float(f"{v:.4g}") for v in row] for row in rows],
    }
    return Marks(Markup(""), joined(drawn, *texts), values)


def _squares(matrix: Sequence[Sequence[float]], low: float, high: float, percent: bool) -> list[Markup]:
    step = 100 / len(matrix)
    kind = "square" if len(matrix) <= PRINTED_SQUARES // 2 else "square wide"
    return [
        element(
            "text",
            f"{100 * value:.1f}" if percent else f"{value:.3g}",
            class_=f"{kind} {'light' if share(value, low, high) <= WHITE_UNTIL else 'dark'}",
            x=f"{(j + 0.5) * step:.2f}%",
            y=f"{(i + 0.5) * step:.2f}%",
        )
        for i, row in enumerate(matrix)
        for j, value in enumerate(row)
    ]
