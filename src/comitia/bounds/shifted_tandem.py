r"""Chebyshev-Cantelli bounds of the literature, from the tandem loss shifted by mu: Bennett, Bernstein and split-kl.

.. math::
    L(MV_\rho) \le \frac{E_{\rho^2}[L_\mu(h, h')]}{(1/2-\mu)^2}, \qquad \mu < 1/2, \qquad
    \ell_\mu(h, h') = (e_h - \mu)(e_{h'} - \mu)

because E[(W - mu)^2] = E_{rho^2}[L_mu]. With 0/1 errors the loss has three values: (1-mu)^2 where both err, -mu(1-mu)
where one does, mu^2 where none does. Its mean is T - 2 mu G + mu^2.

Sources: Wu, Masegosa, Lorenzen, Igel and Seldin (2021), "Chebyshev-Cantelli PAC-Bayes-Bennett inequality for the
weighted majority vote", and Wu and Seldin (2022), "Split-kl and PAC-Bayes-split-kl inequalities for ternary random
variables". Written from the inequalities, each of which is proved here in a line.

**Unexpected Bernstein** (Fan et al. 2015; Mhammedi et al. 2019). For Z <= b and 0 < g < 1,
E exp(g (EZ - Z)/b - psi(g) Z^2/b^2) <= 1 with psi(g) = -g - ln(1-g), so, b = (1-mu)^2,

.. math::
    E_{\rho^2}[L_\mu] \le E_{\rho^2}[\hat L_\mu] + \frac{\psi(g)}{g b} E_{\rho^2}[\hat E \ell_\mu^2]
        + \frac{b\,(2KL + \ln(k/\delta))}{g n}

**Bennett**. For EZ - Z <= K, the length of the loss's range (1-mu for mu >= 0, else 1-2mu), and V the variance,
E exp(g (EZ - Z)/K) <= exp(phi(g) V/K^2), phi(g) = e^g - g - 1; V is bounded by the sample variance (Tolstikhin and
Seldin 2013), for 0 < nu < 1:

.. math::
    E_{\rho^2}[L_\mu] \le E_{\rho^2}[\hat L_\mu] + \frac{\phi(g)}{g K} V_u + \frac{K (2KL + \ln(2k/\delta))}{g n}, \quad
    V_u = \frac{E_{\rho^2}[\hat V_\mu]}{1-\nu} + \frac{K^2 (2KL + \ln(2k'/\delta))}{2(n-1)\nu(1-\nu)}

mu, g and nu lie on grids that n and delta fix; k and k' count their points, over which delta is divided.

**Split-kl**. A loss with values b_0 < b_1 < b_2 is b_0 + (b_1-b_0) 1[l >= b_1] + (b_2-b_1) 1[l = b_2], and each
indicator has a kl bound. These are three quantities whatever mu is: T, the share A = 2G - T where at least one errs
(for mu < 0), and C = 1 - 2G + 2T where both agree in erring or not (for mu >= 0). So three events at delta/3 hold for
*all* mu at once, and the best mu is free:

.. math::
    \mu < 0: \frac{\mu^2 - \mu A_u + (1-\mu) T_u}{(1/2-\mu)^2}, \qquad
    \mu \ge 0: \frac{\mu^2 - \mu + \mu C_u + (1-2\mu) T_u}{(1/2-\mu)^2}

Valid for 0/1 errors of the majority vote, any number of classes, all rho at once; untouched i.i.d. samples that all
members share, all of which answer. They are functions, and no rows of the table of certificates: one more kind to
choose from would raise the price of every promise (`comitia.bounds.table.price`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError
from comitia.bounds.arguments import require_delta, require_kl, require_risk, require_samples
from comitia.bounds.terms import budget, kl_upper

Array = NDArray[np.float64]

#: The grid of mu, fixed beforehand; finer ones cost more than they gain.
MUS = tuple(k / 40 for k in range(-20, 20))
# What rounding may take from sums of a few terms below 10.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class PairMeans:
    """Means over pairs of members drawn by the weights: E[T_ij^2], E[T_ij L_i] and E[L_i^2]."""

    tandem_squared: float
    tandem_risk: float
    risk_squared: float


def pair_means(risks: ArrayLike, tandem: ArrayLike, weights: ArrayLike) -> PairMeans:
    """Return what the Bennett bound needs beside G and T, from the members' risks and the tandem matrix.

    >>> pair_means([0.2], [[0.2]], [1.0])
    PairMeans(tandem_squared=0.04000000000000001, tandem_risk=0.04000000000000001, risk_squared=0.04000000000000001)
    """
    first, second = np.asarray(risks, dtype=np.float64), np.asarray(tandem, dtype=np.float64)
    rho = np.asarray(weights, dtype=np.float64)
    if second.shape != (len(rho), len(rho)) or first.shape != rho.shape:
        raise InputError(
            f"tandem: must be ({len(rho)}, {len(rho)}), and one risk per member, as there are weights"
        )
    return PairMeans(
        float(rho @ (second * second) @ rho),
        float((rho * first) @ second @ rho),
        float(rho @ (first * first)),
    )


def unexpected_bernstein(gibbs: float, tandem: float, kl: float, n: int, delta: float) -> float:
    """Return the Chebyshev-Cantelli bound by the unexpected Bernstein inequality, at the best mu and g of the grids.

    >>> round(unexpected_bernstein(gibbs=0.1, tandem=0.03, kl=1.0, n=5000, delta=0.05), 4)
    0.169
    """
    gibbs, tandem, n = _checked(gibbs, tandem, n)
    rates = _halved(0.5, n, delta)
    price = 2 * require_kl(kl) + math.log(len(MUS) * len(rates) / require_delta(delta))
    return min(
        _cantelli(
            mu,
            _mean(mu, gibbs, tandem)
            + min(_bernstein(g, (1 - mu) ** 2, _square(mu, gibbs, tandem), price / n) for g in rates),
        )
        for mu in MUS
    )


def _bernstein(g: float, largest: float, square: float, price: float) -> float:
    return (-g - math.log1p(-g)) / (g * largest) * square + largest * price / g


def bennett(gibbs: float, tandem: float, means: PairMeans, kl: float, n: int, delta: float) -> float:
    """Return the Chebyshev-Cantelli bound by the PAC-Bayes-Bennett inequality, at the best mu, g and nu of the grids.

    >>> means = pair_means([0.1, 0.1], [[0.1, 0.03], [0.03, 0.1]], [0.5, 0.5])
    >>> round(bennett(gibbs=0.1, tandem=0.065, means=means, kl=0.0, n=5000, delta=0.05), 4)
    0.3216
    """
    gibbs, tandem, n = _checked(gibbs, tandem, n)
    if n < 2:
        raise InputError("n: a variance needs at least 2 samples, got 1")
    rates, shares = _halved(2.0, n, delta), _halved(0.5, n, delta)
    own = 2 * require_kl(kl) + math.log(2 * len(MUS) * len(rates) / require_delta(delta))
    spread = 2 * kl + math.log(2 * len(MUS) * len(shares) / delta)
    found = []
    for mu in MUS:
        length = 1 - mu if mu >= 0 else 1 - 2 * mu
        sample = max(0.0, _square(mu, gibbs, tandem) - _squared_mean(mu, gibbs, tandem, means))
        sample = (sample + _ROUNDING) * n / (n - 1)
        variance = min(
            sample / (1 - nu) + length**2 * spread / (2 * (n - 1) * nu * (1 - nu)) for nu in shares
        )
        # no variable in a range of that length has a larger variance than a quarter of its square
        variance = min(variance, length**2 / 4)
        excess = min((math.expm1(g) - g) / (g * length) * variance + length * own / (g * n) for g in rates)
        found.append(_cantelli(mu, _mean(mu, gibbs, tandem) + excess))
    return min(found)


def split_kl(gibbs: float, tandem: float, kl: float, n: int, delta: float) -> float:
    """Return the Chebyshev-Cantelli bound by three kl inequalities, at the best mu < 1/2; never above 1.

    >>> round(split_kl(gibbs=0.1, tandem=0.03, kl=1.0, n=5000, delta=0.05), 4)
    0.1696
    """
    gibbs, tandem, n = _checked(gibbs, tandem, n)
    price = budget(2 * require_kl(kl), n, delta, parts=3)
    both = kl_upper(tandem, price)
    either = kl_upper(min(2 * gibbs - tandem, 1.0), price)
    alike = kl_upper(min(max(1 - 2 * gibbs + 2 * tandem, 0.0), 1.0), price)
    below = _least(-either - both, both, 0.0, 2.0)
    above = _least(alike - 1 - 2 * both, both, 2.0, math.inf)
    return min(below, above, 1.0)


def _least(linear: float, constant: float, start: float, end: float) -> float:
    """The least of (mu^2 + linear mu + constant)/(1/2 - mu)^2 over z = 1/(1/2 - mu) in [start, end].

    It is 1 - (1 + linear) z + c z^2, c the value of the parabola at mu = 1/2.
    """
    c = 0.25 + linear / 2 + constant
    if c <= 0:  # the limits contradict each other: the events failed
        return 1.0
    z = min(max((1 + linear) / (2 * c), start), end)
    slack = 4e-15 * (1 + abs(1 + linear) * z + (1 + abs(linear) + constant) * z * z)
    return max(1 - (1 + linear) * z + c * z * z + slack, 0.0)


def _checked(gibbs: float, tandem: float, n: int) -> tuple[float, float, int]:
    gibbs, tandem = require_risk("gibbs", gibbs), require_risk("tandem", tandem)
    if not max(2 * gibbs - 1, gibbs * gibbs) - 1e-9 <= tandem <= gibbs + 1e-9:
        raise InputError(
            f"tandem: must lie between gibbs² and gibbs = {gibbs:g} on shared samples, got {tandem:g}"
        )
    return gibbs, min(tandem, gibbs), require_samples("n", n)


def _halved(start: float, n: int, delta: float) -> Sequence[float]:
    """Rates that halve from the start to about the best one where the variance is as large as it can be."""
    steps = math.ceil(math.log2(2 * math.sqrt(n / math.log(1 / require_delta(delta)) + 1))) + 1
    return [start * 0.5**k for k in range(steps)]


def _mean(mu: float, gibbs: float, tandem: float) -> float:
    return tandem - 2 * mu * gibbs + mu * mu + _ROUNDING


def _square(mu: float, gibbs: float, tandem: float) -> float:
    """E_{rho^2} of the mean of squared losses."""
    one = 2 * (gibbs - tandem)
    none = max(0.0, 1 - 2 * gibbs + tandem)
    return (1 - mu) ** 4 * tandem + (mu * (1 - mu)) ** 2 * one + mu**4 * none + _ROUNDING


def _squared_mean(mu: float, gibbs: float, tandem: float, means: PairMeans) -> float:
    """E_{rho^2} of the squared mean loss (T_ij - mu (L_i + L_j) + mu^2)^2 of a pair."""
    pairs = 2 * means.risk_squared + 2 * gibbs * gibbs  # E[(L_i + L_j)^2]
    cubic = means.tandem_squared - 4 * mu * means.tandem_risk + mu * mu * (pairs + 2 * tandem)
    return cubic - 4 * mu**3 * gibbs + mu**4


def _cantelli(mu: float, mean: float) -> float:
    return max(mean, 0.0) / (0.5 - mu) ** 2 * (1 + 1e-12)
