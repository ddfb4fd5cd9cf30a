"""Matrices of costs from files: JSON (rows, or names) or CSV with the classes in its header and first column."""

import csv
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._records import parse_json
from comitia.files.remote import shown
from comitia.files.texts import read_text


def read_costs(path: str | Path) -> Any:
    """Return what a file says of costs, as `weigh` takes it: rows of numbers, or a mapping of mappings by names.

    A CSV has the answers in its header and the true class first in each row; a column "no answer" may say what none
    costs. JSON holds the rows in the order of the classes, or an object of objects.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "costs.csv"
    ...     _ = table.write_text("true,sick,well\\nsick,0,5\\nwell,1,0\\n")
    ...     read_costs(table)
    {'sick': {'sick': 0.0, 'well': 5.0}, 'well': {'sick': 1.0, 'well': 0.0}}
    """
    name = shown(path)
    text = read_text(path, absent="no such file; a JSON or CSV file of costs is required").removeprefix(
        "\ufeff"
    )
    if name.lower().endswith(".json") or text.lstrip().startswith(("[", "{")):
        return _from_json(text, name)
    return _from_csv(text, name)


def _from_json(text: str, name: str) -> Any:
    found = parse_json(text, name)
    if not isinstance(found, list | dict):
        raise InputError(
            f"{name}: must hold a list of rows or an object of objects, got {type(found).__name__}"
        )
    return found


def _from_csv(text: str, name: str) -> dict[str, dict[str, float]]:
    rows = [[cell.strip() for cell in row] for row in _rows(text, name) if any(row)]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(f"{name}: must have a header of answers and a row per true class, all of one length")
    found: dict[str, dict[str, float]] = {}
    for line, (true, *cells) in enumerate(rows[1:], start=2):
        if true in found:
            raise InputError(f"{name}: class '{true}' has two rows; give one")
        found[true] = {answer: _number(cell, name, line) for answer, cell in zip(rows[0][1:], cells)}
    return found


def _rows(text: str, name: str) -> list[list[str]]:
    try:
        return list(csv.reader(text.splitlines()))
    except csv.Error as error:
        raise InputError(f"{name}: is not CSV text ({error}); write it again") from None


def _number(cell: str, name: str, line: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"{name}: line {line} holds '{cell}', not a number") from None
