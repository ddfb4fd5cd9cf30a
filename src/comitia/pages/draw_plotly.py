"""Figures as plain data for plotly: traces, layout and axes, with colour tokens that the page fills in by theme."""

from textwrap import wrap
from typing import Any

from comitia.pages.figure import Figure, Panel, Reference, Series, shortened, told_apart

ROW = 34  # pixels per horizontal bar, its gap included
PANEL = {"lines": 380, "bars": 170, "dots": 170, "heat": 560}
LEGEND = 38  # letters per line of the legend, so that it fits a phone
NAMED_SQUARES = 60  # with more members, naming both at every square would swell the page
GAP = 0.07  # of the height, between stacked panels
WHOLE_TICKS = 14  # up to this many runs or epochs have a tick each
MARGIN = {"l": 64, "r": 20, "t": 16, "b": 56}


def plotly_figure(figure: Figure) -> dict[str, Any]:
    """Return `data`, `layout`, `height` and `square`; colours are tokens such as `tandem` or `tandem-band`.

    >>> from comitia.pages.figure import Panel, Table
    >>> panel = Panel("lines", "y", (Series("s", "tandem", (1.0,), (2.0,)),))
    >>> plotly_figure(Figure("f", "F", "", "", "x", (panel,), Table((), ())))["data"][0]["line"]["color"]
    'tandem'
    """
    data: list[dict[str, Any]] = []
    layout = _frame()
    across = _extent(figure)
    for row, panel in enumerate(figure.panels):
        data += _traces(panel, row, across)
        layout |= _axes(figure, row, across)
    _name_once(data)
    layout["showlegend"] = any(trace.get("showlegend") for trace in data)
    shape = {"height": _height(figure), "square": figure.panels[0].kind == "heat"}
    return {"data": data, "layout": layout, **shape}


def _name_once(data: list[dict[str, Any]]) -> None:
    """Keep one legend entry for what several panels show under one name."""
    seen: set[str] = set()
    for trace in data:
        if trace.get("showlegend"):
            trace["showlegend"] = trace["name"] not in seen
            seen.add(trace["name"])


def _height(figure: Figure) -> int:
    bars = [panel.ticks or () for panel in figure.panels if panel.kind == "across"]
    panels = ROW * len(bars[0]) if bars else sum(PANEL[panel.kind] for panel in figure.panels)
    return panels + MARGIN["t"] + MARGIN["b"]


def _frame() -> dict[str, Any]:
    """The layout that all panels share."""
    return {
        "paper_bgcolor": "ground",
        "plot_bgcolor": "ground",
        "font": {"color": "ink", "size": 13},
        "margin": MARGIN,
        "hovermode": "closest",
        "dragmode": False,
        "bargap": 0.25,
        "hoverlabel": {"bgcolor": "ground", "bordercolor": "muted", "font": {"color": "ink"}},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
    }


def _traces(panel: Panel, row: int, across: tuple[float, float]) -> list[dict[str, Any]]:
    """All traces of one panel, tied to its axes."""
    if panel.kind == "heat":
        found = [_heat(panel)]
    else:
        found = [trace for series in panel.series for trace in _TRACES[panel.kind](series, panel)]
    found += [_level(reference, across, panel) for reference in panel.references]
    return [trace | {"xaxis": "x", "yaxis": f"y{_suffix(row)}"} for trace in found]


def _lines(series: Series, panel: Panel) -> list[dict[str, Any]]:
    """The band about the line, if there is one, and the line."""
    spread = "" if series.spread is None else f" ± {_value(panel, 'customdata')}"
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": plain(series.name),
        "legendgroup": plain(series.name),
        "showlegend": True,
        "visible": True if series.shown else "legendonly",
        "x": list(series.x),
        "y": list(series.y),
        "line": {"color": series.role, "width": 2.2, "dash": "dash" if series.dashed else "solid"},
        "marker": {"color": series.role, "size": 7, "symbol": "square-open" if series.dashed else "circle"},
        "customdata": list(series.spread or ()),
        "hovertemplate": f"{_braced(series.name)}<br>%{{x}}: {_value(panel, 'y')}{spread}<extra></extra>",
    }
    return [line] if series.spread is None else [_band(series), line]


def _band(series: Series) -> dict[str, Any]:
    """The area of ± spread about the points that have a value."""
    assert series.spread is not None
    points = [(x, y, s) for x, y, s in zip(series.x, series.y, series.spread) if y is not None]
    upper = [(x, y + s) for x, y, s in points]
    lower = [(x, y - s) for x, y, s in reversed(points)]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in upper + lower],
        "y": [y for _, y in upper + lower],
        "fill": "toself",
        "fillcolor": f"{series.role}-band",
        "line": {"color": f"{series.role}-band", "width": 0},
        "legendgroup": plain(series.name),
        "visible": True if series.shown else "legendonly",
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _dots(series: Series, panel: Panel) -> list[dict[str, Any]]:
    """Single points, filled where they stand out and open elsewhere; their axis need not start at zero."""
    strong = series.strong or (True,) * len(series.x)
    (bar,) = _bars(series, panel)
    marker = {"color": series.role, "size": 7, "symbol": ["circle" if s else "circle-open" for s in strong]}
    return [bar | {"type": "scatter", "mode": "markers", "marker": marker}]


def _bars(series: Series, panel: Panel) -> list[dict[str, Any]]:
    trace = {
        "type": "bar",
        "name": plain(series.name),
        "showlegend": False,
        "x": list(series.x),
        "y": list(series.y),
        "marker": {"color": series.role, "line": {"width": 0}},
        "hovertext": [plain(shortened(label, 60)) for label in series.labels or ()],
        "hovertemplate": f"%{{hovertext}}<br>{plain(panel.y_title)} {_value(panel, 'y')}<extra></extra>",
    }
    return [trace]


