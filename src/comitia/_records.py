"""Records (frozen dataclasses) to plain data and back: one walker, and every error names its path.

`to_plain` turns a record into what JSON and TOML can hold. `from_plain` builds a record from plain data by the types
of its fields. A record that has a method `fault() -> str | None` is asked, once built, what is wrong with it.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from comitia._errors import InputError, nearest

Kind = TypeVar("Kind")
# JSON has no limit on whole numbers; the arrays and counters behind our records do.
LARGEST = 2**63
# Records are a few levels deep; what is deeper is no record, and would exhaust the stack somewhere.
DEEPEST = 50
# Longer values are cut in messages.
SHOWN = 60


class _Misfit(Exception):
    """What does not fit, and where: the message so far, and the path that is still to be put before it."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path, self.problem = path, problem


class _Unknown(_Misfit):
    """A key that is not a field of its table; the suggestion names the table that has it, if one does."""

    def __init__(self, path: str, key: str, known: Iterable[str]) -> None:
        super().__init__(path, f"unknown key{nearest(key, known)}")
        self.key = key


def key_of(entry: "Field[Any]") -> str:
    """Return the key of a field in plain data: its name, or the `key` of its metadata (`lam` is written "lambda")."""
    return str(entry.metadata.get("key", entry.name))


def to_plain(value: Any) -> Any:
    """Return records, tuples, arrays and numbers of numpy as plain data; a number that is not finite is an error.

    >>> from dataclasses import dataclass
    >>> Point = dataclass(type("Point", (), {"__annotations__": {"at": tuple[float, ...]}}))
    >>> to_plain(Point((0.5, 1)))
    {'at': [0.5, 1]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {key_of(entry): to_plain(getattr(value, entry.name)) for entry in fields(value) if entry.init}
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return to_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [to_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} cannot be written to a record")
    return value


def from_plain(
    kind: type[Kind], plain: Any, where: str = "", *, strict: bool = True, faults: bool = True
) -> Kind:
    """Return the record of that kind; anything that does not fit is an `InputError` naming its path.

    Parameters
    ----------
    kind : a dataclass; its fields may be texts, numbers, truth values, other dataclasses, tuples, mappings with text
        keys, float64 arrays, and unions of these
    plain : what `json.loads` or `tomllib.loads` gave
    where : text before the path in messages, such as "recipe key " or "ensemble.json: "
    strict : whether a key that is not a field is an error
    faults : whether records are asked for their `fault()`; types are always checked

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> Point = dataclass(type("Point", (), {"__annotations__": {"at": tuple[float, ...]}}))
    >>> from_plain(Point, {"at": [1, "x"]}, "points.json: ")
    Traceback (most recent call last):
    comitia._errors.InputError: points.json: at[1]: must be a number, got 'x'
    """
    try:
        made: Kind = _Reader(strict, faults).record(kind, plain, "")
        return made
    except _Misfit as misfit:
        if isinstance(misfit, _Unknown):
            homes = [path for path in _paths(kind) if path.endswith(f".{misfit.key}")]
            misfit.problem = f"unknown key (did you mean '{homes[0]}'?)" if homes else misfit.problem
        subject = f"{where}{misfit.path}".rstrip(": ")
        raise InputError(f"{subject}: {misfit.problem}" if subject else misfit.problem) from None


def parse_json(text: str, source: str) -> Any:
    """Return the plain data of a JSON text.

    NaN, infinities, duplicate keys and nesting beyond `DEEPEST` are errors.
    """
    try:
        plain = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_distinct_keys)
        require_shallow(plain)
        return plain
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}: not readable as JSON ({_shortened(str(error))})") from None


def require_format(plain: Any, wanted: str, source: str, what: str) -> dict[str, Any]:
    """Return the plain data if it is of that format; another number at its end means another version."""
    given = plain.get("format") if isinstance(plain, dict) else None
    if isinstance(given, str) and given != wanted and given.rpartition("-")[0] == wanted.rpartition("-")[0]:
        raise InputError(
            f"{source}: written by another version of comitia (format {given}, this one reads {wanted}); "
            "create it again"
        )
    if given != wanted:
        raise InputError(f"{source}: not {what} (format {wanted})")
    return dict(plain)


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not a number")


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if [other for other, _ in pairs].count(key) > 1)
        raise ValueError(f"duplicate key '{_shortened(twice)}'")
    return found


def require_shallow(plain: Any, levels: int = DEEPEST) -> None:
    """Raise where plain data are nested deeper than that."""
    if levels == 0:
        raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    for inner in plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ():
        if isinstance(inner, dict | list):
            require_shallow(inner, levels - 1)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _entries(kind: type) -> "dict[str, Field[Any]]":
    return {key_of(entry): entry for entry in fields(kind) if entry.init}


@dataclass(frozen=True)
class _Reader:
    """Builds records from plain data; `path` is its place in the data."""

    strict: bool
    faults: bool

    def record(self, kind: Any, plain: Any, path: str) -> Any:
        if not isinstance(plain, Mapping):
            raise _Misfit(path, f"must be a table of keys, got {_shown(plain)}")
        entries = _entries(kind)
        for key in plain if self.strict else ():
            if key not in entries:
                raise _Unknown(_inside(path, key), str(key), entries)
        values = {}
        for key, entry in entries.items():
            if key in plain:
                values[entry.name] = self.value(_hints(kind)[entry.name], plain[key], _inside(path, key))
            elif entry.default is MISSING and entry.default_factory is MISSING:
                raise _Misfit(_inside(path, key), "missing; it has no default")
        made = kind(**values)
        problem = made.fault() if self.faults and hasattr(made, "fault") else None
        if problem:
            raise _Misfit(path, problem)
        return made

    def value(self, hint: Any, value: Any, path: str) -> Any:
        origin, arguments = get_origin(hint), get_args(hint)
        if hint is Any:
            return self.free(value, path)
        if is_dataclass(hint):
            return self.record(hint, value, path)
        if origin in (Union, UnionType):
            return self.union(arguments, value, path)
        if origin is tuple:
            return self.sequence(arguments, value, path)
        if origin is np.ndarray:
            return np.array(self.sequence((float, ...), value, path), dtype=np.float64)
        if origin is not None and issubclass(origin, Mapping):
            if not isinstance(value, Mapping):
                raise _Misfit(path, f"must be a table of keys, got {_shown(value)}")
            return {str(k): self.value(arguments[1], v, _inside(path, k)) for k, v in value.items()}
        return _scalar(hint, value, path)

    def free(self, value: Any, path: str) -> Any:
        """Return a value of any type, if its numbers are such as a float can hold."""
        inside = value.items() if isinstance(value, Mapping) else ()
        for key, inner in enumerate(value) if isinstance(value, list | tuple) else inside:
            self.free(inner, f"{path}[{key}]" if isinstance(key, int) else _inside(path, key))
        if isinstance(value, int | float) and not isinstance(value, bool) and not _is_number(value):
            raise _Misfit(path, f"must be a number, got {_shown(value)}")
        return value

    def union(self, choices: tuple[Any, ...], value: Any, path: str) -> Any:
        if value is None and NoneType in choices:
            return None
        others = [choice for choice in choices if choice is not NoneType]
        if set(others) == {int, float}:  # a count or a fraction: which of the two it is must survive
            others = [int if _is_whole(value) else float]
        for choice in others[:-1]:
            try:
                return self.value(choice, value, path)
            except _Misfit:
                continue
        return self.value(others[-1], value, path)

    def sequence(self, kinds: tuple[Any, ...], value: Any, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise _Misfit(path, f"must be a list, got {_shown(value)}")
        each = kinds[:1] * len(value) if len(kinds) == 2 and kinds[1] is Ellipsis else kinds
        if len(value) != len(each):
            raise _Misfit(path, f"must have {len(each)} entries, got {len(value)}")
        return tuple(self.value(kind, v, f"{path}[{i}]") for i, (kind, v) in enumerate(zip(each, value)))


def _paths(kind: Any, prefix: str = "") -> Iterator[str]:
    """The dotted path of every key of a record and of the records inside it."""
    for entry in fields(kind):
        path, hint = f"{prefix}{key_of(entry)}", _hints(kind)[entry.name]
        yield path
        for inner in (hint, *get_args(hint)):
            if is_dataclass(inner):
                yield from _paths(inner, f"{path}.")


def _scalar(hint: Any, value: Any, path: str) -> Any:
    wanted, fits = _SCALARS[hint]
    if not fits(value):
        raise _Misfit(path, f"must be {wanted}, got {_shown(value)}")
    return float(value) if hint is float else value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


_SCALARS: dict[Any, tuple[str, Any]] = {
    str: ("a text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number", _is_whole),
    float: ("a number", _is_number),
    NoneType: ("nothing", lambda value: value is None),
}


def _inside(path: str, key: Any) -> str:
    return f"{path}.{_shortened(str(key))}" if path else _shortened(str(key))


def _shown(value: Any) -> str:
    return _shortened(repr(value))


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
