"""The frame of a page: data that cannot leave its script, contents that lead somewhere, rules for every legend."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from comitia.pages.draw_svg import Drawing
from comitia.pages.figure import Figure, Table
from comitia.pages.frame import contents, document, embedded
from comitia.pages.markup import Markup
from comitia.pages.page_parts import Drawn, section
from report_records import HOSTILE


@settings(max_examples=50, deadline=None)
@given(st.text() | st.sampled_from(HOSTILE))
def test_embedded_data_cannot_end_its_script_and_read_back_the_same(text: str) -> None:
    written = embedded({"name": text})
    assert not set("<>&") & set(written)
    assert json.loads(written) == {"name": text}


def test_contents_list_parts_and_what_is_in_them() -> None:
    parts = (
        section("One <b>", key="one"),
        section("Two", key="two", inner=(("two-a", "First of two"), ("two-b", "Second of two"))),
    )
    found = contents(parts)
    assert '<a href="#one">One &lt;b&gt;</a>' in found
    assert found.index("#two") < found.index("#two-a") < found.index("#two-b")
    assert found.count("<ol>") == 2


def test_every_entry_of_a_legend_has_a_rule_that_hides_what_it_names() -> None:
    figure = Figure("f", "F", "", "", "x", (), Table((), ()))
    drawn = Drawn("f", figure, Drawing(Markup("<i></i>"), [], 3))
    text = document("t", [drawn], [section("One", key="one")])
    for i in range(3):
        assert f".chart:has(.k{i}:not(:checked)) .s{i}" in text
    assert ".k3" not in text


def test_the_verdict_comes_before_the_contents() -> None:
    text = document("t", [], [section("One", key="one"), None, section("Two", key="two")])
    assert text.index('id="one"') < text.index('id="contents"') < text.index('id="two"')
