"""The binary kl, its inverses and KL(rho||pi) against 50 digits."""

import math
import random

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import exact_kl
from comitia._errors import InputError
from comitia.bounds.terms import (
    budget,
    kl_bernoulli,
    kl_divergence,
    kl_lower,
    kl_upper,
    log_term,
    round_down,
    round_up,
)

UNIT = st.floats(0.0, 1.0)
# Bounds divide by n, so a budget below 1e-12 never occurs; far below, both sides are q to the last digit.
BUDGET = st.floats(1e-12, 50.0)


def spread(seed, count):
    """Pairs (q, b) over many orders of magnitude, near both ends of [0, 1] and in its middle."""
    draw = random.Random(seed)
    for _ in range(count):
        q = draw.choice([draw.random(), 10 ** draw.uniform(-12, 0), 1 - 10 ** draw.uniform(-12, 0)])
        yield q, 10 ** draw.uniform(-10, 1)


def test_kl_bernoulli_is_exact_to_a_few_digits_of_the_last_place():
    draw, worst = random.Random(1), 0.0
    for _ in range(3000):
        q = draw.choice([draw.random(), 10 ** draw.uniform(-12, 0), 1 - 10 ** draw.uniform(-12, 0)])
        p = draw.choice([draw.random(), min(q * (1 + 10 ** draw.uniform(-9, 0)), 1 - 1e-12)])
        if p != q:
            exact = exact_kl.kl(q, p)
            worst = max(worst, abs(float((mpmath.mpf(kl_bernoulli(q, p)) - exact) / exact)))
    assert 0 < worst < 3e-15


@pytest.mark.parametrize(
    "q, p, value",
    [
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 0.0),
        (0.3, 0.0, math.inf),
        (0.3, 1.0, math.inf),
        (0.0, 0.5, math.log(2)),
        (1.0, 0.5, math.log(2)),
    ],
)
def test_kl_bernoulli_at_the_ends(q, p, value):
    assert kl_bernoulli(q, p) == pytest.approx(value, rel=1e-15)


def test_the_upper_inverse_is_outward_and_tight_at_thousands_of_points():
    for q, b in spread(2, 2500):
        p = kl_upper(q, b)
        assert p == 1.0 or exact_kl.kl(q, p) >= b
        # One step inside of the returned value by 1e-9 is too far inside: the root lies in between.
        assert p - 1e-9 <= q or exact_kl.kl(q, p - 1e-9) < b


def test_the_lower_inverse_is_outward_and_tight_at_thousands_of_points():
    for q, b in spread(3, 2500):
        p = kl_lower(q, b)
        assert p == 0.0 or exact_kl.kl(q, p) >= b
        assert p + 1e-9 >= q or exact_kl.kl(q, p + 1e-9) < b


def test_the_inverses_agree_with_bisection_to_relative_precision():
    for q, b in spread(4, 150):
        assert kl_upper(q, b) == pytest.approx(float(exact_kl.upper(q, b)), rel=1e-10)
        assert kl_lower(q, b) == pytest.approx(float(exact_kl.lower(q, b)), rel=1e-10, abs=1e-40)


@settings(max_examples=60, deadline=None)
@given(UNIT, BUDGET)
@example(0.0, 0.01)
@example(1.0, 0.01)
@example(5e-324, 1e-12)
@example(1 - 1e-16, 1e-12)
@example(1e-16, 50.0)
def test_the_inverses_enclose_q_and_grow_with_the_budget(q, b):
    assert 0.0 <= kl_lower(q, 2 * b) <= kl_lower(q, b) <= q <= kl_upper(q, b) <= kl_upper(q, 2 * b) <= 1.0


def test_the_inverses_at_the_ends():
    assert kl_upper(0.3, 0.0) == kl_lower(0.3, 0.0) == 0.3
    assert kl_upper(0.3, math.inf) == kl_upper(0.3, 1e6) == 1.0
    assert kl_lower(0.3, math.inf) == kl_lower(0.3, 1e6) == 0.0
    assert kl_upper(1.0, 0.2) == 1.0
    assert kl_lower(0.0, 0.2) == 0.0
    assert kl_upper(0.0, 0.2) == pytest.approx(1 - math.exp(-0.2), rel=1e-14)
    assert kl_lower(1.0, 0.2) == pytest.approx(math.exp(-0.2), rel=1e-14)
    assert kl_upper(0.0, 0.2) >= float(1 - mpmath.exp(-mpmath.mpf(0.2)))
    assert kl_lower(1.0, 0.2) <= float(mpmath.exp(-mpmath.mpf(0.2)))


@pytest.mark.parametrize("b", [5e-324, 1e-300, 1e-30])
def test_a_vanishing_budget_still_moves_outward(b):
    assert 0.3 < kl_upper(0.3, b) < 0.3 + 1e-12
    assert 0.3 - 1e-12 < kl_lower(0.3, b) < 0.3


def test_the_log_term_and_the_budget():
    exact = mpmath.log(6 * mpmath.sqrt(777) / mpmath.mpf(0.03))
    assert log_term(777, 0.03, parts=3) == pytest.approx(float(exact), rel=1e-15)
    exact_kl.assert_outward(budget(1.7, 777, 0.03, parts=3), (mpmath.mpf(1.7) + exact) / 777, 1e-15)


def test_rounding_leaves_the_number():
    for number in (0.0, 1e-300, 0.3, 1.0, -2.5, 1e300):
        assert round_down(number) < number < round_up(number)


def test_kl_divergence_against_a_loop():
    rho, prior = [0.2, 0.0, 0.5, 0.3], [0.1, 0.4, 0.2, 0.3]
    exact = sum(r * math.log(r / p) for r, p in zip(rho, prior, strict=True) if r > 0)
    assert kl_divergence(rho, prior) == pytest.approx(exact, rel=1e-14)
    assert kl_divergence(rho) == pytest.approx(sum(r * math.log(4 * r) for r in rho if r), rel=1e-14)
    assert kl_divergence(np.array(prior), prior) == 0.0
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert kl_divergence([1.0, 0.0], [1.0, 0.0]) == 0.0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: kl_bernoulli(math.nan, 0.5), "q: must lie between 0 and 1, got nan"),
        (lambda: kl_bernoulli(0.5, 1.5), "p: must lie between 0 and 1, got 1.5"),
        (lambda: kl_upper(-0.1, 0.5), "q: must lie between 0 and 1, got -0.1"),
        (lambda: kl_upper(0.1, -0.5), "b: must be 0 or more, got -0.5"),
        (lambda: kl_lower(0.1, math.nan), "b: must be 0 or more, got nan"),
        (lambda: kl_lower(2, 0.1), "q: must lie between 0 and 1, got 2"),
        (lambda: log_term(0, 0.05), "n: must be a whole number, 1 or more, got 0"),
        (lambda: log_term(10, 0.0), "delta: must lie strictly between 0 and 1, got 0"),
        (lambda: kl_divergence([0.5, 0.6]), "rho: must be 0 or more and sum to 1, got a sum of 1.1"),
        (lambda: kl_divergence([math.nan, 1.0]), "rho: must be 0 or more and sum to 1, got a sum of nan"),
        (lambda: kl_divergence([1.5, -0.5]), "rho: must be 0 or more and sum to 1"),
        (lambda: kl_divergence([]), "rho: must be a list of one number per member, got shape (0,)"),
        (lambda: kl_divergence([1.0], [0.5, 0.5]), "prior: must have one entry per member (1), got 2"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(message)
