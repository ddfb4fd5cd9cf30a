import pytest

import exact_kl
from comitia.bounds import c1


@pytest.mark.parametrize("point", exact_kl.APART)
def test_against_bisection_in_50_digits(point):
    risk, gap = exact_kl.risk_and_gap(*point)
    exact_kl.assert_outward(c1(*point), 1 - (1 - 2 * risk) ** 2 / (1 - 2 * gap))


def test_a_gibbs_risk_that_may_be_one_half_gives_exactly_one():
    assert c1(0.49, 0.2, 1.0, 500, 500, 0.05) == 1.0


def test_values_that_contradict_each_other_promise_nothing():
    # A disagreement is never above 2 G (1 - G).
    assert c1(0.1, 0.4, 0.1, 90000, 90000, 0.05) == 1.0
