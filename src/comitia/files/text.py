"""Tables that are text: delimited (CSV and its relatives) or JSON lines; read in batches, kinds settled beforehand."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from comitia._errors import InputError
from comitia.files.cells import Kinds, column_of
from comitia.files.columns import Column
from comitia.files.sources import reading

#: Cells of text held at a time.
CELLS = 2**20

Rows = Callable[[], Iterator[Sequence[Any]]]


class TextTable:
    """A table of text cells (or tuples of numbers), as rows that can be walked more than once.

    The first walk counts the rows and settles the kind of each column over all of them. `first_row` is the number that
    the first sample has in messages, `notes` what the user should know about how it was read.
    """

    def __init__(
        self,
        source: str,
        names: Sequence[str],
        rows: Rows,
        *,
        first_row: int,
        commas: bool = False,
        notes: tuple[str, ...] = (),
    ) -> None:
        check_names(source, names)
        self.source, self.names = source, tuple(names)
        self.first_row, self.notes = first_row, notes
        self._rows = rows
        kinds = Kinds(len(names), commas)
        self.rows = 0
        for batch in self._batches():
            kinds.see(batch)
            self.rows += len(batch)
        self._kinds = kinds.settled()
        if self.rows == 0:
            raise InputError(f"{source}: holds a header and no samples; one row per sample is required")

    def batches(self, columns: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Yield those columns of consecutive rows."""
        places = {name: place for place, name in enumerate(self.names)}
        wanted = [(name, places[name]) for name in columns]
        for batch in self._batches():
            cells = list(zip(*batch))
            yield {
                name: column_of(cells[place], self._kinds[place], f"{self.source}: column '{name}'")
                for name, place in wanted
            }

    def _batches(self) -> Iterator[list[Sequence[Any]]]:
        size = max(16, min(8192, CELLS // max(1, len(self.names))))
        with reading(self.source):
            rows = self._rows()
            while batch := list(islice(rows, size)):
                yield batch


def check_names(source: str, names: Sequence[str]) -> None:
    """Raise where the first row does not name the columns, or names two alike."""
    if names and all(_is_number(name) for name in names):
        raise InputError(f"{source}: the first row must name the columns (members and label), got numbers")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{source}: duplicate column '{name}'; every member needs its own name")
        seen.add(name)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
