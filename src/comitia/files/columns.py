"""Columns of a table, whatever it was read from: numbers, texts as codes of their words, or rows of numbers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

#: Whole numbers up to this range are counted instead of sorted.
SMALL = 65_536


@dataclass(frozen=True, eq=False)
class Column:
    """Some cells of one column.

    Attributes
    ----------
    values : (n,) numbers or booleans; (n,) codes into `words`; or (n, C) numbers, a list per cell
    words : the different texts, for a column of text; None for numbers
    missing : (n,) True where the cell is empty (its value is then 0 and means nothing); None where none is
    """

    values: NDArray[Any]
    words: tuple[str, ...] | None = None
    missing: NDArray[np.bool_] | None = None

    @property
    def kind(self) -> str:
        """ "text", "list" or "number"."""
        if self.words is not None:
            return "text"
        return "list" if self.values.ndim == 2 else "number"

    def take(self, kept: NDArray[np.bool_]) -> "Column":
        """Return some of the cells: those that are marked."""
        missing = None if self.missing is None else self.missing[kept]
        return Column(self.values[kept], self.words, missing)

    def texts(self) -> list[str]:
        """Return the cells as text, empty ones as "".

        Whole numbers have no decimal point, so that a class or an id is spelled alike however it was stored.

        >>> Column(np.array([1.0, 2.5])).texts(), Column(np.array([0, 1, 0]), ("cat", "dog")).texts()
        (['1', '2.5'], ['cat', 'dog', 'cat'])
        """
        if self.words is not None:
            cells = [self.words[code] for code in self.values.tolist()]
        else:
            cells = [spelled(value) for value in self.values.tolist()]
        if self.missing is None:
            return cells
        return ["" if empty else cell for cell, empty in zip(cells, self.missing.tolist())]


def spelled(value: Any) -> str:
    """Return the text of a cell: whole numbers without a decimal point, booleans as true and false.

    >>> spelled(3.0), spelled(True), spelled(0.25)
    ('3', 'true', '0.25')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


class Table(Protocol):
    """A table that is read in batches of rows, and only the columns asked for.

    `source` names it in messages, `names` are its columns in order. `batches` can be called more than once.
    """

    source: str
    names: tuple[str, ...]

    def batches(self, columns: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Yield those columns of consecutive rows, all rows in order; every batch has the same kind per column."""
        ...


class Vocabulary:
    """Texts numbered in the order in which they were first seen, over many batches.

    >>> known = Vocabulary()
    >>> known.codes(Column(np.array([0, 1]), ("cat", "dog"))), known.codes(Column(np.array([1, 0]), ("dog", "emu")))
    (array([0, 1], dtype=int32), array([2, 1], dtype=int32))
    >>> known.words
    ['cat', 'dog', 'emu']
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        # the words of the last column of text and their codes (-1: not met yet): readers with one dictionary per
        # file give the same words with every batch
        self._last: tuple[str, ...] | None = None
        self._codes = np.empty(0, np.int32)
        self._numbers = np.empty(0, np.int32)

    @property
    def words(self) -> list[str]:
        """The texts in the order of their codes."""
        return list(self._places)

    def __len__(self) -> int:
        """How many texts are known."""
        return len(self._places)

    def codes(self, column: Column) -> NDArray[np.int32]:
        """Return the codes of those cells, -1 for empty ones; texts not seen before get the next numbers."""
        if column.words is None:
            values, own = _places(column)
            size = int(values.max()) + 1 if values.size else 0
            table = self._of_numbers(size) if own is str else np.full(size, -1, np.int32)
        else:
            values, own, table = column.values, column.words.__getitem__, self._known(column.words)
        if not len(table):
            return np.full(len(values), -1, np.int32)
        found = table[values]
        new = _unmet(len(table), values, found, column.missing)
        for place in new.tolist():
            table[place] = self._places.setdefault(own(place), len(self._places))
        found = table[values] if len(new) else found
        return found if column.missing is None else np.where(column.missing, np.int32(-1), found)

    def _of_numbers(self, size: int) -> NDArray[np.int32]:
        """The codes of the numbers below that one, -1 for those not met yet, kept from one column to the next."""
        if size > len(self._numbers):
            more = np.full(size - len(self._numbers), -1, np.int32)
            self._numbers = np.concatenate([self._numbers, more])
        return self._numbers

    def codes_by_bytes(self, column: Column) -> NDArray[np.uint8] | None:
        """Return the codes of integers of a byte each if all were met before, by one pass over them; else None."""
        values = column.values
        plain = column.words is None and column.missing is None and values.dtype.kind in "iu"
        if not plain or values.dtype.itemsize > 1 or len(self) > 255 or (values.size and values.min() < 0):
            return None
        table = np.full(256, 255, np.uint8)  # no code is 255 here
        known = self._numbers[:256]
        table[: len(known)] = np.where(known < 0, 255, known)
        found = np.frombuffer(values.tobytes().translate(table.tobytes()), np.uint8)
        return None if (found == 255).any() else found

    def _known(self, words: tuple[str, ...]) -> NDArray[np.int32]:
        if words is not self._last:
            self._last, self._codes = words, np.full(len(words), -1, np.int32)
        return self._codes


def _unmet(
    size: int, values: NDArray[Any], found: NDArray[np.int32], missing: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """Return the places, of so many, that the cells use and that have no code yet, in the order of the cells.

    No sorting of the cells: where a place is written twice, the last write stays, so writing positions from the
    last cell to the first leaves the first position of each.
    """
    if not len(found) or found.min() >= 0:
        return np.empty(0, np.int64)
    unknown = found < 0
    new = values[unknown if missing is None else unknown & ~missing]
    first = np.full(size, len(new), np.int64)
    first[new[::-1]] = np.arange(len(new))[::-1]
    used = np.flatnonzero(first < len(new))
    return used[np.argsort(first[used])]


def _places(column: Column) -> tuple[NDArray[Any], Callable[[int], str]]:
    """Return small numbers in place of the cells, and how to spell each; sorting is spared where it can be."""
    values = column.values
    if values.dtype == np.bool_:
        return values.view(np.uint8), lambda place: spelled(bool(place))
    if values.dtype == np.float16:
        values = values.astype(np.float32)  # SMALL is beyond its range
    if values.dtype.kind == "f" and bool((np.abs(values) < SMALL).all()) and bool((values % 1 == 0).all()):
        values = values.astype(np.int64)
    if values.dtype.kind in "iu" and values.size:
        low, high = int(values.min()), int(values.max())
        if low >= 0 and high < SMALL:
            return values, str
        if high - low < SMALL:
            return (values - values.dtype.type(low)).astype(np.intp), lambda place: str(low + place)
    distinct, inverse = np.unique(values, return_inverse=True)
    return inverse, lambda place: spelled(distinct[place].item())
