from dataclasses import replace

import numpy as np
import pytest

from comitia.evaluation import Evaluation
from comitia.pages.evaluation_figures import (
    accuracy_figure,
    bound_figure,
    evaluation_figures,
    score_figure,
    stopping_figure,
)
from report_records import a_row, an_evaluation


def test_which_figures_there_are() -> None:
    keys = [figure.key for figure in evaluation_figures(an_evaluation())]
    assert keys == [
        *("accuracy-average", "accuracy-majority", "nll", "bound", "weights", "tandem"),
        *("certificates-average", "certificates-majority"),
    ]
    bare = replace(an_evaluation(), tandem=None, certificates=(), members=())
    assert [figure.key for figure in evaluation_figures(bare)] == [
        "accuracy-average",
        "accuracy-majority",
        "nll",
        "bound",
    ]
    drawn = [figure.key for figure in evaluation_figures(_stopped())]
    assert drawn[:4] == ["accuracy-average", "accuracy-majority", "early-stopping", "nll"]


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


def _stopped() -> Evaluation:
    """The evaluation with rows of early stopping."""
    found = an_evaluation()
    rows = tuple(a_row(n, "all", "early-stopping", v) for n in (2, 3, 4) for v in ("average", "majority"))
    weightings = (*found.settings.weightings, "early-stopping")
    return replace(found, rows=(*found.rows, *rows), settings=replace(found.settings, weightings=weightings))


def test_early_stopping_stands_beside_all_states() -> None:
    evaluation = _stopped()
    figure = stopping_figure(evaluation, "average")
    (panel,) = figure.panels
    names = ["uniform, last", "early stopping", "uniform, all", "tandem, all"]
    assert [s.name for s in panel.series] == names
    assert [s.dashed for s in panel.series] == [True, False, False, False]
    assert all(s.shown and s.spread == (0.004,) * 3 for s in panel.series)
    stopped = [r.accuracy_mean for r in evaluation.rows if r.key == ("all", "early-stopping", "average")]
    assert panel.series[1].y == tuple(stopped)
    assert "early stopping goes from 87.2% at 2 to 87.4% at 4" in figure.alt
    assert "choose one state per run" in figure.caption
    (panel,) = accuracy_figure(evaluation, "average").panels
    assert [s.shown for s in panel.series if s.name == "early stopping"] == [False]


def test_the_likelihood_has_a_band_where_its_draws_are_recorded() -> None:
    evaluation = an_evaluation()
    older = score_figure(evaluation, "nll")
    assert all(s.spread is None for s in older.panels[0].series)
    assert "band" not in older.caption
    draws = tuple(replace(r, nlls=(0.28, 0.34) if r.nll_mean else None) for r in evaluation.rows)
    figure = score_figure(replace(evaluation, rows=draws), "nll")
    (panel,) = figure.panels
    wanted = accuracy_figure(evaluation, "average").panels[0].series
    assert [(s.name, s.dashed, s.shown) for s in panel.series] == [
        (s.name, s.dashed, s.shown) for s in wanted
    ]
    assert panel.series[0].y == (0.31,) * 3
    assert panel.series[0].spread == pytest.approx([np.std([0.28, 0.34], ddof=1)] * 3)
    assert "The band is ± one standard deviation." in figure.caption
    assert "goes from 0.31 at 2 to 0.31 at 4" in figure.alt
    assert not panel.percent


def test_the_best_single_member_has_a_likelihood_where_it_is_recorded() -> None:
    evaluation = an_evaluation()
    assert score_figure(evaluation, "nll").panels[0].references == ()
    known = replace(evaluation, single_best=replace(evaluation.single_best, nll_mean=0.4))
    (line,) = score_figure(known, "nll").panels[0].references
    assert (line.name, line.value) == ("best single member", 0.4)


def test_two_classes_have_an_area_under_the_curve() -> None:
    evaluation = an_evaluation()
    assert "auroc" not in {figure.key for figure in evaluation_figures(evaluation)}
    rows = tuple(
        replace(r, auroc_mean=0.9, aurocs=(0.88, 0.92)) if r.vote == "average" else r for r in evaluation.rows
    )
    figures = {figure.key: figure for figure in evaluation_figures(replace(evaluation, rows=rows))}
    (panel,) = figures["auroc"].panels
    assert panel.y_title == "AUROC"
    assert panel.series[0].y == (0.9,) * 3
    assert panel.references == ()
