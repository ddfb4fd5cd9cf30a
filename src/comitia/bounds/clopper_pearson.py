r"""Clopper-Pearson bound: hold-out and split certificates.

.. math:: L \le \max\{p : P(\mathrm{Bin}(n, p) \le k) \ge \delta\}

Source: Clopper and Pearson (1934).
Valid for one classifier that was fixed without these n samples, n i.i.d. samples, k errors among them. On
samples that chose the classifier it is not a certificate.

How it is computed. The limit is the 1-delta quantile of Beta(k+1, n-k), by scipy, made larger by several times what
scipy's quantile is off: relatively about 7e-18 n. The tests compare it with 40 digits.

Below delta = 1e-100, which the occam bound can ask for, scipy's inverse fails (.80 instead of .82 for 33 of 500 errors
at 1e-300), and the limit is found in logarithms. With S = sum_j P(X = k-j)/P(X = k), ln P(X <= k) = ln P(X = k) + ln
S, and its derivative in p is -(n-k)/((1-p) S). ln P(X <= k) is concave and falling in p, so Newton's method from
Chernoff's bound kl_upper(k/n, ln(1/delta)/n), which lies above the root, stays above it. Everything is in logarithms,
so delta may be as small as exp(-1e5). ln P(X = k) is Loader's (2000) form: -n kl(k/n || p) and Stirling's remainders.
"""

import math

from scipy.special import betainccinv

from comitia.bounds.arguments import require_delta, require_errors, require_samples
from comitia.bounds.terms import kl_bernoulli, kl_upper, round_up

# ln of the smallest delta that scipy's inverse is trusted with.
SMALLEST = math.log(1e-100)
# By how much its limit is made larger, relatively: in all, and per sample.
SLACK, SLACK_EACH = 4e-12, 3e-17


def clopper_pearson(errors: int, n: int, delta: float) -> float:
    """Return the upper Clopper-Pearson limit of a risk after that many errors in n samples.

    >>> round(clopper_pearson(errors=33, n=500, delta=0.05), 4)
    0.0873
    """
    return clopper_pearson_log(errors, n, math.log(require_delta(delta)))


def clopper_pearson_log(errors: int, n: int, log_delta: float) -> float:
    """Return the same limit from ln(delta), for a delta too small for a float.

    >>> round(clopper_pearson_log(errors=33, n=500, log_delta=-1000.0), 4)
    0.9083
    """
    n = require_samples("n", n)
    k = require_errors(errors, n)
    if k == n:
        return 1.0
    if k == 0:
        return min(round_up(-math.expm1(log_delta / n)), 1.0)
    if log_delta > SMALLEST:
        found = float(betainccinv(k + 1, n - k, math.exp(log_delta)))
        return min(round_up(found * (1 + SLACK + SLACK_EACH * n)), 1.0)
    # What rounding may do to the logarithm of the tail: a relative 1e-14 of it, and k/n, which moves n kl.
    slack = 1e-13 - 1e-14 * log_delta + 1e-15 * n
    return _solve(k, n, log_delta - slack)


def _solve(k: int, n: int, target: float) -> float:
    p = min(kl_upper(k / n, -target / n), 1 - 2**-53)
    for _ in range(100):
        tail, total = _log_tail(k, n, p)
        step = (target - tail) * (1 - p) * total / (n - k)
        if step <= 2e-16 * p:
            break
        p -= step
    step = math.ulp(p)
    while p < 1.0 and _log_tail(k, n, p)[0] > target:
        p, step = min(p + step, 1.0), 2 * step
    return p


def _log_tail(k: int, n: int, p: float) -> tuple[float, float]:
    """ln P(Bin(n, p) <= k) and S = P(X <= k)/P(X = k), for p >= k/n."""
    if p >= 1.0:
        return -math.inf, 1.0
    odds, term, total = (1 - p) / p, 1.0, 1.0
    for j in range(k):
        ratio = (k - j) / (n - k + j + 1) * odds
        term *= ratio
        total += term
        # The ratios fall, so what is left is below term ratio/(1 - ratio).
        if term * ratio < 1e-17 * total * (1 - ratio):
            break
    return _log_mass(k, n, p) + math.log(total), total


def _log_mass(k: int, n: int, p: float) -> float:
    """ln P(Bin(n, p) = k) for 0 < k < n."""
    scale = math.log(n / (2 * math.pi * k * (n - k))) / 2
    return scale - n * kl_bernoulli(k / n, p) + _stirling(n) - _stirling(k) - _stirling(n - k)


def _stirling(m: int) -> float:
    """ln m! - ln(sqrt(2 pi m) (m/e)^m)."""
    if m < 16:
        return math.lgamma(m + 1) - (m + 0.5) * math.log(m) + m - math.log(2 * math.pi) / 2
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * m * m)) / (m * m)) / (m * m)) / m
