r"""A quantile of the size of errors: "90% of new errors are at most q", by order statistics.

.. math:: P\big(|e_{new}| \le e_{(k)} \mid e_1, \dots, e_n\big) \ge p \text{ with probability } 1 - \delta, \qquad
    k = \min\{k : P(\mathrm{Bin}(n, p) \ge k) \le \delta\}

Proof. With F the distribution function of the size of an error and q its p-quantile, e_(k) < q only if at least k of
the n sizes are below q, and each is with probability at most p, independently. So P(e_(k) < q) <= P(Bin(n, p) >= k) <=
delta, and e_(k) >= q has F(e_(k)) >= p. Nothing is assumed of F: ties and infinite means are allowed.
Source: order statistics of Thompson (1936) and Wilks (1941); it is Clopper and Pearson's (1934) limit for the share of
errors above a value, over indices.
Valid for errors of one predictor that was fixed without these n samples, n i.i.d. samples.
Where p^n > delta even the largest error is not enough: n must be at least ln(delta)/ln(p).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from comitia._errors import InputError
from comitia.bounds.arguments import require_delta, require_samples

# What scipy's incomplete beta function may be off, relatively.
_SLACK = 1e-11


def quantile_rank(n: int, level: float, delta: float) -> int | None:
    """Return k: the k-th smallest of n errors is not below their quantile of that level; None where n is too small.

    >>> quantile_rank(100, 0.9, 0.05), quantile_rank(20, 0.9, 0.05)
    (96, None)
    """
    n, level, delta = require_samples("n", n), require_level(level), require_delta(delta)
    low, high = 0, n + 1
    while high - low > 1:  # P(Bin(n, p) >= k) falls with k: it is above delta at low, not above it at high
        k = (low + high) // 2
        low, high = (low, k) if betainc(k, n - k + 1, level) * (1 + _SLACK) <= delta else (k, high)
    return None if high > n else high


def error_quantile(errors: ArrayLike, level: float = 0.9, delta: float = 0.05) -> float:
    """Return a value that the size of a new error does not exceed with probability `level`; infinite where n is small.

    Parameters
    ----------
    errors : (n,) errors of one predictor; their signs do not matter
    level : share of new errors that are at most the value
    delta : failure probability

    Examples
    --------
    >>> errors = np.random.default_rng(0).normal(size=1000)
    >>> round(error_quantile(errors, 0.9), 3)  # the quantile itself is 1.645
    1.686
    """
    sizes = np.abs(np.asarray(errors, dtype=np.float64))
    if sizes.ndim != 1 or not sizes.size or np.isnan(sizes).any():
        raise InputError("errors: must be a list of numbers, at least one and none of them NaN")
    k = quantile_rank(len(sizes), level, delta)
    return float("inf") if k is None else float(np.partition(sizes, k - 1)[k - 1])


def require_level(value: float) -> float:
    """Return the level of a quantile, if it lies strictly between 0 and 1.

    >>> require_level(0.9)
    0.9
    """
    try:
        level = float(value)
    except (TypeError, ValueError):
        raise InputError(f"quantile: must be a number, got {value!r}") from None
    if not 0 < level < 1:
        raise InputError(f"quantile: must lie strictly between 0 and 1, such as .9, got {level:g}")
    return level
