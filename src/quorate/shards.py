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
    """The stored probabilities (…, C) as (C, …), one contiguous row a class; half precision is widened."""
    wide = np.float32 if stored.dtype.itemsize < 4 else stored.dtype
    return np.ascontiguousarray(np.moveaxis(stored, -1, 0), dtype=wide)


def smallest_unsigned(classes: int) -> np.dtype[Any]:
    """The smallest unsigned integer type that counts 0..classes-1."""
    return np.min_scalar_type(max(classes - 1, 0))
