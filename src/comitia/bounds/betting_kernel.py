"""The loop of `comitia.bounds.betting`, compiled by numba where it is installed (`AVAILABLE`): the same bits."""

import math

import numpy as np

from comitia._kernels import AVAILABLE, compiled
from comitia.bounds.betting import CELLS, KEPT, PRIOR, Floats, Places

__all__ = ["AVAILABLE", "count_rejected"]


@compiled
def _bet(
    n: int, start: int, limit: float, first: float, second: float, m: float, rates: Floats, cell: int
) -> float:
    left = max(n - math.sqrt(n) - start, 0.25 * (n - start), 1.0)
    around = second - 2.0 * m * first + float(start) * m * m
    variance = (PRIOR * m * (1.0 - m) + max(around, 0.0)) / (PRIOR + start)
    return min(float(rates[cell]) / math.sqrt(variance * left), (1.0 - KEPT) / (limit - m))


@compiled
def _follow(wealth: float, bet: float, m: float, values: Floats, bar: float, floor: float) -> float:
    for value in values:
        wealth *= 1.0 + bet * (m - value)
        if wealth >= bar or wealth < floor:
            break
    return wealth


@compiled
def count_rejected(
    values: Floats,
    starts: Places,
    limits: Floats,
    first: Floats,
    second: Floats,
    grid: Floats,
    rates: Floats,
    lowest: int,
    delta: float,
    bar: float,
    floor: float,
) -> int:
    """Return how many hypotheses are rejected before the first that is not; takes a `Walk`, field by field."""
    wealth, places = np.full(len(grid), delta), np.arange(len(grid))
    rejected, count = np.zeros(len(grid) + 1, np.bool_), len(grid)
    for block in range(len(limits)):
        start, stop = starts[block], starts[block + 1]
        alive = 0
        for i in range(count):
            m = grid[places[i]]
            mantissa, exponent = math.frexp(wealth[i])
            cell = (exponent - lowest) * CELLS + int(mantissa * (2 * CELLS)) - CELLS
            bet = _bet(len(values), start, limits[block], first[start], second[start], m, rates, cell)
            end = _follow(wealth[i], bet, m, values[start:stop], bar, floor)
            if end < floor:  # hypotheses below one that is given up are never reached
                break
            if end >= bar:
                rejected[places[i]] = True
            else:
                places[alive], wealth[alive] = places[i], end
                alive += 1
        count = alive
    return int(np.argmin(rejected))
