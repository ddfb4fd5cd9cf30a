import mpmath
import pytest

import exact_kl
from comitia import InputError
from comitia.bounds import squared_error_first_order, squared_error_tandem


@pytest.mark.parametrize(
    "value, kl, n, largest, delta",
    [(0.7, 1.7, 777, 3.1, 0.03), (1e-9, 0.4, 5000, 0.01, 0.1), (250.0, 9.0, 10**6, 40.0, 1e-6)],
)
def test_against_bisection_in_50_digits(value, kl, n, largest, delta):
    square = mpmath.mpf(largest) ** 2
    shifted = (1 + mpmath.mpf(value) / square) / 2
    exact = square * (2 * exact_kl.upper(shifted, exact_kl.price(2 * kl, n, delta)) - 1)
    found = squared_error_tandem(value, kl, n, largest, delta)
    assert exact <= found <= exact * (1 + mpmath.mpf(10) ** -10)
    exact = square * exact_kl.upper(mpmath.mpf(value) / square, exact_kl.price(kl, n, delta))
    found = squared_error_first_order(value, kl, n, largest, delta)
    assert exact <= found <= exact * (1 + mpmath.mpf(10) ** -10)


def test_neither_is_always_the_smaller():
    few, many = (0.1, 1.0, 500, 1.0, 0.05), (0.1, 1.0, 10**7, 1.0, 0.05)
    assert squared_error_first_order(*few) < squared_error_tandem(*few)
    # with much cancellation the members' own errors are ten times those of the mean
    assert squared_error_tandem(*many) < squared_error_first_order(1.0, *many[1:])


def test_a_mean_above_the_largest_square_is_refused():
    with pytest.raises(InputError, match="product: must lie between 0 and largest² = 4"):
        squared_error_tandem(5.0, 1.0, 100, 2.0, 0.05)
    with pytest.raises(InputError, match="largest"):
        squared_error_first_order(1.0, 1.0, 100, 0.0, 0.05)
