"""A table as a record, and its text as Markdown, LaTeX (booktabs) or CSV."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from comitia._errors import InputError

Cell = str | float | None
FORMATS = (".md", ".tex", ".csv")


@dataclass(frozen=True)
class Column:
    """A column: its title, and how many decimals its numbers are shown with (None: text)."""

    title: str
    decimals: int | None = None


@dataclass(frozen=True)
class Table:
    """A table: its title, columns, rows of cells (None is an empty one) and notes below it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def shown(self, empty: str = "–") -> list[list[str]]:
        """Return the cells as text, numbers with the decimals of their column."""
        return [[_shown(cell, c.decimals, empty) for cell, c in zip(row, self.columns)] for row in self.rows]


def _shown(cell: Cell, decimals: int | None, empty: str) -> str:
    if cell is None:
        return empty
    return str(cell) if isinstance(cell, str) or decimals is None else f"{cell:.{decimals}f}"


def markdown(table: Table) -> str:
    """Return the table as Markdown; bars in cells are escaped.

    >>> print(markdown(Table("t", (Column("vote"), Column("risk", 2)), (("a|b", 0.123),))), end="")
    | vote | risk |
    |---|--:|
    | a\\|b | 0.12 |
    """
    rule = "|".join("---" if column.decimals is None else "--:" for column in table.columns)
    lines = [f"| {' | '.join(c.title for c in table.columns)} |", f"|{rule}|"]
    lines += [f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in table.shown()]
    notes = "".join(f"\n{note}\n" for note in table.notes)
    return "\n".join(lines) + "\n" + notes


_LATEX = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex(table: Table) -> str:
    """Return the table as a LaTeX `tabular` for the package booktabs; special characters are escaped."""
    layout = "".join("l" if column.decimals is None else "r" for column in table.columns)
    head = " & ".join(_escaped(column.title) for column in table.columns)
    body = [" & ".join(_escaped(text) for text in row) + r" \\" for row in table.shown("--")]
    lines = [rf"\begin{{tabular}}{{@{{}}{layout}@{{}}}}", r"\toprule", head + r" \\", r"\midrule", *body]
    notes = [f"% {' '.join(note.split())}" for note in (table.title, *table.notes)]
    return "\n".join([*notes, *lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def csv_text(table: Table) -> str:
    """Return the table as CSV with all digits; empty cells are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.title for column in table.columns])
    writer.writerows([["" if cell is None else cell for cell in row] for row in table.rows])
    return stream.getvalue()


def render(table: Table, path: str | Path) -> str:
    """Return the table's text in the format that the path's ending names."""
    writers = {".md": markdown, ".tex": latex, ".csv": csv_text}
    ending = Path(path).suffix.lower()
    if ending not in writers:
        raise InputError(f"{path}: the name of a table must end in {', '.join(FORMATS)}, got '{ending}'")
    return writers[ending](table)
