"""The figures hold the numbers of the record, and both back ends draw them."""

import pytest

from comitia.pages.axes import x_axis
from comitia.pages.draw_svg import svg_figure
from comitia.pages.figure import LIGHT, Figure
from comitia.paper.argument import run_argument
from comitia.paper.argument.experiment import CASES
from comitia.paper.argument.figures import TITLES, argument_figures

FOUND = run_argument(repeats=2, sizes=(10, 100))
FIGURES = argument_figures(FOUND)


def test_there_is_one_per_case_and_one_of_committees() -> None:
    assert [figure.key for figure in FIGURES] == [*(f"risk-{name}" for name in CASES), "cancellation"]
    assert set(TITLES) == set(CASES)


def test_curves_are_those_of_the_record() -> None:
    for case, figure in zip(FOUND.cases, FIGURES):
        bayes, drawn, uniform, tandem = figure.panels[0].series
        assert bayes.x == (10.0, 100.0)
        assert bayes.y == tuple(row.bayes.mean for row in case.rows)
        assert drawn.y == tuple(row.sampled.mean for row in case.rows)
        assert uniform.spread == tuple(row.uniform.sd for row in case.rows)
        assert tandem.y == tuple(row.tandem.mean for row in case.rows)
        assert [line.value for line in figure.panels[0].references] == [case.best_single, case.best_possible]
        posterior, members = figure.panels[1].series
        assert posterior.y == tuple(row.posterior_disagreement.mean for row in case.rows)
        assert members.y == tuple(row.member_disagreement.mean for row in case.rows)
        assert figure.table.rows[1][1] == case.rows[1].bayes.mean


def test_committees_are_those_of_the_record() -> None:
    uniform, exact, bound = FIGURES[-1].panels[0].series
    assert uniform.y == tuple(row.uniform.mean for row in FOUND.cancellation)
    assert exact.y == tuple(row.exact.mean for row in FOUND.cancellation)
    assert bound.y == tuple(row.bound.mean for row in FOUND.cancellation)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.key)
def test_both_back_ends_draw_it_on_a_logarithmic_axis(figure: Figure) -> None:
    pytest.importorskip("matplotlib")
    from comitia.pages.draw_matplotlib import drawn

    assert x_axis(figure).log
    assert svg_figure(figure, figure.key).markup == svg_figure(figure, figure.key).markup
    assert drawn(figure, ("svg",))["svg"] == drawn(figure, ("svg",))["svg"]
    assert {series.role for panel in figure.panels for series in panel.series} <= LIGHT.keys()


def test_one_repeat_has_no_bands() -> None:
    for figure in argument_figures(run_argument(repeats=1, sizes=(10,))):
        assert all(series.spread is None for panel in figure.panels for series in panel.series)
