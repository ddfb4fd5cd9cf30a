import math

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq

import exact_kl
from comitia._errors import InputError
from comitia.bounds import c1, c2

POINTS = [
    (0.04, 0.12, 1.7, 5000, 0.03),
    (0.11, 0.3, 0.4, 4000, 0.1),
    (0.005, 0.02, 9.0, 300, 0.01),
    (0.1, 0.42, 2.0, 10**6, 0.05),
    (0.0, 0.03, 1.0, 2000, 0.05),
    (0.0, 0.0, 1.0, 2000, 0.05),
    (0.06, 0.0, 1.0, 2000, 0.05),
]


def worst_of_the_boundary(e0, d0, kl, m, delta):
    """The largest value of the C-bound on rays from the centre of the ball to its boundary."""
    price = (2 * kl + math.log((2 * math.sqrt(m) + m) / delta)) / m
    q = np.array([d0, e0, 1 - d0 - e0])

    def excess(t, direction):
        p = q + t * direction
        return sum(a * math.log(a / b) for a, b in zip(q, p, strict=True) if a > 0) - price

    def value(angle):
        d, e = math.cos(angle), math.sin(angle)
        direction = np.array([d, e, -d - e])
        shrinking = direction < 0
        if np.any(shrinking & (q == 0)):
            return -math.inf
        longest = float(np.min(-q[shrinking] / direction[shrinking])) * (1 - 1e-12)
        p = q + brentq(excess, 0, longest, args=(direction,), xtol=1e-15, rtol=1e-14) * direction
        return 1 - (1 - 2 * p[1] - p[0]) ** 2 / (1 - 2 * p[0])

    angles = np.linspace(0, 2 * math.pi, 721)
    for _ in range(4):
        values = [value(angle) for angle in angles]
        best, width = angles[int(np.argmax(values))], angles[1] - angles[0]
        angles = np.linspace(best - width, best + width, 101)
    return max(values)


@pytest.mark.parametrize("point", POINTS)
def test_against_a_walk_along_the_boundary(point):
    brute = worst_of_the_boundary(*point)
    assert 0 < brute < 1
    assert brute - 1e-13 <= c2(*point) <= brute + 1e-8


def test_no_point_of_the_ball_is_worse():
    e0, d0, kl, m, delta = POINTS[0]
    price = (2 * kl + math.log((2 * math.sqrt(m) + m) / delta)) / m
    draw, bound, inside = np.random.default_rng(0), c2(*POINTS[0]), 0
    for _ in range(2000):
        d, e = d0 + draw.normal(scale=0.02), e0 + draw.normal(scale=0.02)
        if d > 0 and e > 0 and exact_kl.kl((d0, e0), (d, e)) <= price:
            inside += 1
            assert bound >= 1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d)
    assert inside > 200


@pytest.mark.parametrize("m", [1, 2, 7, 12])
def test_the_price_of_three_outcomes(m):
    """E[exp(m kl(hat || true))] = xi(m) + m by summing over all samples, at a point inside the triangle."""

    def xlogx(k):
        return k * mpmath.log(mpmath.mpf(k) / m) if k else mpmath.mpf(0)

    total, xi = mpmath.mpf(0), mpmath.mpf(0)
    for k in range(m + 1):
        xi += mpmath.binomial(m, k) * mpmath.exp(xlogx(k) + xlogx(m - k))
        for j in range(m - k + 1):
            ways = mpmath.binomial(m, k) * mpmath.binomial(m - k, j)
            total += ways * mpmath.exp(xlogx(k) + xlogx(j) + xlogx(m - k - j))
    assert float(total) == pytest.approx(float(xi + m), rel=1e-12)
    assert float(xi) <= 2 * math.sqrt(m)


def test_its_limit_is_that_of_c1():
    n = 10**13
    assert c2(0.04, 0.12, 1.0, n, 0.05) == pytest.approx(c1(0.1, 0.12, 1.0, n, n, 0.05), abs=1e-5)


def test_a_ball_that_reaches_one_half_gives_one():
    assert c2(0.4, 0.19, 1.0, 5000, 0.05) == 1.0
    assert c2(0.3, 0.38, 1.0, 300, 0.05) == 1.0


def test_values_that_contradict_each_other_promise_nothing():
    assert c2(0.0, 0.4, 0.1, 90000, 0.05) == 1.0


def test_more_than_everything_is_refused():
    with pytest.raises(InputError, match="^disagreement: must be at most 1 - tandem = 0.4, got 0.5"):
        c2(0.6, 0.5, 1.0, 100, 0.05)
