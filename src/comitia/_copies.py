"""Samples that are copies of each other: marks that distinguish samples, and when equal marks are no coincidence."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._shards import Shard, class_rows

#: A sample tells itself from others if some member is less sure of its class than this; surer ones saturate,
#: get clipped or rounded, and then different samples look alike.
SURE = 0.99
#: Members, spread over all, that a first look for copied samples takes.
GLANCE = 8


def marks(shards: Sequence[Shard], *, quick: bool = False) -> NDArray[np.uint64]:
    """Return, as (n,), a mark per sample: equal where all members' probabilities are equal, else different.

    Marks of different probabilities are equal only by a rare coincidence.

    The bits of the probabilities as float32, times fixed random odd numbers, summed modulo 2^64: exact, so that
    the place of a sample does not matter. `quick` looks at `GLANCE` members only: marks that differ there differ.

    >>> import numpy as np
    >>> first, again, other = marks([Shard("binary", np.array([[0.2, 0.2, 0.3], [0.4, 0.4, 0.4]]))])
    >>> bool(first == again), bool(first == other)
    (True, False)
    """
    members = len(shards[0].values)
    of_class, of_member = _odd(shards[0].width, seed=0), _odd(members, seed=1)
    found = np.zeros(sum(shard.samples for shard in shards), np.uint64)
    for place, index, stored in _walk(shards, GLANCE if quick else members):
        bits = stored.astype(np.float32, copy=False).view(np.uint32).astype(np.uint64)
        found[place] += (bits.reshape(len(bits), -1) @ of_class) * of_member[index]  # (b, C) @ (C,)
    return found


def _odd(size: int, seed: int) -> NDArray[np.uint64]:
    drawn = np.random.default_rng(seed).integers(0, 2**64, size, np.uint64)
    return drawn | np.uint64(1)


def _walk(shards: Sequence[Shard], most: int) -> Iterator[tuple[slice, int, NDArray[Any]]]:
    """Chunks of stored values of at most that many members: which samples of all shards, which member, the values."""
    looked = np.unique(np.linspace(0, len(shards[0].values) - 1, most).astype(int)).tolist()
    offset = 0
    for shard in shards:
        for index in looked:
            for start, stop in shard.chunks(0, shard.samples):
                yield slice(offset + start, offset + stop), index, shard.member(index, start, stop)
            shard.release()
        offset += shard.samples


def telling_marks(shards: Sequence[Shard]) -> NDArray[np.uint64]:
    """Return the marks of the samples that can be told from others."""
    return marks(shards)[telling(shards)]


def telling(shards: Sequence[Shard]) -> NDArray[np.bool_]:
    """Return, as (n,), whether some of `GLANCE` members is less sure than `SURE`: the sample looks like no other.

    >>> import numpy as np
    >>> telling([Shard("binary", np.array([[0.2, 0.999, 0.0], [0.0, 1.0, 0.0]]))])
    array([ True, False, False])
    """
    found = np.zeros(sum(shard.samples for shard in shards), bool)
    for place, _, stored in _walk(shards, GLANCE):
        largest = np.maximum(stored, 1 - stored) if stored.ndim == 1 else class_rows(stored).max(axis=0)
        found[place] |= (largest > 0) & (largest < SURE)  # zero: not hold-out for that member
    return found


def repeats(numbers: NDArray[np.uint64]) -> int:
    """Return how many of the numbers occur earlier.

    >>> import numpy as np
    >>> repeats(np.array([5, 7, 5, 5], np.uint64))
    2
    """
    return len(numbers) - len(np.unique(numbers))


def in_common(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> int:
    """Return how many marks two sets of samples have in common; 0 where they may be different samples that look alike.

    Of independent draws the same share of the n·m pairs between the sets look alike as of the pairs inside one.
    Ten times what that leads to expect, and 1% of the smaller set, are not a coincidence.
    """
    common = len(np.intersect1d(one, other))
    if not common:
        return 0
    expected = min(_alike(one), _alike(other)) * len(one) * len(other)
    return common if common > max(10 * expected, min(len(one), len(other)) / 100) else 0


def repeats_beyond(these: NDArray[np.uint64], others: NDArray[np.uint64]) -> int:
    """Return how many of these marks occur earlier; 0 where other samples look alike as often, as in `in_common`."""
    found = repeats(these)
    if not found or not len(others):
        return 0
    expected = _alike(others) * len(these) ** 2 / 2
    return found if found > max(10 * expected, len(these) / 100) else 0


def _alike(inside: NDArray[np.uint64]) -> float:
    """The share of pairs of samples that look alike, half a pair more than were seen."""
    return (2 * repeats(inside) + 1) / len(inside) ** 2
