"""Costs from files, JSON or CSV: of answers by true class, and of members by name."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._records import parse_json
from comitia.files.atomic import write_text
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
    text, name, is_json = _text(path, "a JSON or CSV file of costs")
    return _from_json(text, name) if is_json else _from_csv(text, name)


def read_member_costs(path: str | Path) -> Any:
    """Return what each member costs, as `weigh` takes it: numbers in the members' order, or a mapping by their names.

    A CSV has a row per member: its name, then a cost per column of the header. JSON holds a list of numbers, or an
    object by name of numbers or of objects.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "costs.csv"
    ...     _ = table.write_text("name,parameters,seconds\\nsmall,1000,.25\\nlarge,9000,1\\n")
    ...     read_member_costs(table)
    {'small': {'parameters': 1000.0, 'seconds': 0.25}, 'large': {'parameters': 9000.0, 'seconds': 1.0}}
    """
    text, name, is_json = _text(path, "a JSON or CSV file of what each member costs")
    return _from_json(text, name) if is_json else _from_csv(text, name, "member")


def write_member_costs(path: str | Path, costs: Mapping[str, Mapping[str, float]]) -> None:
    """Write what each member costs as a CSV that `read_member_costs` reads: a row per member, a column per cost."""
    columns = list(next(iter(costs.values()), {}))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", *columns])
    writer.writerows([name, *(row[column] for column in columns)] for name, row in costs.items())
    write_text(Path(path), text.getvalue())


def _text(path: str | Path, wanted: str) -> tuple[str, str, bool]:
    """The text of a file, what messages call it, and whether it is JSON."""
    name = shown(path)
    text = read_text(path, absent=f"no such file; {wanted} is required").removeprefix("\ufeff")
    return text, name, name.lower().endswith(".json") or text.lstrip().startswith(("[", "{"))


def _from_json(text: str, name: str) -> Any:
    found = parse_json(text, name)
    if not isinstance(found, list | dict):
        raise InputError(f"{name}: must hold a list or an object, got {type(found).__name__}")
    return found


def _from_csv(text: str, name: str, what: str = "class") -> dict[str, dict[str, float]]:
    """The numbers of a table by the first cell of each row, which is a class or a member, and by the header."""
    rows = [[cell.strip() for cell in row] for row in _rows(text, name) if any(row)]
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        each = "answers and a row per true class" if what == "class" else "costs and a row per member"
        raise InputError(f"{name}: must have a header of {each}, all of one length")
    found: dict[str, dict[str, float]] = {}
    for line, (first, *cells) in enumerate(rows[1:], start=2):
        if first in found:
            raise InputError(f"{name}: {what} '{first}' has two rows; give one")
        found[first] = {column: _number(cell, name, line) for column, cell in zip(rows[0][1:], cells)}
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
