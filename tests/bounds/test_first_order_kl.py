import pytest

import exact_kl
from comitia.bounds import first_order_kl


@pytest.mark.parametrize(
    "gibbs, kl, n, delta", [(0.123, 1.7, 777, 0.03), (0.0, 0.4, 50, 0.1), (0.46, 9.0, 10**6, 1e-6)]
)
def test_against_bisection_in_50_digits(gibbs, kl, n, delta):
    exact = 2 * exact_kl.upper(gibbs, exact_kl.price(kl, n, delta))
    exact_kl.assert_outward(first_order_kl(gibbs, kl, n, delta), exact)


def test_a_certain_error_gives_two():
    assert first_order_kl(1.0, 0.0, 100, 0.05) == 2.0
