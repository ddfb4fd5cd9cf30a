"""The bound for independent errors, against exact tails of the binomial distribution in fractions."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia._errors import InputError
from comitia.bounds import independent_errors, independent_errors_exact
from comitia.bounds.table import BOUNDS

members = st.integers(1, 200)
risks = st.fractions(0, Fraction(499, 1000), max_denominator=1000)


def tail(size: int, risk: Fraction) -> Fraction:
    """P(Bin(size, risk) > size/2), summed in fractions."""
    return sum(
        (math.comb(size, k) * risk**k * (1 - risk) ** (size - k) for k in range(size + 1) if 2 * k > size),
        Fraction(0),
    )


@given(members, risks)
@settings(max_examples=200, deadline=None)
def test_the_formula_in_50_digits_is_rounded_outward(size: int, risk: Fraction) -> None:
    with mpmath.workdps(50):
        p = mpmath.mpf(float(risk))
        exact = mpmath.exp(-2 * (mpmath.mpf(size + 1) / 2 - size * p) ** 2 / size)
        found = independent_errors(size, float(risk))
        assert exact <= found <= exact * (1 + mpmath.mpf("1e-12"))


@given(members, risks)
@settings(max_examples=200, deadline=None)
def test_it_is_never_below_the_exact_tail(size: int, risk: Fraction) -> None:
    assert independent_errors(size, float(risk)) >= float(tail(size, risk))


@given(members, risks)
@settings(max_examples=200, deadline=None)
def test_the_tail_against_a_sum_of_fractions(size: int, risk: Fraction) -> None:
    assert independent_errors_exact(size, float(risk)) == pytest.approx(float(tail(size, risk)), rel=1e-9)


@given(st.lists(st.fractions(0, Fraction(2, 5), max_denominator=20), min_size=1, max_size=7))
@settings(max_examples=50, deadline=None)
def test_members_of_different_risks_are_covered_by_the_largest(own: list[Fraction]) -> None:
    """All patterns of errors, enumerated."""
    size, chance = len(own), Fraction(0)
    for errs in product((False, True), repeat=size):
        if 2 * sum(errs) > size:
            chance += math.prod(p if e else 1 - p for p, e in zip(own, errs))
    assert float(chance) <= independent_errors_exact(size, float(max(own))) * (1 + 1e-12)


@pytest.mark.parametrize("function", [independent_errors, independent_errors_exact])
def test_errors_cancel_as_members_are_added(function) -> None:
    found = [function(size, 0.4) for size in (11, 101, 1001)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 1e-8


def test_one_member_alone_has_its_own_risk() -> None:
    assert independent_errors_exact(1, 0.3) == pytest.approx(0.3)


def test_a_tie_of_an_even_number_is_not_covered() -> None:
    """As the docstring says: two members err, one or both, more often than the formula."""
    assert 1 - 0.6**2 > independent_errors(2, 0.4) > independent_errors_exact(2, 0.4) == pytest.approx(0.16)


@pytest.mark.parametrize("function", [independent_errors, independent_errors_exact])
@pytest.mark.parametrize(
    "arguments, message",
    [
        ((25, 0.5), "^risk: must lie below 0.5, got 0.5; members must be better than a coin$"),
        ((25, -0.1), "^risk: must lie between 0 and 1, got -0.1$"),
        ((25, math.nan), "^risk: must lie between 0 and 1, got nan$"),
        ((0, 0.3), "^members: must be a whole number, 1 or more, got 0$"),
        ((2.5, 0.3), "^members: must be a whole number, 1 or more, got 2.5$"),
    ],
)
def test_wrong_input_is_named(function, arguments, message) -> None:
    with pytest.raises(InputError, match=message):
        function(*arguments)


def test_it_is_not_a_certificate() -> None:
    assert not any("independent" in name for name in BOUNDS)
