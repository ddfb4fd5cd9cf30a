import math
from fractions import Fraction

import numpy as np
import pytest

from comitia import InputError
from comitia.bounds import error_quantile, quantile_rank


def tail(n, p, k):
    """P(Bin(n, p) >= k), exactly."""
    return sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


@pytest.mark.parametrize(
    "n, level, delta", [(40, "9/10", "1/10"), (100, "1/2", "1/20"), (59, "19/20", "1/20"), (7, "1/10", "1/5")]
)
def test_the_rank_against_sums_of_fractions(n, level, delta):
    p, wanted = Fraction(level), Fraction(delta)
    expected = next(k for k in range(1, n + 2) if tail(n, p, k) <= wanted)
    assert quantile_rank(n, float(p), float(wanted)) == (expected if expected <= n else None)


def test_too_few_samples_promise_nothing():
    # .95^58 = .0511 and .95^59 = .0485
    assert quantile_rank(58, 0.95, 0.05) is None
    assert quantile_rank(59, 0.95, 0.05) == 59
    assert error_quantile(np.ones(58), 0.95, 0.05) == math.inf


def test_it_is_the_value_at_the_rank():
    errors = np.random.default_rng(1).standard_cauchy(300)
    k = quantile_rank(300, 0.8, 0.1)
    assert error_quantile(errors, 0.8, 0.1) == sorted(abs(errors))[k - 1]


def test_it_falls_with_delta_and_rises_with_the_level():
    ranks = [quantile_rank(500, 0.9, delta) for delta in (0.5, 0.1, 0.01, 1e-6)]
    assert ranks == sorted(ranks)
    assert ranks[0] < ranks[-1]
    assert quantile_rank(500, 0.5, 0.05) < quantile_rank(500, 0.9, 0.05)


@pytest.mark.parametrize(
    "errors, level, message",
    [
        ([], 0.9, "errors: must be a list of numbers"),
        ([1.0, np.nan], 0.9, "errors: must be a list of numbers"),
        ([1.0], 90, "quantile: must lie strictly between 0 and 1"),
        ([1.0], "x", "quantile: must be a number"),
    ],
)
def test_wrong_input(errors, level, message):
    with pytest.raises(InputError, match=message):
        error_quantile(errors, level)
