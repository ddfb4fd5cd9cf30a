"""The figure of a chain's temperatures: ratios, gaps, the largest layers."""

from comitia.pages.chain_temperatures import Chain, EpochReading, LayerReading
from comitia.pages.draw_matplotlib import drawn
from comitia.pages.draw_plotly import plotly_figure
from comitia.pages.temperature_figures import ROLES, temperature_figure


def reading(epoch: int, kinetic: float | None, layers: int = 8) -> EpochReading:
    told = (LayerReading(f"w{i}", 10 * i, kinetic, 0.1 * i) for i in range(layers))
    return EpochReading(epoch, 0.5, tuple(told))


def test_ratios_of_the_largest_layers() -> None:
    figure = temperature_figure(Chain("cold", (reading(3, 0.5), reading(6, None))))
    assert figure is not None
    kinetic, configurational = figure.panels
    assert [series.name for series in kinetic.series] == ["w7", "w6", "w5", "w4", "w3", "w2"]
    assert kinetic.series[0].y == (1.0, None)
    assert configurational.series[5].y == (0.4, 0.4)
    assert len(figure.table.columns) == 1 + 2 * len(ROLES)
    assert figure.key == "temperatures-cold"
    assert (
        "kinetic / T at the end: none finite; configurational / T at the end: w7 1.40, w6 1.20" in figure.alt
    )
    assert drawn(figure, ("svg",))["svg"].startswith(b"<?xml")


def test_a_layer_stands_once_in_the_legend_of_both_panels() -> None:
    figure = temperature_figure(Chain("cold", (reading(3, 0.5, layers=3), reading(6, 0.4, layers=3))))
    assert figure is not None
    traces = plotly_figure(figure)["data"]
    assert len(traces) == 2 * 3
    assert [trace["name"] for trace in traces if trace["showlegend"]] == ["w2", "w1", "T"]
    assert {trace["legendgroup"] for trace in traces} == {"w2", "w1", "T"}


def test_a_chain_without_momenta_has_one_panel_and_no_empty_columns() -> None:
    figure = temperature_figure(Chain("sgld", (reading(1, None),)))
    assert figure is not None
    assert [panel.y_title for panel in figure.panels] == ["configurational / T"]
    assert len(figure.table.columns) == 1 + len(ROLES)


def test_nothing_finite_is_no_figure() -> None:
    nothing = EpochReading(1, 1.0, (LayerReading("w", 10, None, None),))
    assert temperature_figure(Chain("lost", (nothing,))) is None
