"""Figures for a paper: SVG, PDF and PNG drawn by matplotlib. The same figure gives the same bytes."""

import io
import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import PercentFormatter, StrMethodFormatter

from comitia.pages.figure import LIGHT, Figure, Panel, Reference, Series, told_apart

WIDTH = 6.2  # inches: a text column and a half
HEIGHT = {"lines": 3.6, "bars": 1.5, "dots": 1.5, "heat": 5.2}
# No dates, ids from a fixed salt, fonts as outlines (SVG) or embedded (PDF): the same bytes everywhere.
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "comitia",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": LIGHT["muted"],
    "axes.grid": False,
    "text.color": LIGHT["ink"],
    "axes.labelcolor": LIGHT["ink"],
    "xtick.color": LIGHT["muted"],
    "ytick.color": LIGHT["muted"],
    "hatch.linewidth": 0.6,
}
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "comitia"},
    "pdf": {"CreationDate": None, "Creator": "comitia", "Producer": "comitia"},
    "png": {"Software": "comitia"},
}


def drawn(figure: Figure, forms: Sequence[str]) -> dict[str, bytes]:
    """Return the content of one file per form, ``"svg"``, ``"pdf"`` or ``"png"``."""
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        # names in a script that the font lacks are drawn as boxes; the page shows them in full
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        canvas = Canvas(figsize=(WIDTH, _height(figure)), layout="constrained", dpi=200)
        shares = [HEIGHT.get(panel.kind, 1.0) for panel in figure.panels]
        axes = canvas.subplots(len(figure.panels), 1, sharex=True, squeeze=False, height_ratios=shares)[:, 0]
        for axis, panel in zip(axes, figure.panels):
            _DRAWERS[panel.kind](axis, panel, figure)
        _finish(canvas, axes, figure)
        # the layout is computed once: it takes longer than the drawing
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        return {form: _saved(canvas, form) for form in forms}


def _saved(canvas: Canvas, form: str) -> bytes:
    buffer = io.BytesIO()
    canvas.savefig(buffer, format=form, metadata=METADATA[form])
    return buffer.getvalue()


def _height(figure: Figure) -> float:
    first = figure.panels[0]
    if first.kind == "across":
        return 0.7 + 0.24 * len(first.ticks or ())
    return 0.6 + sum(HEIGHT[panel.kind] for panel in figure.panels)


def _finish(canvas: Any, axes: Any, figure: Figure) -> None:
    """Add the title of the x axis below the lowest panel, and one legend above all panels."""
    axes[-1].set_xlabel(literal(figure.x_title))
    found: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles))
    if found:
        columns = 2 if max(map(len, found)) > 30 else 3
        place = "outside upper center"
        canvas.legend(list(found.values()), list(found), loc=place, ncols=columns, frameon=False, fontsize=8)


def _draw_lines(axis: Any, panel: Panel, figure: Figure) -> None:
    for series in panel.series:
        if series.shown:
            _draw_curve(axis, series)
    _draw_references(axis, panel.references)
    axis.set_ylabel(literal(panel.y_title))
    axis.grid(axis="y", color=LIGHT["grid"], linewidth=0.6)
    if figure.log:
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    else:
        axis.xaxis.get_major_locator().set_params(integer=True)
    _per_cent(axis.yaxis, panel)


def _draw_curve(axis: Any, series: Series) -> None:
    colour = LIGHT[series.role]
    points = [(x, y, s) for x, y, s in zip(series.x, series.y, series.spread or series.x) if y is not None]
    x, y, spread = ([point[k] for point in points] for k in range(3))
    style = (
        {"linestyle": "--", "marker": "s", "markerfacecolor": "white"} if series.dashed else {"marker": "o"}
    )
    axis.plot(x, y, color=colour, label=literal(series.name), linewidth=1.5, markersize=3.5, **style)
    if series.spread is not None:
        lower, upper = [a - s for a, s in zip(y, spread)], [a + s for a, s in zip(y, spread)]
        axis.fill_between(x, lower, upper, color=colour, alpha=0.15, linewidth=0)


