r"""Bets against every value that a mean may have: how many of a fixed grid of hypotheses are rejected.

.. math:: K_t(m) = \prod_{s \le t} (1 + \lambda_s(m) (m - X_s)), \qquad
    \lambda_s(m) = \frac{\varphi(\Phi^{-1}(Q))}{Q \sigma_s \sqrt{r_s}}, \quad Q = \delta K/1.01,

at most .999/(u_s - m). X_s <= u_s; sigma_s is the standard deviation of the values before s around m, r_s about how
many are left.

Validity. If E[X_t | past] >= m for all t, K(m) is a supermartingale that starts at 1, for lambda >= 0 depends on the
past only. It is not negative, for lambda (u - m) < 1. So P(K_t(m) >= 1/delta for some t) <= delta (Ville 1939).
Hypotheses are tested from the largest m downwards up to the first that is not rejected. If the mean is above the last
rejected one, the largest grid point that is not above the mean, which is a true hypothesis, was rejected: probability
at most delta. Nothing else about lambda matters for validity; grid and blocks are fixed by n alone.

Power. delta K is kept near the price of an option that pays 1 if the sum stays small enough, and lambda is what hedges
it: a Gaussian limit then lies z_delta standard errors above the mean, not sqrt(2 ln 1/delta) as with constant bets
(bets: Waudby-Smith and Ramdas 2024). Bets aim at 1.01/delta, and at being done sqrt(n) values early, so that 1/delta
is reached rather than nearly reached.

Rounding. Factors are at least .001, so one step loses at most a relative 2^-53 (2 + 2/.001) of K. A hypothesis is
rejected where K exceeds 1/delta by n times more than that.
"""

import math
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

#: Grid steps in standard errors of 0/1 values.
STEP = 0.03
#: Share of the wealth that no bet risks.
KEPT = 1e-3
#: How far above 1/delta the bets aim: a goal that is just missed pays nothing.
AIM = 1.01
#: Values that the variance m(1 - m) of 0/1 values counts as.
PRIOR = 30.0
#: A hypothesis whose wealth fell to this share of its start is given up, that is, not rejected.
RUIN = 1e-6
#: Cells of the table of bets per power of two.
CELLS = 64
#: Values from which numba is imported for the loop. Both loops give the same bits.
WORTH_COMPILING = 2**15
#: Factors that the numpy loop holds at once.
HELD = 2**18


class Walk(NamedTuple):
    """All that a walk through the values needs, fixed before it but for the values themselves."""

    values: Floats
    starts: Places
    limits: Floats
    first: Floats
    second: Floats
    grid: Floats
    rates: Floats
    lowest: int
    delta: float
    bar: float
    floor: float


def upper_limit(values: Floats, limits: Floats, delta: float) -> float:
    """Return the smallest m that is rejected with all grid points above it, or 1 where none is.

    The mean of the values where that is larger: bets that were won before the large values came reject it, which is
    valid but of no use.

    Parameters
    ----------
    values : (n,) array
        X_t, with E[X_t | past] the same for all t.
    limits : (blocks,) array
        u of each block of `blocks`, no value of the block above it, known before the block.
    delta : float
        Failure probability.
    """
    walk = prepare(values, limits, delta)
    if delta < walk.floor:
        return 1.0
    rejected = _loop(len(values))(*walk)
    return max(float(walk.grid[rejected - 1]), float(walk.values.mean())) if rejected else 1.0


def prepare(values: Floats, limits: Floats, delta: float) -> Walk:
    """Return what both loops are given. Values far below 0 are raised to -1e100, which only raises their mean."""
    n, cut = len(values), np.maximum(values, -1e100)
    # delta K at which a hypothesis is rejected, rounding paid for, and below which it is given up
    bar, floor = 1.0 + 4.0 * n * 2.0**-53 / KEPT, max(RUIN * delta, 1e-300)
    lowest = math.frexp(floor)[1]
    first, second, grid = _sums(cut), _sums(cut * cut), hypotheses(n)
    # one below the mean of the values is enough: rejecting it and others would give the mean all the same
    grid = grid[: int((grid >= cut.mean()).sum()) + 1]
    return Walk(cut, blocks(n), limits, first, second, grid, _rates(lowest), lowest, delta, bar, floor)


def _sums(values: Floats) -> Floats:
    """Sums of the values before each place."""
    return np.concatenate([np.zeros(1), np.cumsum(values)])


def _loop(n: int) -> Callable[..., int]:
    if n >= WORTH_COMPILING or "comitia.bounds.betting_kernel" in sys.modules:
        from comitia.bounds import betting_kernel  # inside, for importing numba takes a while

        if betting_kernel.AVAILABLE:
            return betting_kernel.count_rejected
    return count_rejected


