import mpmath
import pytest

import exact_kl
from comitia._errors import InputError
from comitia.bounds import first_order_kl, first_order_lambda

POINT = {"gibbs": 0.123, "kl": 1.7, "n": 777, "delta": 0.03}


def formula(lam, gibbs, kl, n, delta):
    lam, log = mpmath.mpf(lam), mpmath.log(2 * mpmath.sqrt(n) / mpmath.mpf(delta))
    return 2 * (mpmath.mpf(gibbs) / (1 - lam / 2) + (mpmath.mpf(kl) + log) / (lam * (1 - lam / 2) * n))


@pytest.mark.parametrize("lam", [0.01, 0.37, 1.0, 1.9])
def test_at_a_given_lambda(lam):
    exact_kl.assert_outward(first_order_lambda(**POINT, lam=lam), formula(lam, **POINT), 1e-12)


def test_the_best_lambda_is_that_of_a_fine_grid():
    grid = min(formula(mpmath.mpf(i) / 2000, **POINT) for i in range(1, 4000))
    best = first_order_lambda(**POINT)
    assert best <= grid + mpmath.mpf(1e-15)
    assert best == pytest.approx(float(grid), abs=1e-5)


def test_never_below_the_kl_form():
    assert first_order_lambda(**POINT) >= first_order_kl(**POINT)


@pytest.mark.parametrize("lam", [0.0, 2.0, -1.0, float("nan")])
def test_lambda_outside_its_range_is_refused(lam):
    with pytest.raises(InputError, match="^lam: must lie strictly between 0 and 2, got"):
        first_order_lambda(**POINT, lam=lam)
