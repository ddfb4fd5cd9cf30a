"""Samples × members as they are stored: in memory, memory-mapped, or one array per member; read in pieces."""

import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: One array per member; an array whose first axis is the members is that too.
Members = Sequence[NDArray[Any]] | NDArray[Any]
#: Values a piece may hold while a shard is walked: 2^24 float64 are 128 MB.
PIECE = 2**24
#: Values of one member that are worked on at a time: what a second cache holds.
CHUNK = 2**18


@dataclass(frozen=True, eq=False)
class Known:
    """What the first pass over the stored values of a whole shard found, kept for all parts of it.

    Attributes
    ----------
    votes : (M, n) the classes of all members, read-only
    digests : sha256 of each member's values
    stamps : size and time of each file behind the values, when they were read
    """

    votes: NDArray[Any]
    digests: tuple[bytes, ...]
    stamps: dict[str, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Shard:
    """The predictions of all members on some samples, of one kind (`probs`, `binary` or `votes`).

    Parameters
    ----------
    kind : "probs" (rows of C probabilities), "binary" (probability of class 1) or "votes" (classes)
    values : one array per member, (n, C) or (n,); an array (M, n, C) or (M, n) is such a sequence too
    mask : (M, n) bool, True where the sample is hold-out for the member; None where it always is
    abstained : (M, n) bool, True where the member gave no answer; None where all did
    rows : sorted positions of the samples in use; None for all
    known : what is known of the whole shard that this one is a part of
    places : positions of the members among those of the whole shard; None for all
    """

    kind: str
    values: Members
    mask: NDArray[np.bool_] | None = None
    rows: NDArray[np.int64] | None = None
    known: Known | None = None
    places: NDArray[np.int64] | None = None
    abstained: NDArray[np.bool_] | None = None

    @property
    def samples(self) -> int:
        """How many samples are in use."""
        return len(self.values[0]) if self.rows is None else len(self.rows)

    @property
    def width(self) -> int:
        """Stored values per sample: C for probabilities, else 1."""
        return int(self.values[0].shape[1]) if self.kind == "probs" else 1

    @property
    def size(self) -> int:
        """Stored values in all."""
        return len(self.values) * self.samples * self.width

    @property
    def large(self) -> bool:
        """Whether walking it is worth several threads."""
        return self.size >= CHUNK

    @property
    def whole(self) -> bool:
        """Whether it is all that is `known`, not a part of it."""
        return self.rows is None and self.places is None

    def take(self, samples: NDArray[np.int64]) -> "Shard":
        """Return the shard with only those of its samples (sorted positions) in use."""
        return replace(self, rows=samples if self.rows is None else self.rows[samples])

    def pick(self, members: NDArray[np.int64]) -> "Shard":
        """Return the shard with only those members; nothing is read."""
        return replace(
            self,
            values=tuple(self.values[int(i)] for i in members),
            mask=None if self.mask is None else self.mask[members],
            abstained=None if self.abstained is None else self.abstained[members],
            places=members if self.places is None else self.places[members],
        )

    def _where(self, start: int, stop: int) -> slice | NDArray[np.int64]:
        return slice(start, stop) if self.rows is None else self.rows[start:stop]

    def member(self, index: int, start: int, stop: int) -> NDArray[Any]:
        """Return stored values of one member on the samples start..stop, zero where it has none."""
        piece: NDArray[Any] = self.values[index][self._where(start, stop)]
        keep = self.kept(index, start, stop)
        if keep is None:
            return piece
        return np.where(keep if piece.ndim == 1 else keep[:, None], piece, piece.dtype.type(0))

    def kept(self, index: int, start: int, stop: int) -> NDArray[np.bool_] | None:
        """Return True where that member has values: hold-out, and answered; None where it has them everywhere."""
        where = self._where(start, stop)
        if self.abstained is None:
            return None if self.mask is None else np.asarray(self.mask[index][where])
        answered: NDArray[np.bool_] = ~self.abstained[index][where]
        return answered if self.mask is None else answered & self.mask[index][where]

    def piece(self, start: int, stop: int) -> NDArray[Any]:
        """Return stored values of all members on the samples start..stop: (M, b, C) or (M, b)."""
        stored = np.stack([self.member(index, start, stop) for index in range(len(self.values))])
        self.release()
        return stored

    def of_known(self, table: NDArray[Any], start: int, stop: int) -> NDArray[Any]:
        """Return the part of a table (M, n) of the whole shard that belongs to the samples start..stop."""
        where = self._where(start, stop)
        if self.places is None:
            return np.asarray(table[:, where])
        if isinstance(where, slice):
            return np.asarray(table[self.places, where])
        return np.asarray(table[np.ix_(self.places, where)])

    def votes(self, start: int, stop: int, classes: int) -> NDArray[Any]:
        """Return the classes of all members on the samples start..stop, (M, b); `classes` where one gave no answer."""
        dtype = smallest_unsigned(classes + (self.abstained is not None))
        if self.known is not None:
            found = self.of_known(self.known.votes, start, stop).astype(
                dtype, copy=self.abstained is not None
            )
        else:
            found = np.empty((len(self.values), stop - start), dtype)
            for index, row in enumerate(found):
                row[:] = classes_of(self.kind, self.member(index, start, stop), dtype)
            self.release()
        if self.abstained is not None:
            found[self.silent(start, stop)] = classes
        return found

    def answers(self, classes: int) -> NDArray[np.int64]:
        """Return, as (M, C), how often each member answers each class on its hold-out samples."""
        votes, mask = self.votes(0, self.samples, classes), self.masked(0, self.samples)
        found = np.zeros((len(votes), classes), np.int64)
        for index, row in enumerate(votes):
            answers = row if mask is None else row[mask[index]]
            found[index] = np.bincount(answers, minlength=classes + 1)[:classes]  # the last is no answer
        return found

    def silent(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Return, as (M, b), where members gave no answer on the samples start..stop."""
        if self.abstained is None:
            return np.zeros((len(self.values), stop - start), bool)
        return np.asarray(self.abstained[:, self._where(start, stop)])

    def chunks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield pairs low, high that cover start..stop in steps that fit a cache, multiples of 64."""
        step = max(64, CHUNK // self.width // 64 * 64)
        return ((start + low, start + high) for low, high in spans(stop - start, step))

    def probabilities(self, start: int, stop: int) -> NDArray[np.float64] | None:
        """Return all members' probabilities of all classes on the samples start..stop, (M, b, C); None of votes."""
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

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Return size and time of change of each file that the values are mapped from."""
        parts = [self.values] if isinstance(self.values, np.ndarray) else self.values
        maps = (_map_of(part) for part in parts)
        names = {str(found.filename) for found in maps if found is not None and found.filename is not None}
        return {
            name: (os.stat(name).st_size, os.stat(name).st_mtime_ns) for name in names if os.path.exists(name)
        }

    def release(self) -> None:
        """Give memory-mapped pages back: a walk over a file then needs no more memory than its pieces."""
        for part in [self.values] if isinstance(self.values, np.ndarray) else self.values:
            pages: Any = _map_of(part)
            while isinstance(pages, np.ndarray):
                pages = pages.base
            if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                pages.madvise(mmap.MADV_DONTNEED)

    def masked(self, start: int, stop: int) -> NDArray[np.bool_] | None:
        """Return the mask of all members on the samples start..stop, (M, b)."""
        return None if self.mask is None else np.asarray(self.mask[:, self._where(start, stop)])

    def spans(self, samples: int) -> Iterator[tuple[int, int]]:
        """Yield pairs start, stop that cover the shard in steps of at most `samples` and of bounded memory."""
        step = max(1, min(samples, PIECE // (len(self.values) * self.width)))
        return spans(self.samples, step)


def _map_of(array: Any) -> np.memmap[Any, Any] | None:
    """Return the read-only memory map behind the array; a copy-on-write map would lose what was written."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and array.mode == "r":
            return array
        array = array.base
    return None


def freeze(*arrays: Any) -> None:
    """Make the arrays among these read-only: a method that works in place must not change what is certified."""
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False


def spans(length: int, step: int) -> Iterator[tuple[int, int]]:
    """Return pairs (start, stop) that cover 0..length in steps.

    >>> list(spans(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    return ((start, min(start + step, length)) for start in range(0, length, step))


def classes_of(kind: str, stored: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the class each stored value or row stands for: arg-max, the first class wins a tie; binary p > .5.

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
    """Return the stored probabilities (…, C) copied to (C, …), one contiguous row per class; half precision is widened.

    Always a copy, which its owner may write to: class-major or single rows are contiguous as they lie.
    """
    wide = np.float32 if stored.dtype.itemsize < 4 else stored.dtype
    return np.array(np.moveaxis(stored, -1, 0), dtype=wide, order="C")


def smallest_unsigned(classes: int) -> np.dtype[Any]:
    """Return the smallest unsigned integer type that counts 0..classes-1."""
    return np.min_scalar_type(max(classes - 1, 0))


def stored_bytes(
    stored: NDArray[Any], votes: NDArray[Any], kind: str, dtype: np.dtype[Any] | None = None
) -> memoryview:
    """Return the bytes of a chunk that a checksum is taken of: its values little-endian, votes as 16 bits."""
    plain = votes.astype("<u2") if kind == "votes" else stored
    wanted = (plain.dtype if dtype is None else dtype).newbyteorder("<")
    return np.ascontiguousarray(plain, dtype=wanted).data


def common_dtype(shards: Sequence[Shard]) -> np.dtype[Any]:
    """Return the type that holds the stored values of all shards, little-endian."""
    if shards[0].kind == "votes":
        return np.dtype("<u2")
    return np.result_type(*(part.dtype for shard in shards for part in shard.values)).newbyteorder("<")
