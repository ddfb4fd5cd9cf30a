r"""Digital bound: the mean of bounded values, by bets that hedge a digital option.

.. math:: U = \min\{m : \delta K_\tau(m') \ge 1 \text{ for all grid points } m' \ge m\}, \qquad
    K_t(m) = \prod_{s \le t} (1 + \lambda_s(m) (m - X_s))

Grid, bets lambda and the proof: `comitia.bounds.betting`. tau is the first t with K_t >= 1/delta, else n.
Source: Ville (1939); betting on means, Waudby-Smith and Ramdas (2024).
Valid for values X_t <= upper with E[X_t | past] the same for all t: i.i.d. samples, for one. The larger of U and the
mean of the values is returned.
How tight: for 0/1 values the excess over their mean is on average that of Clopper-Pearson's limit, and from order to
order it varies by about a tenth of it; with fewer than about 20 ones it is larger and varies more. So take
Clopper-Pearson's limit for 0/1 values. For values that vary less than 0/1 values, this bound is tighter.
"""

import numpy as np
from numpy.typing import ArrayLike

from comitia.bounds.arguments import require_delta, require_positive, require_values
from comitia.bounds.betting import blocks, upper_limit
from comitia.bounds.terms import round_up

# What rounding may take from the mean of values of size 1: a few ulp each.
_ROUNDING = 2e-15


def digital(values: ArrayLike, delta: float = 0.05, *, upper: float = 1.0) -> float:
    """Return an upper confidence bound of the expectation of values that are at most `upper`.

    Parameters
    ----------
    values : (n,) array
        Losses, costs, or means within groups. The order enters, and must be fixed before the values are seen: the
        order in which independent samples were drawn, or a permutation by a seed. An order chosen by the values
        makes the bound invalid. No lower limit is assumed: values below 0 are allowed.
    delta : float
        Failure probability.
    upper : float
        What no value can exceed, fixed beforehand: not the largest value seen.

    Returns
    -------
    float
        At least the expectation with probability 1 - delta. It lies above 0, is not below the mean of the values, and
        is `upper` where nothing can be said.

    Examples
    --------
    >>> losses = np.random.default_rng(0).permutation([1.0] * 33 + [0.0] * 467)
    >>> round(digital(losses, delta=0.05), 4)
    0.0868
    """
    delta, upper = require_delta(delta), require_positive("upper", upper)
    checked = require_values("values", values, upper)
    with np.errstate(over="ignore"):  # far below 0 is as good as -infinity
        scaled = checked / upper
    limits = np.ones(len(blocks(len(scaled))) - 1)
    return outward(upper_limit(scaled, limits, delta), upper)


def outward(bound: float, upper: float) -> float:
    """Return the bound times `upper`, above what rounding of the values may have taken from it, at most `upper`.

    >>> outward(0.25, 2.0) > 0.5
    True
    """
    return min(round_up((bound + _ROUNDING) * upper), upper)
