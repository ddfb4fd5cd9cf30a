import pytest

import exact_kl
from comitia.bounds import c1


@pytest.mark.parametrize(
    "gibbs, d, kl, n_first, n_pair, delta",
    [
        (0.2, 0.15, 1.7, 6000, 5000, 0.03),
        (0.1, 0.06, 0.4, 900, 800, 0.1),
        (0.3, 0.4, 9.0, 10**6, 10**7, 1e-6),
    ],
)
def test_against_bisection_in_50_digits(gibbs, d, kl, n_first, n_pair, delta):
    risk = exact_kl.upper(gibbs, exact_kl.price(kl, n_first, delta, parts=2))
    gap = exact_kl.lower(d, exact_kl.price(2 * kl, n_pair, delta, parts=2))
    exact_kl.assert_outward(c1(gibbs, d, kl, n_first, n_pair, delta), 1 - (1 - 2 * risk) ** 2 / (1 - 2 * gap))


def test_a_gibbs_risk_that_may_be_one_half_gives_exactly_one():
    assert c1(0.49, 0.2, 1.0, 500, 500, 0.05) == 1.0


def test_values_that_contradict_each_other_promise_nothing():
    # A disagreement is never above 2 G (1 - G).
    assert c1(0.1, 0.4, 0.1, 90000, 90000, 0.05) == 1.0