def _across(series: Series, panel: Panel) -> list[dict[str, Any]]:
    """Horizontal bars, smallest at the top; pale and hatched where marked, strong where they stand out."""
    strong = series.strong or (True,) * len(series.x)
    marked = series.marked or (False,) * len(series.x)
    texts = [plain(label) for label in series.labels or ()]
    trace = {
        "type": "bar",
        "orientation": "h",
        "showlegend": False,
        "y": list(series.x),
        "x": list(series.y),
        "text": [f"<b>{text}</b>" if s else text for text, s in zip(texts, strong)],
        "textposition": "outside",
        "textfont": {"color": "ink"},
        "cliponaxis": False,
        "marker": {
            "color": [series.role if s else "pale" for s in strong],
            "pattern": {"shape": ["/" if m else "" for m in marked], "fillmode": "replace", "solidity": 0.35},
            "line": {"width": 0},
        },
        "hovertext": [plain(tick) for tick in panel.ticks or ()],
        "hovertemplate": "%{hovertext}: %{text}<extra></extra>",
    }
    return [trace]


_TRACES = {"lines": _lines, "bars": _bars, "dots": _dots, "across": _across}


def _heat(panel: Panel) -> dict[str, Any]:
    names = [plain(shortened(tick, 40)) for tick in panel.ticks or ()]
    low, high = panel.levels or (None, None)
    return {
        "type": "heatmap",
        "z": [list(row) for row in panel.matrix or ()],
        "colorscale": "Cividis",
        "zmin": low,
        "zmax": high,
        "showlegend": False,
        **_pointed(names),
        "colorbar": {
            "title": {"text": plain(panel.y_title), "side": "right"},
            "thickness": 12,
            "outlinewidth": 0,
            "tickformat": ".4~%" if panel.percent else "",
        },
    }


def _pointed(names: list[str]) -> dict[str, Any]:
    """What a square shows when pointed at: both names, or both numbers where names would swell the page."""
    if len(names) > NAMED_SQUARES:
        return {"hovertemplate": "members %{x} and %{y}<br>%{z:.2%}<extra></extra>"}
    told = [[f"{a}<br>{b}" for b in names] for a in names]
    return {"hovertext": told, "hovertemplate": "%{hovertext}<br>%{z:.2%}<extra></extra>"}


def _level(reference: Reference, across: tuple[float, float], panel: Panel) -> dict[str, Any]:
    """A horizontal line across the panel."""
    margin = 0.5 if panel.kind in ("bars", "dots") else 0.0
    name = "<br>".join(plain(line) for line in wrap(reference.name, LEGEND))
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "legendgroup": name,
        "showlegend": True,
        "x": [across[0] - margin, across[1] + margin],
        "y": [reference.value, reference.value],
        "line": {"color": reference.role, "width": 1.8, "dash": "dot"},
        "hovertemplate": f"{_braced(reference.name)}: {_value(panel, 'y')}<extra></extra>",
    }


def _value(panel: Panel, field: str) -> str:
    return f"%{{{field}:.2%}}" if panel.percent else f"%{{{field}:.4~g}}"


def _braced(text: str) -> str:
    """The text inside a hover template, where %{ would be read as a field."""
    return plain(text).replace("%{", "% {")


def _axes(figure: Figure, row: int, across: tuple[float, float]) -> dict[str, Any]:
    """The y axis of one panel in its share of the height, and for the lowest panel the x axis."""
    panel, count = figure.panels[row], len(figure.panels)
    share = (1 - GAP * (count - 1)) / count
    top = 1 - row * (share + GAP)
    y = _axis(panel.y_title, panel.percent and panel.kind != "heat")
    y |= {"domain": [round(max(top - share, 0), 6), round(top, 6)]}
    x = _axis(figure.x_title, False) | {"anchor": f"y{_suffix(count - 1)}"}
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
        x |= {"dtick": 1} if across[1] - across[0] <= WHOLE_TICKS or figure.log else {}
        x |= {"type": "log", "tickformat": ","} if figure.log else {}
        y |= _about_a_constant(panel)
    if panel.kind in ("bars", "dots"):
        x |= {"showgrid": False}
        y |= {"rangemode": "tozero"} if panel.kind == "bars" else {}
    return {f"yaxis{_suffix(row)}": y, "xaxis": x}


def _about_a_constant(panel: Panel) -> dict[str, Any]:
    """A range around the value that all curves share, if they do; plotly would add a whole unit each way."""
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
    texts = [plain(tick) for tick in told_apart(panel.ticks or ())]
    places = list(range(len(texts)))
    return {"tickmode": "array", "tickvals": places, "ticktext": texts, "tickfont": {"color": "ink"}}


def _reach(panel: Panel) -> float:
    """Where the horizontal axis ends: a little past the longest bar, for its number."""
    longest = max((y or 0.0 for series in panel.series for y in series.y), default=1.0)
    return round(1.18 * longest, 6)


def _extent(figure: Figure) -> tuple[float, float]:
    """The smallest and largest x of all series."""
    xs = [x for panel in figure.panels for series in panel.series for x in series.x]
    return (min(xs), max(xs)) if xs else (0.0, 1.0)


def _suffix(row: int) -> str:
    """What plotly appends to the name of the axis of that row: nothing, 2, 3, ..."""
    return "" if row == 0 else str(row + 1)


def plain(text: str) -> str:
    """Return the text escaped, because plotly reads some tags as markup.

    >>> plain("<b>a & b</b>")
    '&lt;b&gt;a &amp; b&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
