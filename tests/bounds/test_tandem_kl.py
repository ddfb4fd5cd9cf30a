import pytest

import exact_kl
from comitia.bounds import tandem_kl


@pytest.mark.parametrize(
    "tandem, kl, n, delta", [(0.071, 1.7, 777, 0.03), (0.0, 0.4, 50, 0.1), (0.21, 9.0, 10**6, 1e-6)]
)
def test_against_bisection_in_50_digits(tandem, kl, n, delta):
    exact = 4 * exact_kl.upper(tandem, exact_kl.price(2 * kl, n, delta))
    exact_kl.assert_outward(tandem_kl(tandem, kl, n, delta), exact)
