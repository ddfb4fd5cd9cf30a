"""The columns of members, read once into as little memory as they need: classes as codes, probabilities as stored."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._classes import MOST_CLASSES
from comitia._errors import InputError
from comitia._sizes import require_room
from comitia.files.columns import Column, Vocabulary


class Store:
    """Some columns of a table, filled batch by batch.

    A column begins as codes of its different values and turns into numbers at the first fraction. Its kind is
    "classes" (codes into its own `words`), "numbers", "lists" or "many" (more different values than there can be
    classes; nothing is kept).

    Attributes
    ----------
    names : the columns
    codes : (K, n) codes of the columns of classes; rows of other kinds mean nothing
    reals : (K, n) the columns of numbers
    lists : per column of lists, (n, C)
    missing : (K, n) True where a cell is empty; None where none is
    failed : per column the first sample that holds NaN or an infinity, -1 without one
    low, high : per column the range of its numbers
    """

    def __init__(self, source: str, names: Sequence[str], rows: int) -> None:
        self.source, self.names, self.rows = source, tuple(names), rows
        size = len(names)
        require_room(f"{source}: {rows:,} rows of {size:,} columns", size * rows)
        self.codes: NDArray[Any] = np.empty(
            (size, rows), np.uint8
        )  # pages are used only where they are filled
        self.reals: NDArray[Any] | None = None
        self.lists: dict[int, NDArray[Any]] = {}
        self.missing: NDArray[np.bool_] | None = None
        self.kinds = ["classes"] * size
        self.failed = [-1] * size
        self.low, self.high = [np.inf] * size, [-np.inf] * size
        self.numeric = [True] * size
        self._known = [Vocabulary() for _ in names]
        self._spelling: dict[int, dict[str, str]] = {}

    def words(self, place: int) -> list[str]:
        """Return the different values of a column of classes, in the order of its codes."""
        spelling = self._spelling.get(place, {})
        return [spelling.get(word, word) for word in self._known[place].words]

    def respell(self, place: int, spelling: dict[str, str]) -> None:
        """Spell the values of a column otherwise from now on."""
        self._spelling[place] = spelling

    def add(self, batch: dict[str, Column], start: int) -> None:
        """Take the next rows, the first of which is sample `start`."""
        for place, name in enumerate(self.names):
            self._add(place, batch[name], start)

    def _add(self, place: int, column: Column, start: int) -> None:
        stop = start + len(column.values)
        if column.missing is not None and column.missing.any():
            if self.missing is None:
                self.missing = np.zeros((len(self.names), self.rows), bool)
            self.missing[place, start:stop] = column.missing
        if column.kind == "list":
            self._add_list(place, column.values, start, stop)
        elif column.kind == "number" and column.values.dtype.kind == "f":
            self._add_floats(place, column, start, stop)
        else:
            self._add_classes(place, column, start, stop)

    def _add_list(self, place: int, values: NDArray[Any], start: int, stop: int) -> None:
        self.kinds[place] = "lists"
        held = self.lists.get(place)
        if held is None or (held.shape[1] == 1 and not held.any()):  # rows of empty cells have no width yet
            dtype = values.dtype if values.dtype.kind == "f" else np.float64
            size = len(self.names) * self.rows * values.shape[1] * dtype.itemsize
            require_room(f"{self.source}: {self.rows:,} rows of {len(self.names):,} columns of lists", size)
            self.lists[place] = held = np.zeros((self.rows, values.shape[1]), dtype)
        if values.shape[1] != held.shape[1]:
            if not values.any():
                return
            raise InputError(
                f"{self.source}: column '{self.names[place]}' holds lists of {held.shape[1]} and of "
                f"{values.shape[1]} numbers; one length is required"
            )
        held[start:stop] = values

    def _add_floats(self, place: int, column: Column, start: int, stop: int) -> None:
        values = column.values
        broken = ~np.isfinite(values)
        if broken.any():
            if self.failed[place] < 0:
                self.failed[place] = start + int(broken.argmax())
            values = np.where(broken, values.dtype.type(0), values)
        if values.size:
            self.low[place] = min(self.low[place], float(values.min()))
            self.high[place] = max(self.high[place], float(values.max()))
        if self.kinds[place] == "classes" and bool((values == np.floor(values)).all()):
            self._add_classes(place, Column(values, missing=column.missing), start, stop)
            return
        if self.kinds[place] != "numbers":
            self._turn(place, values.dtype, start)
        assert self.reals is not None
        self.reals[place, start:stop] = values

    def _turn(self, place: int, dtype: np.dtype[Any], filled: int) -> None:
        """Hold a column as numbers from now on."""
        kept = np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
        if self.reals is None:
            require_room(
                f"{self.source}: {self.rows:,} rows of {len(self.names):,} columns",
                len(self.names) * self.rows * kept.itemsize,
            )
            self.reals = np.empty((len(self.names), self.rows), kept)
        elif self.reals.dtype.itemsize < kept.itemsize:
            self.reals = self.reals.astype(kept)
        if self.kinds[place] == "classes" and filled:
            self.reals[place, :filled] = self.as_numbers(place)[:filled]
        self.kinds[place] = "numbers"

    def as_numbers(self, place: int) -> NDArray[Any]:
        """Return a column as numbers, whichever way it is held; it must not hold text."""
        if self.kinds[place] == "numbers":
            assert self.reals is not None
            return self.reals[place]  # type: ignore[no-any-return]
        values = np.array([float(word) for word in self.words(place)] or [0.0])
        known = values if self.reals is None else values.astype(self.reals.dtype)
        return np.asarray(known[np.minimum(self.codes[place], len(known) - 1)])

    def _add_classes(self, place: int, column: Column, start: int, stop: int) -> None:
        known = self._known[place]
        self.numeric[place] &= column.words is None
        if self.kinds[place] == "many":
            return
        quick = known.codes_by_bytes(column)
        found = known.codes(column) if quick is None else quick
        if len(known) > MOST_CLASSES:
            self.kinds[place] = "many"
            return
        if len(known) > 256 and self.codes.dtype == np.uint8:
            self.codes = self.codes.astype(np.uint16)
        self.codes[place, start:stop] = found if column.missing is None else np.maximum(found, 0)
