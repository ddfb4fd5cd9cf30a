"""Margin losses of probabilities, and their sums over members and pairs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._shards import KEPT, Shard, class_rows, spans
from comitia._threads import in_threads, loops
from comitia.statistics.counts import require_labels

#: Losses (float64) that are gathered before they are multiplied: 64 MB.
GATHERED = 2**23


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of margin losses e_i: of members (M,), of products e_i·e_j, of e_i on D_i ∩ D_j, and counts."""

    first: NDArray[np.float64]
    samples: NDArray[np.float64]
    second: NDArray[np.float64]
    pair_samples: NDArray[np.float64] | None
    pair_first: NDArray[np.float64] | None


def margin_losses(probs: NDArray[Any], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """(b,) the losses (1 − (p(y) − max_{c≠y} p(c))) / 2 in [0, 1]; probs (b, C), or (b,) of class 1 of two.

    If an average with weights ρ errs or ties then Σ ρ_i e_i ≥ 1/2, which is what the bounds rest on.

    >>> margin_losses(np.array([[0.5, 0.25, 0.25]]), np.array([0]))
    array([0.375])
    """
    if probs.ndim == 1:
        ones = probs.astype(np.float64)
        return np.where(labels == 1, 1.0 - ones, ones)
    # (C, b), a copy: a maximum over contiguous rows is quick, one over a short last axis is not
    rows = class_rows(probs)
    place = (labels, np.arange(len(labels)))
    right = np.minimum(rows[place].astype(np.float64), 1.0)
    rows[place] = 0
    other = np.minimum(rows.max(axis=0).astype(np.float64), 1.0)
    losses: NDArray[np.float64] = (1.0 - (right - other)) / 2.0
    return losses


def sum_losses(predictions: Predictions) -> Sums:
    """The sums over all samples, read in pieces of bounded memory."""
    if not predictions.has_probs:
        raise InputError("probs: the average vote needs probabilities, these are votes; use vote majority")
    labels, members = require_labels(predictions), predictions.members
    masked = any(shard.mask is not None for shard in predictions.shards)
    first, samples = np.zeros(members), np.zeros(members)
    second, common, own = (np.zeros((members, members)) for _ in range(3))
    offset = 0
    for shard in predictions.shards:
        losses_at = losses_of(shard, labels[offset : offset + shard.samples])
        for start, stop in spans(shard.samples, max(1, GATHERED // members)):
            losses = losses_at(start, stop)
            first += losses.sum(axis=1)
            second += losses @ losses.T
            samples += (
                stop - start if shard.mask is None else np.asarray(shard.masked(start, stop)).sum(axis=1)
            )
            if masked:
                keep = _kept(shard, losses, start, stop)
                common += keep @ keep.T
                own += losses @ keep.T
        offset += shard.samples
    return Sums(first, samples, second, common if masked else None, own if masked else None)


def losses_of(shard: Shard, labels: NDArray[np.int64]) -> Callable[[int, int], NDArray[np.float64]]:
    """Return a function of start, stop: the members' losses there (M, b), zero where a sample is not their hold-out.

    Those of the whole shard are computed once and kept with it, if they are not too many and the labels are its own.
    """
    known = shard.known
    if known is None or (known.losses is None and known.votes.size > KEPT):
        return lambda start, stop: _compute(shard, labels[start:stop], start, stop)
    if known.losses is None and shard.whole:
        known.losses, known.labels = _compute(shard, labels, 0, shard.samples), labels
    kept = known.losses
    rows = slice(None) if shard.rows is None else shard.rows
    if kept is None or known.labels is None or not np.array_equal(known.labels[rows], labels):
        return lambda start, stop: _compute(shard, labels[start:stop], start, stop)
    return lambda start, stop: shard.of_known(kept, start, stop)


def _compute(shard: Shard, labels: NDArray[np.int64], start: int, stop: int) -> NDArray[np.float64]:
    losses = np.empty((len(shard.values), stop - start))

    def look(index: int) -> None:
        for low, high in shard.chunks(start, stop):
            here = slice(low - start, high - start)
            stored = shard.member(index, low, high)
            compiled = loops(stored, large=shard.large) if stored.ndim == 2 else None
            if compiled is None:
                losses[index, here] = margin_losses(stored, labels[here])
            else:
                compiled.margin_losses(stored, labels[here], losses[index, here])
        shard.release()

    for _ in in_threads(look, range(len(losses)), large=shard.large):
        pass
    mask = shard.masked(start, stop)
    return losses if mask is None else np.where(mask, losses, 0.0)


def _kept(shard: Shard, losses: NDArray[np.float64], start: int, stop: int) -> NDArray[np.float64]:
    mask = shard.masked(start, stop)
    return np.ones_like(losses) if mask is None else mask.astype(np.float64)
