"""Oracles in 50 digits, by plain bisection of the textbook formula: written differently from the code."""

import mpmath

mpmath.mp.dps = 50


def kl(q, p):
    """sum_i q_i ln(q_i/p_i) of two distributions without their last probability."""
    qs, ps = [q] if not isinstance(q, tuple) else list(q), [p] if not isinstance(p, tuple) else list(p)
    qs, ps = [mpmath.mpf(x) for x in qs], [mpmath.mpf(x) for x in ps]
    qs, ps = [*qs, 1 - sum(qs)], [*ps, 1 - sum(ps)]
    if any(a > 0 and b == 0 for a, b in zip(qs, ps, strict=True)):
        return mpmath.inf
    return mpmath.fsum(a * mpmath.log(a / b) for a, b in zip(qs, ps, strict=True) if a > 0)


def root(q, b, end):
    """The p between q and the end (0 or 1) at which kl(q || p) = b."""
    near, far = mpmath.mpf(q), mpmath.mpf(end)
    for _ in range(170):
        middle = (near + far) / 2
        near, far = (middle, far) if kl(q, middle) <= b else (near, middle)
    return near


def upper(q, b):
    return root(q, b, 1)


def lower(q, b):
    return root(q, b, 0)


def price(kl_term, n, delta, parts=1):
    """(kl + ln(2 parts sqrt(n)/delta))/n."""
    return (mpmath.mpf(kl_term) + mpmath.log(2 * parts * mpmath.sqrt(n) / mpmath.mpf(delta))) / n


# Gibbs risk, disagreement, KL, samples of each and delta, at points where no term vanishes.
APART = [
    (0.2, 0.15, 1.7, 6000, 50000, 0.03),
    (0.1, 0.06, 0.4, 900, 800, 0.1),
    (0.3, 0.4, 9.0, 10**6, 10**7, 1e-6),
]


def risk_and_gap(gibbs, apart, kl_term, n_first, n_pair, delta):
    """The upper limit of the Gibbs risk and the lower one of the disagreement, at delta/2 each."""
    risk = upper(gibbs, price(kl_term, n_first, delta, parts=2))
    return risk, lower(apart, price(2 * kl_term, n_pair, delta, parts=2))


def assert_outward(value, exact, tolerance=1e-9):
    """The value is not below the exact one, and not far above it."""
    assert mpmath.mpf(value) >= exact
    assert mpmath.mpf(value) - exact <= tolerance
