"""The numbers of further promises against sums over binomial laws and brute force."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from comitia import InputError
from comitia.bounds import clopper_pearson, digital
from comitia.promises.formulas import (
    cost_limit,
    coverage_limit,
    mean_rate_limit,
    rate_limit,
    sequence_risk,
    shared_delta,
)
from comitia.promises.order import drawn

CURVE = {
    "target": 0.05,
    "thresholds": [0.9, 0.8, 0.7],
    "accepted": [300, 400, 500],
    "errors": [5, 12, 40],
    "start": 0,
    "n": 600,
}


@pytest.mark.parametrize("groups", [1, 2, 7, 1000])
@pytest.mark.parametrize("delta", [0.05, 0.4, 1e-9])
def test_probabilities_of_independent_promises_multiply(groups: int, delta: float) -> None:
    share = shared_delta(delta, groups)
    assert groups * math.log1p(-share) == pytest.approx(math.log1p(-delta), rel=1e-9)
    assert groups * math.log1p(-share) >= math.log1p(-delta) * (1 + 1e-12)
    assert share >= delta / groups * (1 - 1e-12)


def test_the_rate_is_the_largest_that_the_errors_are_likely_under() -> None:
    limit, share = rate_limit(7, 180, at_once=3, delta=0.05), 1 - 0.95 ** (1 / 3)
    assert binom.cdf(7, 180, limit) == pytest.approx(share, rel=1e-6)


def test_rates_of_groups_divide_delta_and_enter_in_the_drawn_order() -> None:
    values, counts = [0.0, 1 / 3, 1.0], [50, 20, 5]
    order = drawn(values, counts, 4, "1234567890abcdef")
    found = mean_rate_limit(values, counts, 4, "1234567890abcdef", 75, 5, 0.05)
    assert found == digital(order, 0.01)
    assert sorted(order.tolist()) == [0.0] * 50 + [1 / 3] * 20 + [1.0] * 5


def test_costs_are_bounded_by_the_largest_of_the_matrix_not_of_those_seen() -> None:
    seen = cost_limit([0.0, 1.0], [190, 10], 0, "ab", 200, 1.0)
    possible = cost_limit([0.0, 1.0], [190, 10], 0, "ab", 200, 50.0)
    assert seen < possible
    assert possible == digital(drawn([0.0, 1.0], [190, 10], 0, "ab"), 0.05, upper=50.0)


@pytest.mark.parametrize(("chosen", "risk"), [(0, 0.05), (1, 0.05), (2, 1.0)])
def test_a_sequence_holds_up_to_the_first_that_is_not_certified(chosen: int, risk: float) -> None:
    passed = [clopper_pearson(k, n, 0.05) <= 0.05 for k, n in zip(CURVE["errors"], CURVE["accepted"])]
    assert passed == [True, True, False]
    assert sequence_risk(**CURVE, chosen=chosen) == risk


@pytest.mark.parametrize(
    "change",
    [
        {"thresholds": [0.8, 0.9, 0.7]},
        {"accepted": [300, 290, 500]},
        {"errors": [5, 4, 40]},
        {"accepted": [300, 400]},
        {"start": 2},
        {"n": 499},
        {"target": 1.0},
    ],
)
def test_a_sequence_that_is_none_is_refused(change: dict) -> None:
    with pytest.raises(InputError):
        sequence_risk(**{**CURVE, "chosen": 1, **change})


def test_coverage_holds_for_every_threshold_at_once() -> None:
    """The largest excess of an empirical share over its true one, over all thresholds, stays below the width."""
    n, delta, missed = 60, 0.1, 0
    for seed in range(4000):
        shares = np.sort(np.random.default_rng(seed).random(n))[::-1]  # P(share >= t) = 1 - t
        missed += any(coverage_limit(k + 1, n, delta) > 1 - t for k, t in enumerate(shares.tolist()))
    assert 0.05 * 4000 < missed <= binom.ppf(1 - 1e-4, 4000, delta)


def test_an_order_is_that_of_seed_and_key() -> None:
    one = drawn([0.0, 1.0], [40, 40], 0, "01")
    assert np.array_equal(one, drawn([0.0, 1.0], [40, 40], 0, "01"))
    assert not np.array_equal(one, drawn([0.0, 1.0], [40, 40], 1, "01"))
    assert not np.array_equal(one, drawn([0.0, 1.0], [40, 40], 0, "02"))


@pytest.mark.parametrize(
    ("values", "counts"),
    [([1.0, 0.0], [1, 1]), ([0.0, 1.0], [1]), ([0.0], [0]), ([0.0, 0.0], [1, 1]), ([], []), ([0.0], [1.5])],
)
def test_counts_that_are_none_are_refused(values: list, counts: list) -> None:
    with pytest.raises(InputError):
        drawn(values, counts, 0, "01")


def test_negative_costs_and_wrong_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="at least 0"):
        cost_limit([-1.0, 1.0], [1, 1], 0, "01", 2, 1.0)
    with pytest.raises(InputError, match="2 values were counted, not 3"):
        cost_limit([0.0, 1.0], [1, 1], 0, "01", 3, 1.0)
