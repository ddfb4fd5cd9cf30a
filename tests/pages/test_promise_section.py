"""Further promises on a page: one headline, every promise with its small print, and the curve of a declining vote."""

import re

from comitia import weigh
from comitia.pages.ensemble_figures import ensemble_figures
from comitia.pages.material import Material
from comitia.pages.promise_section import promise_sections
from comitia.pages.record_page import record_page
from promises.problems import COSTS, clinic
from report_records import HOSTILE

NAMES = [*HOSTILE[:2]]


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_all_promises_are_shown_and_one_is_the_headline() -> None:
    found = weigh(
        clinic(),
        vote="average",
        per=["class", "predicted", "site"],
        target_risk=0.05,
        costs=COSTS,
        threshold=0.4,
    )
    page = record_page(Material("e", found))
    text = plain(page)
    assert page.count("<h1") == 1
    for promise in found.promises:
        assert promise.group is None or promise.group in text
    for words in (
        "Errors per class, with 98.3333% probability, all 2 at once",
        "Of the answers at most 5.00% are wrong, with 95% probability",
        "An answer costs at most",
        "1 not promised, and why",
        "Void if the weights, the vote or its threshold are changed",
        "is the one to quote",
    ):
        assert words in text
    assert "declining-average" in {figure.key for figure in ensemble_figures(found)}


def test_nothing_is_shown_where_nothing_was_asked_for() -> None:
    found = weigh(clinic(), vote="average")
    assert list(promise_sections(found)) == []
    assert "declining-average" not in {figure.key for figure in ensemble_figures(found)}


def test_names_cannot_become_markup() -> None:
    sites = [HOSTILE[place % len(HOSTILE)] for place in range(2000)]
    found = weigh(clinic(classes=NAMES, strata={"<i>site": sites}), vote="average", per=["class", "<i>site"])
    page = str(*promise_sections(found))
    assert "<script" not in page
    assert "<img" not in page
    assert "<i>" not in page
