"""The stored results: tables, claims and the page are what their evaluation records say."""

import json
import re
import runpy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comitia import bounds
from comitia._certificate import Certificate
from comitia._errors import InputError
from comitia.bounds.row import OUTWARD
from comitia.bounds.table import BOUNDS
from comitia.evaluation import Evaluation
from comitia.evaluation.claims import judge
from comitia.paper.literature import references
from comitia.paper.results import (
    Result,
    cells_of,
    every_row,
    read_results,
    result_of,
    shipped_results,
    status,
)
from comitia.paper.rows import paper_rows
from paper.small_rows import small_row

DOCS = Path(__file__).resolve().parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "results_pages.py"))
RECORDS = sorted((DOCS / "results").glob("*/evaluation.json"))


def test_there_are_results() -> None:
    assert RECORDS


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_tables_claims_and_page_follow_from_the_record(path: Path) -> None:
    found = Evaluation.from_json(path.read_text(), source=path.name)
    assert judge(found) == found.claims
    for name, text in MADE["texts"](path.parent).items():
        assert (path.parent / name).read_text() == text, f"{path.parent.name}/{name}: run make results"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_references_are_those_of_today(path: Path) -> None:
    found = Evaluation.from_json(path.read_text(), source=path.name)
    assert found.provenance is not None
    row = next((row for row in paper_rows() if row.key == found.provenance.row), None)
    known = () if row is None else references(row.recipe, budget=row.budget)
    kept = [r for r in known if not (found.single_states and r.members == "all")]
    assert [(r.label, r.value, r.size) for r in found.references] == [
        (r.label, r.value, r.size) for r in kept
    ]


def test_the_page_of_results_follows_from_the_records() -> None:
    assert (DOCS / "results.md").read_text() == MADE["page"](), "run make results"


def test_the_results_that_come_with_the_package_are_those_of_the_records() -> None:
    assert MADE["SHIPPED"].read_text() == MADE["shipped"](), "run make results"
    told = {one.row.key: one.results for one in status()}
    assert set(told) == {row.key for row in paper_rows()}


def test_stored_rows_are_within_a_thousandth_of_the_paper_where_the_runs_are_the_same() -> None:
    """The authors' own packs that were trained as the paper did, at its number of runs."""
    for one in status():
        for result in one.results:
            if result.source == "stored" and result.as_paper and "10 runs" not in result.scale:
                for column in ("avg_uniform_last", "avg_tandem_last"):
                    if column in one.row.cells:
                        assert result.cells[column] == pytest.approx(one.row.cells[column], abs=0.00105), (
                            column
                        )


FORMULAS: dict[str, tuple[Callable[..., float], tuple[str, ...]]] = {
    "first-order-kl": (bounds.first_order_kl, ("gibbs", "kl", "n")),
    "first-order-lambda": (bounds.first_order_lambda, ("gibbs", "kl", "n")),
    "tandem-kl": (bounds.tandem_kl, ("tandem", "kl", "n")),
    "tandem-lambda": (bounds.tandem_lambda, ("tandem", "kl", "n")),
    "moment": (bounds.moment, ("moment", "kl", "n")),
    "cantelli": (bounds.cantelli, ("gibbs", "tandem", "kl", "n_first", "n_pair")),
    "ctd": (bounds.ctd, ("gibbs", "tandem", "kl", "n_first", "n_pair")),
    "disagreement": (bounds.disagreement, ("gibbs", "disagreement", "kl", "n_first", "n_pair")),
    "c1": (bounds.c1, ("gibbs", "disagreement", "kl", "n_first", "n_pair")),
    "c2": (bounds.c2, ("tandem", "disagreement", "kl", "n")),
    "holdout": (bounds.clopper_pearson, ("errors", "n")),
    "split": (bounds.clopper_pearson, ("errors", "n")),
}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_certificates_follow_from_their_inputs(path: Path) -> None:
    for row in Evaluation.from_json(path.read_text()).certificates:
        kept = row.certificate
        assert kept.risk == pytest.approx(_again(kept), rel=1e-11), kept.name


def _again(kept: Certificate) -> float:
    """The certified risk by today's formulas, from the inputs that the record gives."""
    if kept.name == "occam":
        return bounds.occam(kept.inputs["errors"], kept.inputs["n"], kept.delta, kept.inputs["counts"])
    if kept.name == "best-member":
        return bounds.best_member(kept.inputs["errors"], kept.inputs["n"], kept.delta, kept.inputs["members"])
    formula, names = FORMULAS[kept.name]
    risk = formula(*(kept.inputs[name] for name in names), kept.delta)
    return risk * (1.0 if BOUNDS[kept.name].counted else OUTWARD)


NAME = "imdb-cnn_lstm-checkpoints"


def accuracy(record: dict[str, Any], size: int, members: str, weights: str, vote: str) -> float:
    """The mean accuracy of one row, from the record as it is stored."""
    (found,) = [
        row["accuracy_mean"]
        for row in record["rows"]
        if [row[key] for key in ("size", "members", "weights", "vote")] == [size, members, weights, vote]
    ]
    return float(found)


