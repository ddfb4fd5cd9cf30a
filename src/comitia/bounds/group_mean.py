r"""The error rate of a vote within groups, averaged over groups: what grouped samples can promise.

.. math::
    R = E_g\Big[\frac{k_g}{n_g}\Big] \le U_\delta(k_1/n_1, \dots, k_G/n_G)

U is the digital bound of a mean. Groups are independent draws of one distribution; samples of one group may depend on
each other in any way. The order of the groups was drawn before looking at them. The risk is that of a new group's
samples, averaged within the group first: large groups count as much as small ones.
"""

from collections.abc import Sequence

import numpy as np

from comitia._errors import InputError
from comitia.bounds.digital import digital


def group_mean(errors: Sequence[int], sizes: Sequence[int], groups: int, delta: float = 0.05) -> float:
    """Return an upper bound of the mean over groups of the error rate within a group.

    Parameters
    ----------
    errors, sizes : of each group, in an order that was drawn before looking
    groups : how many there are
    delta : failure probability

    Examples
    --------
    >>> round(group_mean([0, 1, 0, 0] * 25, [2] * 100, 100), 2)
    0.17
    """
    wrong, counts = np.asarray(errors, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if wrong.shape != (groups,) or counts.shape != (groups,) or groups < 1:
        raise InputError(f"errors: one number for each of {groups} groups is required, got {wrong.size}")
    if (counts < 1).any() or (wrong < 0).any() or (wrong > counts).any():
        raise InputError("errors: must be between 0 and the size of each group")
    return digital(wrong / counts, delta)
