import pytest

import exact_kl
from comitia.bounds import disagreement, tandem_kl


@pytest.mark.parametrize(
    "gibbs, d, kl, n_first, m, delta",
    [
        (0.2, 0.15, 1.7, 6000, 50000, 0.03),
        (0.1, 0.06, 0.4, 900, 800, 0.1),
        (0.3, 0.4, 9.0, 10**6, 10**7, 1e-6),
    ],
)
def test_against_bisection_in_50_digits(gibbs, d, kl, n_first, m, delta):
    risk = exact_kl.upper(gibbs, exact_kl.price(kl, n_first, delta, parts=2))
    gap = exact_kl.lower(d, exact_kl.price(2 * kl, m, delta, parts=2))
    exact_kl.assert_outward(disagreement(gibbs, d, kl, n_first, m, delta), 4 * risk - 2 * gap)


def test_its_limit_is_the_tandem_bound_of_a_binary_task():
    n = 10**12
    assert disagreement(0.1, 0.12, 1.0, n, n, 0.05) == pytest.approx(tandem_kl(0.04, 1.0, n, 0.05), abs=1e-4)


def test_values_that_contradict_each_other_promise_nothing():
    assert disagreement(0.1, 0.4, 0.1, 90000, 90000, 0.05) == 1.0
