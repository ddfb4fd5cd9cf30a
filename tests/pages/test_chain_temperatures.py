"""The temperatures of a chain: what its log says, and the figure with ratios, gaps and the largest layers."""

import json
from pathlib import Path
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.pages.chain_temperatures import (
    ROLES,
    Chain,
    EpochReading,
    LayerReading,
    chain_of,
    read_chain,
    read_temperatures,
    temperature_figure,
    temperatures_csv,
)
from comitia.pages.draw_matplotlib import drawn
from comitia.pages.draw_svg import svg_figure


def event(number: int, kinetic: float | None, **changed: Any) -> str:
    layers = [
        {"name": "w", "size": 10, "kinetic": kinetic, "configurational": 0.25, "configurational_error": None}
    ]
    told = {"event": "temperatures", "run": 1, "epoch": number, "expected": 0.5, "layers": layers}
    return json.dumps({**told, **changed})


def test_the_later_of_two_readings_counts() -> None:
    lines = [event(2, 0.3), json.dumps({"event": "epoch", "epoch": 3}), event(1, None), event(2, 0.4)]
    found = chain_of("chain", lines)
    assert found is not None
    assert [(one.epoch, one.expected) for one in found.epochs] == [(1, 0.5), (2, 0.5)]
    assert [one.layers[0].kinetic for one in found.epochs] == [None, 0.4]


def test_no_temperatures_and_no_log_are_no_chain(tmp_path: Path) -> None:
    assert chain_of("sgd", [json.dumps({"event": "epoch", "epoch": 3})]) is None
    assert read_chain(tmp_path / "absent", "absent") is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"event": "temp', "not readable as JSON"),
        ("[1]", "must be a table of keys"),
        (event(1, None, layers=[{"name": "w"}]), "layers[0].size: missing"),
        (event(1, None, layers=[]), "need a T above 0 and a layer"),
        (event(1, None, expected=0), "need a T above 0 and a layer"),
        (event(1, float("nan")), "NaN is not a number"),
        (event(1, None, epoch="<b>"), "epoch: must be a whole number, got '<b>'"),
    ],
)
def test_damage_is_one_line_that_names_the_file(tmp_path: Path, line: str, message: str) -> None:
    log = tmp_path / "chain" / "runs" / "run-0001" / "log.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(line + "\n")
    with pytest.raises(InputError) as raised:
        read_chain(tmp_path / "chain", "chain")
    assert str(raised.value).startswith(f"{log}: damaged log: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def reading(epoch: int, kinetic: float | None, layers: int = 8) -> EpochReading:
    told = (LayerReading(f"w{i}", 10 * i, kinetic, 0.1 * i) for i in range(layers))
    return EpochReading(epoch, 0.5, tuple(told))


def test_what_is_kept_of_a_chain_is_read_back() -> None:
    first = EpochReading(3, 0.01, (LayerReading("w, a", 10, 0.0125, None), LayerReading("b", 2, None, -0.5)))
    chain = Chain("cold", (first, EpochReading(10, 0.01, first.layers)))
    assert read_temperatures(temperatures_csv(chain), "cold", source="temperatures.csv") == chain


HEAD = "epoch,expected,layer,size,kinetic,configurational\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with epoch,expected,layer,size,kinetic,configurational; run reproduce again"),
        ("epoch,layer\n", "must begin with epoch,expected"),
        (HEAD, "has no epochs; run reproduce again to write it"),
        (f"{HEAD}3,0.5,w,8,much,\n", "damaged line '3,0.5,w,8,much,'"),
        (f"{HEAD}3,0.5,w\n", "damaged line '3,0.5,w'"),
        (f"{HEAD}3,0.5,w,8,1\n", "damaged line '3,0.5,w,8,1'"),
    ],
)
def test_damage_of_what_is_kept_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_temperatures(text, "cold", source="kept.csv")
    assert str(raised.value).startswith(f"kept.csv: {message}")


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
    drawing = svg_figure(figure, "f")
    assert [series["name"] for panel in drawing.values for series in panel["series"]] == ["w2", "w1"] * 2
    assert drawing.entries == 3
    legend = drawing.markup.split("</ul>")[0]
    assert [legend.count(f"<span>{name}</span>") for name in ("w2", "w1", "T")] == [1, 1, 1]
    assert [drawing.markup.count(f's{i}"') for i in range(3)] == [2, 2, 2]


def test_a_chain_without_momenta_has_one_panel_and_no_empty_columns() -> None:
    figure = temperature_figure(Chain("sgld", (reading(1, None),)))
    assert figure is not None
    assert [panel.y_title for panel in figure.panels] == ["configurational / T"]
    assert len(figure.table.columns) == 1 + len(ROLES)


def test_nothing_finite_is_no_figure() -> None:
    nothing = EpochReading(1, 1.0, (LayerReading("w", 10, None, None),))
    assert temperature_figure(Chain("lost", (nothing,))) is None
