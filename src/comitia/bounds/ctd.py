r"""C-tandem bound (CTD).

.. math::
    L(MV_\rho) \le \frac{T_u - G_l^2}{T_l - G_u + 1/4}, \qquad
    T_{l,u} = kl^{-1,\mp}\Big(\hat T, \frac{2KL + \ln(4\sqrt{n_p}/\delta)}{n_p}\Big), \quad
    G_{l,u} = kl^{-1,\mp}\Big(\hat G, \frac{KL + \ln(4\sqrt{n_f}/\delta)}{n_f}\Big)

Source: Masegosa et al. (2020), the C-bound (Chebyshev-Cantelli at mu = (G/2 - T)/(1/2 - G)) in tandem form,
which needs G < 1/2. Two events at delta/2 each: the kl inequality bounds a quantity from both sides at once,
so T_l and T_u are one event, G_l and G_u the other.
Vacuous by its domain where G_u >= 1/2 or the denominator is not positive, and where
T_u < G_l^2 shows that the event failed (possible with one hold-out per member): the value is then exactly 1.
Valid for all rho at once, 0/1 losses, any number of classes, untouched i.i.d. hold-out samples;
n_f = min_i |D_i|, n_p = min_ij |D_i ∩ D_j|.
"""

from comitia.bounds.arguments import require_kl, require_risk
from comitia.bounds.terms import budget, kl_lower, kl_upper, round_down, round_up


def ctd(gibbs: float, tandem: float, kl: float, n_first: int, n_pair: int, delta: float) -> float:
    """Return (T_u - G_l^2)/(T_l - G_u + 1/4), or 1 where G_u >= 1/2 or the denominator is not positive.

    >>> round(ctd(gibbs=0.1, tandem=0.03, kl=1.0, n_first=5000, n_pair=5000, delta=0.05), 4)
    0.2372
    """
    gibbs, tandem = require_risk("gibbs", gibbs), require_risk("tandem", tandem)
    first = budget(kl, n_first, delta, parts=2)
    second = budget(2 * require_kl(kl), n_pair, delta, parts=2)
    above = round_up(kl_upper(tandem, second) - round_down(kl_lower(gibbs, first) ** 2))
    below = kl_lower(tandem, second) + 0.25 - kl_upper(gibbs, first) - 4e-16
    if kl_upper(gibbs, first) >= 0.5 or below <= 0 or above < 0:
        return 1.0
    return round_up(above / below)
