"""The stored comparisons: table and page are what their records say."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from comitia.evaluation.comparison import Comparison, comparison_findings, comparison_table
from comitia.evaluation.table_formats import FORMATS, render
from comitia.paper.outputs import COMPARISON_FILES

DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORDS = sorted((DOCS / "results").glob("*/comparison.json"))
TITLES = {
    "accuracy": "accuracy",
    "NLL": "nll",
    "ECE": "ece",
    "mean certificate": "certificate",
    "bound": "bound",
}


def test_there_are_results() -> None:
    assert RECORDS


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_table_follows_from_the_record(path: Path) -> None:
    record = json.loads(path.read_text())
    assert set(COMPARISON_FILES) <= {entry.name for entry in path.parent.iterdir()}
    with (path.parent / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(record["lines"])
    for row, line in zip(rows, record["lines"], strict=True):
        assert (row["ensemble"], row["weights"]) == (line["ensemble"], line["weights"])
        for title, name in TITLES.items():
            assert float(row[title]) == pytest.approx(np.mean(line[name]), abs=1e-9)
        assert float(row["sd"]) == pytest.approx(np.std(line["accuracy"], ddof=1), abs=1e-9)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_record_table_and_findings_are_written_as_they_were(path: Path) -> None:
    text = path.read_text()
    found = Comparison.from_json(text)
    assert json.dumps(found.to_json(), indent=1) + "\n" == text
    for ending in FORMATS:
        assert (path.parent / f"table{ending}").read_text() == render(comparison_table(found), f"x{ending}")
    assert (path.parent / "findings.md").read_text() == comparison_findings(found)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_every_ensemble_had_the_budget(path: Path) -> None:
    record = json.loads(path.read_text())
    assert {one["epochs"] for one in record["ensembles"].values()} == {record["settings"]["budget"]}
    assert {len(line["accuracy"]) for line in record["lines"]} == {record["settings"]["repeats"]}
