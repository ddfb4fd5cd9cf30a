"""The numbers of the page on judges are those of the table, where it is present."""

import csv
import runpy
from collections import Counter, defaultdict
from pathlib import Path

from comitia import weigh
from shared_data import shared

DOCS = Path(__file__).resolve().parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "judges_page.py"))


def test_the_page_shows_the_numbers_of_the_table():
    page = (DOCS / "judges.md").read_text(encoding="utf-8")
    assert page == MADE["updated"](page, shared("tables/llm-judges.csv")), (
        "run: python docs/judges_page.py llm-judges.csv"
    )


def test_the_panel_is_that_of_a_loop_over_the_rows():
    path = shared("tables/llm-judges.csv")
    said, truth = defaultdict(set), {}
    with path.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            said[row["judge"], row["item"]].add(row["answer"])
            truth[row["item"]] = row["label"]
    silent = Counter(judge for (judge, _), words in said.items() if len(words) > 1 or "A=B" in words)
    right = Counter(judge for (judge, item), words in said.items() if words == {truth[item]})
    found = MADE["panel"](path)
    assert found.ids.tolist() == list(truth)
    assert dict(zip(found.names, found.abstained().sum(axis=1).tolist())) == {
        judge: silent[judge] for judge in found.names
    }
    table = MADE["judges_text"](found, weigh(found))
    for judge in found.names:
        wrong = len(truth) - right[judge] - silent[judge]
        error = (wrong + silent[judge] / 2) / len(truth)
        assert f"| {judge} | {right[judge]} | {wrong} | {silent[judge]} | {error:.3f} |" in table
    assert len(MADE["panel"](path, "members").names) == 2 * len(found.names)
    assert MADE["panel"](path, group="source").groups.count == 17
