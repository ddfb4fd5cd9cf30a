"""The figure of a chain's temperatures: ratios, gaps, the largest layers."""

import json

from quorate.report.draw_matplotlib import drawn
from quorate.report.temperature_figures import ROLES, temperature_events, temperature_figure


def event(epoch: int, kinetic: float | None, layers: int = 8) -> dict[str, object]:
    told = [
        {"name": f"w{i}", "size": 10 * i, "kinetic": kinetic, "configurational": 0.1 * i}
        for i in range(layers)
    ]
    return {"event": "temperatures", "run": 1, "epoch": epoch, "expected": 0.5, "layers": told}


def test_the_later_of_two_readings_counts() -> None:
    lines = [event(2, 0.3), {"event": "epoch", "epoch": 2}, event(1, 0.1), event(2, 0.4)]
    found = temperature_events(json.dumps(line) for line in lines)
    assert [one["epoch"] for one in found] == [1, 2]
    assert found[1]["layers"][0]["kinetic"] == 0.4


def test_ratios_of_the_largest_layers() -> None:
    figure = temperature_figure("cold", [event(3, 0.5), event(6, None)])
    assert figure is not None
    kinetic, configurational = figure.panels
    assert [series.name for series in kinetic.series] == ["w7", "w6", "w5", "w4", "w3", "w2"]
    assert kinetic.series[0].y == (1.0, None)
    assert configurational.series[5].y == (0.4, 0.4)
    assert len(figure.table.columns) == 1 + 2 * len(ROLES)
    assert figure.key == "temperatures-cold"
    assert drawn(figure, ("svg",))["svg"].startswith(b"<?xml")


def test_a_chain_without_momenta_has_one_panel_and_no_readings_no_figure() -> None:
    figure = temperature_figure("sgld", [event(1, None)])
    assert figure is not None
    assert [panel.y_title for panel in figure.panels] == ["configurational / T"]
    assert temperature_figure("none", []) is None
