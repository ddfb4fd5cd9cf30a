"""Cells of text: which kind of column they make, and the column itself."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.files.columns import Column

#: Cells that are empty. NaN is not among them: it is a prediction that failed.
EMPTY = frozenset(("", "NA", "null", "None", "N/A"))
WHOLE = re.compile(r"\s*[+-]?(?:0|[1-9]\d{0,17})\s*")
#: Digits that no number keeps: `007` is not 7, and more than 18 digits differ where their floats do not.
CODE = re.compile(r"\s*[+-]?(?:0\d+|\d{19,})\s*")
REAL = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf|infinity)\s*", re.IGNORECASE)
#: A number with a decimal comma; `1,234` could also be one thousand and more.
COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")


class Kinds:
    """What kind each column is, over all rows: settled batch by batch.

    A column is "whole", "real", "comma" (numbers with a decimal comma), "text", "list", or None while all cells are
    empty. Decimal commas are believed only where no number of the table has a decimal point and one of them cannot
    mean thousands.

    >>> kinds = Kinds(2, commas=True)
    >>> kinds.see([("1", "0,5"), ("2", "")])
    >>> kinds.settled()
    ['whole', 'comma']
    """

    def __init__(self, columns: int, commas: bool) -> None:
        self._found: list[str | None] = [None] * columns
        self._commas, self._sure = commas, False

    def see(self, rows: Sequence[Sequence[Any]]) -> None:
        """Take note of some rows."""
        for place, cells in enumerate(zip(*rows)):
            if self._found[place] != "text":
                self._found[place] = self._joined(self._found[place], set(cells))

    def settled(self) -> list[str]:
        """Return the kinds, once all rows were seen."""
        points = "real" in self._found
        sure = self._sure and not points
        known = ["whole" if kind is None else kind for kind in self._found]
        return ["text" if kind == "comma" and not sure else kind for kind in known]

    def _joined(self, kind: str | None, cells: set[Any]) -> str | None:
        for cell in cells:
            own = self._kind(cell)
            if own is None or own == kind:
                continue
            if kind is None or (kind == "whole" and own in ("real", "comma")):
                kind = own
            elif not (own == "whole" and kind in ("real", "comma")):
                return "text"
        return kind

    def _kind(self, cell: Any) -> str | None:
        if not isinstance(cell, str):
            return "list"
        if WHOLE.fullmatch(cell):
            return "whole"
        if CODE.fullmatch(cell):
            return "text"
        if REAL.fullmatch(cell):
            return "real"
        if self._commas and COMMA.fullmatch(cell):
            self._sure = self._sure or not THOUSANDS.fullmatch(cell)
            return "comma"
        return None if cell.strip() in EMPTY else "text"


def column_of(cells: Sequence[Any], kind: str, where: str) -> Column:
    """Return those cells as a column of that kind; `where` begins the message where a cell does not fit."""
    if kind == "text":
        return _texts(cells, where)
    if kind == "list":
        return _lists(cells, where)
    missing = _missing(cells)
    known = cells if missing is None else ["0" if gap else cell for cell, gap in zip(cells, missing.tolist())]
    if kind == "comma":
        known = [cell.replace(",", ".") for cell in known]
    values = np.array(known, dtype=np.int64 if kind == "whole" else np.float64)
    return Column(values, missing=missing)


def _missing(cells: Sequence[Any]) -> NDArray[np.bool_] | None:
    if not any(cell.strip() in EMPTY for cell in set(cells)):
        return None
    return np.array([cell.strip() in EMPTY for cell in cells])


def _texts(cells: Sequence[Any], where: str) -> Column:
    if not all(isinstance(cell, str) for cell in set(cells)):
        raise InputError(f"{where} holds lists and other cells; give every sample a list of the same length")
    missing = _missing(cells)
    places: dict[str, int] = {}
    raw = {cell: places.setdefault(cell.strip(), len(places)) for cell in dict.fromkeys(cells)}
    codes = np.array([raw[cell] for cell in cells], dtype=np.int32)
    return Column(codes, tuple(places), missing)


def _lists(cells: Sequence[Any], where: str) -> Column:
    widths = {len(cell) for cell in cells if isinstance(cell, tuple)}
    if len(widths) > 1:
        low, high = min(widths), max(widths)
        raise InputError(f"{where} holds lists of {low} and of {high} numbers; one length is required")
    gap = (0.0,) * (widths.pop() if widths else 1)
    missing = np.array([not isinstance(cell, tuple) for cell in cells])
    values = np.array([cell if isinstance(cell, tuple) else gap for cell in cells], dtype=np.float64)
    return Column(values, missing=missing if missing.any() else None)
