r"""Bound for one member chosen as the best of M.

.. math:: L(h_i) \le \mathrm{CP}(k_i, n_i, \delta/M)

Source: Clopper and Pearson (1934) with a union bound over the members.
Valid for whichever member is chosen, by whatever rule, from its own n i.i.d. hold-out samples.
"""

import math

from comitia.bounds.arguments import require_delta, require_samples
from comitia.bounds.clopper_pearson import clopper_pearson_log


def best_member(errors: int, n: int, delta: float, members: int) -> float:
    """Return the Clopper-Pearson limit at delta/members.

    >>> round(best_member(errors=33, n=500, delta=0.05, members=50), 4)
    0.1074
    """
    choices = require_samples("members", members)
    return clopper_pearson_log(errors, n, math.log(require_delta(delta)) - math.log(choices))
