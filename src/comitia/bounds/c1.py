r"""C-bound from two separate intervals (C1).

.. math::
    L(MV_\rho) \le 1 - \frac{(1-2G_u)^2}{1-2D_l}, \qquad
    G_u = kl^{-1,+}\Big(\hat G, \frac{KL + \ln(4\sqrt{n_f}/\delta)}{n_f}\Big), \quad
    D_l = kl^{-1,-}\Big(\hat D, \frac{2KL + \ln(4\sqrt{n_p}/\delta)}{n_p}\Big)

Source: Germain, Lacasse, Laviolette, Marchand and Roy (2015), JMLR 16, PAC-Bound 1, whose xi(m) <= 2 sqrt(m).
What is proved: with two classes the margin 1 - 2W has mean 1 - 2G and second moment 1 - 2D, and Cantelli
gives P(W >= 1/2) <= 1 - (1-2G)^2/(1-2D) if G < 1/2; it grows with G and falls with D. **Binary only.**
Two events at delta/2 each.
Vacuous by its domain where G_u >= 1/2: the value is then exactly 1. So it is where D_l > 2 G_u (1 - G_u):
D = 2 E[W(1-W)] <= 2G(1-G), so such data (possible with one hold-out per member) show that the event failed.
Valid for all rho at once, 0/1 losses, untouched i.i.d. hold-out samples; n_f = min_i |D_i|, n_p = min_ij
|D_i ∩ D_j|.
"""

from comitia.bounds.arguments import require_kl, require_risk
from comitia.bounds.terms import budget, kl_lower, kl_upper, round_down


def c1(gibbs: float, disagreement: float, kl: float, n_first: int, n_pair: int, delta: float) -> float:
    """Return 1 - (1 - 2 G_u)^2/(1 - 2 D_l), or 1 where G_u >= 1/2.

    >>> round(c1(gibbs=0.1, disagreement=0.12, kl=1.0, n_first=5000, n_pair=5000, delta=0.05), 4)
    0.2769
    """
    gibbs, disagreement = require_risk("gibbs", gibbs), require_risk("disagreement", disagreement)
    risk = kl_upper(gibbs, budget(kl, n_first, delta, parts=2))
    gap = kl_lower(disagreement, budget(2 * require_kl(kl), n_pair, delta, parts=2))
    if risk >= 0.5 or gap > 2 * risk * (1 - risk):
        return 1.0
    return 1 - round_down((1 - 2 * risk) ** 2 / (1 - 2 * gap)) + 4e-16
