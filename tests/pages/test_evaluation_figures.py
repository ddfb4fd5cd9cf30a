from dataclasses import replace

from comitia.pages.evaluation_figures import (
    accuracy_figure,
    bound_figure,
    evaluation_figures,
    tandem_figure,
    weights_figure,
)
from report_records import an_evaluation


def test_which_figures_there_are() -> None:
    keys = [figure.key for figure in evaluation_figures(an_evaluation())]
    assert keys == [
        *("accuracy-average", "accuracy-majority", "bound", "weights", "tandem"),
        *("certificates-average", "certificates-majority"),
    ]
    bare = replace(an_evaluation(), tandem=None, certificates=(), members=())
    assert [figure.key for figure in evaluation_figures(bare)] == [
        "accuracy-average",
        "accuracy-majority",
        "bound",
    ]


def test_a_curve_has_the_rows_of_its_key_and_their_spread() -> None:
    evaluation = an_evaluation()
    (panel,) = accuracy_figure(evaluation, "average").panels
    curve = next(s for s in panel.series if s.name == "tandem, last")
    rows = [r for r in evaluation.rows if (r.members, r.weights, r.vote) == ("last", "tandem", "average")]
    assert curve.x == (2.0, 3.0, 4.0)
    assert curve.y == tuple(r.accuracy_mean for r in rows)
    assert curve.spread == (0.004,) * 3
    assert curve.dashed
    assert not next(s for s in panel.series if s.name == "tandem, all").dashed


def test_reference_lines_are_the_single_best_and_the_bayes_ensemble() -> None:
    (panel,) = accuracy_figure(an_evaluation(), "average").panels
    assert [(r.name, r.value) for r in panel.references] == [
        ("best single member", 0.8377),
        ("Bayes ensemble", 0.87),
    ]


def test_a_vacuous_bound_shows_where_promises_end() -> None:
    evaluation = an_evaluation()
    assert bound_figure(evaluation).panels[0].references == ()
    loose = tuple(replace(row, bound_mean=1.3) for row in evaluation.rows)
    (line,) = bound_figure(replace(evaluation, rows=loose)).panels[0].references
    assert (line.name, line.value) == ("promises nothing", 1.0)


def test_weightings_beyond_the_papers_wait_in_the_legend() -> None:
    (panel,) = accuracy_figure(an_evaluation(), "average").panels
    assert {s.name for s in panel.series if not s.shown} == {"first-order, all", "first-order, last"}


def test_an_epoch_budget_is_told_as_one() -> None:
    evaluation = an_evaluation()
    settings = replace(evaluation.settings, grouped=True, repeats=1)
    alone = tuple(replace(row, accuracy_sd=None) for row in evaluation.rows)
    figure = accuracy_figure(replace(evaluation, settings=settings, rows=alone), "average")
    assert "budget" in figure.title
    assert "same number of epochs" in figure.caption
    assert "standard deviation" not in figure.caption
    assert all(series.spread is None for series in figure.panels[0].series)
    assert {row[4] for row in figure.table.rows} == {None}


def test_runs_of_a_single_state_have_one_curve_a_weighting() -> None:
    evaluation = an_evaluation()
    single = replace(evaluation, source=replace(evaluation.source, runs=evaluation.source.members))
    figure = accuracy_figure(single, "average")
    assert [s.name for s in figure.panels[0].series] == ["uniform", "tandem", "first-order"]
    assert not any(s.dashed for s in figure.panels[0].series)
    assert "last state" not in figure.caption
    assert "tandem goes from 87.5% at 2 to 87.7% at 4" in figure.alt


def test_one_draw_is_told_as_one() -> None:
    evaluation = an_evaluation()
    once = replace(evaluation, settings=replace(evaluation.settings, repeats=1))
    assert accuracy_figure(once, "average").caption.startswith("One drawn ensemble per size.")
    assert accuracy_figure(evaluation, "average").caption.startswith("Mean over 2 drawn ensembles per size.")


def test_three_panels_over_the_members_as_in_the_paper() -> None:
    figure = weights_figure(an_evaluation())
    assert [panel.y_title for panel in figure.panels] == ["accuracy", "first-order weight", "tandem weight"]
    assert figure.panels[1].series[0].y == (1.0, 0.0, 0.0, 0.0)
    assert figure.panels[0].series[0].strong == (False, True, False, True)


def test_the_tandem_matrix_is_symmetric_and_coloured_by_the_pairs() -> None:
    (panel,) = tandem_figure(an_evaluation()).panels
    assert panel.matrix is not None
    assert panel.matrix[0][0] == 60 / 500
    assert panel.matrix[1][3] == panel.matrix[3][1] == 34 / 500
    assert panel.levels == (31 / 500, 35 / 500)
