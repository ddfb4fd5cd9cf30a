"""The experiment says what the page says of it: where posterior samples agree, where errors cancel, where not."""

from dataclasses import fields

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.bounds import independent_errors, independent_errors_exact
from comitia.paper.argument import Argument, run_argument
from comitia.paper.argument.experiment import CASES, COMMITTEES, measure, summed_up
from comitia.paper.argument.problem import SLOPES, make_problem
from comitia.paper.argument.record import ArgumentSettings, SizeRow, Spread, spread_of


@pytest.fixture(scope="module")
def found() -> Argument:
    return run_argument(repeats=12, seed=5, sizes=(30, 30_000))


def test_posterior_samples_agree_and_the_bayes_ensemble_tends_to_the_best_hypothesis(found: Argument) -> None:
    for case in found.cases:
        small, large = case.rows
        assert small.posterior_effective.mean > 1.1
        assert large.posterior_effective.mean == pytest.approx(1, abs=1e-3)
        assert large.posterior_disagreement.mean < 1e-3 < small.posterior_disagreement.mean
        assert large.bayes.mean == large.sampled.mean == pytest.approx(case.best_single, abs=1e-9)


def test_members_keep_differing_and_their_errors_cancel_in_the_first_case(found: Argument) -> None:
    case = found.case("three-sources")
    row = case.rows[-1]
    assert (case.optima, case.attracted < 0.5) == (30, True)
    assert row.member_disagreement.mean > 0.25
    assert row.member.mean > case.best_single
    assert row.uniform.mean < case.best_single - 0.02
    assert row.tandem.mean == pytest.approx(case.best_possible, abs=0.01)


def test_nothing_is_gained_where_the_best_classifier_is_in_the_class(found: Argument) -> None:
    for name in ("strong-source", "well-specified"):
        case = found.case(name)
        assert case.best_single == case.best_possible
        assert (case.optima, case.attracted) == (1, 1.0)
        row = case.rows[-1]
        assert {row.bayes.mean, row.uniform.mean, row.tandem.mean} == {case.best_single}


def test_equal_weights_gain_nothing_where_most_searches_end_at_one_hypothesis(found: Argument) -> None:
    case = found.case("uneven-sources")
    row = case.rows[-1]
    assert case.best_possible < case.best_single == row.uniform.mean
    assert case.attracted > 0.5
    assert row.tandem.mean <= case.best_single


def test_the_well_specified_truth_is_in_the_class() -> None:
    first, *others = CASES["well-specified"]
    assert first in SLOPES
    assert others == [0.0, 0.0]


def test_the_bound_covers_the_exact_risk(found: Argument) -> None:
    for case in found.cases:
        for row in case.rows:
            assert row.violations == 0
            assert row.bound.mean > row.tandem.mean


def test_means_deviations_and_violations_over_the_repeats() -> None:
    names = [field.name for field in fields(SizeRow) if field.name not in ("samples", "violations")]
    found = [dict.fromkeys(names, 0.1) | {"bound": bound} for bound in (0.05, 0.09, 0.5)]
    row = summed_up(7, found)
    assert (row.samples, row.violations) == (7, 2)
    assert row.tandem == Spread(0.1, 0.0)
    assert row.bound == Spread(pytest.approx(0.64 / 3), pytest.approx(np.std([0.05, 0.09, 0.5], ddof=1)))


def test_quantities_of_one_training_set() -> None:
    """Whatever the data, the exact risks lie between the lowest possible one and its mirror image."""
    problem = make_problem(CASES["uneven-sources"])
    one = measure(problem, 50, ArgumentSettings(1, 0, 25, 200, 0.05), np.random.default_rng(0))
    for name in ("bayes", "sampled", "single", "member", "uniform", "tandem"):
        assert problem.best_possible <= one[name] <= 1 - problem.best_possible
    assert 1 <= one["member_effective"] <= 25
    assert 1 <= one["posterior_effective"] <= 84


def test_committees_stand_beside_independent_errors(found: Argument) -> None:
    assert [row.members for row in found.cancellation] == list(COMMITTEES)
    one, many = found.cancellation[0], found.cancellation[-1]
    assert one.largest.mean == one.uniform.mean == pytest.approx(one.exact.mean)
    assert many.exact.mean < many.bound.mean < many.uniform.mean  # the errors are not independent
    least, most = (f(101, many.largest.mean) for f in (independent_errors_exact, independent_errors))
    assert many.exact.mean == pytest.approx(least, rel=0.5)
    assert many.bound.mean == pytest.approx(most, rel=0.5)


def test_the_same_settings_give_the_same_record_and_another_seed_another() -> None:
    one = run_argument(repeats=2, seed=1, sizes=(30,))
    assert one == run_argument(repeats=2, seed=1, sizes=(30,))
    assert one.cases != run_argument(repeats=2, seed=2, sizes=(30,)).cases


def test_one_repeat_has_no_deviation() -> None:
    assert spread_of([0.25]).sd is None
    assert run_argument(repeats=1, sizes=(10,)).cases[0].rows[0].bayes.sd is None


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"repeats": 0}, "^repeats: must be at least 1, got 0$"),
        ({"seed": -1}, "^seed: must be at least 0, got -1$"),
        ({"delta": 1.0}, "^delta: must lie strictly between 0 and 1, got 1$"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_argument(**settings)  # type: ignore[arg-type]
