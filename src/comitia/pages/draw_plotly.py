"""Figures as plotly's plain data: traces and layout, with colour tokens that the page fills in by theme."""

from textwrap import wrap
from typing import Any

from comitia.pages.figure import Figure, Panel, Reference, Series, shortened
from comitia.pages.plotly_axes import axes, axis_id, extent, plain

ROW = 34  # pixels a horizontal bar takes, its gap included
PANEL = {"lines": 380, "bars": 170, "dots": 170, "heat": 560}
LEGEND = 38  # letters in a line of the legend, so that it fits a phone
# names of both members at every square would swell the page where there are more
NAMED_SQUARES = 60
MARGIN = {"l": 64, "r": 20, "t": 16, "b": 56}


def plotly_figure(figure: Figure) -> dict[str, Any]:
    """`data`, `layout` and `height` of the figure; colours are tokens such as `tandem` or `tandem-band`.

    >>> from comitia.pages.figure import Panel, Table
    >>> panel = Panel("lines", "y", (Series("s", "tandem", (1.0,), (2.0,)),))
    >>> plotly_figure(Figure("f", "F", "", "", "x", (panel,), Table((), ())))["data"][0]["line"]["color"]
    'tandem'
    """
    data: list[dict[str, Any]] = []
    layout = _frame(figure)
    for row, panel in enumerate(figure.panels):
        data += _traces(panel, row, extent(figure))
        layout |= axes(figure, row)
    _name_once(data)
    layout["showlegend"] = any(trace.get("showlegend") for trace in data)
    square = figure.panels[0].kind == "heat"
    return {"data": data, "layout": layout, "height": _height(figure), "square": square}


def _name_once(data: list[dict[str, Any]]) -> None:
    """Leave one entry of the legend to what several panels show under one name."""
    seen: set[str] = set()
    for trace in data:
        if trace.get("showlegend"):
            trace["showlegend"] = trace["name"] not in seen
            seen.add(trace["name"])


def _height(figure: Figure) -> int:
    panel = figure.panels[0]
    if panel.kind == "across":
        return ROW * len(panel.ticks or ()) + MARGIN["t"] + MARGIN["b"]
    return sum(PANEL[p.kind] for p in figure.panels) + MARGIN["t"] + MARGIN["b"]


def _frame(figure: Figure) -> dict[str, Any]:
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


def _traces(panel: Panel, row: int, extent: tuple[float, float]) -> list[dict[str, Any]]:
    """All traces of one panel, tied to its axes."""
    if panel.kind == "heat":
        found = [_heat(panel)]
    elif panel.kind == "across":
        found = [_across(series, panel) for series in panel.series]
    elif panel.kind == "dots":
        found = [_dots(series, panel) for series in panel.series]
    elif panel.kind == "bars":
        found = [_bars(series, panel) for series in panel.series]
    else:
        found = [trace for series in panel.series for trace in _lines(series, panel)]
    found += [_level(reference, extent, panel) for reference in panel.references]
    return [trace | {"xaxis": "x", "yaxis": axis_id("y", row)} for trace in found]


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


def _dots(series: Series, panel: Panel) -> dict[str, Any]:
    """Single points, filled where they stand out and open elsewhere; their axis need not start at zero."""
    strong = series.strong or (True,) * len(series.x)
    bar = _bars(series, panel)
    marker = {"color": series.role, "size": 7, "symbol": ["circle" if s else "circle-open" for s in strong]}
    return bar | {"type": "scatter", "mode": "markers", "marker": marker}


def _bars(series: Series, panel: Panel) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": plain(series.name),
        "showlegend": False,
        "x": list(series.x),
        "y": list(series.y),
        "marker": {"color": series.role, "line": {"width": 0}},
        "hovertext": [plain(shortened(label, 60)) for label in series.labels or ()],
        "hovertemplate": f"%{{hovertext}}<br>{plain(panel.y_title)} {_value(panel, 'y')}<extra></extra>",
    }


def _across(series: Series, panel: Panel) -> dict[str, Any]:
    """Horizontal bars, smallest at the top; pale and hatched where marked, strong where they stand out."""
    strong = series.strong or (True,) * len(series.x)
    marked = series.marked or (False,) * len(series.x)
    texts = [plain(label) for label in series.labels or ()]
    return {
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


def _heat(panel: Panel) -> dict[str, Any]:
    names = [plain(shortened(tick, 40)) for tick in panel.ticks or ()]
    return {
        "type": "heatmap",
        "z": [list(row) for row in panel.matrix or ()],
        "colorscale": "Cividis",
        "zmin": None if panel.levels is None else panel.levels[0],
        "zmax": None if panel.levels is None else panel.levels[1],
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
    """What is told of a square: both names, or both numbers where names would swell the page."""
    if len(names) > NAMED_SQUARES:
        return {"hovertemplate": "members %{x} and %{y}<br>%{z:.2%}<extra></extra>"}
    told = [[f"{a}<br>{b}" for b in names] for a in names]
    return {"hovertext": told, "hovertemplate": "%{hovertext}<br>%{z:.2%}<extra></extra>"}


def _level(reference: Reference, extent: tuple[float, float], panel: Panel) -> dict[str, Any]:
    """A line at one level, right across."""
    low, high = (extent[0] - 0.5, extent[1] + 0.5) if panel.kind in ("bars", "dots") else extent
    name = "<br>".join(plain(line) for line in wrap(reference.name, LEGEND))
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "legendgroup": name,
        "showlegend": True,
        "x": [low, high],
        "y": [reference.value, reference.value],
        "line": {"color": reference.role, "width": 1.8, "dash": "dot"},
        "hovertemplate": f"{_braced(reference.name)}: {_value(panel, 'y')}<extra></extra>",
    }


def _value(panel: Panel, field: str) -> str:
    return f"%{{{field}:.2%}}" if panel.percent else f"%{{{field}:.4~g}}"


def _braced(text: str) -> str:
    """The text inside a hover template, where %{ would be read as a field."""
    return plain(text).replace("%{", "% {")
