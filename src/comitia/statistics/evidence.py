r"""Evidence that a risk is above what was promised: a test martingale over losses that come one by one.

.. math:: E_t = \frac1K \sum_{k=1}^K \prod_{s \le t} (1 + \lambda_k (\ell_s - r)), \qquad
    \lambda_k = c_k / r, \quad c_1 = r/16 < \dots < c_K = .3 \text{ geometric}

Source: Ville (1939); betting on means, Waudby-Smith and Ramdas (2024).
Valid for losses in [0, 1] whose expectation given the past is at most r: every factor is at least .7 and has
expectation at most 1, so E is a nonnegative supermartingale that starts at 1, and P(E_t >= 1/alpha for some t) <= alpha.
It may be looked at after every loss. The bet that grows fastest at a true risk p is c = (p - r)/(1 - r): the grid reaches
from p = 17/16 r to p above .3. Larger bets would win little, for such risks show in a dozen losses.
"""

import math

import numpy as np
from numpy.typing import NDArray

from comitia._errors import require_open_unit

#: Bets on the grid. It is fixed by the risk alone.
BETS = 16
#: The smallest bet, as a share of the risk, and the largest.
SMALLEST, LARGEST = 1 / 16, 0.3
# Losses at a time.
CHUNK = 2**14
# What sums of logarithms may be off by; the threshold is made higher by it.
ROUNDING = 1e-9

Array = NDArray[np.float64]


def bets(risk: float) -> Array:
    """Return the grid of lambda, (K,), for losses that are promised to be at most `risk` on average.

    >>> (bets(0.1)[[0, -1]]).round(6).tolist()
    [0.125, 5.0]
    """
    r = require_open_unit("risk", risk)
    return np.asarray(np.geomspace(min(SMALLEST * r, LARGEST), LARGEST, BETS) / r)


def threshold(alpha: float) -> float:
    """Return the logarithm of the evidence at which the alarm goes on.

    >>> round(threshold(0.05), 6)
    2.995732
    """
    return -math.log(require_open_unit("alpha", alpha)) + ROUNDING


def follow(losses: Array, risk: float, sums: Array | None = None) -> tuple[Array, Array]:
    """Return ln E after each loss, (n,), and the logarithms of the K products, with which to go on.

    Parameters
    ----------
    losses : (n,) in [0, 1], in an order that does not depend on them
    risk : what their expectation is promised to be at most
    sums : (K,) what an earlier call returned; None starts anew

    >>> path, sums = follow(np.array([0.0, 1.0, 1.0]), 0.1)
    >>> path.round(3).tolist()
    [-0.147, 0.659, 1.729]
    """
    grid = bets(risk)
    current = np.zeros(BETS) if sums is None else np.array(sums, dtype=np.float64)
    path = np.empty(len(losses))
    for start in range(0, len(losses), CHUNK):
        some = losses[start : start + CHUNK]
        logs = current[:, None] + np.cumsum(np.log1p(grid[:, None] * (some - risk)), axis=1)  # (K, b)
        path[start : start + CHUNK] = _log_mean(logs)
        current = logs[:, -1]
    return path, current


def _log_mean(logs: Array) -> Array:
    """The logarithm of the mean of exponentials over the first axis."""
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).mean(axis=0)))


def log_evidence(errors: int, labels: int, risk: float) -> float:
    """Return ln E after that many 0/1 losses, of which so many are 1: their order does not matter.

    >>> round(log_evidence(2, 3, 0.1), 3)
    1.729
    """
    grid = bets(risk)
    logs = errors * np.log1p(grid * (1 - risk)) + (labels - errors) * np.log1p(-grid * risk)
    return float(_log_mean(logs))
