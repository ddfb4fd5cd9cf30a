"""The axes of a figure as plotly's plain data: each panel its share of the height, one x axis below them all."""

from typing import Any

from comitia.pages.figure import Figure, Panel, told_apart

GAP = 0.07  # of the height, between stacked panels
WHOLE_TICKS = 14  # so many steps of an axis of runs or epochs are each marked


def axes(figure: Figure, row: int) -> dict[str, Any]:
    """The y axis of one panel in its share of the height, and for the lowest panel the x axis."""
    panel, count = figure.panels[row], len(figure.panels)
    share = (1 - GAP * (count - 1)) / count
    top = 1 - row * (share + GAP)
    y = _axis(panel.y_title, panel.percent and panel.kind != "heat") | {
        "domain": [round(max(top - share, 0), 6), round(top, 6)]
    }
    x = _axis(figure.x_title, False) | {"anchor": axis_id("y", count - 1)}
    if panel.kind == "across":
        y |= _named_ticks(panel) | {"title": {"text": ""}, "autorange": "reversed", "showgrid": False}
        x |= {"tickformat": ".0%", "range": [0, _reach(panel)]}
    elif panel.kind == "heat":
        y |= {"scaleanchor": "x", "constrain": "domain", "autorange": "reversed", "showgrid": False}
        y |= {"title": x["title"]}
        x |= {"constrain": "domain", "showgrid": False}
    elif panel.ticks is not None:
        x |= _named_ticks(panel)
    elif panel.kind == "lines":
        low, high = extent(figure)
        x |= {"dtick": 1} if high - low <= WHOLE_TICKS else {}
        y |= _about_a_constant(panel)
    if panel.kind in ("bars", "dots"):
        x |= {"showgrid": False}
        y |= {"rangemode": "tozero"} if panel.kind == "bars" else {}
    return {_layout_key(row): y, "xaxis": x}


def _about_a_constant(panel: Panel) -> dict[str, Any]:
    """A range about the one value that all curves have, if they have; plotly would take a whole unit each way."""
    values = [y for series in panel.series for y in series.y if y is not None]
    values += [reference.value for reference in panel.references]
    if not panel.percent or not values or max(values) - min(values) > 1e-9:
        return {}
    return {"range": [values[0] - 0.01, values[0] + 0.01]}


def _axis(title: str, percent: bool) -> dict[str, Any]:
    return {
        "title": {"text": plain(title), "standoff": 10, "font": {"size": 13}},
        "gridcolor": "grid",
        "linecolor": "grid",
        "zeroline": False,
        "automargin": True,
        "tickfont": {"color": "muted"},
        **({"tickformat": ".4~%"} if percent else {}),
    }


def _named_ticks(panel: Panel) -> dict[str, Any]:
    ticks = panel.ticks or ()
    return {
        "tickmode": "array",
        "tickvals": list(range(len(ticks))),
        "ticktext": [plain(tick) for tick in told_apart(ticks)],
        "tickfont": {"color": "ink"},
    }


def _reach(panel: Panel) -> float:
    """Where the horizontal axis ends: a little past the longest bar, for its number."""
    longest = max((y or 0.0 for series in panel.series for y in series.y), default=1.0)
    return round(1.18 * longest, 6)


def extent(figure: Figure) -> tuple[float, float]:
    """The smallest and largest x of all series, for lines that go right across."""
    xs = [x for panel in figure.panels for series in panel.series for x in series.x]
    return (min(xs), max(xs)) if xs else (0.0, 1.0)


def axis_id(axis: str, row: int) -> str:
    """The name by which a trace is tied to the axis of that row: `y`, `y2`, ..."""
    return axis if row == 0 else f"{axis}{row + 1}"


def _layout_key(row: int) -> str:
    return "yaxis" if row == 0 else f"yaxis{row + 1}"


def plain(text: str) -> str:
    """The text so that plotly, which takes some tags for markup, shows it letter by letter.

    >>> plain("<b>a & b</b>")
    '&lt;b&gt;a &amp; b&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
