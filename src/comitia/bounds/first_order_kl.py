r"""First-order bound, kl form.

.. math:: L(MV_\rho) \le 2\, kl^{-1,+}\!\Big(\hat G, \frac{KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{n}\Big)

Source: PAC-Bayes-kl inequality of Langford and Seeger (2001), Seeger (2002), Maurer (2004); factor 2 by
Markov: a vote that errs or ties has W = sum_i rho_i e_i >= 1/2, and E[W] is the Gibbs risk G.
Valid for all rho at once, losses in [0, 1], any number of classes, n i.i.d. hold-out samples (with one
hold-out per member: n = min_i |D_i|) that neither the members nor the prior have seen.
"""

from comitia.bounds.arguments import require_risk
from comitia.bounds.terms import budget, kl_upper


def first_order_kl(gibbs: float, kl: float, n: int, delta: float) -> float:
    """Return 2 kl_upper(gibbs, (kl + ln(2 sqrt(n)/delta))/n): a bound on the risk of the weighted vote.

    >>> round(first_order_kl(gibbs=0.1, kl=1.0, n=5000, delta=0.05), 4)
    0.2378
    """
    return 2 * kl_upper(require_risk("gibbs", gibbs), budget(kl, n, delta))
