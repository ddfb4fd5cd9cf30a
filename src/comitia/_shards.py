"""Samples × members as they are stored: in memory, memory-mapped, or one array a member; read in pieces."""

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: One array a member; an array whose first axis is the members is that too.
Members = Sequence[NDArray[Any]] | NDArray[Any]
#: Values a piece may hold while a shard is walked: 2^24 float64 are 128 MB.
PIECE = 2**24
#: Values of one member that are worked on at a time: what a second cache holds.
CHUNK = 2**18
#: A sample tells itself from others if some member is less sure of its class than this; surer ones saturate,
#: get clipped or rounded, and then different samples look alike.
SURE = 0.99
#: Members, spread over all, that a first look for copied samples takes.
GLANCE = 8


@dataclass(frozen=True, eq=False)
class Shard:
    """The predictions of all members on some samples, of one kind (`probs`, `binary` or `votes`).

    Parameters
    ----------
    kind : "probs" (rows of C probabilities), "binary" (probability of class 1) or "votes" (classes)
    values : one array a member, (n, C) or (n,); an array (M, n, C) or (M, n) is such a sequence too
    mask : (M, n) bool, True where the sample is hold-out for the member; None where it always is
    rows : sorted positions of the samples in use; None for all
    """

    kind: str
    values: Members
    mask: NDArray[np.bool_] | None = None
    rows: NDArray[np.int64] | None = None

    @property
    def samples(self) -> int:
        """How many samples are in use."""
        return len(self.values[0]) if self.rows is None else len(self.rows)

    @property
    def width(self) -> int:
        """Stored values a sample: C for probabilities, else 1."""
        return int(self.values[0].shape[1]) if self.kind == "probs" else 1

    def take(self, samples: NDArray[np.int64]) -> "Shard":
        """The shard with only those of its samples (sorted positions) in use."""
        return replace(self, rows=samples if self.rows is None else self.rows[samples])

    def pick(self, members: NDArray[np.int64]) -> "Shard":
        """The shard with only those members; nothing is read."""
        values = tuple(self.values[int(i)] for i in members)
        return replace(self, values=values, mask=None if self.mask is None else self.mask[members])

    def member(self, index: int, start: int, stop: int) -> NDArray[Any]:
        """Stored values of one member on the samples start..stop, zero where they are not its hold-out."""
        where = slice(start, stop) if self.rows is None else self.rows[start:stop]
        piece: NDArray[Any] = self.values[index][where]
        keep = self.kept(index, start, stop)
        if keep is None:
            return piece
        return np.where(keep if piece.ndim == 1 else keep[:, None], piece, piece.dtype.type(0))

    def kept(self, index: int, start: int, stop: int) -> NDArray[np.bool_] | None:
        """True where the samples start..stop are hold-out for that member; None without a mask."""
        if self.mask is None:
            return None
        return np.asarray(
            self.mask[index][slice(start, stop) if self.rows is None else self.rows[start:stop]]
        )

    def piece(self, start: int, stop: int) -> NDArray[Any]:
        """Stored values of all members on the samples start..stop: (M, b, C) or (M, b)."""
        stored = np.stack([self.member(index, start, stop) for index in range(len(self.values))])
        self.release()
        return stored

    def votes(self, start: int, stop: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """The classes of all members on the samples start..stop, (M, b)."""
        found = np.empty((len(self.values), stop - start), dtype)
        for index, row in enumerate(found):
            row[:] = classes_of(self.kind, self.member(index, start, stop), dtype)
        self.release()
        return found

    def chunks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Pairs low, high that cover start..stop in steps that fit a cache, multiples of 64."""
        step = max(64, CHUNK // self.width // 64 * 64)
        return ((start + low, start + high) for low, high in spans(stop - start, step))

    def probabilities(self, start: int, stop: int) -> NDArray[np.float64] | None:
        """All members' probabilities of all classes on the samples start..stop, (M, b, C); None of votes."""
        if self.kind == "votes":
            return None
        # Rounding may leave a probability a hair above 1; losses must lie in [0, 1].
        first = self.piece(start, stop).astype(np.float64)
        np.minimum(first, 1.0, out=first)
        if self.kind == "probs":
            return first
        mask = self.masked(start, stop)
        zeroth = 1.0 - first if mask is None else np.where(mask, 1.0 - first, 0.0)
        return np.stack([zeroth, first], axis=-1)  # (M, b, 2)

    def release(self) -> None:
        """Give memory-mapped pages back: a walk over a file then needs no more memory than its pieces."""
        for part in [self.values] if isinstance(self.values, np.ndarray) else self.values:
            _release(part)

    def masked(self, start: int, stop: int) -> NDArray[np.bool_] | None:
        """The mask of all members on the samples start..stop, (M, b)."""
        if self.mask is None:
            return None
        return np.asarray(self.mask[:, slice(start, stop) if self.rows is None else self.rows[start:stop]])

    def spans(self, samples: int) -> Iterator[tuple[int, int]]:
        """Pairs start, stop that cover the shard in steps of at most `samples` and of bounded memory."""
        step = max(1, min(samples, PIECE // (len(self.values) * self.width)))
        return spans(self.samples, step)


def _release(array: Any) -> None:
    # Only maps that nobody can have written to: a copy-on-write map would lose what was written.
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and array.mode == "r":
            pages: Any = array.base
            while isinstance(pages, np.ndarray):
                pages = pages.base
            if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                pages.madvise(mmap.MADV_DONTNEED)
            return
        array = array.base


def spans(length: int, step: int) -> Iterator[tuple[int, int]]:
    """Pairs start, stop that cover 0..length in steps.

    >>> list(spans(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    return ((start, min(start + step, length)) for start in range(0, length, step))


def classes_of(kind: str, stored: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The class each stored value or row stands for: arg-max, the first class wins a tie; binary p > .5.

    >>> import numpy as np
    >>> classes_of("probs", np.array([[0.2, 0.4, 0.4]]), np.dtype("uint8"))
    array([1], dtype=uint8)
    """
    if kind == "votes":
        return stored.astype(dtype)
    if kind == "binary":
        return (stored > 0.5).astype(dtype)
    if stored.shape[-1] > 32:
        return np.asarray(stored.argmax(axis=-1), dtype=dtype)
    return _first_largest(stored, dtype)


def _first_largest(stored: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    # For few classes, counting those before the first largest one in contiguous rows is several times quicker
    # than numpy's arg-max over a short last axis.
    rows = class_rows(stored)
    largest = rows.max(axis=0)
    chosen, before = np.zeros(largest.shape, dtype), np.ones(largest.shape, bool)
    for row in rows[:-1]:
        before &= row != largest
        chosen += before
    return chosen


def class_rows(stored: NDArray[Any]) -> NDArray[Any]:
    """A copy of the stored probabilities (…, C) as (C, …), one contiguous row a class; half precision is widened.

    Always a copy, which its owner may write to: class-major or single rows are contiguous as they lie.
    """
    wide = np.float32 if stored.dtype.itemsize < 4 else stored.dtype
    return np.array(np.moveaxis(stored, -1, 0), dtype=wide, order="C")


def smallest_unsigned(classes: int) -> np.dtype[Any]:
    """The smallest unsigned integer type that counts 0..classes-1."""
    return np.min_scalar_type(max(classes - 1, 0))


def common_dtype(shards: Sequence[Shard]) -> np.dtype[Any]:
    """The type that holds the stored values of all shards, little-endian."""
    if shards[0].kind == "votes":
        return np.dtype("<u2")
    return np.result_type(*(part.dtype for shard in shards for part in shard.values)).newbyteorder("<")


def marks(shards: Sequence[Shard], *, quick: bool = False) -> NDArray[np.uint64]:
    """(n,) a number a sample: the same where all members' probabilities are, else different but for rare chance.

    The bits of the probabilities as float32, times fixed random odd numbers, summed modulo 2^64: exact, so that
    it does not matter where a sample stands. `quick` looks at `GLANCE` members only: numbers that differ there
    differ.

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
    """Chunks of stored values of at most so many members: which samples of all shards, which member, the values."""
    looked = np.unique(np.linspace(0, len(shards[0].values) - 1, most).astype(int)).tolist()
    offset = 0
    for shard in shards:
        for index in looked:
            for start, stop in shard.chunks(0, shard.samples):
                yield slice(offset + start, offset + stop), index, shard.member(index, start, stop)
            shard.release()
        offset += shard.samples


def telling_marks(shards: Sequence[Shard]) -> NDArray[np.uint64]:
    """The marks of the samples that can be told from others."""
    return marks(shards)[telling(shards)]


def telling(shards: Sequence[Shard]) -> NDArray[np.bool_]:
    """(n,) whether some of `GLANCE` members is less sure than `SURE`, so that the sample looks like no other.

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
    """How many of the numbers stand there already.

    >>> import numpy as np
    >>> repeats(np.array([5, 7, 5, 5], np.uint64))
    2
    """
    return len(numbers) - len(np.unique(numbers))


def in_common(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> int:
    """How many marks two sets of samples have in common; 0 where they may be different samples that look alike.

    Of independent draws the same share of the n·m pairs between the sets look alike as of the pairs inside one.
    Ten times what that leads to expect, and 1% of the smaller set, are no chance.
    """
    common = len(np.intersect1d(one, other))
    if not common:
        return 0
    expected = min(_alike(one), _alike(other)) * len(one) * len(other)
    return common if common > max(10 * expected, min(len(one), len(other)) / 100) else 0


def repeats_beyond(these: NDArray[np.uint64], others: NDArray[np.uint64]) -> int:
    """How many of these marks stand there already; 0 where other samples look alike as often, as in `in_common`."""
    found = repeats(these)
    if not found or not len(others):
        return 0
    expected = _alike(others) * len(these) ** 2 / 2
    return found if found > max(10 * expected, len(these) / 100) else 0


def _alike(inside: NDArray[np.uint64]) -> float:
    """The share of pairs of samples that look alike, half a pair more than were seen."""
    return (2 * repeats(inside) + 1) / len(inside) ** 2
