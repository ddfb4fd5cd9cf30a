"""Figures as inline SVG: well formed, harmless, at the right places, whatever the record."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from comitia.pages import figures_of
from comitia.pages.draw_svg import svg_figure
from comitia.pages.figure import LIGHT, Figure, Panel, Reference, Series, Table
from report_records import HOSTILE, an_ensemble, an_evaluation

FIGURES = [*figures_of(an_ensemble(HOSTILE)), *figures_of(an_evaluation(HOSTILE, label=HOSTILE[0]))]


def tree(figure: Figure) -> Element:
    """The drawing as a tree; boxes of the legend, which HTML does not close, are closed first."""
    text = str(svg_figure(figure, "place").markup)
    closed = re.sub(r"<input([^>]*)>", lambda m: f"<input{m[1].replace(' checked', '')}/>", text)
    return ElementTree.fromstring(closed)


def named(root: Element, name: str) -> list[Element]:
    return [e for e in root.iter() if name in e.get("class", "").split()]


def figure_of(*panels: Panel, log: bool = False) -> Figure:
    return Figure("f", "F", "", "in words", "x", panels, Table((), ()), log=log)


def lines(*series: Series, **more: object) -> Figure:
    return figure_of(Panel("lines", "y", series, **more))  # type: ignore[arg-type]


def numbers(path: Element) -> list[float]:
    return [float(n) for n in re.findall(r"-?\d*\.?\d+", path.get("d", ""))]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.key)
def test_well_formed_with_known_colours_and_the_same_twice(figure: Figure) -> None:
    root = tree(figure)
    styles = " ".join(e.get("style", "") for e in root.iter())
    roles = set(re.findall(r"var\(--([a-z-]+)\)", styles))
    assert roles <= LIGHT.keys()
    assert svg_figure(figure, "place") == svg_figure(figure, "place")
    json.dumps(svg_figure(figure, "place").values, allow_nan=False)
    (place,) = named(root, "plot")
    assert (place.get("role"), place.get("id")) == ("img", "place")
    assert place.get("aria-label")


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.key)
def test_no_name_becomes_markup(figure: Figure) -> None:
    allowed = {
        *("div", "ul", "li", "label", "input", "span", "p"),
        *("svg", "g", "path", "rect", "text", "image"),
    }
    root = tree(figure)
    assert {e.tag for e in root.iter()} <= allowed
    attributes = {name for e in root.iter() for name in e.attrib}
    assert not {name for name in attributes if name.startswith("on") or name == "src"}
    links = [e.get("href", "") for e in root.iter() if e.get("href")]
    assert all(link.startswith("data:image/png;base64,") for link in links)


def test_a_line_goes_through_its_points_and_is_interrupted_at_gaps() -> None:
    series = Series("s", "tandem", (0.0, 1.0, 2.0, 3.0, 4.0), (0.0, 1.0, None, 1.0, None))
    (line,) = named(tree(lines(series)), "line")[1:]  # the first is that of the legend
    path = line.get("d", "")
    assert re.sub(r"[\d.]+ [\d.]+", "", path) == "MLMh.01"
    x0, y0, x1, y1, x3, y3 = numbers(line)[:6]
    assert y0 > y1 == y3
    assert x1 - x0 == pytest.approx((x3 - x1) / 2, abs=0.2)


def test_the_band_goes_above_and_comes_back_below() -> None:
    series = Series("s", "tandem", (2.0, 3.0), (0.5, 0.6), spread=(0.1, 0.1))
    root = tree(lines(series))
    (band,), (line,) = named(root, "band"), named(root, "line")[1:]
    xs, ys = numbers(band)[::2], numbers(band)[1::2]
    middle = numbers(line)[1::2]
    assert xs == [xs[0], xs[1], xs[1], xs[0]]
    assert ys[0] < middle[0] < ys[3]
    assert middle[0] - ys[0] == pytest.approx(ys[3] - middle[0], abs=0.2)
    assert band.get("d", "").endswith("z")


def test_a_dashed_line_has_open_squares_and_is_not_told_by_colour_alone() -> None:
    solid = Series("a", "tandem", (1.0, 2.0), (1.0, 2.0))
    root = tree(lines(solid, replace(solid, name="b", dashed=True)))
    assert [len(named(root, name)) for name in ("line", "dashed", "hole", "square")] == [4, 2, 2, 4]


def test_a_series_that_waits_in_the_legend_has_an_open_box_and_room_on_the_axis() -> None:
    shown = Series("a", "tandem", (1.0, 2.0), (0.9, 0.9))
    waiting = replace(shown, name="b", y=(0.1, 0.1), shown=False)
    text = svg_figure(lines(shown, waiting), "f").markup
    assert re.findall(r'class="(k\d)"( checked)?', text) == [("k0", " checked"), ("k1", "")]
    drawn = named(ElementTree.fromstring(text[text.index('<div id="f"') : -len("</div>")]), "s1")[0]
    assert all(0 <= y <= 1000 for y in numbers(drawn[0])[1::2])


def test_what_several_panels_show_stands_in_the_legend_once() -> None:
    panel = Panel("lines", "y", (Series("a", "tandem", (1.0,), (1.0,)),), (Reference("T", "best", 1.0),))
    drawing = svg_figure(figure_of(panel, replace(panel, y_title="z")), "f")
    assert drawing.entries == 2
    root = tree(figure_of(panel, replace(panel, y_title="z")))
    assert [len(named(root, name)) for name in ("k0", "k1", "s0", "s1")] == [1, 1, 2, 2]
    assert [e.text for e in named(root, "level-value")] == ["1"]


def test_points_say_their_name_and_values() -> None:
    series = Series("tandem", "tandem", (2.0, 3.0, 4.0), (0.5, None, 0.75), spread=(0.01, 0.0, 0.02))
    (panel,) = svg_figure(lines(series, percent=True), "f").values
    (found,) = panel["series"]
    assert (found["name"], found["legend"]) == ("tandem", 0)
    assert found["text"] == ["2: 50.00% ± 1.00%", "4: 75.00% ± 2.00%"]
    assert len(found["x"]) == len(found["y"]) == 2


def test_long_lines_are_thinned_but_keep_their_peaks() -> None:
    many = 20_000
    heights = [0.5] * many
    heights[7777] = 9.0
    series = Series("s", "tandem", tuple(map(float, range(many))), tuple(heights))
    drawing = svg_figure(lines(series), "f")
    assert len(drawing.markup) < 40_000
    assert "7,777: 9" in drawing.values[0]["series"][0]["text"]
    assert 'class="mark" d="M13' in drawing.markup  # the legend's mark only
    assert drawing.markup.count('class="mark"') == 1


def test_many_members_are_named_below_and_a_phone_shows_fewer() -> None:
    names = tuple(f"member number {i}" for i in range(40))
    (_, figure) = figures_of(an_ensemble(names))
    root = tree(figure)
    below = [e for e in named(root, "name") if e.get("transform") == "rotate(-90)"]
    assert [e.text for e in below] == list(names)
    assert len(named(root, "wide")) == 20


def test_few_short_names_stand_upright_side_by_side() -> None:
    (_, figure) = figures_of(an_ensemble())
    assert [e.text for e in named(tree(figure), "xt")] == ["ada", "bob", "cleo", "dora"]


def test_bars_rise_from_zero_and_open_dots_are_those_that_do_not_vote() -> None:
    (_, figure) = figures_of(an_ensemble())
    root = tree(figure)
    (bars,) = named(root, "bar")
    assert bars.get("d", "").count("z") == 2  # two members have a weight
    assert numbers(bars)[1] == 1000.0
    (marks,), (holes,) = named(root, "mark"), named(root, "hole")
    assert marks.get("d", "").count("M") == 4
    assert holes.get("d", "").count("M") == 2


def test_certificates_across_are_as_long_as_their_risk_and_hatched_if_vacuous() -> None:
    (figure, _) = figures_of(an_ensemble())
    root = tree(figure)
    bars = list(root.iter("rect"))
    assert [float((e.get("width") or "").rstrip("%")) for e in bars] == [7.41, 27.3, 100.0]
    assert [e.get("class") for e in bars] == ["bar", "bar", "hatch pale"]
    assert [e.text for e in named(root, "value")] == ["7.41%", "27.30%", "vacuous"]
    assert [e.text for e in named(root, "strong")] == ["7.41%"]


def test_a_small_heat_map_prints_its_values_and_half_of_a_symmetric_matrix_is_kept() -> None:
    matrix = ((0.5, 0.1), (0.1, 0.3))
    panel = Panel("heat", "both err", ticks=("a", "b"), matrix=matrix, levels=(0.1, 0.1), percent=True)
    drawing = svg_figure(figure_of(panel), "f")
    assert [e.text for e in named(tree(figure_of(panel)), "square")] == ["50.0", "10.0", "10.0", "30.0"]
    assert drawing.values[0]["rows"] == [[5000], [1000, 3000]]
    skewed = replace(panel, matrix=((0.5, 0.1), (0.2, 0.3)))
    assert svg_figure(figure_of(skewed), "f").values[0]["rows"] == [[5000, 1000], [2000, 3000]]


def test_a_large_heat_map_is_small() -> None:
    count = 200
    matrix = tuple(tuple(((i * j) % 97) / 97 for j in range(count)) for i in range(count))
    names = tuple(f"m{i}" for i in range(count))
    drawing = svg_figure(figure_of(Panel("heat", "z", ticks=names, matrix=matrix, percent=True)), "f")
    assert len(drawing.markup) + len(json.dumps(drawing.values)) < 400_000


def test_ticks_of_a_logarithmic_axis_are_powers_of_ten() -> None:
    series = Series("s", "tandem", (10.0, 1e6), (0.1, 0.2))
    root = tree(figure_of(Panel("lines", "y", (series,)), log=True))
    assert [e.text for e in named(root, "xt")] == ["10", "100", "1,000", "10,000", "100,000", "1,000,000"]
    middle = tree(figure_of(Panel("lines", "y", (replace(series, x=(10.0, 1000.0)),)), log=True))
    places = {e.text: float((e.get("x") or "").rstrip("%")) for e in named(middle, "xt")}
    assert places["100"] == 50.0


@pytest.mark.parametrize("kind", ["lines", "bars", "dots", "across", "heat"])
def test_records_with_nothing_or_one_thing_in_them_are_drawn(kind: str) -> None:
    nothing = Panel(kind, "y", (Series("s", "tandem", (), (), labels=()),), ticks=())  # type: ignore[arg-type]
    one = Panel(
        kind,  # type: ignore[arg-type]
        "y",
        (Series("s", "tandem", (0.0,), (0.0,), labels=("zero",)),),
        ticks=("only",),
        matrix=((0.0,),),
    )
    for panel in (nothing, one):
        ElementTree.tostring(tree(figure_of(panel)))
