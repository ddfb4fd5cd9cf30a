r"""Moment bound: the best one from (G, T) where T >= G/2, which is where deep ensembles live.

.. math::
    L(MV_\rho) \le \tfrac32\, kl^{-1,+}\!\Big(\frac{3\hat G - 2\hat T}{3/2},
    \frac{2 KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{n}\Big)

Derivation: 1{w >= 1/2} <= 3w - 2w^2 on [0, 1] (both sides are 0 at w = 0 and 1 at w = 1/2 and w = 1, the
right is concave), so P(W >= 1/2) <= 3G - 2T. This is the expectation over pairs of members of
3 (e_i + e_j)/2 - 2 e_i e_j, which is bilinear, hence lies in [0, 3/2]; divided by 3/2 it is a loss in [0, 1]
of a pair, and the PAC-Bayes-kl inequality holds for it as for the tandem loss.
Concave in rho: a certificate, not an objective. With one hold-out per member G must come from the same pairs:
3 (e_i + e_j)/2 - 2 e_i e_j averaged over D_i ∩ D_j, n = min_ij |D_i ∩ D_j|.
Valid for all rho at once, losses in [0, 1], any number of classes, n i.i.d. untouched hold-out samples.
"""

from comitia.bounds.arguments import require_between, require_kl
from comitia.bounds.terms import budget, kl_upper, round_up


def moment(moment: float, kl: float, n: int, delta: float) -> float:
    """Return 1.5 kl_upper(moment/1.5, (2 kl + ln(2 sqrt(n)/delta))/n), where moment = 3 gibbs - 2 tandem, in [0,
    1.5].

    >>> round(moment(3 * 0.08 - 2 * 0.055, kl=1.0, n=5000, delta=0.05), 4)
    0.1583
    """
    loss = min(round_up(require_between("moment", moment, 0.0, 1.5) / 1.5), 1.0)
    return round_up(1.5 * kl_upper(loss, budget(2 * require_kl(kl), n, delta)))
