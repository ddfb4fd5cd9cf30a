"""Tables: one record in three formats that say the same."""

import csv
import io
from dataclasses import replace

import pytest

from comitia._errors import InputError
from comitia.evaluation import Evaluation, evaluate
from comitia.evaluation.records import Reference
from comitia.evaluation.tables import (
    Column,
    Table,
    against_paper,
    all_rows,
    beside_paper,
    by_size,
    csv_text,
    latex,
    markdown,
    render,
    summary,
)
from evaluation.synthetic import ensemble

HOSTILE = Table(
    "50% & more", (Column("a_b"), Column("x", 2)), (("p|q \\ {~^#$}", 1.239), (None, None)), ("n_1",)
)


def test_special_characters_are_escaped() -> None:
    assert r"p\textbackslash" not in markdown(HOSTILE)
    assert r"| p\|q \ {~^#$} | 1.24 |" in markdown(HOSTILE)
    assert r"p|q \textbackslash{} \{\textasciitilde{}\textasciicircum{}\#\$\} & 1.24 \\" in latex(HOSTILE)
    assert r"a\_b & x \\" in latex(HOSTILE)
    assert "-- & -- \\\\" in latex(HOSTILE)


def test_latex_is_a_booktabs_tabular_with_notes_as_comments() -> None:
    lines = latex(HOSTILE).splitlines()
    assert lines[:3] == ["% 50% & more", "% n_1", r"\begin{tabular}{@{}lr@{}}"]
    assert [line for line in lines if line.endswith("rule")] == [r"\toprule", r"\midrule", r"\bottomrule"]


def test_csv_keeps_every_digit() -> None:
    rows = list(csv.reader(io.StringIO(csv_text(HOSTILE))))
    assert rows == [["a_b", "x"], ["p|q \\ {~^#$}", "1.239"], ["", ""]]


def test_the_ending_names_the_format() -> None:
    assert render(HOSTILE, "t.tex") == latex(HOSTILE)
    assert render(HOSTILE, "t.MD") == markdown(HOSTILE)
    with pytest.raises(
        InputError, match=r"t.docx: the name of a table must end in .md, .tex, .csv, got '.docx'"
    ):
        render(HOSTILE, "t.docx")


def _evaluation() -> Evaluation:
    found = evaluate(ensemble(samples=100), sizes=[2, 5], repeats=2, weightings=("uniform", "tandem"))
    return replace(
        found,
        references=(
            Reference("Bayes", "bayes", "accuracy", 0.7, 7),
            Reference("paper", "paper", "accuracy", 0.8, 40, "all", "tandem", "average"),
            Reference("paper", "paper", "bound", 0.4, 40, "all", "tandem", "majority"),
            Reference("paper", "paper", "accuracy", 0.6, 1, "single"),
        ),
    )


def test_the_papers_numbers_stand_beside_the_right_ones() -> None:
    found = _evaluation()
    (ours,) = [row for row in found.rows if row.size == 5 and row.key == ("all", "tandem", "average")]
    table = beside_paper(found)
    with_paper = [row for row in table.rows if row[7] is not None]
    assert with_paper[0][:4] == ("accuracy", "all", "tandem", "average")
    assert with_paper[0][4:] == (
        ours.accuracy_mean, ours.accuracy_sd, 5, 0.8, 40, pytest.approx(ours.accuracy_mean - 0.8)
    )  # fmt: skip
    assert [row[1] for row in with_paper] == ["all", "best single", "Bayes ensemble", "all"]
    assert [row[7] for row in with_paper] == [0.8, 0.6, 0.7, 0.4]
    assert len(against_paper(found).rows) == 4


