r"""What further promises compute: rates of groups, a declining vote, expected costs. Each rounds outward.

.. math::
    R_g \le \mathrm{CP}(k_g, n_g, 1 - (1 - \delta)^{1/G}) \text{ for all of } G \text{ disjoint groups at once}

Disjoint groups of independent samples are independent given their sizes, so the probabilities multiply. Within groups
of dependent samples the rates of the G values are not independent of each other: there each gets delta / G.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from comitia._errors import InputError
from comitia.bounds.arguments import require_delta
from comitia.bounds.clopper_pearson import clopper_pearson
from comitia.bounds.digital import digital
from comitia.promises.order import drawn

# 1 - (1 - delta)^(1/G) is computed within a few ulp; the share must not be above it.
_ROUNDING = 4e-16


def shared_delta(delta: float, groups: int) -> float:
    """Return what each of that many independent promises may fail with, so that all hold with probability 1 - delta.

    >>> round(shared_delta(0.05, 2), 6), shared_delta(0.05, 1)
    (0.025321, 0.05)
    """
    if isinstance(groups, bool) or not isinstance(groups, int) or groups < 1:
        raise InputError(f"at_once: must be a whole number from 1, got {groups!r}")
    delta = require_delta(delta)
    return delta if groups == 1 else -math.expm1(math.log1p(-delta) / groups) * (1 - _ROUNDING)


def rate_limit(errors: int, n: int, at_once: int, delta: float = 0.05) -> float:
    """Return a limit of the error rate in one of several disjoint groups, all of which hold at once.

    >>> round(rate_limit(errors=3, n=100, at_once=2), 4)
    0.085
    """
    return clopper_pearson(errors, n, shared_delta(delta, at_once))


def mean_rate_limit(
    values: Sequence[float],
    counts: Sequence[int],
    seed: int,
    order: str,
    n: int,
    at_once: int,
    delta: float = 0.05,
) -> float:
    """Return a limit of the mean over groups of dependent samples of a rate within a group; all `at_once` hold.

    >>> round(mean_rate_limit([0.0, 0.5], [80, 20], 0, "ff", 100, 2), 2)
    0.16
    """
    found = drawn(values, counts, seed, order)
    _require_number(len(found), n)
    if found.min() < 0:
        raise InputError("values: rates must be at least 0")
    shared_delta(delta, at_once)
    return digital(found, delta / at_once)


def cost_limit(
    values: Sequence[float],
    counts: Sequence[int],
    seed: int,
    order: str,
    n: int,
    largest: float,
    delta: float = 0.05,
) -> float:
    """Return a limit of the expected cost, by the digital bound; no cost is above `largest`, which the matrix fixes.

    >>> round(cost_limit([0.0, 1.0, 5.0], [900, 80, 20], 0, "ff", 1000, 5.0), 2)
    0.22
    """
    found = drawn(values, counts, seed, order)
    _require_number(len(found), n)
    if found.min() < 0:
        raise InputError("values: costs must be at least 0")
    return digital(found, delta, upper=largest)


def sequence_risk(
    target: float,
    thresholds: Sequence[float],
    accepted: Sequence[int],
    errors: Sequence[int],
    start: int,
    chosen: int,
    n: int,
    delta: float = 0.05,
) -> float:
    r"""Return the target, if every threshold from `start` to `chosen` is certified to be below it; else 1.

    .. math:: \mathrm{CP}(k_\tau, n_\tau, \delta) \le r \quad \text{for all } \tau_{start} \ge \tau \ge \tau_{chosen}

    Thresholds and start are fixed without these samples. Given how many are accepted, errors among them are binomial.
    If some tested threshold has a risk above r, the first such one was certified wrongly: probability at most delta
    (fixed-sequence testing; every test is at full delta).

    >>> sequence_risk(0.05, [0.9, 0.8], [300, 400], [5, 12], 0, 1, 500)
    0.05
    """
    _require_sequence(thresholds, accepted, errors, n)
    if not 0 <= start <= chosen < len(thresholds) or not 0 < target < 1:
        raise InputError("chosen: must be one of the thresholds that were tried")
    tried = range(start, chosen + 1)
    held = all(accepted[j] and clopper_pearson(errors[j], accepted[j], delta) <= target for j in tried)
    return target if held else 1.0


def _require_sequence(
    thresholds: Sequence[float], accepted: Sequence[int], errors: Sequence[int], n: int
) -> None:
    sizes = {len(thresholds), len(accepted), len(errors)}
    if len(sizes) != 1 or not thresholds or accepted[-1] > n:
        raise InputError("thresholds: one count of samples and of errors is required for each")
    falling = all(one > other for one, other in pairwise(thresholds))
    rising = all(a <= b and k <= m for (a, b), (k, m) in zip(pairwise(accepted), pairwise(errors)))
    if not falling or not rising or accepted[0] < 0 or errors[0] < 0:
        raise InputError("thresholds: must fall, and the counts must not")


def coverage_limit(accepted: int, n: int, delta: float = 0.05) -> float:
    r"""Return a lower limit of the share of samples that are answered, whichever threshold was chosen after looking.

    .. math:: c \ge \frac{n_\tau}{n} - \sqrt{\frac{\ln(1/\delta)}{2 n}} \quad \text{for all } \tau \text{ at once}

    Dvoretzky, Kiefer and Wolfowitz (1956) with Massart's (1990) constant, for delta up to one half. Clopper-Pearson's
    limit would hold for one threshold that was fixed beforehand, and this one was not.

    >>> round(coverage_limit(760, 1000), 4)
    0.7213
    """
    if not 0 <= accepted <= n or n < 1:
        raise InputError(f"accepted: must be from 0 to {n}, got {accepted}")
    width = math.sqrt(-math.log(min(require_delta(delta), 0.5)) / (2 * n))
    return max(0.0, accepted / n - width - 1e-12)


def _require_number(found: int, stated: Any) -> None:
    if found != stated:
        raise InputError(f"n: {found} values were counted, not {stated}")
