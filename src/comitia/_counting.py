"""What is counted of the deployed vote itself: its errors, on all samples, on those kept for certifying, by group."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions
from comitia._samples import Groups
from comitia._simplex import as_counts
from comitia._votes import certified_losses
from comitia.statistics.counted import Counted, Holdout

Array = NDArray[np.float64]


def counted(
    predictions: Holdout,
    rho: Array,
    vote: str,
    kept: NDArray[np.int64] | None,
    seed: int,
    threshold: float | None,
) -> dict[str, Any]:
    """Return the errors of the deployed vote, where all members can vote, and of a member that votes alone."""
    one = np.count_nonzero(rho) == 1
    counts = as_counts(rho)
    found: dict[str, Any] = {"counts": None if counts is None else tuple(counts.tolist())}
    if isinstance(predictions, Counted):
        return {**found, **(_of_one(predictions, int(rho.argmax())) if one else {})}
    if not predictions.shared:
        return {
            **found,
            "alone": _own_errors(predictions.pick(np.flatnonzero(rho)), vote, threshold) if one else None,
        }
    losses = certified_losses(predictions, rho, vote, threshold)
    some = losses if kept is None else losses[kept]
    errors, samples = int(losses.sum()), len(losses)
    found |= {"errors": errors, "samples": samples, "kept_errors": int(some.sum()), "kept_samples": len(some)}
    if predictions.groups is not None:
        groups = predictions.groups if kept is None else predictions.groups.take(kept)
        found |= _by_group(some, groups, seed)
    return {**found, "alone": (errors, samples) if one else None}


def _of_one(known: Counted, member: int) -> dict[str, Any]:
    """Return the errors of a vote of one member: the only vote whose errors are among the counts."""
    errors, samples = int(known.counts.errors[member]), int(known.counts.samples[member])
    found: dict[str, Any] = {"alone": (errors, samples)}
    if known.shared:
        found |= {"errors": errors, "samples": samples, "kept_errors": errors, "kept_samples": samples}
    return found


def _by_group(losses: NDArray[np.bool_], groups: Groups, seed: int) -> dict[str, Any]:
    """Return errors and size of each group, in an order drawn from the seed."""
    codes = groups.canonical()
    sizes, errors = np.bincount(codes), np.bincount(codes, losses).astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(sizes))
    return {"group_errors": tuple(errors[order].tolist()), "group_sizes": tuple(sizes[order].tolist())}


def _own_errors(one: Predictions, vote: str, threshold: float | None) -> tuple[int, int]:
    """Return the errors of a single member on its own hold-out samples, and how many those are."""
    mask = one.mask()
    assert mask is not None
    own = np.flatnonzero(mask[0])
    return int(certified_losses(one.take(own), [1.0], vote, threshold).sum()), len(own)
