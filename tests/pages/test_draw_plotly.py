import json
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go
import pytest

from comitia.pages import figures_of
from comitia.pages.draw_plotly import plotly_figure
from comitia.pages.figure import LIGHT, Figure, Panel, Series, Table, tokens
from report_records import HOSTILE, an_ensemble, an_evaluation

FIGURES = [*figures_of(an_ensemble(HOSTILE)), *figures_of(an_evaluation(HOSTILE, label=HOSTILE[0]))]


def colours(value: Any, key: str = "") -> Iterator[str]:
    """Every text under a key that ends with `color`, as the page's script sees it."""
    if isinstance(value, str):
        yield from [value] if key.endswith("color") else []
    elif isinstance(value, list):
        for inner in value:
            yield from colours(inner, key)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from colours(inner, name)


def painted(value: Any, key: str = "") -> Any:
    if isinstance(value, str):
        return tokens(LIGHT, 0.2)[value] if key.endswith("color") else value
    if isinstance(value, list):
        return [painted(inner, key) for inner in value]
    return {name: painted(inner, name) for name, inner in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.key)
def test_plotly_takes_the_figure_and_knows_its_colours(figure: Figure) -> None:
    drawn = plotly_figure(figure)
    assert set(colours(drawn)) <= tokens(LIGHT, 0.2).keys()
    go.Figure(painted({"data": drawn["data"], "layout": drawn["layout"]}))  # raises for unknown properties
    json.dumps(drawn, allow_nan=False)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.key)
def test_no_markup_of_a_name_reaches_plotly(figure: Figure) -> None:
    text = json.dumps(plotly_figure(figure), ensure_ascii=False)
    for tag in ("<script", "<img", "<a ", "</a", "<b>bold"):
        assert tag not in text


def test_the_band_goes_up_and_comes_back_down() -> None:
    (panel,) = FIGURES[2].panels
    band = plotly_figure(FIGURES[2])["data"][0]
    series = panel.series[0]
    assert band["x"] == [2.0, 3.0, 4.0, 4.0, 3.0, 2.0]
    first, last = series.y[0], series.y[-1]
    assert first is not None
    assert last is not None
    assert band["y"][0] == pytest.approx(first + 0.004)
    assert band["y"][-1] == pytest.approx(first - 0.004)
    assert band["y"][3] == pytest.approx(last - 0.004)


def test_panels_do_not_overlap() -> None:
    layout = plotly_figure(next(f for f in FIGURES if f.key == "weights"))["layout"]
    spans = [layout[name]["domain"] for name in ("yaxis", "yaxis2", "yaxis3")]
    assert spans[0][1] == 1
    assert spans[2][0] >= 0
    assert spans[0][0] > spans[1][1] > spans[1][0] > spans[2][1]


@pytest.mark.parametrize("log, kind", [(True, "log"), (False, None)])
def test_the_x_axis_of_lines_may_be_logarithmic(log: bool, kind: str | None) -> None:
    panel = Panel("lines", "y", (Series("s", "tandem", (10.0, 1000.0), (0.1, 0.2)),))
    figure = Figure("f", "F", "", "", "x", (panel,), Table((), ()), log=log)
    assert plotly_figure(figure)["layout"]["xaxis"].get("type") == kind
