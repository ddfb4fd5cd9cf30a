"""Exact integer counts of errors, co-errors and disagreements; counts of shards add up."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._shards import Shard, spans
from comitia._threads import in_threads
from comitia.statistics import bits

#: Bytes of packed bits that are gathered before they are counted.
GATHERED = 2**26

Matrix = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Integers that determine all hard statistics, of some samples; `a + b` are those of all their samples.

    Attributes
    ----------
    errors, samples : (M,) errors of each member, and on how many hold-out samples
    co_errors, disagreements : (M, M) samples of D_i ∩ D_j on which both err, on which their classes differ
    pair_samples, pair_errors : (M, M) |D_i ∩ D_j| and the errors of i there; None for a shared hold-out
    """

    errors: Matrix
    samples: Matrix
    co_errors: Matrix
    disagreements: Matrix
    pair_samples: Matrix | None = None
    pair_errors: Matrix | None = None

    def __add__(self, other: "Counts") -> "Counts":
        masked = self.pair_samples is not None or other.pair_samples is not None
        mine, theirs = self._pairs(), other._pairs()
        return Counts(
            self.errors + other.errors,
            self.samples + other.samples,
            self.co_errors + other.co_errors,
            self.disagreements + other.disagreements,
            mine[0] + theirs[0] if masked else None,
            mine[1] + theirs[1] if masked else None,
        )

    def _pairs(self) -> tuple[Matrix, Matrix]:
        if self.pair_samples is not None and self.pair_errors is not None:
            return self.pair_samples, self.pair_errors
        shape = (len(self.errors), len(self.errors))
        return np.broadcast_to(self.samples[:, None], shape), np.broadcast_to(self.errors[:, None], shape)


def co_errors(errors: NDArray[np.bool_]) -> Matrix:
    """Return, as (M, M), on how many samples both members of each pair err, exactly; errors (M, n) bool.

    >>> co_errors(np.array([[True, True, False], [False, True, True]])).tolist()
    [[2, 1], [1, 2]]
    """
    array = np.asarray(errors)
    if array.dtype != np.bool_ or array.ndim != 2:
        raise InputError(f"errors: must be bool of shape (M, n), got {array.dtype} of shape {array.shape}")
    return bits.co_occurrences(bits.pack(array))


def count(predictions: Predictions) -> Counts:
    """Return the counts of those predictions, read in pieces of bounded memory.

    >>> counts = count(Predictions.from_arrays(votes=[[0, 1, 1], [0, 0, 2]], labels=[0, 1, 2]))
    >>> counts.errors.tolist(), counts.co_errors.tolist(), counts.disagreements.tolist()
    ([1, 1], [[1, 0], [0, 1]], [[0, 2], [2, 0]])
    """
    parts = _parts(predictions)
    total = next(parts)
    for part in parts:
        total = total + part
    return total


def _parts(predictions: Predictions) -> Iterator[Counts]:
    labels = require_labels(predictions)
    planes = max(1, (predictions.classes - (not predictions.abstains)).bit_length())
    step = max(1, GATHERED // (8 * predictions.members * (planes + 2))) * 64
    offset = 0
    for shard in predictions.shards:
        for start, stop in spans(shard.samples, step):
            wrong, plane_words, keep = _gather(
                shard, labels[offset + start : offset + stop], start, stop, planes, predictions.classes
            )
            yield _count(wrong, plane_words, keep, stop - start, shard.mask is not None)
        offset += shard.samples


def require_labels(predictions: Predictions) -> NDArray[np.int64]:
    """Return the labels, or raise an error that says what they are needed for."""
    if predictions.labels is None:
        raise InputError("labels: losses cannot be measured without them; give the hold-out's classes")
    return predictions.labels


def _gather(
    shard: Shard, labels: NDArray[np.int64], start: int, stop: int, planes: int, classes: int
) -> tuple[bits.Words, bits.Words, bits.Words]:
    """Return packed errors (M, W), bit planes of classes (M, B, W) and hold-outs (M, W) of samples start..stop."""
    chosen, mask = shard.votes(start, stop, classes), shard.masked(start, stop)
    dtype = chosen.dtype
    truth, shape = labels.astype(dtype), (len(chosen), -(-(stop - start) // 64))
    wrong, keep = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
    digits = np.zeros((shape[0], planes, shape[1]), np.uint64)

    def pack(index: int) -> None:
        kept = np.ones(stop - start, bool) if mask is None else mask[index]
        wrong[index] = bits.pack((chosen[index] != truth) & kept)
        keep[index] = bits.pack(kept)
        # a shard in which all answer may need fewer bits than one with a class for silence
        for plane in range(min(planes, 8 * dtype.itemsize)):
            digits[index, plane] = bits.pack(chosen[index] & dtype.type(1 << plane))

    for _ in in_threads(pack, range(len(chosen)), large=shard.large):
        pass
    return wrong, digits, keep


def _count(wrong: bits.Words, digits: bits.Words, keep: bits.Words, samples: int, masked: bool) -> Counts:
    differ, members = bits.differences(digits, keep), len(wrong)
    if not masked:
        both = bits.co_occurrences(wrong)
        return Counts(both.diagonal().copy(), np.full(members, samples), both, differ)
    # One product of errors and hold-outs stacked gives all three: E∧E, K∧K and E∧K.
    all_pairs = bits.co_occurrences(np.concatenate([wrong, keep]))
    both, common = all_pairs[:members, :members], all_pairs[members:, members:]
    own = all_pairs[:members, members:]
    return Counts(both.diagonal().copy(), common.diagonal().copy(), both, differ, common, own)
