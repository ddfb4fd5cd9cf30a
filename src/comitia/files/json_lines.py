"""JSON lines: one object per line and sample."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from comitia._errors import InputError
from comitia.files.encodings import encoding_of
from comitia.files.sources import Source, reading
from comitia.files.text import TextTable


def open_json_lines(source: Source) -> TextTable:
    """Return the table of one JSON object per line; a key that a line lacks is an empty cell."""
    encoding, note = encoding_of(source)
    names: dict[str, None] = {}
    with reading(source.name):
        for _, record in _records(source, encoding):
            names.update(dict.fromkeys(record))
    if not names:
        raise InputError(f"{source.name}: is empty; one JSON object per line and sample is required")

    def rows() -> Iterator[Sequence[Any]]:
        for number, record in _records(source, encoding):
            yield [_cell(source.name, number, name, record.get(name)) for name in names]

    notes = () if note is None else (note,)
    return TextTable(source.name, [name.strip() for name in names], rows, first_row=1, notes=notes)


def _records(source: Source, encoding: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects, each with the number of its line."""
    with io.TextIOWrapper(source.open(), encoding=encoding) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"{source.name}: line {number} is not JSON ({error}); one object per line is required"
                ) from None
            if not isinstance(record, dict):
                raise InputError(
                    f"{source.name}: line {number} holds no object; one object per line is required"
                )
            yield number, record


def _cell(source: str, line: int, name: str, value: Any) -> Any:
    """The cell as text (numbers in full), or a tuple of numbers."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    where = f"{source}: line {line}, '{name}'"
    if isinstance(value, dict):
        raise InputError(f"{where}: is an object; a number, a text or a list of numbers is required")
    if not value or any(isinstance(part, bool) or not isinstance(part, int | float) for part in value):
        raise InputError(f"{where}: must be a list of numbers, got {json.dumps(value)[:60]}")
    return tuple(value)
