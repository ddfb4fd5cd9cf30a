r"""Tandem bound from disagreement (DIS): binary tasks, where samples without labels help.

.. math::
    L(MV_\rho) \le 4\, kl^{-1,+}\Big(\hat G, \frac{KL + \ln(4\sqrt n/\delta)}{n}\Big)
    - 2\, kl^{-1,-}\Big(\hat D, \frac{2KL + \ln(4\sqrt m/\delta)}{m}\Big)

Source: Masegosa et al. (2020). With two classes two members disagree exactly when one of them errs, so T = G
- D/2 and 4T = 4G - 2D. **Binary only.** Two events at delta/2 each.
D_l > 2 G_u shows that the event failed (possible with one hold-out per member): the value is then exactly 1.
Valid for all rho at once, 0/1 losses, n i.i.d. hold-out samples for G, m i.i.d. samples for D, which need no
labels (with one hold-out per member: n = min_i |D_i|, m = min_ij of the common samples), all untouched.
"""

from comitia.bounds.arguments import require_kl, require_risk
from comitia.bounds.terms import budget, kl_lower, kl_upper, round_up


def disagreement(
    gibbs: float, disagreement: float, kl: float, n_first: int, n_pair: int, delta: float
) -> float:
    """Return 4 G_u - 2 D_l, where D comes from n_pair samples that need no labels.

    >>> round(disagreement(gibbs=0.1, disagreement=0.12, kl=1.0, n_first=5000, n_pair=50000, delta=0.05), 4)
    0.2525
    """
    gibbs, disagreement = require_risk("gibbs", gibbs), require_risk("disagreement", disagreement)
    risk = kl_upper(gibbs, budget(kl, n_first, delta, parts=2))
    gap = kl_lower(disagreement, budget(2 * require_kl(kl), n_pair, delta, parts=2))
    return round_up(4 * risk - 2 * gap) + 4e-16 if gap <= 2 * risk else 1.0
