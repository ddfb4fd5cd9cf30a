"""Weights and priors on the simplex: checks at the door, pruning, and weights that are multiples of 1/k."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError

# The largest k for which weights count as multiples of 1/k: beyond it the price of writing them down
# makes the occam certificate useless for any hold-out of a realistic size.
LARGEST_COUNT = 100


def as_weights(weights: ArrayLike, members: int) -> NDArray[np.float64]:
    """Return the weights as (M,) float64, checked to lie on the simplex."""
    return _on_simplex("weights", weights, members)


def as_prior(prior: ArrayLike | None, members: int) -> NDArray[np.float64]:
    """Return the prior as (M,) float64, checked to lie on the simplex; uniform when None."""
    if prior is None:
        return np.full(members, 1.0 / members)
    return _on_simplex("prior", prior, members)


def _on_simplex(argument: str, values: ArrayLike, members: int) -> NDArray[np.float64]:
    try:
        rho = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: must be {members} numbers, one per member") from None
    if rho.shape != (members,):
        raise InputError(f"{argument}: must be {members} numbers, one per member, got shape {rho.shape}")
    if not np.isfinite(rho).all() or (rho < 0).any():
        raise InputError(f"{argument}: must be finite and not negative")
    if abs(rho.sum() - 1) > 1e-6:
        raise InputError(f"{argument}: must sum to 1, got {rho.sum():.6g}; divide by the sum")
    return np.asarray(rho / rho.sum())


def prune(weights: NDArray[np.float64], smallest: float = 1e-6) -> NDArray[np.float64]:
    """Return the weights with all below `smallest` set to zero (never the largest one), normalised again.

    >>> prune(np.array([0.75, 0.25, 1e-8])).round(6)
    array([0.75, 0.25, 0.  ])
    """
    kept = np.where(weights >= min(smallest, float(weights.max())), weights, 0.0)
    return np.asarray(kept / kept.sum())


def round_to(weights: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the nearest weights that are multiples of 1/k, by largest remainders (lowest index first).

    >>> round_to(np.array([0.62, 0.28, 0.1]), 4)
    array([0.75, 0.25, 0.  ])
    """
    scaled = weights * k
    counts = np.floor(scaled)
    short = k - int(counts.sum())
    order = np.argsort(-(scaled - counts), kind="stable")
    counts[order[:short]] += 1
    return np.asarray(counts / k)


def as_counts(weights: NDArray[np.float64], largest: int = LARGEST_COUNT) -> NDArray[np.int64] | None:
    """Return the counts with the smallest sum k such that weights = counts / k, or None if k would exceed `largest`.

    >>> as_counts(np.array([0.75, 0.25, 0.0]))
    array([3, 1, 0])
    """
    for k in range(1, largest + 1):
        scaled = weights * k
        counts = np.rint(scaled)
        if np.abs(scaled - counts).max() < 1e-9:
            return counts.astype(np.int64)
    return None
