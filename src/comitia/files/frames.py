"""Data frames in Python: pandas and polars by their columns, Arrow tables by pyarrow."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from comitia._errors import InputError
from comitia.files.arrow import ROWS, ArrowTable, arrow_table, require_pyarrow
from comitia.files.columns import Column, spelled
from comitia.files.text import check_names

#: What messages call a data frame.
SOURCE = "data frame"


def is_frame(given: object) -> bool:
    """Return whether this is a data frame: it has columns, or gives itself as Arrow data."""
    kind = type(given)  # asking a lazy frame itself for its columns runs its query
    return hasattr(kind, "__arrow_c_stream__") or (hasattr(kind, "columns") and hasattr(kind, "__getitem__"))


def open_frame(frame: Any) -> "FrameTable | ArrowTable":
    """Return the table of a data frame.

    Columns that are NumPy arrays of numbers are read where they lie; those of objects are spelled out, a missing value
    being an empty cell (NaN too: pandas has no other mark for one). The index of pandas is no column.
    """
    kind = type(frame)
    if hasattr(kind, "collect") and not hasattr(kind, "__len__"):
        raise InputError(f"{SOURCE}: {kind.__name__} holds a query, not rows; collect() it first")
    if hasattr(kind, "to_frame") and not hasattr(kind, "columns"):
        raise InputError(f"{SOURCE}: {kind.__name__} is one column; give the frame with members and label")
    if kind.__module__.split(".")[0] == "pyarrow" or not hasattr(kind, "columns"):
        return arrow_table(SOURCE, require_pyarrow(SOURCE).table(frame))
    return FrameTable(frame)


class FrameTable:
    """A data frame whose columns give themselves as NumPy arrays (`frame[name].to_numpy()`)."""

    def __init__(self, frame: Any) -> None:
        keys = list(frame.columns)
        self.source, self.names = SOURCE, tuple(str(key).strip() for key in keys)
        if any(isinstance(key, tuple) for key in keys):
            raise InputError(f"{SOURCE}: the columns have several levels; give each one name, 'member:class'")
        if keys and all(isinstance(key, int) for key in keys):
            raise InputError(f"{SOURCE}: the columns must have names (members and label), got numbers")
        check_names(SOURCE, self.names)
        self.rows, self.first_row = len(frame), 0
        self.notes: tuple[str, ...] = ()
        self._frame, self._keys = frame, dict(zip(self.names, keys))
        if self.rows == 0:
            raise InputError(f"{SOURCE}: holds no samples; one row per sample is required")

    def batches(self, columns: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Yield those columns of consecutive rows; kinds are those of whole columns."""
        held = {name: _column(name, self._frame[self._keys[name]]) for name in columns}
        for start in range(0, self.rows, ROWS):
            stop = min(start + ROWS, self.rows)
            yield {name: _part(column, start, stop) for name, column in held.items()}


def _part(column: Column, start: int, stop: int) -> Column:
    missing = None if column.missing is None else column.missing[start:stop]
    return Column(column.values[start:stop], column.words, missing)


def _column(name: str, series: Any) -> Column:
    array = series.to_numpy()
    if array.dtype.kind in "biu":
        return Column(array)
    if array.dtype.kind == "f":
        # polars tells what is missing from NaN, a prediction that failed
        missing = series.is_null().to_numpy() if hasattr(series, "is_null") else np.isnan(array)
        return Column(np.where(missing, 0, array), missing=missing) if missing.any() else Column(array)
    cells = array.tolist() if array.dtype.kind == "O" else [str(cell) for cell in array]
    return _objects(name, [float(cell) if isinstance(cell, Decimal) else cell for cell in cells])


def _objects(name: str, cells: list[Any]) -> Column:
    missing = np.array([_is_missing(cell) for cell in cells])
    known = [cell for cell, gap in zip(cells, missing.tolist()) if not gap]
    gaps = missing if missing.any() else None
    if known and all(isinstance(cell, list | tuple | np.ndarray) for cell in known):
        return _lists(name, cells, missing)
    if known and all(isinstance(cell, bool | int | float | np.number) for cell in known):
        kinds = {isinstance(cell, bool | np.bool_) for cell in known}
        zero = False if kinds == {True} else 0
        return Column(
            np.array([zero if gap else cell for cell, gap in zip(cells, missing.tolist())]), missing=gaps
        )
    places: dict[str, int] = {}
    texts = ["" if gap else spelled(cell).strip() for cell, gap in zip(cells, missing.tolist())]
    codes = np.array([places.setdefault(text, len(places)) for text in texts], np.int32)
    return Column(codes, tuple(places), gaps)


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(cell, float) and cell != cell) or (
        isinstance(cell, str) and cell.strip() in ("", "NaT")
    )


def _lists(name: str, cells: list[Any], missing: Any) -> Column:
    widths = {len(cell) for cell, gap in zip(cells, missing.tolist()) if not gap}
    if len(widths) > 1:
        raise InputError(f"{SOURCE}: column '{name}' holds lists of several lengths; one length is required")
    empty = [0.0] * widths.pop()
    try:
        values = np.array([empty if gap else cell for cell, gap in zip(cells, missing.tolist())], np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{SOURCE}: column '{name}' must hold lists of numbers") from None
    return Column(values, missing=missing if missing.any() else None)
