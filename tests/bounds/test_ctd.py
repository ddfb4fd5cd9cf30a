import mpmath
import pytest

import exact_kl
from comitia.bounds import ctd


@pytest.mark.parametrize(
    "gibbs, tandem, kl, n_first, n_pair, delta",
    [
        (0.2, 0.07, 1.7, 6000, 5000, 0.03),
        (0.1, 0.06, 0.4, 900, 800, 0.1),
        (0.3, 0.11, 9.0, 10**6, 10**6, 1e-6),
    ],
)
def test_against_bisection_in_50_digits(gibbs, tandem, kl, n_first, n_pair, delta):
    first = exact_kl.price(kl, n_first, delta, parts=2)
    second = exact_kl.price(2 * kl, n_pair, delta, parts=2)
    above = exact_kl.upper(tandem, second) - exact_kl.lower(gibbs, first) ** 2
    below = exact_kl.lower(tandem, second) - exact_kl.upper(gibbs, first) + mpmath.mpf(1) / 4
    exact_kl.assert_outward(ctd(gibbs, tandem, kl, n_first, n_pair, delta), above / below)


def test_a_gibbs_risk_that_may_be_one_half_gives_exactly_one():
    assert ctd(0.49, 0.4, 1.0, 500, 500, 0.05) == 1.0
    assert ctd(0.9, 0.85, 1.0, 5000, 5000, 0.05) == 1.0


def test_a_denominator_that_may_be_zero_gives_exactly_one():
    assert ctd(0.29, 0.09, 1.0, 500, 500, 0.05) == 1.0


def test_a_vacuous_value_is_not_clipped():
    assert ctd(0.3, 0.13, 0.0, 10000, 1951, 0.05) > 1.5


def test_values_that_contradict_each_other_promise_nothing():
    assert ctd(0.24, 0.01, 0.1, 90000, 90000, 0.05) == 1.0
