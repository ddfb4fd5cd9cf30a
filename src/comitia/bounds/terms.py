r"""The terms that the bounds share: ln(2 sqrt(n)/delta), the binary kl and its inverses, KL(rho||pi).

.. math::
    kl(q \| p) = q \ln(q/p) + (1-q) \ln((1-q)/(1-p)), \qquad
    kl^{-1,+}(q, b) = \max\{p \ge q : kl(q \| p) \le b\}, \qquad
    kl^{-1,-}(q, b) = \min\{p \le q : kl(q \| p) \le b\}

With probability 1 - delta, for all rho at once and for losses in [0, 1],
kl(hat || true) <= (KL(rho||pi) + ln(2 sqrt(n)/delta))/n: one event that bounds the true value from both
sides (Seeger 2002; Maurer 2004, for n >= 8; 2 sqrt(n) is valid from n = 1).

Everything here is rounded outward: an upper inverse is never below the true one, a lower never above.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError
from comitia.bounds.arguments import require_delta, require_kl, require_risk, require_samples

# Relative error of `kl_bernoulli` is below 3e-15 (tested against 50 digits); the inverses ask for this much
# more.
_KL_MARGIN = 8e-15
# Below this a quotient of two floats may overflow or lose digits: such numbers are rounded outward to it, or
# to 0.
_TINY = 1e-290
_SERIES = tuple(1 / odd for odd in range(25, 1, -2))


def round_up(value: float) -> float:
    """Return a float a few ulp above the value: covers the rounding of a short formula without cancellation.

    >>> round_up(1.0) > 1.0
    True
    """
    return value + 8 * math.ulp(value)


def round_down(value: float) -> float:
    """Return a float a few ulp below the value.

    >>> round_down(1.0) < 1.0
    True
    """
    return value - 8 * math.ulp(value)


def log_term(n: int, delta: float, parts: int = 1) -> float:
    """Return ln(2 parts sqrt(n)/delta): the price of one of `parts` events that share delta.

    >>> round(log_term(100, 0.05), 6)
    5.991465
    """
    return math.log(2 * parts) + 0.5 * math.log(require_samples("n", n)) - math.log(require_delta(delta))


def budget(kl: float, n: int, delta: float, parts: int = 1) -> float:
    """Return (kl + ln(2 parts sqrt(n)/delta))/n rounded up: how far the empirical value may lie from the true one.

    >>> round(budget(1.0, 100, 0.05), 6)
    0.069915
    """
    return (require_kl(kl) + log_term(n, delta, parts)) / int(n) * (1 + 4e-15)


def kl_bernoulli(q: float, p: float) -> float:
    """Return kl(q || p) of two Bernoulli distributions, to full relative precision also where p is close to q.

    With x = (p-q)/q and y = (p-q)/(1-q) it is q (x - ln(1+x)) + (1-q) (-y - ln(1-y)): both terms are
    positive, nothing cancels.

    >>> round(kl_bernoulli(0.1, 0.2), 6)
    0.03669
    """
    q, p = require_risk("q", q), require_risk("p", p)
    return _kl(q, p)


def kl_upper(q: float, b: float) -> float:
    """Return the largest p >= q with kl(q || p) <= b, rounded up.

    kl is convex and increasing in p > q, so Newton's method from above stays above the root.

    >>> round(kl_upper(0.1, 0.01), 6)
    0.147676
    """
    q, b = require_risk("q", q), _require_budget(b)
    if b == 0.0 or q == 1.0:
        return q
    q = 0.0 if q == 0.0 else max(q, _TINY)
    if q == 0.0:
        return min(round_up(-math.expm1(-b)), 1.0)
    target = max(b, _TINY) * (1 + _KL_MARGIN)
    return _step_out(q, _newton(q, target, _above(q, target)), target, 1.0)


def kl_lower(q: float, b: float) -> float:
    """Return the smallest p <= q with kl(q || p) <= b, rounded down.

    >>> round(kl_lower(0.1, 0.01), 6)
    0.062911
    """
    q, b = require_risk("q", q), _require_budget(b)
    if b == 0.0 or q == 0.0:
        return q
    if q == 1.0:
        return max(round_down(math.exp(-b)), 0.0)
    target = max(b, _TINY) * (1 + _KL_MARGIN)
    start = _below(q, target)
    return 0.0 if start < _TINY else _step_out(q, _newton(q, target, start), target, 0.0)


def kl_divergence(rho: ArrayLike, prior: ArrayLike | None = None) -> float:
    """Return KL(rho || prior) = sum_i rho_i ln(rho_i / prior_i); infinite where the prior is 0 and rho is not.

    >>> round(kl_divergence([0.5, 0.5, 0.0]), 6)
    0.405465
    """
    weights = _require_simplex("rho", rho)
    base = np.full(weights.size, 1 / weights.size) if prior is None else _require_simplex("prior", prior)
    if base.size != weights.size:
        raise InputError(f"prior: must have one entry per member ({weights.size}), got {base.size}")
    used = weights > 0
    if np.any(base[used] == 0):
        return math.inf
    return max(math.fsum(weights[used] * np.log(weights[used] / base[used])), 0.0)


def _kl(q: float, p: float) -> float:
    gap = p - q
    if gap == 0.0:
        return 0.0
    if p in (0.0, 1.0):
        return math.inf
    return _excess(gap, q, p) + _excess(-gap, 1.0 - q, 1.0 - p)


def _excess(gap: float, start: float, end: float) -> float:
    """start (t - ln(1+t)) for t = gap/start, 1 + t = end/start."""
    if start == 0.0:
        return gap
    t = gap / start
    if abs(t) > 0.3:
        return gap - start * math.log(end / start)
    # t - ln(1+t) = r (t - 2 r^2 (1/3 + r^2/5 + ...)) with r = t/(2+t); r^2 < .0312, 12 terms reach 1e-18.
    r = t / (2.0 + t)
    square, series = r * r, 0.0
    for coefficient in _SERIES:
        series = series * square + coefficient
    return gap * r - 2.0 * start * r * square * series


def _newton(q: float, target: float, p: float) -> float:
    """The root of kl(q || p) = target from a point beyond it; convexity keeps every step beyond it."""
    for _ in range(100):
        step = (_kl(q, p) - target) * p * (1.0 - p) / (p - q) if p not in (q, 0.0, 1.0) else 0.0
        if abs(step) <= 2e-16 * p or (step > 0) != (p > q):
            break
        p -= step
    return p


def _step_out(q: float, p: float, target: float, end: float) -> float:
    """The first of p, p ± 1 ulp, p ± 3 ulp, ... towards the end at which kl(q || p) reaches the target."""
    step = math.copysign(math.ulp(p), end - 0.5)
    while 0.0 < p < 1.0 and _kl(q, p) < target:
        p, step = p + step, 2 * step
    return min(max(p, 0.0), 1.0)


def _above(q: float, b: float) -> float:
    """A point beyond the upper root: the best of Pinsker's, Bernstein's and the entropy bound."""
    pinsker = q + math.sqrt(b / 2)
    bernstein = q + b + math.sqrt(b * (b + 2 * q))
    entropy = -math.expm1(-(b + _entropy(q)) / (1.0 - q))
    return min(pinsker, bernstein, entropy)


def _below(q: float, b: float) -> float:
    """A point beyond the lower root, by the same three bounds."""
    return max(q - math.sqrt(b / 2), q - math.sqrt(2 * q * b), math.exp(-(b + _entropy(q)) / q))


def _entropy(q: float) -> float:
    return -q * math.log(q) - (1.0 - q) * math.log1p(-q)


def _require_budget(b: float) -> float:
    number = float(b)
    if not number >= 0.0:
        raise InputError(f"b: must be 0 or more, got {number:g}")
    return number


def _require_simplex(argument: str, values: ArrayLike) -> NDArray[np.float64]:
    weights = np.asarray(values, dtype=np.float64)
    if weights.ndim != 1 or weights.size == 0:
        raise InputError(f"{argument}: must be a list of one number per member, got shape {weights.shape}")
    if not (np.all(weights >= 0) and abs(float(weights.sum()) - 1.0) <= 1e-6):
        raise InputError(f"{argument}: must be 0 or more and sum to 1, got a sum of {weights.sum():g}")
    return weights
