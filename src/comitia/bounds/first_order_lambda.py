r"""First-order bound, lambda form.

.. math::
    L(MV_\rho) \le 2\Big(\frac{\hat G}{1-\lambda/2} +
    \frac{KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{\lambda(1-\lambda/2) n}\Big), \qquad 0 < \lambda < 2

Source: Thiemann, Igel, Wintenberger and Seldin (2017), "A strongly quasiconvex PAC-Bayesian bound"; the kl
form relaxed by Pinsker's refined inequality, so it is never below that at the same rho.
Valid for all rho and all lambda at once; otherwise as the kl form.
"""

from comitia.bounds.arguments import require_risk
from comitia.bounds.relaxation import relaxed
from comitia.bounds.terms import budget


def first_order_lambda(gibbs: float, kl: float, n: int, delta: float, lam: float | None = None) -> float:
    """Return 2 (gibbs/(1-lam/2) + (kl + ln(2 sqrt(n)/delta))/(lam (1-lam/2) n)), at the best lam when it is None.

    >>> round(first_order_lambda(gibbs=0.1, kl=1.0, n=5000, delta=0.05), 4)
    0.2416
    """
    return 2 * relaxed(require_risk("gibbs", gibbs), budget(kl, n, delta), lam)
