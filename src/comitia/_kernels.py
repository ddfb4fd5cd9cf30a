"""Loops over stored predictions, compiled by numba where it is installed (`AVAILABLE`).

The compiled functions release the interpreter's lock and are run by plain threads, which is safe in forked processes
and in threads of the caller, where numba's own parallel loops are not. They are cached on disk, so that only the first
process on a machine compiles them. Each has a counterpart in numpy beside its caller. Importing numba takes a while:
`comitia._threads.loops` imports this module only where there is enough to do.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

try:
    import numba

    AVAILABLE = True
except (ImportError, OSError):  # the extra `fast` is not installed, or its libraries do not load
    AVAILABLE = False

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Return the function compiled, if numba is installed."""
    if not AVAILABLE:
        return function
    try:
        made: Any = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder can be written for numba's cache: compile in every process
        made = numba.njit(nogil=True)(function)
    return made  # type: ignore[no-any-return]


@compiled
def choose_classes(stored: NDArray[Any], tolerance: float, votes: NDArray[Any]) -> int:
    """Set votes (b,) to the first largest class of each row (b, C); return the first bad row, or -1."""
    bad = -1
    for row in range(stored.shape[0]):
        largest = lowest = stored[row, 0]
        total, chosen = np.float64(largest), 0
        for label in range(1, stored.shape[1]):
            value = stored[row, label]
            total += value
            if value > largest:
                largest, chosen = value, label
            lowest = min(lowest, value)
        votes[row] = chosen
        if not (abs(total - 1.0) <= tolerance and lowest >= 0.0) and bad < 0:
            bad = row
    return bad


@compiled
def margin_losses(stored: NDArray[Any], labels: NDArray[np.int64], losses: NDArray[np.float64]) -> None:
    """Set losses (b,) to (1 - (p(y) - max_{c != y} p(c)))/2 of each row (b, C), probabilities cut at 1."""
    zero = stored.dtype.type(0)
    for row in range(stored.shape[0]):
        label, other = labels[row], zero
        for place in range(stored.shape[1]):
            value = zero if place == label else stored[row, place]  # no branch: twice as quick as one
            other = value if value > other else other
        right = min(np.float64(stored[row, label]), 1.0)
        losses[row] = (1.0 - (right - min(np.float64(other), 1.0))) / 2.0


@compiled
def add_weighted(stored: NDArray[Any], weight: float, totals: NDArray[np.float64]) -> None:
    """Add weight · probabilities, cut at 1, to the totals; both flat."""
    for place in range(stored.shape[0]):
        totals[place] += weight * min(np.float64(stored[place]), 1.0)


@compiled
def add_votes(votes: NDArray[Any], weights: NDArray[np.float64], totals: NDArray[np.float64]) -> None:
    """Add the weight of each member's vote (M, b) to the totals (b, C)."""
    for member in range(votes.shape[0]):
        weight = weights[member]
        for sample in range(votes.shape[1]):
            totals[sample, votes[member, sample]] += weight
