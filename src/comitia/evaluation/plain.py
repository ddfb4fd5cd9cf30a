"""Records made from plain data, as JSON gives it."""

from dataclasses import fields
from typing import Any

from comitia._errors import InputError


def build(kind: Any, record: dict[str, Any]) -> Any:
    """The record of that kind from its plain data: every field must be there, lists become tuples.

    >>> from comitia.evaluation.records import TandemCounts
    >>> build(TandemCounts, {"members": 1, "samples": 4, "upper": [2]})
    TandemCounts(members=1, samples=4, upper=(2,))
    """
    values = {field.name: record[field.name] for field in fields(kind)}
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in values.items()})


def require_format(record: Any, wanted: str, source: str, what: str) -> None:
    """Raise unless the plain data is a record of that format; another number at its end is another version's."""
    given = record.get("format") if isinstance(record, dict) else None
    if isinstance(given, str) and given != wanted and given.rpartition("-")[0] == wanted.rpartition("-")[0]:
        raise InputError(
            f"{source}: written by another version of comitia (format {given}, this one reads {wanted}); make it anew"
        )
    if given != wanted:
        raise InputError(f"{source}: not {what} (format {wanted})")
