"""docs/bayes.md: its tables are those of the records, and its prose has no number and no verdict of its own."""

import json
import re
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comitia.evaluation.findings import Finding

DOCS = Path(__file__).resolve().parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "results_pages.py"))
RECORDS = sorted((DOCS / "results").glob("*/comparison.json"))
PAGE = (DOCS / "bayes.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- ([^:>]+): from the records -->\n(.*?)<!-- end of \1 -->\n", re.S)
# Words that say how a comparison ended.
VERDICTS = re.compile(
    r"\b(held|decidable|undecided|supported|confirmed|refuted|better|worse|best|worst|beats?|outperforms?|ahead|behind)\b",
    re.I,
)
MEASURED = re.compile(r"\d*[.,]\d|±")


def by_hand(text: str = PAGE) -> str:
    """The text without generated blocks, code and formulas."""
    text = re.sub(r"^```.*?^```", "", BLOCK.sub("", text), flags=re.M | re.S)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def block(name: str) -> str:
    return str(dict(BLOCK.findall(PAGE))[name])


def cells(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]


def test_the_page_follows_from_the_records() -> None:
    assert MADE["bayes_page"]() == PAGE, "run make results"


def test_every_block_belongs_to_a_record() -> None:
    names = [path.parent.name for path in RECORDS]
    wanted = {f"{name} {part}" for name in names for part in ("table", "findings")}
    assert {key for key, _ in BLOCK.findall(PAGE)} == {"summary", "chains", *wanted}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_findings_are_those_of_the_record(path: Path) -> None:
    """Read from the JSON: every finding once, in its order, with its difference and its verdict."""
    record = json.loads(path.read_text())
    rows = [row for row in cells(block(f"{path.parent.name} findings"))[1:] if not row[0].startswith("**")]
    for row, found in zip(rows, record["findings"], strict=True):
        one, other = (text.split(",")[0] for text in found["text"].split(" against "))
        assert row[0] == (one if one == other else f"{one} against {other}")
        assert row[1] == f"{found['difference']:+.4f} ± {found['half_width']:.4f}"
        assert row[2] == found["verdict"].replace(" at this scale", "")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_every_question_has_its_findings(path: Path) -> None:
    record = json.loads(path.read_text())
    question, seen = "", []
    for row in cells(block(f"{path.parent.name} findings"))[1:]:
        if row[0].startswith("**"):
            question = row[0]
            continue
        text = record["findings"][len(seen)]["text"]
        assert ("not worse" in question) == text.endswith(": not worse")
        assert ("tandem" in question) == (", tandem weights against" in text)
        assert ("likelihood" in question) == (", likelihood weights against" in text)
        seen.append(question)
    assert len(seen) == len(record["findings"])


def test_the_summary_counts_the_findings() -> None:
    titles, *rows = cells(block("summary"))
    for column, path in enumerate(RECORDS, start=1):
        assert titles[column] == path.parent.name
        verdicts = [found["verdict"] for found in json.loads(path.read_text())["findings"]]
        for verdict in ("held", "not held", "not decidable"):
            counted = sum(int(n) for row in rows for n in re.findall(rf"(\d+) {verdict}\b", row[column]))
            assert counted == sum(kept.startswith(verdict) for kept in verdicts)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_table_is_that_of_the_record(path: Path) -> None:
    record = json.loads(path.read_text())
    titles, *rows = cells(block(f"{path.parent.name} table"))
    for row, line in zip(rows, record["lines"], strict=True):
        shown = dict(zip(titles, row, strict=True))
        assert (shown["ensemble"], shown["weights"]) == (line["ensemble"], line["weights"])
        assert int(shown["epochs"]) == record["ensembles"][line["ensemble"]]["epochs"]
        for title, name in (("accuracy", "accuracy"), ("NLL", "nll"), ("ECE", "ece"), ("bound", "bound")):
            mean = sum(line[name]) / len(line[name])
            assert float(shown[title].split(" ± ")[0]) == pytest.approx(mean, abs=6e-4)


def test_verdicts_are_in_the_generated_blocks_alone() -> None:
    assert VERDICTS.findall(by_hand()) == []


def test_measured_numbers_are_in_the_generated_blocks_alone() -> None:
    assert MEASURED.findall(by_hand()) == []


def test_the_prose_beside_the_results_has_no_digit() -> None:
    results = PAGE[PAGE.index("## How to read the results") : PAGE.index("## Your own comparison")]
    assert re.findall(r"\d", by_hand(results)) == []


@pytest.mark.parametrize(
    "sentence",
    ["`sse` against `simple`: held.", "`sse` is better.", "Not decidable.", "It is .97.", "+1 ± 2"],
)
def test_such_a_sentence_would_be_found(sentence: str) -> None:
    text = by_hand(f"{PAGE}\n{sentence}\n")
    assert VERDICTS.findall(text) or MEASURED.findall(text)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_simple_plain_and_chains_train_without_dropout(path: Path) -> None:
    for name, one in json.loads(path.read_text())["ensembles"].items():
        if name == "simple-plain" or one["recipe"]["training"]["strategy"] in ("csgld", "csghmc-ap"):
            assert one["recipe"]["model"]["options"]["dropout"] == 0


def finding(**changed: Any) -> Finding:
    plain = Finding("a, uniform weights against b, uniform weights: better", 0.9, 0.8, 0.1, 0.05, "held")
    return replace(plain, **changed)


def test_a_finding_of_an_unknown_kind_is_not_left_out_in_silence() -> None:
    assert MADE["asked"](finding()) == ("Is a colder chain better than a warmer one?", "a against b")
    with pytest.raises(ValueError, match="no question for: something else"):
        MADE["asked"](finding(text="something else"))


def test_a_page_without_its_markers_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"docs/bayes.md: must have the lines <!-- nothing: from the records -->"
    ):
        MADE["filled"]("bayes.md", {"nothing": ""})
