import math
import random

import mpmath
import pytest
from scipy import stats

from comitia.bounds import clopper_pearson, clopper_pearson_log

mpmath.mp.dps = 50


def log_tail(k, n, p):
    """ln P(Bin(n, p) <= k) summed term by term in 50 digits."""
    p = mpmath.mpf(p)
    term = total = (1 - p) ** n
    for j in range(k):
        term *= mpmath.mpf(n - j) / (j + 1) * p / (1 - p)
        total += term
    return mpmath.log(total)


def test_against_the_beta_quantile():
    draw = random.Random(5)
    for _ in range(400):
        n = int(10 ** draw.uniform(0, 5))
        k, delta = draw.randint(0, n - 1), 10 ** draw.uniform(-12, -0.3)
        exact = stats.beta.isf(delta, k + 1, n - k)
        assert clopper_pearson(k, n, delta) == pytest.approx(exact, abs=1e-9)


def test_it_is_outward_and_tight_at_many_points():
    draw = random.Random(6)
    for _ in range(250):
        n = int(10 ** draw.uniform(0.4, 3))
        k, log_delta = draw.randint(0, n - 1), -(10 ** draw.uniform(-1, 3.5))
        p = clopper_pearson_log(k, n, log_delta)
        assert p == 1.0 or log_tail(k, n, p) <= log_delta
        assert log_tail(k, n, p * (1 - 1e-9)) > log_delta


def test_it_is_outward_for_large_samples_too():
    """Where the sum has too many terms: the incomplete beta function in 40 digits."""
    draw = random.Random(7)
    with mpmath.workdps(40):
        for _ in range(60):
            n = int(10 ** draw.uniform(3, 8))
            k, delta = draw.randint(0, min(n - 1, 200)), 10 ** draw.uniform(-30, -0.1)
            p = clopper_pearson(k, n, delta)
            tail = mpmath.betainc(n - k, k + 1, 0, 1 - mpmath.mpf(p), regularized=True)
            assert delta * (1 - 1e-6) < tail <= delta


def test_both_ways_to_compute_it_meet():
    below, above = (clopper_pearson_log(70, 3000, math.log(1e-100) + step) for step in (-1e-9, 1e-9))
    assert below == pytest.approx(above, rel=2e-11)


@pytest.mark.parametrize("k, n, log_delta", [(33, 500, -1000.0), (1, 10**6, -800.0), (700, 10000, -745.5)])
def test_a_delta_below_the_smallest_float(k, n, log_delta):
    p = clopper_pearson_log(k, n, log_delta)
    assert log_tail(k, n, p) <= log_delta < log_tail(k, n, p - 1e-10)


def test_a_million_samples():
    p = clopper_pearson(100000, 10**6, 0.05)
    exact = stats.beta.isf(0.05, 100001, 900000)
    assert p == pytest.approx(exact, abs=1e-10)
    assert stats.binom.cdf(100000, 10**6, p) <= 0.05


def test_the_ends():
    assert clopper_pearson(10, 10, 0.05) == 1.0
    assert clopper_pearson(0, 100, 0.05) == pytest.approx(1 - 0.05**0.01, rel=1e-14)
    assert clopper_pearson(0, 100, 0.05) >= float(1 - mpmath.power(mpmath.mpf(0.05), mpmath.mpf(1) / 100))
    assert clopper_pearson(0, 1, 1e-300) == 1.0
    assert clopper_pearson_log(3, 5, math.log(0.9)) == pytest.approx(stats.beta.isf(0.9, 4, 2), abs=1e-9)
