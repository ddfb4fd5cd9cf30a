r"""Evidence that a risk is above what was promised: a test martingale over losses that come one by one.

.. math:: E_t = \sum_{j : jB \le t} w_j \frac1K \sum_{k=1}^K \prod_{jB < s \le t} (1 + \lambda_k (\ell_s - r))
    + \sum_{j : jB > t} w_j, \qquad w_0 = .9, \quad w_j = .1 \cdot \frac{6}{\pi^2 j^2}

with lambda_k = c_k/r, c_1 = r/16 < ... < c_K = .3 geometric. Grid, weights w and B = 500 are fixed by r alone.
Source: Ville (1939); betting on means, Waudby-Smith and Ramdas (2024).
Valid for losses in [0, 1] whose expectation given the past is at most r: every factor is at least .7 and has
expectation at most 1, so E is a nonnegative supermartingale that starts at 1, and P(E_t >= 1/alpha for some t) <=
alpha. It may be looked at after every loss.
Power. The bet that grows fastest at a true risk p is c = (p - r)/(1 - r): the grid reaches from p = 17/16 r to p above
.3. Nine tenths of the stake are bet from the start. The rest is bet anew every B losses: after a long time at a risk
below r the first bets have lost nearly everything, and a risk that rises then would go unnoticed for as long.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import zeta

from comitia._errors import require_open_unit

#: Bets on the grid.
BETS = 16
#: The smallest bet, as a share of the risk, and the largest.
SMALLEST, LARGEST = 1 / 16, 0.3
#: The share of the stake that is bet from the start, and after how many losses bets begin anew.
FIRST, AGAIN = 0.9, 500
# What sums of logarithms may be off by; the threshold is made higher by it.
ROUNDING = 1e-9

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stakes:
    """How many losses were seen, and the logarithm of what each of the K bets holds, (K,)."""

    losses: int
    logs: Array


def bets(risk: float) -> Array:
    """Return the grid of lambda, (K,), for losses that are promised to be at most `risk` on average.

    >>> (bets(0.1)[[0, -1]]).round(6).tolist()
    [0.0625, 3.0]
    """
    r = require_open_unit("risk", risk)
    return np.asarray(np.geomspace(SMALLEST * r, LARGEST, BETS) / r)


def threshold(alpha: float) -> float:
    """Return the logarithm of the evidence at which the alarm goes on.

    >>> round(threshold(0.05), 6)
    2.995732
    """
    return -math.log(require_open_unit("alpha", alpha)) + ROUNDING


def stake(number: int) -> float:
    """Return w_j, what the j-th beginning bets.

    >>> stake(0), round(stake(1), 4)
    (0.9, 0.0608)
    """
    return FIRST if number == 0 else (1 - FIRST) * 6 / (math.pi * number) ** 2


def not_yet_bet(number: int) -> float:
    """Return the sum of w_j over all j above that number.

    >>> round(not_yet_bet(0), 12), round(not_yet_bet(1), 4)
    (0.1, 0.0392)
    """
    return float((1 - FIRST) * 6 / math.pi**2 * zeta(2, number + 1))


def start() -> Stakes:
    """Return the stakes before the first loss."""
    return Stakes(0, np.full(BETS, math.log(stake(0))))


def follow(losses: Array, risk: float, stakes: Stakes | None = None) -> tuple[Array, Stakes]:
    """Return ln E after each loss, (n,), and the stakes to go on with.

    Parameters
    ----------
    losses : (n,) in [0, 1], in an order that does not depend on them
    risk : what their expectation is promised to be at most
    stakes : what an earlier call returned; None starts anew

    >>> path, stakes = follow(np.array([0.0, 1.0, 1.0]), 0.1)
    >>> path.round(3).tolist()
    [-0.076, 0.386, 1.031]
    """
    grid, now = bets(risk)[:, None], start() if stakes is None else stakes
    path, place = np.empty(len(losses)), 0
    while place < len(losses):
        size = min(AGAIN - now.losses % AGAIN, len(losses) - place)
        some = losses[place : place + size]
        logs = now.logs[:, None] + np.cumsum(np.log1p(grid * (some - risk)), axis=1)  # (K, size)
        cash = not_yet_bet(now.losses // AGAIN)
        path[place : place + size] = np.logaddexp(log_mean(logs), math.log(cash))
        now = _begin_anew(Stakes(now.losses + size, logs[:, -1]))
        place += size
    return path, now


def _begin_anew(stakes: Stakes) -> Stakes:
    """The stakes after those that begin now, if any do; what was cash is bet, so that their sum stays the same."""
    number, rest = divmod(stakes.losses, AGAIN)
    if rest:
        return stakes
    return Stakes(stakes.losses, np.logaddexp(stakes.logs, math.log(stake(number))))


def log_mean(logs: Array) -> Array:
    """Return the logarithm of the mean of exponentials over the first axis."""
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).mean(axis=0)))