def _draw_references(axis: Any, references: tuple[Reference, ...]) -> None:
    for reference in references:
        colour = LIGHT[reference.role]
        axis.axhline(
            reference.value, color=colour, linestyle=":", linewidth=1.3, label=literal(reference.name)
        )


def _draw_bars(axis: Any, panel: Panel, figure: Figure) -> None:
    for series in panel.series:
        axis.bar(series.x, [y or 0.0 for y in series.y], color=LIGHT[series.role], width=0.8)
    _draw_members(axis, panel)


def _draw_dots(axis: Any, panel: Panel, figure: Figure) -> None:
    for series in panel.series:
        colour = LIGHT[series.role]
        faces = [colour if s else "white" for s in series.strong or (True,) * len(series.x)]
        axis.scatter(series.x, series.y, s=11, c=faces, edgecolors=colour, linewidths=0.8, zorder=3)
    axis.grid(axis="y", color=LIGHT["grid"], linewidth=0.6)
    _draw_members(axis, panel)


def _draw_members(axis: Any, panel: Panel) -> None:
    """Draw what bars and dots share: reference lines, titles and the names of the members."""
    _draw_references(axis, panel.references)
    axis.set_ylabel(literal(panel.y_title))
    if panel.ticks is not None:
        labels = [literal(tick) for tick in told_apart(panel.ticks)]
        axis.set_xticks(range(len(labels)), labels, rotation=30, ha="right")
    _per_cent(axis.yaxis, panel)


def _draw_across(axis: Any, panel: Panel, figure: Figure) -> None:
    """Draw horizontal bars, smallest at the top; hatched where marked, strong where they stand out."""
    series = panel.series[0]
    marked = series.marked or (False,) * len(series.x)
    strong = series.strong or (True,) * len(series.x)
    for x, y, m, s, label in zip(series.x, series.y, marked, strong, series.labels or ()):
        colour = LIGHT[series.role] if s else LIGHT["pale"]
        axis.barh(
            x,
            y or 0.0,
            color="white" if m else colour,
            edgecolor=colour,
            hatch="////" if m else None,
            height=0.7,
        )
        axis.annotate(
            literal(label),
            (y or 0.0, x),
            (3, 0),
            textcoords="offset points",
            va="center",
            weight="bold" if s else None,
        )
    axis.set_yticks(range(len(panel.ticks or ())), [literal(t) for t in told_apart(panel.ticks or (), 30)])
    axis.invert_yaxis()
    axis.set_xlim(0, 1.15 * max((y or 0.0 for y in series.y), default=1.0))
    axis.tick_params(axis="y", length=0, labelcolor=LIGHT["ink"])
    _per_cent(axis.xaxis, panel)


def _draw_heat(axis: Any, panel: Panel, figure: Figure) -> None:
    low, high = panel.levels or (None, None)
    image = axis.imshow(panel.matrix, cmap="cividis", interpolation="nearest", vmin=low, vmax=high)
    axis.set_ylabel(literal(figure.x_title))
    bar = axis.figure.colorbar(image, ax=axis, label=literal(panel.y_title), shrink=0.85)
    _per_cent(bar.ax.yaxis, panel)


def _per_cent(axis: Any, panel: Panel) -> None:
    if panel.percent:
        axis.set_major_formatter(PercentFormatter(1.0, symbol="%"))


def literal(text: str) -> str:
    """Return the text escaped, because matplotlib reads $…$ as mathematics and hides labels that start with _.

    >>> literal("$x$"), literal("_a")
    ('\\\\$x\\\\$', ' _a')
    """
    return (" " if text.startswith("_") else "") + text.replace("$", "\\$")


_DRAWERS = {
    "lines": _draw_lines,
    "bars": _draw_bars,
    "dots": _draw_dots,
    "across": _draw_across,
    "heat": _draw_heat,
}