def test_cells_are_the_rows_of_the_record_at_the_largest_size(tmp_path: Path) -> None:
    small_row(tmp_path)
    record = json.loads((tmp_path / "evaluation.json").read_text())
    bound = {
        row["weights"]: row["bound_mean"]
        for row in record["rows"]
        if (row["size"], row["members"], row["vote"]) == (5, "all", "majority")
    }
    cells = cells_of(Evaluation.from_json(json.dumps(record)))
    expected = {
        "avg_uniform_last": accuracy(record, 5, "last", "uniform", "average"),
        "avg_tandem_last": accuracy(record, 5, "last", "tandem", "average"),
        "avg_uniform_all": accuracy(record, 5, "all", "uniform", "average"),
        "avg_tandem_all": accuracy(record, 5, "all", "tandem", "average"),
        "mv_last": accuracy(record, 5, "last", "tandem", "majority"),
        "mv_all": accuracy(record, 5, "all", "tandem", "majority"),
        "bound_uniform": max(0, 1 - bound["uniform"]),
        "bound_tandem": max(0, 1 - bound["tandem"]),
        "sgd": record["single_best"]["accuracy_max"],
        "members_last": 5,
    }
    assert cells == pytest.approx(expected, abs=1e-6)


def test_numbers_that_the_paper_has_of_other_states_only_are_left_out(tmp_path: Path) -> None:
    """The paper bounds all states of this row: a bound of last states may not stand beside that."""
    cells = cells_of(small_row(tmp_path, "cifar10-resnet20-bagging", states=1))
    assert set(cells) == {"avg_tandem_last", "mv_last", "members_last"}


def test_the_single_network_of_an_earlier_record_is_the_one_it_chose(tmp_path: Path) -> None:
    found = small_row(tmp_path)
    earlier = replace(found, single_best=replace(found.single_best, accuracy_max=None))
    assert cells_of(earlier)["sgd"] == round(found.single_best.accuracy_mean, 6)


def test_an_evaluation_of_no_row_is_no_result(tmp_path: Path) -> None:
    found = small_row(tmp_path)
    assert result_of(replace(found, provenance=None), "f") is None
    assert found.provenance is not None
    assert result_of(replace(found, provenance=replace(found.provenance, row="")), "f") is None


def best(rows: Any, key: str) -> Result:
    (one,) = [one for one in rows if one.row.key == key]
    return one.results[0]


def test_a_reproduction_of_ones_own_fills_its_row(tmp_path: Path) -> None:
    found = small_row(tmp_path / "deep" / "mine", "cifar100-resnet110-sse", trained="with dropout .5")
    (mine,) = read_results(tmp_path)
    assert (mine.folder, mine.source, mine.scale, mine.as_paper) == (
        "mine",
        "stored",
        "with dropout .5",
        False,
    )
    assert mine.cells == cells_of(found)
    rows = every_row(tmp_path)
    assert best(rows, "cifar100-resnet110-sse") == mine
    others = {one.row.key: one.results for one in rows if one.row.key != mine.row}
    assert others == {one.row.key: one.results for one in status() if one.row.key != mine.row}


def test_results_as_the_paper_trained_come_first_then_trained_ones_then_ones_own(tmp_path: Path) -> None:
    small_row(tmp_path / "b" / "zzz", NAME, trained="otherwise")
    assert best(every_row(tmp_path), NAME).source == "trained"
    assert [one.folder for one in read_results(tmp_path)] == ["zzz"]
    small_row(tmp_path / "b" / "zzz", NAME, trained="paper", force=True)
    told = [result.folder for one in every_row(tmp_path) if one.row.key == NAME for result in one.results]
    trained = [
        r.folder for r in shipped_results() if r.row == NAME and (r.as_paper, r.source) == (True, "trained")
    ]
    stored = [
        r.folder for r in shipped_results() if r.row == NAME and (r.as_paper, r.source) == (True, "stored")
    ]
    assert stored
    assert told == [*trained, "zzz", *stored]


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="^results: .*absent must be a folder with reproduced rows, it is none"
    ):
        read_results(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="^results: .*file must be a folder"):
        read_results(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert read_results(tmp_path / "empty") == ()


def test_a_folder_without_a_row_of_the_paper_is_refused(tmp_path: Path) -> None:
    message = (
        rf"^results: {re.escape(str(tmp_path))} must hold a folder with evaluation\.json for each reproduced row "
        "of the paper, got none; give the folder that comitia reproduce wrote to, or the one above it$"
    )
    with pytest.raises(InputError, match=message):
        every_row(tmp_path)
    small_row(tmp_path / "mine", "demo")
    with pytest.raises(InputError, match=message):
        every_row(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", r"evaluation\.json: not readable as JSON"),
        (b"[]", r"evaluation\.json: .*an evaluation that comitia evaluate wrote"),
        (b"\xff\xfe\x00", r"^results: .*evaluation\.json cannot be read as text \(.*invalid start byte"),
    ],
)
def test_a_damaged_record_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "evaluation.json").write_bytes(content)
    with pytest.raises(InputError, match=message) as raised:
        read_results(tmp_path)
    assert "\n" not in str(raised.value)
