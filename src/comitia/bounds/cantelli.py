r"""Chebyshev-Cantelli bound with tandem losses (CCTND).

.. math::
    L(MV_\rho) \le \frac{T_u - 2\mu G_* + \mu^2}{(1/2-\mu)^2}, \qquad \mu < 1/2, \qquad
    G_* = G_l \text{ if } \mu \ge 0 \text{ else } G_u,

    T_u = kl^{-1,+}\Big(\hat T, \frac{2KL + \ln(4\sqrt{n_p}/\delta)}{n_p}\Big), \quad
    G_{l,u} = kl^{-1,\mp}\Big(\hat G, \frac{KL + \ln(4\sqrt{n_f}/\delta)}{n_f}\Big)

Source: Wu, Masegosa, Lorenzen, Igel and Seldin (2021), "Chebyshev-Cantelli PAC-Bayes-Bennett inequality for
the weighted majority vote". P(W >= 1/2) <= E[(W - mu)^2]/(1/2 - mu)^2 for every mu < 1/2.

The best mu. With x = 1/(1/2 - mu) > 0 the bound is 1 + (2G - 1) x + (T - G + 1/4) x^2: a parabola on 0 < x
<= 2 (mu <= 0, with G_u) and another on x >= 2 (mu >= 0, with G_l). x -> 0 (mu -> -inf) gives 1, so the best
value is never above 1, and exactly 1 means vacuous. T >= G^2 always, so T_u < G_l^2 (possible with one
hold-out per member) shows that the event failed: the value is then exactly 1 as well.

Two events, one a quantity, each at delta/2 (the kl inequality bounds G from both sides at once); all rho and
all mu hold together. Losses in [0, 1], any number of classes, untouched i.i.d. hold-out samples;
n_f = min_i |D_i|, n_p = min_ij |D_i ∩ D_j|.
"""

import math

from comitia.bounds.arguments import require_kl, require_mu, require_risk
from comitia.bounds.terms import budget, kl_lower, kl_upper


def cantelli(
    gibbs: float, tandem: float, kl: float, n_first: int, n_pair: int, delta: float, mu: float | None = None
) -> float:
    """Return (T_u - 2 mu G_* + mu^2)/(1/2 - mu)^2, at the best mu < 1/2 when it is None (then never above 1).

    >>> round(cantelli(gibbs=0.1, tandem=0.03, kl=1.0, n_first=5000, n_pair=5000, delta=0.05), 4)
    0.1699
    """
    gibbs, tandem = require_risk("gibbs", gibbs), require_risk("tandem", tandem)
    price = budget(kl, n_first, delta, parts=2)
    low, high = kl_lower(gibbs, price), kl_upper(gibbs, price)
    second = kl_upper(tandem, budget(2 * require_kl(kl), n_pair, delta, parts=2))
    mu = None if mu is None else require_mu(mu)
    if second < low * low:
        return 1.0
    if mu is None:
        return min(_least(second, high, 0.0, 2.0), _least(second, low, 2.0, math.inf))
    return _parabola(second, low if mu >= 0 else high, 1 / (0.5 - mu))


def _least(second: float, first: float, start: float, end: float) -> float:
    """The least value of the parabola on [start, end]."""
    curvature = second - first + 0.25
    lowest = (0.5 - first) / curvature if curvature > 0 else 0.0
    return _parabola(second, first, min(max(lowest, start), end))


def _parabola(second: float, first: float, x: float) -> float:
    """1 + (2 first - 1) x + (second - first + 1/4) x^2, rounded up by the size of its terms."""
    linear, square = (2 * first - 1) * x, (second - first + 0.25) * x * x
    slack = 4e-15 * (abs(linear) + (second + first + 0.25) * x * x)
    return max(1 + linear + square + slack, 0.0)
