r"""When the alarm of `comitia.statistics.evidence` goes on, at the latest, for independent 0/1 losses of a given risk.

What the bets from the start hold after t losses depends on the number of ones alone and rises with it. So the alarm is
on as soon as the ones reach a boundary b(t), and

.. math:: P_t(k) = (1 - p) P_{t-1}(k) + p P_{t-1}(k - 1), \quad k < b(t), \qquad P(\tau > t) = \sum_{k < b(t)} P_t(k)

is the distribution of the first time tau at which these bets alone reach 1/alpha. Bets that begin anew can only make
the alarm earlier. Probabilities below 1e-18 are left out.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._errors import require_open_unit
from comitia.statistics.evidence import bets, log_mean, stake, threshold

# A probability that is left out.
NOTHING = 1e-18

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AlarmTimes:
    """`waiting[t]` is the probability, at most, that there was no alarm in the first t losses."""

    waiting: Array

    def quantile(self, share: float) -> int | None:
        """Return after how many losses the alarm is on with that probability; None if that takes more than looked at.

        >>> AlarmTimes(np.array([1.0, 0.6, 0.4])).quantile(0.5)
        2
        """
        done = self.waiting <= 1 - share
        return int(done.argmax()) if done.any() else None

    def chance(self, labels: int) -> float:
        """Return the probability, at least, of an alarm in the first so many losses."""
        return float(1 - self.waiting[min(labels, len(self.waiting) - 1)])


def boundary(risk: float, alpha: float, labels: int) -> NDArray[np.int64]:
    """Return, as (labels,), the fewest ones among the first t losses with which the alarm is on; t + 1 where none are.

    >>> boundary(0.1, 0.05, 6).tolist()
    [2, 3, 4, 4, 5, 5]
    """
    grid, wanted = bets(risk), threshold(alpha) - math.log(stake(0))
    ones, zeros = np.log1p(grid * (1 - risk))[:, None], np.log1p(-grid * risk)[:, None]
    times = np.arange(1, labels + 1)
    low, high = np.zeros(labels, np.int64), times + 1  # low is not enough, high is
    while (high - low > 1).any():
        middle = (low + high) // 2
        enough = log_mean(middle * ones + (times - middle) * zeros) >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)


def alarm_times(true_risk: float, risk: float, alpha: float, labels: int, until: float = 1.0) -> AlarmTimes:
    """Return when the alarm goes on, in the first so many losses, or until it is on with probability `until`.

    Parameters
    ----------
    true_risk : what the losses' risk is
    risk : what it was promised to be at most
    alpha : the probability of a false alarm that was allowed
    labels : how many losses to look at

    >>> round(alarm_times(0.0765, 0.0765, 0.05, 4000).chance(4000), 3) < 0.05
    True
    """
    p, limits = require_open_unit("true_risk", true_risk), boundary(risk, alpha, labels)
    waiting, first, mass = np.ones(labels + 1), 0, np.ones(1)  # mass of first, first + 1, ... ones
    for t, limit in enumerate(limits.tolist(), start=1):
        mass = np.append(mass * (1 - p), 0.0) + np.append(0.0, mass * p)
        mass = mass[: max(limit - first, 0)]
        waiting[t] = mass.sum()
        if waiting[t] <= 1 - until:
            return AlarmTimes(waiting[: t + 1])
        if t % 64 == 0:
            some = np.flatnonzero(mass > NOTHING)
            if not some.size:
                waiting[t:] = 0.0
                break
            first, mass = first + int(some[0]), mass[some[0] : some[-1] + 1]
    return AlarmTimes(waiting)
