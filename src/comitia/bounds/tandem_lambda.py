r"""Tandem bound, lambda form: the objective that the tandem weights minimise.

.. math::
    L(MV_\rho) \le 4\Big(\frac{\hat T}{1-\lambda/2} +
    \frac{2 KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{\lambda(1-\lambda/2) n}\Big), \qquad 0 < \lambda < 2

Source: Masegosa, Lorenzen, Igel and Seldin (2020), "Second order PAC-Bayesian bounds for the weighted
majority vote". Second-order Markov: P(W >= 1/2) <= 4 E[W^2], and E[W^2] is the tandem risk T.
Valid for all rho and all lambda at once, losses in [0, 1], any number of classes, n i.i.d. hold-out samples
(with one hold-out per member: n = min_ij |D_i ∩ D_j|) that neither the members nor the prior have seen.
"""

from comitia.bounds.arguments import require_kl, require_risk
from comitia.bounds.relaxation import relaxed
from comitia.bounds.terms import budget


def tandem_lambda(tandem: float, kl: float, n: int, delta: float, lam: float | None = None) -> float:
    """Return 4 (tandem/(1-lam/2) + (2 kl + ln(2 sqrt(n)/delta))/(lam (1-lam/2) n)), at the best lam when it is None.

    >>> round(tandem_lambda(tandem=0.05, kl=1.0, n=5000, delta=0.05), 4)
    0.2649
    """
    return 4 * relaxed(require_risk("tandem", tandem), budget(2 * require_kl(kl), n, delta), lam)
