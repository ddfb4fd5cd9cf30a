from html.parser import HTMLParser
from itertools import pairwise

import pytest

from comitia.pages.learning import Epoch
from comitia.pages.material import Material
from comitia.pages.record_page import record_page
from report_records import HOSTILE, an_ensemble, an_evaluation, unsplit

VOID = {"meta"}
MATERIALS = {
    "ensemble": Material("e", an_ensemble(HOSTILE)),
    "unsplit": Material("u", unsplit(an_ensemble())),
    "evaluation": Material("v", None, an_evaluation(HOSTILE, label=HOSTILE[1])),
    "trained": Material(
        "t", None, an_evaluation(), None, (Epoch(1, 1, 2.0, 0.2, 9.0), Epoch(1, 2, 1.0, 0.6, 9.0))
    ),
    "both": Material(HOSTILE[0], an_ensemble(), an_evaluation(), {"a": {"b": HOSTILE[1]}, "c": [1, None]}),
}


class Reader(HTMLParser):
    """Checks that elements are closed in order, and collects tags, ids and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(name: str) -> Reader:
    reader = Reader()
    reader.feed(record_page(MATERIALS[name], "/* plotly */"))
    assert not reader.open
    return reader


@pytest.mark.parametrize("name", MATERIALS)
def test_well_formed_and_only_our_own_scripts(name: str) -> None:
    reader = read(name)
    assert reader.tags.count("script") == 3
    assert not {"img", "a", "iframe", "link", "b", "object"} & set(reader.tags)
    assert reader.tags.count("h1") == 1
    ids = [value for key, value in reader.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert not [key for key, _ in reader.attributes if key.startswith("on") or key in ("src", "href")]


@pytest.mark.parametrize("name", MATERIALS)
def test_headings_go_down_one_level_at_a_time(name: str) -> None:
    levels = [int(tag[1]) for tag in read(name).tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


@pytest.mark.parametrize("name", MATERIALS)
def test_every_figure_has_words_and_a_table(name: str) -> None:
    reader = read(name)
    labels = [value for key, value in reader.attributes if key == "aria-label"]
    assert reader.tags.count("figure") == sum(
        "chart" in (v or "").lower() or "against" in (v or "") or "Heat" in (v or "") for v in labels
    )
    assert reader.tags.count("table") > reader.tags.count("figure")


@pytest.mark.parametrize("name", MATERIALS)
def test_the_same_records_give_the_same_bytes(name: str) -> None:
    assert record_page(MATERIALS[name], "js") == record_page(MATERIALS[name], "js")


def test_the_verdict_stands_before_the_figures_and_those_before_the_details() -> None:
    text = record_page(MATERIALS["both"], "")
    places = [
        text.index(part)
        for part in ("At most 7.41% errors", "<figure", "Certificates in full", "How it was made")
    ]
    assert places == sorted(places)


def test_every_input_of_a_certificate_is_on_the_page() -> None:
    text = record_page(MATERIALS["ensemble"], "")
    for part in ("<td>errors</td>", ">268<", ">4,000<", ">0.0741<", ">0.052<", "ab" * 32, "comitia verify"):
        assert part in text


def test_claims_show_their_verdict_and_numbers() -> None:
    text = record_page(MATERIALS["evaluation"], "")
    assert 'class="chip held"' in text
    assert 'class="chip not-held"' in text
    assert "+0.0100" in text


def test_the_policy_forbids_everything_but_the_two_scripts() -> None:
    policy = (
        record_page(MATERIALS["ensemble"], "alert")
        .split('Content-Security-Policy" content="')[1]
        .split('"')[0]
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.count("'sha256-") == 2
    assert "unsafe-inline" not in policy.split("style-src")[0]
    assert "http" not in policy
