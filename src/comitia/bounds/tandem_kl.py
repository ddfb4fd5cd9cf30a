r"""Tandem bound, kl form.

.. math:: L(MV_\rho) \le 4\, kl^{-1,+}\!\Big(\hat T, \frac{2 KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{n}\Big)

Source: Masegosa et al. (2020): the PAC-Bayes-kl inequality for the tandem loss, whose posterior rho x rho
costs twice the divergence. Never above the lambda form at the same rho (one event, both forms hold together).
Valid as the lambda form.
"""

from comitia.bounds.arguments import require_kl, require_risk
from comitia.bounds.terms import budget, kl_upper


def tandem_kl(tandem: float, kl: float, n: int, delta: float) -> float:
    """Return 4 kl_upper(tandem, (2 kl + ln(2 sqrt(n)/delta))/n): a bound on the risk of the weighted vote.

    >>> round(tandem_kl(tandem=0.05, kl=1.0, n=5000, delta=0.05), 4)
    0.2598
    """
    return 4 * kl_upper(require_risk("tandem", tandem), budget(2 * require_kl(kl), n, delta))
