"""A table in memory, for tests of what is read from tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from comitia.files.columns import Column


class MemoryTable:
    """Lists of cells by column: numbers, or texts; None is an empty cell."""

    def __init__(
        self, columns: Mapping[str, Sequence[Any]], source: str = "votes.csv", batch: int = 3
    ) -> None:
        self.source, self.names, self.batch = source, tuple(columns), batch
        self.columns = columns

    def batches(self, columns: Sequence[str]) -> Iterator[dict[str, Column]]:
        rows = len(next(iter(self.columns.values())))
        for start in range(0, rows, self.batch):
            yield {name: column_of(self.columns[name][start : start + self.batch]) for name in columns}


def column_of(cells: Sequence[Any]) -> Column:
    """The column of those cells; texts are coded in alphabetic order, which is not that of their appearance."""
    missing = np.array([cell is None for cell in cells])
    empty = missing if missing.any() else None
    if any(isinstance(cell, str) for cell in cells):
        words = tuple(sorted({cell for cell in cells if cell is not None}))
        return Column(np.array([words.index(c) if c is not None else 0 for c in cells]), words, empty)
    return Column(np.array([0 if cell is None else cell for cell in cells]), None, empty)


def table_of(header: str, text: str, **options: Any) -> MemoryTable:
    """The table with that header and those lines, cells between spaces; `-` is an empty cell, numbers stay texts."""
    lines = [line.split() for line in text.strip().splitlines()]
    cells = [[None if cell == "-" else cell for cell in line] for line in lines]
    return MemoryTable(dict(zip(header.split(), map(list, zip(*cells)))), **options)