def test_the_papers_size_is_taken_where_it_was_evaluated() -> None:
    found = _evaluation()
    smaller = tuple(replace(r, size=2) if r.members == "all" else r for r in found.references)
    table = beside_paper(replace(found, references=smaller))
    beside = [row for row in table.rows if row[1] == "all" and row[7] is not None]
    assert [row[6] for row in beside] == [2, 2]
    assert beside[0][4] == found.curve("all", "tandem", "average")[0].accuracy_mean
    assert all(row[6] == 5 for row in table.rows if row[1] == "last")


def test_the_best_single_member_has_no_deviation_over_draws() -> None:
    (line,) = [row for row in beside_paper(_evaluation()).rows if row[1] == "best single"]
    assert line[5] is None


def test_rows_say_what_their_numbers_mean() -> None:
    notes = " ".join(all_rows(_evaluation()).notes)
    assert "delta = 0.05" in notes
    assert "15 bins" in notes


def test_a_bayes_ensemble_of_ours_stands_on_our_side() -> None:
    here = Reference("Bayes", "bayes", "accuracy", 0.7, 7, "all", "uniform", "average")
    (line,) = [
        r for r in beside_paper(replace(_evaluation(), references=(here,))).rows if r[1] == "Bayes ensemble"
    ]
    assert line[4:8] == (0.7, None, 7, None)


def test_a_number_of_a_size_unknown_stands_by_itself_under_an_epoch_budget() -> None:
    references = (
        Reference("paper", "paper", "accuracy", 0.8, None, "last", "tandem", "average"),
        Reference("paper", "paper", "bound", 0.4, None, "last", "tandem", "majority"),
    )
    found = evaluate(ensemble(states=1, samples=100), groups={2: [1, 2], 3: [3, 4, 5]})
    rows = beside_paper(replace(found, references=references)).rows
    assert [row for row in rows if row[7] is not None] == [
        ("accuracy", "last", "tandem", "average", None, None, None, 0.8, None, None),
        ("bound", "last", "tandem", "majority", None, None, None, 0.4, None, None),
    ]
    drawn = beside_paper(replace(_evaluation(), references=references)).rows
    beside = [row for row in drawn if row[7] is not None]
    assert all(row[4] is not None and row[9] is None for row in beside)


def test_bounds_beside_the_papers_end_at_one() -> None:
    found = _evaluation()
    loose = tuple(replace(row, bound_mean=1.7) for row in found.rows)
    lines = [row for row in beside_paper(replace(found, rows=loose)).rows if row[0] == "bound"]
    assert {row[4] for row in lines} == {1.0}
    assert [row[9] for row in lines if row[7] is not None] == [pytest.approx(0.6)]


def test_one_draw_shows_no_deviation() -> None:
    found = evaluate(ensemble(samples=100), sizes=[2], repeats=1, weightings=("uniform",))
    assert all(row[5] == "–" for row in all_rows(found).shown())
    assert all("±" not in cell for cell in by_size(found).shown()[0])


def test_all_rows_and_summary_have_every_row_of_their_sizes() -> None:
    found = _evaluation()
    assert len(all_rows(found).rows) == len(found.rows) == 16
    assert len(all_rows(found, size=2).rows) == len(summary(found).rows) == 8


def test_runs_of_a_single_state_are_not_shown_twice() -> None:
    found = evaluate(ensemble(states=1, samples=100), sizes=[3], repeats=1, weightings=("uniform",))
    assert [row[0] for row in summary(found).rows] == ["last", "last"]
    assert [column.title for column in by_size(found).columns] == ["runs", "uniform last"]
    assert len(found.rows) == 4


def test_by_size_has_a_line_a_size_and_a_column_a_curve() -> None:
    found = _evaluation()
    table = by_size(found)
    assert [column.title for column in table.columns] == [
        "runs",
        "uniform last",
        "tandem last",
        "uniform all",
        "tandem all",
    ]
    row = found.curve("all", "tandem", "average")[0]
    assert table.rows[0][4] == f"{row.accuracy_mean:.4f} ± {row.accuracy_sd:.4f}"
    assert [line[0] for line in table.rows] == [2, 5]
