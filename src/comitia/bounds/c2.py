r"""C-bound from one joint region of joint error and disagreement (C2).

.. math::
    L(MV_\rho) \le \sup_{(d,e) \in A} \Big[1 - \frac{(1-(2e+d))^2}{1-2d}\Big], \qquad
    A = \Big\{(d,e) : 2e+d < 1,\; kl(\hat d,\hat e \| d,e) \le b\Big\}, \quad
    b = \frac{2KL + \ln((2\sqrt m + m)/\delta)}{m}

Here e is the tandem risk (both err), d the disagreement (one errs), kl that of three outcomes (d, e, 1-d-e).

Source: Germain et al. (2015), JMLR 16, PAC-Bound 2. There the price is ln((xi(m)+m)/delta): for three
outcomes E[exp(m kl(hat || true))] <= xi(m) + m, with xi(m) = sum_k C(m,k) (k/m)^k (1-k/m)^(m-k) <= 2 sqrt(m).

What is computed, and why it is never below the supremum. v = 1-2e-d and u = 1-2d are linear in the
probabilities p of the outcomes, and v^2/u >= 2 s v - s^2 u for every s >= 0. For the linear function
V = s^2 u - 2 s v (on the outcomes d, e, neither: -s^2, s^2+2s, s^2-2s) and every nu >= s^2+2s, Jensen gives
ln(nu - p.V) >= sum_i q_i ln(nu - V_i) - kl(q||p). So, **for every s >= 0 and nu >= s^2 + 2s**,

.. math:: L(MV_\rho) \le 1 + \nu - e^{-b} \prod_i (\nu - V_i)^{q_i} .

(If 2e+d >= 1 the right is >= 1, as d <= 1/2 always.) v^2/u is convex and so is the region, hence the least
value over (s, nu) is the supremum itself; a search that stops early only gives a larger, still valid, number.
s = 0 gives 1: vacuous. A negative supremum (possible with one hold-out per member) shows that the event failed:
the value is then 1 too.

**Binary only.** One event; all rho at once, 0/1 losses, untouched i.i.d. hold-out samples,
m = min_ij |D_i ∩ D_j|.
"""

import math

from comitia._errors import InputError
from comitia.bounds.arguments import require_delta, require_kl, require_risk, require_samples


def c2(tandem: float, disagreement: float, kl: float, n: int, delta: float) -> float:
    """Return the largest 1 - (1-2e-d)^2/(1-2d) over the kl ball around (disagreement, tandem); 1 where it is
    vacuous.

    >>> round(c2(tandem=0.04, disagreement=0.12, kl=1.0, n=5000, delta=0.05), 4)
    0.2244
    """
    e, d = require_risk("tandem", tandem), require_risk("disagreement", disagreement)
    if d + e > 1 + 1e-9:
        raise InputError(f"disagreement: must be at most 1 - tandem = {1 - e:g}, got {d:g}")
    m, delta = require_samples("n", n), require_delta(delta)
    price = (2 * require_kl(kl) + math.log(2 * math.sqrt(m) + m) - math.log(delta)) / m * (1 + 4e-15)
    return _least((d, e, max(1 - d - e, 0.0)), price)


def _least(q: tuple[float, float, float], price: float) -> float:
    """The least bound over s, by bisection of s/(1+s) on the slope v - s u at the worst point for s.

    The bound is flat at its least value, so 32 halvings of s are good to the last digit.
    """
    low, high, least = 0.0, 1.0, 1.0
    for _ in range(32):
        middle = (low + high) / 2
        s = middle / (1 - middle)
        nu = _best_nu(q, s, price)
        least = min(least, _value(q, s, nu, price))
        d, e = _worst(q, s, nu, price)
        low, high = (middle, high) if 1 - 2 * e - d > s * (1 - 2 * d) else (low, middle)
    return least if least >= 0 else 1.0


def _outcomes(s: float) -> tuple[float, float, float]:
    """V on the three outcomes: one errs, both err, neither does."""
    return -s * s, s * s + 2 * s, s * s - 2 * s


def _value(q: tuple[float, float, float], s: float, nu: float, price: float) -> float:
    """1 + nu - exp(-price) prod_i (nu - V_i)^(q_i), rounded up by the size of its terms."""
    exponent = -price
    for weight, v in zip(q, _outcomes(s), strict=True):
        if weight > 0:
            # log1p keeps the digits where nu is large; the plain quotient where nu is close to V_i.
            exponent += weight * (math.log1p(-v / nu) if v < nu / 2 else math.log((nu - v) / nu))
    return 1 - nu * math.expm1(exponent) + 8e-15 * (1 + nu * price + s * s + 2 * s)


def _best_nu(q: tuple[float, float, float], s: float, price: float) -> float:
    """The nu at which the bound is least for s, by Newton's method on the logarithm of its slope.

    sum_i q_i ln(nu - V_i) + ln sum_i q_i/(nu - V_i) falls with nu and meets the price at the best one. Where
    no joint error was seen it may stay below the price: then nu ends next to the largest V, as close as it
    may.
    """
    v, top = _outcomes(s), s * s + 2 * s
    apart = top / math.sqrt(price)
    for _ in range(60):
        gaps = [apart + (top - x) for x in v]
        inverse = sum(w / g for w, g in zip(q, gaps, strict=True))
        excess = sum(w * math.log(g) for w, g in zip(q, gaps, strict=True)) + math.log(inverse) - price
        slope = inverse - sum(w / g**2 for w, g in zip(q, gaps, strict=True)) / inverse
        step = -excess / slope if slope < 0 else -apart
        before, apart = apart, min(max(apart + step, apart / 16, 1e-14 * top), apart * 16)
        if abs(apart - before) <= 1e-10 * apart:
            break
    return top + apart


def _worst(q: tuple[float, float, float], s: float, nu: float, price: float) -> tuple[float, float]:
    """(d, e) of the worst distribution for s: q_i/(nu - V_i) times what uses up the price, the rest on e.

    At the best nu the rest is q_e/(nu - V_e) times the same, unless no joint error was seen.
    """
    gaps = [nu - x for x in _outcomes(s)]
    scale = math.exp(sum(w * math.log(g) for w, g in zip(q, gaps, strict=True)) - price)
    d, neither = scale * q[0] / gaps[0], scale * q[2] / gaps[2]
    return d, 1 - d - neither
