import pytest

import exact_kl
from comitia.bounds import disagreement, tandem_kl


@pytest.mark.parametrize("point", exact_kl.APART)
def test_against_bisection_in_50_digits(point):
    risk, gap = exact_kl.risk_and_gap(*point)
    exact_kl.assert_outward(disagreement(*point), 4 * risk - 2 * gap)


def test_its_limit_is_the_tandem_bound_of_a_binary_task():
    n = 10**12
    assert disagreement(0.1, 0.12, 1.0, n, n, 0.05) == pytest.approx(tandem_kl(0.04, 1.0, n, 0.05), abs=1e-4)


def test_values_that_contradict_each_other_promise_nothing():
    assert disagreement(0.1, 0.4, 0.1, 90000, 90000, 0.05) == 1.0
