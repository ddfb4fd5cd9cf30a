"""Losses of samples that are not 0 or 1, or do not count alike, and their sums over members and pairs.

Margin losses of probabilities; 0/1 errors of members that may give no answer, which counts one half; and losses of
grouped samples, averaged within each group first: a sample then counts 1 over the size of its group.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._shards import Shard, class_rows, spans
from comitia._threads import in_threads, loops, single_blas_threads
from comitia.statistics.counts import require_labels, require_pairs

#: Probabilities that are read before their losses are multiplied: few, for fresh memory costs more than the sums.
GATHERED = 2**22
#: With more members than this their matrices are so large that one at a time is made, by all threads of BLAS.
MANY = 512


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of margin losses e_i: of members (M,), of products e_i·e_j, of e_i on D_i ∩ D_j, and counts."""

    first: NDArray[np.float64]
    samples: NDArray[np.float64]
    second: NDArray[np.float64]
    pair_samples: NDArray[np.float64] | None
    pair_first: NDArray[np.float64] | None

    def __iadd__(self, other: "Sums") -> "Sums":
        for entry in fields(self):
            total = getattr(self, entry.name)
            if total is not None:
                total += getattr(other, entry.name)
        return self


def margin_losses(probs: NDArray[Any], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, as (b,), the losses (1 − (p(y) − max_{c≠y} p(c))) / 2 in [0, 1]; probs (b, C), or (b,) of class 1 of two.

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


def vote_losses(votes: NDArray[Any], labels: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """Return, as (M, b), (1 + wrong − right)/2: 0 for the true class, 1 for another, 1/2 for no answer (class C).

    If a majority of those who answer errs or ties, or nobody answers, then Σ ρ_i e_i ≥ 1/2.

    >>> vote_losses(np.array([[0, 1, 2]]), np.array([0, 0, 0]), 2)
    array([[0. , 1. , 0.5]])
    """
    losses: NDArray[np.float64] = (votes != labels).astype(np.float64)
    losses[votes == classes] = 0.5
    return losses


def sum_losses(predictions: Predictions, loss: str = "soft") -> Sums:
    """Return the sums over all samples, read in pieces of bounded memory."""
    require_pairs(predictions.members)
    return _added(_pieces(predictions, None, loss))[0]


def sum_losses_with_part(predictions: Predictions, part: NDArray[np.int64]) -> tuple[Sums, Sums]:
    """Return the sums over all samples and over a part of them (positions) from one pass, for a shared hold-out."""
    require_pairs(predictions.members)
    inside = np.zeros(predictions.samples, bool)
    inside[part] = True
    every, some = _added(_pieces(predictions, inside, "soft"))
    return every, some


def _added(pieces: Iterator[tuple[Sums, ...]]) -> tuple[Sums, ...]:
    """Return the totals of all pieces, in their order."""
    totals = next(pieces)
    for piece in pieces:
        for total, more in zip(totals, piece):
            total += more  # in place, for the matrices may be large
    return totals


def shares_of_groups(predictions: Predictions) -> NDArray[np.float64] | None:
    """Return, as (n,), 1 over the size of each sample's group; None where samples are independent."""
    if predictions.groups is None:
        return None
    if not predictions.shared:
        raise InputError(
            "groups: members with hold-outs of their own (mask) are not certified on grouped samples; give predictions "
            "of all members on the same samples"
        )
    return np.asarray(1.0 / predictions.groups.sizes())


def _pieces(
    predictions: Predictions, inside: NDArray[np.bool_] | None, loss: str
) -> Iterator[tuple[Sums, ...]]:
    """Yield the sums of each piece of the samples, and of those inside."""
    if loss == "soft" and not predictions.has_probs:
        raise InputError("probs: the average vote needs probabilities, these are votes; use vote majority")
    labels, masked, shares = (
        require_labels(predictions),
        not predictions.shared,
        shares_of_groups(predictions),
    )
    many, offset = predictions.members > MANY, 0
    for shard in predictions.shards:
        step = max(64, (8 if many else 1) * GATHERED // (predictions.members * shard.width))

        def add(span: tuple[int, int], shard: Shard = shard, offset: int = offset) -> tuple[Sums, ...]:
            here = slice(offset + span[0], offset + span[1])
            losses = _losses(shard, labels[here], *span, None if loss == "soft" else predictions.classes)
            shard.release()
            counts = None if shares is None else shares[here]
            every = _sums(losses, shard.masked(*span), masked, counts)
            if inside is None:
                return (every,)
            kept = inside[here]
            part = _sums(losses[:, kept], None, False, None if counts is None else counts[kept])
            return every, part

        with nullcontext() if many else single_blas_threads():
            yield from in_threads(add, spans(shard.samples, step), large=shard.large and not many)
        offset += shard.samples


def _losses(
    shard: Shard, labels: NDArray[np.int64], start: int, stop: int, classes: int | None
) -> NDArray[np.float64]:
    """Return the members' losses (M, b), zero where a sample is not their hold-out; of votes if classes are given."""
    mask = shard.masked(start, stop)
    if classes is not None:
        losses = vote_losses(shard.votes(start, stop, classes), labels, classes)
        return losses if mask is None else np.where(mask, losses, 0.0)
    losses = np.empty((len(shard.values), stop - start))
    for index, row in enumerate(losses):
        stored = shard.member(index, start, stop)
        compiled = loops(stored, values=shard.size) if stored.ndim == 2 else None
        if compiled is None:
            row[:] = margin_losses(stored, labels)
        else:
            compiled.margin_losses(stored, labels, row)
    return losses if mask is None else np.where(mask, losses, 0.0)


def _sums(
    losses: NDArray[np.float64],
    mask: NDArray[np.bool_] | None,
    masked: bool,
    shares: NDArray[np.float64] | None = None,
) -> Sums:
    """Return the sums of losses (M, b), each sample counted as its share (b,) says, once without."""
    members, samples = losses.shape
    if shares is not None:
        counted = losses * shares
        return Sums(counted.sum(axis=1), np.full(members, shares.sum()), counted @ losses.T, None, None)
    own = np.full(members, float(samples)) if mask is None else mask.sum(axis=1).astype(np.float64)
    if not masked:
        return Sums(losses.sum(axis=1), own, losses @ losses.T, None, None)
    keep = np.ones_like(losses) if mask is None else mask.astype(np.float64)
    return Sums(losses.sum(axis=1), own, losses @ losses.T, keep @ keep.T, losses @ keep.T)
