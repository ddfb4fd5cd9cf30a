"""Tables of an evaluation: which rows, columns and notes they have."""

from dataclasses import replace

import pytest

from comitia.evaluation import Evaluation, evaluate
from comitia.evaluation.references import Reference
from comitia.evaluation.tables import against_paper, all_rows, beside_paper, by_size, summary
from evaluation.synthetic import ensemble


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
    assert [row[1] for row in with_paper] == ["all", "best single, hindsight", "Bayes", "all"]
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


def test_the_papers_best_single_network_stands_beside_the_one_chosen_alike() -> None:
    found = _evaluation()
    ours, theirs = (row for row in beside_paper(found).rows if str(row[1]).startswith("best single"))
    assert (ours[4], ours[7]) == (found.single_best.accuracy_mean, None)
    assert (theirs[4], theirs[7]) == (found.single_best.accuracy_max, 0.6)
    older = replace(found, single_best=replace(found.single_best, accuracy_max=None))
    (alone,) = [row for row in beside_paper(older).rows if str(row[1]).startswith("best single")]
    assert (alone[4], alone[7]) == (found.single_best.accuracy_mean, 0.6)


def test_the_authors_deviation_and_diversity_are_shown_where_the_record_has_them() -> None:
    found = _evaluation()
    table, row = all_rows(found), found.rows[0]
    assert [column.title for column in table.columns][-2:] == ["sd (n)", "diversity"]
    assert table.rows[0][-2:] == (row.accuracy_sd_population, row.diversity_mean)
    notes = " ".join(table.notes)
    assert f"the best on the scored half itself, {found.single_best.accuracy_max:.4f}." in notes
    assert "sd (n): the authors' standard deviation, dividing by the number of draws" in notes
    assert "diversity: the authors' measure: share of the classes that get at least one vote" in notes
    older = all_rows(replace(found, rows=tuple(replace(r, diversity_mean=None) for r in found.rows)))
    assert older.columns[-1].title == "effective members"
    assert len(older.rows[0]) == len(older.columns)
    assert len(older.notes) == 3


def test_early_stopping_has_one_column_of_its_name() -> None:
    found = evaluate(ensemble(samples=100), sizes=[3], repeats=1)
    titles = [column.title for column in by_size(found).columns]
    assert titles[-2:] == ["tandem all", "early stopping"]
    assert titles.count("early stopping") == 1
    assert ["all", "early-stopping"] in [list(row[:2]) for row in summary(found).rows]


def test_rows_say_what_their_numbers_mean() -> None:
    notes = " ".join(all_rows(_evaluation()).notes)
    assert "delta = 0.05" in notes
    assert "15 bins" in notes


def test_a_bayes_ensemble_of_ours_stands_on_our_side() -> None:
    here = Reference("Bayes", "bayes", "accuracy", 0.7, 7, "all", "uniform", "average")
    (line,) = [r for r in beside_paper(replace(_evaluation(), references=(here,))).rows if r[1] == "Bayes"]
    assert line[4:8] == (0.7, None, 7, None)


def test_under_an_epoch_budget_the_best_size_stands_beside_a_number_of_a_size_unknown() -> None:
    references = (
        Reference("paper", "paper", "accuracy", 0.8, None, "last", "tandem", "average"),
        Reference("paper", "paper", "bound", 0.4, None, "last", "tandem", "majority"),
    )
    found = evaluate(ensemble(states=1, samples=100), groups={2: [1, 2], 3: [3, 4, 5]})
    table = beside_paper(replace(found, references=references))
    best = max(found.curve("last", "tandem", "average"), key=lambda row: row.accuracy_mean)
    tightest = min(found.curve("last", "tandem", "majority"), key=lambda row: row.bound_mean or 9.0)
    assert [(row[0], row[4], row[6], row[7]) for row in table.rows if row[7] is not None] == [
        ("accuracy", best.accuracy_mean, best.size, 0.8),
        ("bound", min(1.0, tightest.bound_mean or 9.0), tightest.size, 0.4),
    ]
    assert "ours are those of the best one" in table.notes[-1]


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
    assert len(found.rows) == 2


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
