r"""The mean squared error of a weighted mean of real predictions, where all samples chose the weights: two bounds.

With |f_i - y| <= B for every member, S_ij = E[(f_i - y)(f_j - y)] and f_rho = sum_i rho_i f_i,

.. math::
    E(f_\rho - y)^2 = \rho^\top S \rho \le
        B^2 \Big(2\, kl^{-1,+}\Big(\tfrac12 + \tfrac{\rho^\top \hat S \rho}{2 B^2},
            \tfrac{2 KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{n}\Big) - 1\Big)

.. math::
    E(f_\rho - y)^2 \le \sum_i \rho_i S_{ii} \le
        B^2\, kl^{-1,+}\Big(\sum_i \rho_i \hat S_{ii} / B^2, \tfrac{KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{n}\Big)

The first (tandem): products of errors lie in [-B^2, B^2], so (1 + z/B^2)/2 is a loss in [0, 1] of a pair of members,
and the PAC-Bayes-kl inequality holds for it with posterior rho x rho. The second (first order): Jensen's inequality,
and the same inequality for squared errors. Neither is the smaller always: shifted losses lie near 1/2, where
the kl inequality is weakest, so the first needs many samples; the second gives the cancellation of errors away.

Valid for all rho at once; n i.i.d. samples that all members share and none was trained on; B fixed beforehand, and
true. Not valid for clipped errors: a clipped loss is no quadratic form of rho.
"""

from comitia._errors import InputError
from comitia.bounds.arguments import require_kl, require_positive
from comitia.bounds.terms import budget, kl_upper, round_up


def squared_error_tandem(product: float, kl: float, n: int, largest: float, delta: float) -> float:
    """Return B^2 (2 kl_upper(1/2 + product/(2 B^2), (2 kl + ln(2 sqrt(n)/delta))/n) - 1).

    Parameters
    ----------
    product : rho' S rho of the samples, their mean squared error of the weighted mean
    kl : KL(rho || prior)
    n : samples
    largest : B, what no error of a member can exceed
    delta : failure probability

    Examples
    --------
    >>> round(squared_error_tandem(product=1.0, kl=1.0, n=5000, largest=5.0, delta=0.05), 3)
    2.572
    """
    share = _share("product", product, largest)
    limit = kl_upper(min(round_up(0.5 + share / 2), 1.0), budget(2 * require_kl(kl), n, delta))
    return round_up(round_up(largest * largest) * round_up(max(0.0, round_up(2 * limit) - 1)))


def squared_error_first_order(mean: float, kl: float, n: int, largest: float, delta: float) -> float:
    """Return B^2 kl_upper(mean/B^2, (kl + ln(2 sqrt(n)/delta))/n), mean = sum_i rho_i S_ii.

    >>> round(squared_error_first_order(mean=1.5, kl=1.0, n=5000, largest=5.0, delta=0.05), 3)
    1.882
    """
    limit = kl_upper(_share("mean", mean, largest), budget(kl, n, delta))
    return round_up(round_up(largest * largest) * limit)


def _share(argument: str, value: float, largest: float) -> float:
    """The mean of squares as a share of B^2, which it cannot exceed."""
    square = require_positive("largest", largest) ** 2
    if not 0 <= value <= square * (1 + 1e-12):
        raise InputError(f"{argument}: must lie between 0 and largest² = {square:g}, got {value!r}")
    return min(round_up(value / square), 1.0)
