"""The stored results: tables, claims and the page are what their evaluation records say."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from comitia import bounds
from comitia._certificate import Certificate
from comitia.bounds.row import OUTWARD
from comitia.bounds.table import BOUNDS
from comitia.evaluation import Evaluation
from comitia.evaluation.claims import judge
from comitia.paper.literature import references
from comitia.paper.results import status
from comitia.paper.rows import paper_rows

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
