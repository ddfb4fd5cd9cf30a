"""Figures for the page: inline SVG between texts of HTML. It needs no script and no library, and fits every width."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from comitia.pages.axes import (
    NAMES,
    SPAN,
    Axis,
    kept,
    member_names,
    steps,
    tick_texts,
    ticks_between,
    upright,
    value_text,
    widest,
    x_axis,
    y_axis,
)
from comitia.pages.figure import Figure, Panel, Reference, Series, told_apart
from comitia.pages.heat_map import ramp
from comitia.pages.markup import Markup, element, joined, void
from comitia.pages.svg_marks import Marks, across_marks, heat_marks, line_marks, member_marks

HEIGHT = {"lines": 330, "bars": 150, "dots": 150, "across": 0, "heat": 0}
STACKED = 210  # pixels of each panel of lines if there are several
ROW = 32  # pixels per horizontal bar, its gap included
DENSE_NAMES = 30  # more names beside a heat map are set smaller
SLANTED = 14  # up to this many names are slanted, more are upright


@dataclass(frozen=True)
class Drawing:
    """A drawn figure: its markup, the texts of its points by panel, and how many entries its legend has."""

    markup: Markup
    values: list[dict[str, Any]]
    entries: int


@dataclass(frozen=True)
class Frame:
    """Pixels around the panels for the texts of the axes, and how the names below are turned."""

    left: int
    right: int
    bottom: int
    turned: int = 0


def svg_figure(figure: Figure, key: str) -> Drawing:
    """Return the figure drawn; `key` is the id of its place in the page.

    >>> from comitia.pages.figure import Table
    >>> panel = Panel("lines", "y", (Series("s", "tandem", (1.0, 2.0), (2.0, 3.0)),))
    >>> drawing = svg_figure(Figure("f", "F", "", "words", "x", (panel,), Table((), ())), "f")
    >>> drawing.entries, drawing.values[0]["series"][0]["text"]
    (1, ['1: 2', '2: 3'])
    """
    entries, kind = _entries(figure), figure.panels[0].kind
    if kind in _ALONE:
        drawn = [_ALONE[kind](panel) for panel in figure.panels]
        panels, values = [markup for markup, _ in drawn], [marks.values for _, marks in drawn]
    else:
        panels, values = _stacked(figure, [entry.name for entry in entries])
    title = element("p", figure.x_title, class_="x-title")
    place = element("div", *panels, title, id=key, class_=f"plot {kind}", role="img", aria_label=figure.alt)
    return Drawing(element("div", _legend(entries, figure), place, class_="chart"), values, len(entries))


def _entries(figure: Figure) -> list[Series | Reference]:
    """Return what the legend lists: lines and levels, each once if several panels show it."""
    found: dict[str, Series | Reference] = {}
    for panel in figure.panels:
        listed: list[Series | Reference] = [*panel.series] if panel.kind == "lines" else []
        for one in [*listed, *panel.references]:
            found.setdefault(one.name, one)
    return list(found.values())


def _legend(entries: Sequence[Series | Reference], figure: Figure) -> Markup | None:
    """Return the legend, whose boxes show and hide what they name, by the style sheet alone."""
    if not entries:
        return None
    items = [element("li", _entry(one, i, figure)) for i, one in enumerate(entries)]
    return element("ul", *items, class_="legend", aria_label="Shown in the figure")


def _entry(one: Series | Reference, place: int, figure: Figure) -> Markup:
    on = one.shown if isinstance(one, Series) else True
    # the browser must not restore boxes of an earlier visit: the figure of a record is always the same at first
    box = void("input", type="checkbox", class_=f"k{place}", checked=on, autocomplete="off")
    value = (
        None if isinstance(one, Series) else element("span", _levels_text(one, figure), class_="level-value")
    )
    return element("label", box, _swatch(one), element("span", one.name), value)


def _levels_text(reference: Reference, figure: Figure) -> str:
    """Return the value of a level, or nothing if panels show several values under its name."""
    found = [(r.value, p.percent) for p in figure.panels for r in p.references if r.name == reference.name]
    return value_text(*found[0]) if len(set(found)) == 1 else ""


def _swatch(one: Series | Reference) -> Markup:
    style = f"--c:var(--{one.role})"
    if isinstance(one, Reference):
        parts = [element("path", class_="level", d="M1 6H25")]
    else:
        cap = " square" if one.dashed else ""
        parts = [element("path", class_="line dashed" if one.dashed else "line", d="M1 6H25")]
        parts.append(element("path", class_=f"mark{cap}", d="M13 6h.01"))
        parts += [element("path", class_=f"hole{cap}", d="M13 6h.01")] if one.dashed else []
    return element(
        "svg",
        *parts,
        class_="swatch",
        style=style,
        aria_hidden="true",
        viewBox="0 0 26 12",
        focusable="false",
    )


def _stacked(figure: Figure, names: Sequence[str]) -> tuple[list[Markup], list[dict[str, Any]]]:
    """Return panels of lines, bars or dots over one horizontal axis."""
    several = sum(panel.kind == "lines" for panel in figure.panels) > 1
    heights = [STACKED if several and p.kind == "lines" else HEIGHT[p.kind] for p in figure.panels]
    x = x_axis(figure)
    ys = [y_axis(panel, height) for panel, height in zip(figure.panels, heights)]
    frame = _frame(x.texts, [text for y in ys for text in y.texts])
    rows, values = [], []
    for panel, y, height in zip(figure.panels, ys, heights):
        marks = (line_marks if panel.kind == "lines" else member_marks)(panel, x, y, names)
        last = panel is figure.panels[-1]
        grid = _grid(x if panel.kind == "lines" else None, y)
        texts = joined(*_y_texts(y), *(_x_texts(x, frame) if last else ()))
        title = element("p", panel.y_title, class_="y-title")
        rows.append(_row(title, grid, marks, texts, frame, height, last))
        values.append(marks.values)
    return rows, values


def _frame(below: Sequence[str], beside: Sequence[str], right: int = 14) -> Frame:
    left = round(widest(beside)) + 12
    if not upright(below):
        return Frame(left, right, 26)
    long = widest(below)
    if len(below) > SLANTED:
        return Frame(left, right, round(long) + 14, 90)
    return Frame(max(left, round(0.72 * widest(below[:1])) - 8), right, round(0.72 * long) + 20, 45)


def _row(
    title: Markup | None,
    grid: Markup | None,
    marks: Marks,
    texts: Markup,
    frame: Frame,
    height: int,
    last: bool,
) -> Markup:
    """Return one panel: what stretches, what does not, and the texts of its axes around it."""
    box = {"viewBox": f"0 0 {SPAN} {SPAN}", "preserveAspectRatio": "none"}
    inner = joined(grid, marks.stretched)
    stretched = element("svg", inner, width="100%", height="100%", **box) if inner else None
    style = f"--h:{height}px" if height else None
    area = element(
        "svg",
        stretched,
        marks.fixed,
        texts,
        class_="area",
        style=style,
        aria_hidden="true",
        focusable="false",
    )
    bottom = frame.bottom if last else 10
    around = f"padding:0 {frame.right}px {bottom}px {frame.left}px"
    return element("div", title, element("div", area, class_="row", style=around), class_="axes")


def _grid(x: Axis | None, y: Axis) -> Markup:
    lines = [f"M0 {SPAN - y.place(tick):g}H{SPAN}" for tick in y.ticks]
    lines += [] if x is None else [f"M{x.place(tick):g} 0V{SPAN}" for tick in x.ticks]
    return element("path", class_="grid", d="".join(lines))


def _y_texts(y: Axis) -> list[Markup]:
    return [
        element("text", text, class_="yt", x=0, dx=-8, y=f"{(SPAN - y.place(tick)) / 10:.2f}%")
        for tick, text in zip(y.ticks, y.texts)
    ]


def _x_texts(x: Axis, frame: Frame) -> list[Markup]:
    """Return the texts below the panel, turned if they would overlap; a phone shows fewer of them."""
    found = []
    for tick, text, where in zip(x.ticks, x.texts, kept(x.texts)):
        if where is not None:
            found.append(_below(text, x.place(tick) / 10, frame.turned, where))
    return found


def _below(text: str, at: float, turned: int, where: str) -> Markup:
    if not turned:
        return element("text", text, class_=f"xt {where}".strip(), x=f"{at:.2f}%", y="100%", dy=18)
    word = element("text", text, class_="name", transform=f"rotate(-{turned})", dx=-9)
    return element("svg", word, class_=where or None, x=f"{at:.2f}%", y="100%")


def _across(panel: Panel) -> tuple[Markup, Marks]:
    """Return horizontal bars, named on the left, with their values at their ends."""
    told = told_apart(panel.ticks or (), NAMES)
    longest = max((y or 0.0 for y in panel.series[0].y), default=0.0) or 1.0
    step = steps(0.0, longest, 4)
    ticks = ticks_between(0.0, longest, step)
    x = Axis(0.0, longest, ticks, tick_texts(ticks, step, panel.percent))
    marks, row = across_marks(panel), 100 / max(len(told), 1)
    beside = (
        element("text", name, class_="yt name", x=0, dx=-8, y=f"{(i + 0.5) * row:.2f}%")
        for i, name in enumerate(told)
    )
    grid = element("path", class_="grid", d="".join(f"M{x.place(tick):g} 0V{SPAN}" for tick in ticks))
    frame = Frame(round(widest(told)) + 12, round(widest(panel.series[0].labels or ())) + 14, 26)
    texts = joined(*beside, *_x_texts(x, frame))
    return _row(None, grid, marks, texts, frame, ROW * len(told), True), marks


def _heat(panel: Panel) -> tuple[Markup, Marks]:
    """Return a square of squares, named on two sides, with the scale of its colours above."""
    told = member_names(panel.ticks or [str(i) for i in range(len(panel.matrix or ()))])
    marks, step = heat_marks(panel), 100 / max(len(told), 1)
    turned = 90 if upright(told) else 0
    frame = Frame(round(widest(told)) + 12, 14, round(widest(told)) + 14 if turned else 26, turned)
    texts = []
    for i, (name, where) in enumerate(zip(told, kept(told))):
        if where is not None:
            at = f"{(i + 0.5) * step:.2f}%"
            texts.append(element("text", name, class_=f"yt name {where}".strip(), x=0, dx=-8, y=at))
            texts.append(_below(name, (i + 0.5) * step, turned, where))
    row = _row(None, None, marks, joined(*texts), frame, 0, True)
    around = element("div", _scale(panel), row, class_="dense" if len(told) > DENSE_NAMES else None)
    return around, marks


# kinds whose panels have an axis of their own; the others stand over one another
_ALONE = {"across": _across, "heat": _heat}


def _scale(panel: Panel) -> Markup:
    """Return which colour stands for which value."""
    matrix = panel.matrix or ((0.0,),)
    low, high = panel.levels or (min(map(min, matrix)), max(map(max, matrix)))
    below, above = min(map(min, matrix)) < low, max(map(max, matrix)) > high
    ends = [
        f"{'≤ ' if below else ''}{value_text(low, panel.percent)}",
        f"{'≥ ' if above else ''}{value_text(high, panel.percent)}",
    ]
    return element(
        "p",
        element("span", panel.y_title, class_="what"),
        element("span", ends[0]),
        element("span", class_="ramp", style=f"background:{ramp()}"),
        element("span", ends[1]),
        class_="scale",
    )
