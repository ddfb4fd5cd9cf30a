import base64
import hashlib
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from comitia.pages.learning import Epoch
from comitia.pages.material import Material
from comitia.pages.record_page import record_page
from report_records import HOSTILE, an_ensemble, an_evaluation, unsplit

VOID = {"meta", "input"}
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
    reader.feed(record_page(MATERIALS[name]))
    assert not reader.open
    return reader


@pytest.mark.parametrize("name", MATERIALS)
def test_well_formed_and_only_our_own_scripts(name: str) -> None:
    reader = read(name)
    assert reader.tags.count("script") == 2
    assert not {"img", "iframe", "link", "b", "object", "noscript", "foreignobject"} & set(reader.tags)
    assert reader.tags.count("h1") == 1
    ids = [value for key, value in reader.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert not [key for key, _ in reader.attributes if key.startswith("on") or key == "src"]
    links = [value or "" for key, value in reader.attributes if key == "href"]
    within = [link for link in links if not link.startswith("data:image/png;base64,")]
    assert {link[1:] for link in within} <= set(ids)
    assert all(link.startswith("#") for link in within)


@pytest.mark.parametrize("name", MATERIALS)
def test_headings_go_down_one_level_at_a_time(name: str) -> None:
    tags = read(name).tags
    levels = [int(tag[1]) for tag in tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert set(levels) == {1, 2, 3}
    assert all(below <= above + 1 for above, below in pairwise(levels))
    after = [b for a, b in pairwise(tag for tag in tags if tag in ("figure", "h2", "h3")) if a == "figure"]
    assert set(after) == {"h3"}


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
    assert record_page(MATERIALS[name]) == record_page(MATERIALS[name])


def test_the_verdict_stands_before_the_figures_and_those_before_the_details() -> None:
    text = record_page(MATERIALS["both"])
    places = [
        text.index(part)
        for part in ("At most 7.41% errors", "<figure", "<h2>Certificates in full", "<h2>How it was made")
    ]
    assert places == sorted(places)


def test_every_input_of_a_certificate_is_on_the_page() -> None:
    text = record_page(MATERIALS["ensemble"])
    for part in ("<td>errors</td>", ">268<", ">4,000<", ">0.0741<", ">0.052<", "ab" * 32, "comitia verify"):
        assert part in text


def test_claims_show_their_verdict_and_numbers() -> None:
    text = record_page(MATERIALS["evaluation"])
    assert 'class="chip held"' in text
    assert 'class="chip not-held"' in text
    assert "+0.0100" in text


def test_the_policy_forbids_everything_but_our_script() -> None:
    text = record_page(MATERIALS["ensemble"])
    policy = text.split('Content-Security-Policy" content="')[1].split('"')[0]
    script = text.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")
    assert policy.count("'sha256-") == 1
    assert "unsafe-inline" not in policy.split("style-src")[0]
    assert "http" not in policy


def test_the_contents_lead_to_every_part_and_figure() -> None:
    text = record_page(MATERIALS["both"])
    listed = text.split("<nav")[1].split("</nav>")[0]
    reader = Reader()
    reader.feed(text)
    sections = reader.tags.count("section")
    figures = reader.tags.count("figure")
    assert listed.count("<a ") == sections + figures
    assert "Certificates of the evaluation in full" in listed


def test_claims_that_are_missing_say_why() -> None:
    evaluation = an_evaluation()
    one = replace(evaluation, name=None, references=(), claims=evaluation.claims[1:2])
    text = record_page(Material("e", None, one))
    assert text.count('class="chip undecided"') == 2
    assert "There is no Bayes ensemble to compare with" in text
    assert text.index("<h3>1. ") < text.index("<h3>2. ") < text.index("<h3>3. ")


def test_an_evaluation_without_any_claim_says_why_in_one_place() -> None:
    text = record_page(Material("e", None, replace(an_evaluation(), name=None, references=(), claims=())))
    assert "None of the paper&#x27;s claims is judged, and why" in text
    assert 'id="claims"' not in text
    assert "There is no Bayes ensemble to compare with" in text


def test_one_member_of_one_run_is_in_the_singular() -> None:
    evaluation = an_evaluation()
    rows = tuple(replace(row, size=1, member_count=1.0, accuracy_sd=None) for row in evaluation.rows[:4])
    settings = replace(evaluation.settings, sizes=(1,), repeats=1)
    one = replace(evaluation, rows=rows, settings=settings, differences=())
    text = record_page(Material("e", None, one))
    assert "1 run, 1 member" in text
    assert "1 runs" not in text
    assert "1 members" not in text


def test_pages_are_small() -> None:
    for material in MATERIALS.values():
        assert len(record_page(material).encode()) < 200_000
