"""The stored results: tables, claims and the page are what their evaluation records say."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from comitia import bounds
from comitia._certificate import Certificate
from comitia.bounds.row import OUTWARD
from comitia.bounds.table import BOUNDS
from comitia.evaluation import Evaluation
from comitia.evaluation.claims import claims_markdown, judge
from comitia.evaluation.findings import Finding
from comitia.evaluation.table_formats import FORMATS, markdown, render
from comitia.evaluation.tables import against_paper, all_rows, beside_paper, by_size

DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORDS = sorted((DOCS / "results").glob("*/evaluation.json"))


def test_there_are_results() -> None:
    assert RECORDS


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_tables_and_claims_follow_from_the_record(path: Path) -> None:
    found = Evaluation.from_json(path.read_text(), source=path.name)
    assert judge(found) == found.claims
    assert (path.parent / "claims.md").read_text() == claims_markdown(found.claims)
    tables = {"table": beside_paper(found), "rows": all_rows(found), "sizes": by_size(found)}
    for name, table in tables.items():
        for ending in FORMATS:
            assert (path.parent / f"{name}{ending}").read_text() == render(table, f"{name}{ending}")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_page_shows_the_numbers_of_the_record(path: Path) -> None:
    found, part = Evaluation.from_json(path.read_text()), _section(path.parent.name)
    assert markdown(by_size(found)) in part
    if found.references:
        assert markdown(against_paper(found)).split("\n\n")[0] in part
    for claim in found.claims:
        assert f"**Claim {claim.number}: {claim.verdict}.**" in part
    told = {_told(finding) for claim in found.claims for finding in claim.findings}
    assert set(re.findall(r"^  - (.*)$", part, re.MULTILINE)) <= told


def _section(name: str) -> str:
    """The section of the page about the folder of that name."""
    parts = (DOCS / "results.md").read_text().split("\n## ")[1:]
    (found,) = [part for part in parts if re.search(rf"\(results/{name}[/)]", part)]
    return found


def _told(finding: Finding) -> str:
    context = "" if finding.decisive else " (context)"
    reach = "" if finding.half_width is None else f" ± {finding.half_width:.4f}"
    numbers = f"{finding.ours:.4f} against {finding.other:.4f}, difference {finding.difference:+.4f}{reach}"
    return f"{finding.text}{context}: {numbers}: {finding.verdict}."


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_page_promises_what_the_record_does_and_rounds_up(path: Path) -> None:
    kept = {
        (c.certificate.vote, c.certificate.name): c.certificate.risk
        for c in Evaluation.from_json(path.read_text()).certificates
        if c.members == "all" and c.weights.startswith("tandem")
    }
    for sentence in re.findall(
        r"What is promised for tandem .*?states: (.*?)\.\n", _section(path.parent.name), re.S
    ):
        for part in sentence.split(";"):
            shown = re.findall(r"`([a-z-]+)` (\d\.\d{4})", part)
            assert shown
            for name, number in shown:
                assert number == f"{math.ceil(kept[part.split()[0], name] * 1e4) / 1e4:.4f}"


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
