"""Records made from plain data, as JSON gives it."""

from dataclasses import fields
from typing import Any


def build(kind: Any, record: dict[str, Any]) -> Any:
    """The record of that kind from its plain data: every field must be there, lists become tuples.

    >>> from quorate.evaluation.records import TandemCounts
    >>> build(TandemCounts, {"members": 1, "samples": 4, "upper": [2]})
    TandemCounts(members=1, samples=4, upper=(2,))
    """
    values = {field.name: record[field.name] for field in fields(kind)}
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in values.items()})