def hypotheses(n: int) -> Floats:
    """Return the grid, falling from below 1 to above 0, in steps of `STEP` standard errors of 0/1 values.

    m = (1 + cos a)/2 has dm = sqrt(m(1 - m)) da.

    >>> hypotheses(1)[[0, -1]].round(6).tolist()
    [0.999776, 0.000224]
    """
    angles = np.linspace(0.0, math.pi, int(math.pi * math.sqrt(n) / STEP) + 2)[1:-1]
    return np.asarray((1 + np.cos(angles)) / 2)


def blocks(n: int) -> Places:
    """Return where blocks of one bet begin, and n: short while little is known and where little is left.

    >>> blocks(4).tolist()
    [0, 1, 2, 3, 4]
    """
    starts = [0]
    while starts[-1] < n:
        begin = starts[-1]
        starts.append(begin + max(1, min(begin // 16, (n - begin) // 128)))
    return np.array(starts)


def _rates(lowest: int) -> Floats:
    """phi(z)/Q with z = Phi^-1(Q), by exponent, from the lowest on, and leading bits of delta K."""
    middles = (CELLS + np.arange(CELLS) + 0.5) / (2 * CELLS)
    wealth = np.ldexp(middles, np.arange(lowest, 2)[:, None]).ravel()
    goal = np.minimum(wealth / AIM, 1 - 1e-3)
    return np.asarray(np.exp(-0.5 * ndtri(goal) ** 2) / (math.sqrt(2 * math.pi) * goal))


def count_rejected(*prepared: Any) -> int:
    """Return how many hypotheses are rejected before the first that is not, without numba; takes a `Walk`."""
    walk = Walk(*prepared)
    wealth, places = np.full(len(walk.grid), walk.delta), np.arange(len(walk.grid))
    rejected = np.zeros(len(walk.grid) + 1, bool)
    for block, (start, stop) in enumerate(pairwise(walk.starts.tolist())):
        m = walk.grid[places]
        bets = _bets(walk, block, m, wealth)
        wealth = _follow(wealth, bets, m, walk.values[start:stop], walk.bar, walk.floor)
        rejected[places[wealth >= walk.bar]] = True
        # Hypotheses below one that is given up are never reached.
        reached = np.logical_and.accumulate(wealth >= walk.floor) & (wealth < walk.bar)
        places, wealth = places[reached], wealth[reached]
        if not len(places):
            break
    return int(rejected.argmin())


def _bets(walk: Walk, block: int, m: Floats, wealth: Floats) -> Floats:
    n, start = len(walk.values), walk.starts[block]
    left = max(n - math.sqrt(n) - start, 0.25 * (n - start), 1.0)
    around = walk.second[start] - 2.0 * m * walk.first[start] + float(start) * m * m
    variance = (PRIOR * m * (1.0 - m) + np.maximum(around, 0.0)) / (PRIOR + start)
    mantissa, exponent = np.frexp(wealth)
    cell = (exponent - walk.lowest) * CELLS + (mantissa * (2 * CELLS)).astype(np.int64) - CELLS
    largest = (1.0 - KEPT) / (walk.limits[block] - m)
    return np.asarray(np.minimum(walk.rates[cell] / np.sqrt(variance * left), largest))


def _follow(wealth: Floats, bets: Floats, m: Floats, values: Floats, bar: float, floor: float) -> Floats:
    """The wealth after the values; where it reached the bar or fell below the floor, infinity or 0."""
    size = max(1, HELD // max(1, len(m)))
    for start in range(0, len(values), size):
        with np.errstate(over="ignore"):  # of what was rejected
            some = values[start : start + size, None]
            paths = np.empty((len(some) + 1, len(m)))  # a hypothesis per column: rows are multiplied whole
            paths[0] = wealth
            np.subtract(m, some, out=paths[1:])
            paths[1:] *= bets
            paths[1:] += 1.0
            np.multiply.accumulate(paths, axis=0, out=paths)
        wealth = _judge(paths, bar, floor)
    return wealth


def _judge(paths: Floats, bar: float, floor: float) -> Floats:
    """Ends of the paths, infinity or 0 for those that left [floor, bar) upwards or downwards first."""
    ends: Floats = paths[-1].copy()
    above, below = paths.max(axis=0, initial=0.0) >= bar, paths.min(axis=0, initial=bar) < floor
    both = above & below
    higher, lower = (paths[:, both] >= bar).argmax(axis=0), (paths[:, both] < floor).argmax(axis=0)
    above[both], below[both] = higher < lower, lower < higher
    ends[above], ends[below] = math.inf, 0.0
    return ends
