"""Votes that two sets of samples have in common: single ones look alike, long runs of them in the same order do not."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions

#: Bits that a run must carry, by how rare its answers are given the labels: that many are no coincidence.
BITS = 90.0
#: Samples of a run, from and to; the length is such that a run carries twice those bits on average.
SHORTEST, LONGEST = 32, 4096
_BASE = 0x9E3779B97F4A7C15


def common_run(parts: Sequence[Predictions]) -> tuple[int, int, int] | None:
    """Return two of the parts and how many samples both hold in runs, in the same order; None where there are none.

    Answers of all members and the label make the mark of a sample. Runs of marks are compared by a hash of theirs. A
    mark counts -log2 of its share among the samples of its label, and nothing where it repeats the one before, so that
    neighbours that are alike prove little. Copies in another order, or in shorter runs, are not noticed.

    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 900)
    >>> votes = np.where(rng.random((5, 900)) < 0.2, 1 - labels, labels)
    >>> def part(start, stop):
    ...     return Predictions.from_arrays(votes=votes[:, start:stop], labels=labels[start:stop], classes=2)
    >>> common_run([part(0, 500), part(200, 900)]), common_run([part(0, 400), part(400, 900)])
    ((0, 1, 300), None)
    """
    if len(parts) < 2 or not _comparable(parts):
        return None
    marks = [_marks(part, parts[0].names) for part in parts]
    bits = _bits(marks, [np.asarray(part.labels) for part in parts])
    length = _length(bits)
    if length is None:
        return None
    found = [_windows(own, length) for own in marks]
    telling = [_sums(own, length) >= BITS for own in bits]
    return _shared(found, telling, length)


def _comparable(parts: Sequence[Predictions]) -> bool:
    first = parts[0]
    return all(
        part.labels is not None
        and not part.has_probs
        and set(part.names) == set(first.names)
        and part.class_names == first.class_names
        for part in parts
    )


def _marks(part: Predictions, names: Sequence[str]) -> NDArray[np.uint64]:
    """Return, as (n,), a mark per sample: of its label and of the answers of the members by their names."""
    odd = np.random.default_rng(0).integers(0, 2**64, len(names) + 1, np.uint64) | np.uint64(1)
    place = {name: index for index, name in enumerate(part.names)}
    found: NDArray[np.uint64] = (np.asarray(part.labels).astype(np.uint64) + np.uint64(1)) * odd[-1]
    votes, mask = part.votes(), part.mask()
    for index, name in enumerate(names):
        row = votes[place[name]].astype(np.uint64) + np.uint64(1)
        found += (row if mask is None else np.where(mask[place[name]], row, 0)) * odd[index]
    return found


def _bits(
    marks: Sequence[NDArray[np.uint64]], labels: Sequence[NDArray[np.int64]]
) -> list[NDArray[np.float64]]:
    """Return per sample the bits of its mark given its label."""
    _, place, count = np.unique(np.concatenate(marks), return_inverse=True, return_counts=True)
    every = np.concatenate(labels)
    whole = -np.log2(count[place] / np.bincount(every)[every])
    parts = np.split(whole, np.cumsum([len(own) for own in marks])[:-1])
    for bits, own in zip(parts, marks):
        bits[1:][own[1:] == own[:-1]] = 0.0
    return parts


def _length(bits: Sequence[NDArray[np.float64]]) -> int | None:
    """Return how many samples make a run, None where no run that fits into two parts would tell."""
    mean = float(np.concatenate(bits).mean())
    length = SHORTEST
    while length * mean < 2 * BITS and length < LONGEST:
        length *= 2
    fitting = sum(len(own) >= length for own in bits)
    return length if fitting > 1 and length * mean >= BITS else None


def _windows(marks: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """Return, as (n - length + 1,), a hash of each run: sum_j mark[i + j] base^j modulo 2^64."""
    if len(marks) < length:
        return np.empty(0, np.uint64)
    powers = _powers(_BASE, len(marks))
    sums = np.concatenate([[np.uint64(0)], np.cumsum(marks * powers, dtype=np.uint64)])
    back = _powers(pow(_BASE, -1, 2**64), len(marks) - length + 1)
    return np.asarray((sums[length:] - sums[:-length]) * back)


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    steps = np.full(count, base, np.uint64)
    steps[0] = 1
    return np.cumprod(steps, dtype=np.uint64)


def _sums(bits: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    if len(bits) < length:
        return np.empty(0)
    sums = np.concatenate([[0.0], np.cumsum(bits)])
    return np.asarray(sums[length:] - sums[:-length])


def _shared(
    found: Sequence[NDArray[np.uint64]], telling: Sequence[NDArray[np.bool_]], length: int
) -> tuple[int, int, int] | None:
    """Return the first two parts with a run in common, and how many samples of the second lie in such runs."""
    known: NDArray[np.uint64] = np.empty(0, np.uint64)
    for later, (own, use) in enumerate(zip(found, telling)):
        if np.isin(own[use], known).any():
            for earlier in range(later):
                there = use & np.isin(own, found[earlier][telling[earlier]])
                if there.any():
                    return earlier, later, _covered(there, length)
        known = np.concatenate([known, own[use]])
    return None


def _covered(starts: NDArray[np.bool_], length: int) -> int:
    """Return how many samples lie in a run that starts at a marked place."""
    steps = np.zeros(len(starts) + length, np.int64)
    np.add.at(steps, np.flatnonzero(starts), 1)
    np.add.at(steps, np.flatnonzero(starts) + length, -1)
    return int((np.cumsum(steps) > 0).sum())
