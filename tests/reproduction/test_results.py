"""The stored results: tables, claims and the page are what their evaluation records say."""

from pathlib import Path

import pytest

from quorate.evaluation import Evaluation
from quorate.evaluation.claims import claims_markdown, judge
from quorate.evaluation.tables import (
    FORMATS,
    against_paper,
    all_rows,
    beside_paper,
    by_size,
    markdown,
    render,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORDS = sorted((DOCS / "results").glob("*/evaluation.json"))


def test_there_are_results() -> None:
    assert RECORDS


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_tables_and_claims_follow_from_the_record(path: Path) -> None:
    found = Evaluation.from_json(path.read_text(), source=path.name)
    assert judge(found) == found.claims
    assert (path.parent / "claims.md").read_text() == claims_markdown(found.claims)
    for name, table in (("table", beside_paper(found)), ("rows", all_rows(found))):
        for ending in FORMATS:
            assert (path.parent / f"{name}{ending}").read_text() == render(table, f"{name}{ending}")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_page_shows_the_numbers_of_the_record(path: Path) -> None:
    found, page = Evaluation.from_json(path.read_text()), (DOCS / "results.md").read_text()
    assert markdown(by_size(found, "average")) in page
    assert markdown(against_paper(found)).split("\n\n")[0] in page
    for claim in found.claims:
        assert f"**Claim {claim.number}: {claim.verdict}.**" in page
