import mpmath
import numpy as np
import pytest

import exact_kl
from comitia.bounds import moment


@pytest.mark.parametrize(
    "value, kl, n, delta", [(0.23, 1.7, 777, 0.03), (0.0, 0.4, 50, 0.1), (1.3, 9.0, 10**6, 1e-6)]
)
def test_against_bisection_in_50_digits(value, kl, n, delta):
    exact = mpmath.mpf(3) / 2 * exact_kl.upper(mpmath.mpf(value) * 2 / 3, exact_kl.price(2 * kl, n, delta))
    exact_kl.assert_outward(moment(value, kl, n, delta), exact)


def test_the_polynomial_is_above_the_step():
    w = np.linspace(0, 1, 100001)
    assert np.all(3 * w - 2 * w**2 >= (w >= 0.5))


def test_the_loss_of_a_pair_lies_between_0_and_three_halves():
    a, b = np.meshgrid(np.linspace(0, 1, 201), np.linspace(0, 1, 201))
    loss = 1.5 * (a + b) - 2 * a * b
    assert loss.min() == 0.0
    assert loss.max() == 1.5
    assert moment(1.5, 0.0, 100, 0.05) >= 1.5
