"""The stored experiment: tables, figures and every number of the page are what its record says."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from comitia.evaluation.table_formats import FORMATS, render
from comitia.paper.argument import Argument, run_argument
from comitia.paper.argument.experiment import CASES, SIZES
from comitia.paper.argument.figures import argument_figures
from comitia.paper.argument.members import basins
from comitia.paper.argument.problem import SLOPES, make_problem
from comitia.paper.argument.tables import argument_rows, argument_table, cancellation_table
from comitia.paper.outputs import ARGUMENT_FILES

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER = DOCS / "results" / "argument"
TEXT = (FOLDER / "argument.json").read_text()
FOUND = Argument.from_json(TEXT)
PAGE = " ".join((DOCS / "argument.md").read_text(encoding="utf-8").split())


def test_record_and_tables_are_written_as_they_were() -> None:
    assert set(ARGUMENT_FILES) <= {path.name for path in FOLDER.iterdir()}
    assert json.dumps(FOUND.to_json(), indent=1) + "\n" == TEXT
    tables = {"table": argument_table, "rows": argument_rows, "cancellation": cancellation_table}
    for name, table in tables.items():
        for ending in FORMATS:
            assert (FOLDER / f"{name}{ending}").read_text() == render(table(FOUND), f"x{ending}")


def test_every_figure_is_stored() -> None:
    stored = {path.stem for path in (FOLDER / "figures").glob("*.svg")}
    assert stored == {figure.key for figure in argument_figures(FOUND)}


def test_the_record_is_of_todays_experiment() -> None:
    assert [row.samples for row in FOUND.cases[0].rows] == list(SIZES)
    again = run_argument(repeats=1, seed=FOUND.settings.seed, sizes=(10,))
    for kept, case in zip(FOUND.cases, again.cases, strict=True):
        assert (kept.name, kept.evidence) == (case.name, CASES[case.name])
        assert (kept.optima, kept.attracted) == (case.optima, pytest.approx(case.attracted))
        assert kept.best_single == pytest.approx(case.best_single, abs=1e-9)
        assert kept.best_possible == pytest.approx(case.best_possible, abs=1e-9)


def test_a_part_of_it_computed_again() -> None:
    """Another seed, fewer repeats: within five standard errors of the stored means."""
    again = run_argument(repeats=40, seed=FOUND.settings.seed + 1, sizes=(300,))
    for kept, case in zip(FOUND.cases, again.cases, strict=True):
        stored, new = next(row for row in kept.rows if row.samples == 300), case.rows[0]
        for name in ("bayes", "sampled", "single", "member", "uniform", "tandem", "bound"):
            one, other = getattr(stored, name), getattr(new, name)
            error = ((one.sd**2) / FOUND.settings.repeats + (other.sd**2) / 40) ** 0.5
            assert abs(one.mean - other.mean) <= 5 * error + 1e-3, (kept.name, name)


def sentences() -> list[str]:
    """All sentences of the page that have numbers, made from the record."""
    settings, three = FOUND.settings, FOUND.case("three-sources")
    first, middle, last = (next(r for r in three.rows if r.samples == n) for n in (10, 1000, 100_000))
    hundred = next(row for row in three.rows if row.samples == 100)
    uneven, strong, right = (FOUND.case(n) for n in ("uneven-sources", "strong-source", "well-specified"))
    apart = [row.posterior_disagreement.mean for row in (first, middle, last)]
    few, many = right.rows[0], uneven.rows[-1]
    problem = make_problem(three.evidence)
    quarter = next(row for row in FOUND.cancellation if row.members == 25)
    full = FOUND.cancellation[-1]
    ensembles = settings.repeats * sum(len(case.rows) for case in FOUND.cases)
    return [
        f"all {problem.votes.shape[1]} inputs are equally likely",
        f"any three of the nine bits, {len(problem.subsets)} in all",
        f"the average of {settings.members} draws of the posterior",
        f"{settings.members} *members* are local searches",
        f"*tandem* weights from {settings.holdout:,} further samples",
        f"over {settings.repeats} training sets per size",
        f"delta = {settings.delta:g}.".replace("0.", "."),
        f"two of them differ with probability {apart[0]:.3f} after 10 samples, {apart[1]:.3f} after 1,000 and "
        f"{apart[2]:.3f} after 100,000.",
        f"falls from {first.posterior_effective.mean:.1f} to {last.posterior_effective.mean:.1f}.",
        f"Its risk is {last.bayes.mean:.4f} after 100,000 samples",
        f"The lowest possible risk is {three.best_possible:.4f}.",
        f"They differ with probability {last.member_disagreement.mean:.3f} after 100,000 samples. One member alone has "
        f"risk {last.member.mean:.4f}, worse than the best hypothesis. Their uniform vote has {last.uniform.mean:.4f} "
        f"(sd {last.uniform.sd:.4f}).",
        f"**Tandem weights gain more**: {last.tandem.mean:.4f}, nearly",
        f"The bound at these weights, {last.bound.mean:.3f}, is far above the exact risk. It was never below it, in "
        f"{ensembles:,} ensembles.",
        f"{first.bayes.mean:.4f} against {first.uniform.mean:.4f} after 10 samples.",
        f"little between them ({hundred.bayes.mean:.4f} and {hundred.uniform.mean:.4f}).",
        f"{strong.rows[-1].bayes.mean:.4f} and {right.rows[-1].bayes.mean:.4f}, the lowest possible risks.",
        f"After 10 samples it has {few.bayes.mean:.4f} against {few.uniform.mean:.4f} for the uniform vote and "
        f"{few.single.mean:.4f} for the hypothesis with the fewest errors. Tandem weights have {few.tandem.mean:.4f} "
        f"there, from {settings.holdout:,} samples more.",
        f"{uneven.attracted:.0%} of all searches end at the best hypothesis, so it decides the uniform vote: "
        f"{many.uniform.mean:.4f}, the best single risk. Tandem weights gain a little ({many.tandem.mean:.4f}), far "
        f"from the lowest risk of {uneven.best_possible:.4f},",
        f"stays at {full.uniform.mean:.4f} with {full.members} members. Independent errors would give "
        f"{full.exact.mean:.4f} (exact) and {full.bound.mean:.4f} (the bound).",
        f"above the bound ({quarter.uniform.mean:.4f} against {quarter.bound.mean:.4f}).",
    ] + [
        f"| {case.name} | {', '.join(f'{a:g}' for a in case.evidence)} | {case.optima} hypothes"
        f"{'is' if case.optima == 1 else 'es'} | {case.attracted:.3f} |"
        for case in FOUND.cases
    ]


@pytest.mark.parametrize("sentence", sentences())
def test_the_page_says_what_the_record_does(sentence: str) -> None:
    assert sentence in PAGE


def test_the_page_has_the_table_and_no_other_measured_number() -> None:
    rest = (DOCS / "argument.md").read_text(encoding="utf-8")
    table = (FOLDER / "table.md").read_text().split("\n\n")[0]
    assert table in rest
    rest = " ".join(rest.replace(table, "").split())
    for sentence in sentences():
        rest = rest.replace(sentence, "")
    assert not re.findall(r"\d+\.\d+", rest)


def test_what_the_page_says_in_words() -> None:
    three, uneven = FOUND.case("three-sources"), FOUND.case("uneven-sources")
    assert len(SLOPES) == 9  # "nine slopes"
    assert all(row.violations == 0 for case in FOUND.cases for row in case.rows)
    last = three.rows[-1]
    assert f"{last.sampled.mean:.4f}" == f"{last.single.mean:.4f}" == f"{three.best_single:.4f}"
    assert three.rows[0].posterior_disagreement.mean > three.rows[0].member_disagreement.mean
    assert f"{uneven.rows[-1].uniform.mean:.4f}" == f"{uneven.best_single:.4f}"
    for name in ("strong-source", "well-specified"):
        case = FOUND.case(name)
        for row in (row for row in case.rows if row.samples >= 1000):
            shown = {f"{risk.mean:.4f}" for risk in (row.bayes, row.uniform, row.tandem)}
            assert shown == {f"{case.best_possible:.4f}"}
    problem = make_problem(uneven.evidence)
    ends = basins(problem, np.rint(1e9 * problem.risks).astype(np.int64))
    assert 0 < ends[problem.subsets.index((6, 7, 8))] < 0.02  # "hardly ever found"
    for row in FOUND.cancellation:
        assert (row.uniform.mean > row.bound.mean) == (row.members >= 25)
