"""Checks of the numbers that enter a bound: each returns the number, or raises an `InputError` naming it."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError, require_open_unit

# Weighted means of numbers in [0, 1] may leave it by rounding; farther out is a mistake of the caller.
_ROUNDING = 1e-12


def require_between(argument: str, value: float, low: float, high: float) -> float:
    """Return the value as a float in [low, high]; what rounding pushed out by 1e-12 is put on the end.

    >>> require_between("gibbs", 1.0000000000000002, 0.0, 1.0)
    1.0
    """
    number = float(value)
    if not low - _ROUNDING <= number <= high + _ROUNDING:
        raise InputError(f"{argument}: must lie between {low:g} and {high:g}, got {number:g}")
    return min(max(number, low), high)


def require_risk(argument: str, value: float) -> float:
    """Return the value as a float in [0, 1].

    >>> require_risk("gibbs", 0.25)
    0.25
    """
    return require_between(argument, value, 0.0, 1.0)


def require_kl(value: float) -> float:
    """Return the Kullback-Leibler divergence as a finite float >= 0.

    >>> require_kl(1.5)
    1.5
    """
    number = float(value)
    if number == math.inf:
        raise InputError("kl: must be finite, got inf; the prior must be positive wherever the weights are")
    if not number >= -_ROUNDING:
        raise InputError(f"kl: must be 0 or more, got {number:g}")
    return max(number, 0.0)


def require_samples(argument: str, value: float) -> int:
    """Return the number of samples (or of members) as an int >= 1.

    >>> require_samples("n", 100.0)
    100
    """
    if not (math.isfinite(value) and value >= 1 and value == int(value)):
        raise InputError(f"{argument}: must be a whole number, 1 or more, got {value:g}")
    return int(value)


def require_errors(value: float, n: int) -> int:
    """Return the number of errors as an int in 0..n.

    >>> require_errors(3, 10)
    3
    """
    if not (math.isfinite(value) and 0 <= value <= n and value == int(value)):
        raise InputError(f"errors: must be a whole number from 0 to n = {n}, got {value:g}")
    return int(value)


def require_counts(counts: Sequence[int]) -> list[int]:
    """Return the counts as a list of ints >= 0 with a positive sum.

    >>> require_counts([2, 0, 1])
    [2, 0, 1]
    """
    wrong = [value for value in counts if not (math.isfinite(value) and value >= 0 and value == int(value))]
    if wrong:
        raise InputError(f"counts: must be whole numbers, 0 or more, got {wrong[0]:g}")
    whole = [int(value) for value in counts]
    if sum(whole) == 0:
        raise InputError(
            "counts: must hold at least one vote, got none; give some member a count of 1 or more"
        )
    return whole


def require_lambda(value: float) -> float:
    """Return the trade-off lambda as a float strictly between 0 and 2.

    >>> require_lambda(0.5)
    0.5
    """
    number = float(value)
    if not 0.0 < number < 2.0:
        raise InputError(f"lam: must lie strictly between 0 and 2, got {number:g}; None takes the best one")
    return number


def require_mu(value: float) -> float:
    """Return the centre mu as a finite float below 1/2.

    >>> require_mu(-0.1)
    -0.1
    """
    number = float(value)
    if not (math.isfinite(number) and number < 0.5):
        raise InputError(f"mu: must be a finite number below 0.5, got {number:g}; None takes the best one")
    return number


def require_delta(value: float) -> float:
    """Return the failure probability as a float strictly between 0 and 1.

    >>> require_delta(0.05)
    0.05
    """
    return require_open_unit("delta", value)


def require_positive(argument: str, value: float) -> float:
    """Return the value as a finite float above 0.

    >>> require_positive("upper", 2)
    2.0
    """
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise InputError(f"{argument}: must be a finite number above 0, got {number:g}")
    return number


def require_values(argument: str, values: ArrayLike, upper: float) -> NDArray[np.float64]:
    """Return the values as floats, one or more, none above `upper`; what rounding pushed out is put on the end.

    >>> require_values("values", [0, 0.5, 1], 1.0)
    array([0. , 0.5, 1. ])
    """
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: must be numbers, got {values!r:.60}") from None
    if found.ndim != 1 or found.size == 0:
        raise InputError(f"{argument}: must be a list of one or more numbers, got shape {found.shape}")
    _require_each(argument, found, np.isfinite(found), "finite")
    _require_each(argument, found, found <= upper * (1 + _ROUNDING), f"at most {upper:g}")
    return np.minimum(found, upper)


def require_unit_values(argument: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return the values as floats in [0, 1], one or more.

    >>> require_unit_values("scores", [0, 1])
    array([0., 1.])
    """
    found = require_values(argument, values, 1.0)
    _require_each(argument, found, found >= -_ROUNDING, "0 or more")
    return np.maximum(found, 0.0)


def _require_each(argument: str, values: NDArray[np.float64], right: NDArray[np.bool_], rule: str) -> None:
    if not right.all():
        place = int(right.argmin())
        raise InputError(f"{argument}: must be {rule}, got {values[place]:g} at index {place}")
