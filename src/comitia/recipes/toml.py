"""Recipes as nested tables of plain values: read from TOML, changed key by key, written as TOML."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

from comitia._errors import InputError, nearest
from comitia._records import require_shallow
from comitia.files.texts import read_text

Overrides = Mapping[str, Any] | Iterable[str]


def names() -> tuple[str, ...]:
    """Return the names of the built-in recipes, sorted.

    >>> "demo" in names()
    True
    """
    folder = files("comitia.recipes").joinpath("library")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def about(name: str) -> str:
    """Return one line on what the built-in recipe trains."""
    return str(tomllib.loads(_library_text(name))["about"])


def read_table(name_or_path: str | Path) -> dict[str, Any]:
    """Return the table of a built-in recipe or of a TOML file, whose stem is its name unless it has one."""
    text = str(name_or_path)
    path = Path(text)
    if not text.endswith(".toml") and path.name == text:
        return tomllib.loads(_library_text(text))
    content = read_text(path, absent="no such file; give a .toml file or the name of a built-in recipe")
    table = parse_toml(content, f"recipe {text}")
    table.setdefault("name", path.stem)
    return table


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Return the table of a TOML text; one that is nested deeper than any record is an error."""
    try:
        table = tomllib.loads(text)
        require_shallow(table)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}: not a TOML file: {' '.join(str(error).split())[:200]}") from None
    return table


def changed_table(table: Mapping[str, Any], overrides: Overrides) -> dict[str, Any]:
    """Return a copy of the nested table with those keys changed."""
    found = deepcopy(dict(table))
    for key, value in _pairs(overrides):
        _put(found, key, value)
    return found


def to_toml(table: dict[str, Any]) -> str:
    """Return the table as TOML: plain keys first, then one `[section]` per sub-table.

    >>> print(to_toml({"name": "a", "training": {"epochs": 5, "schedule": {"shape": "constant"}}}))
    name = "a"
    <BLANKLINE>
    [training]
    epochs = 5
    <BLANKLINE>
    [training.schedule]
    shape = "constant"
    <BLANKLINE>
    """
    return "\n".join(_section(table, "")).lstrip("\n") + "\n"


def _section(table: dict[str, Any], prefix: str) -> list[str]:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not _is_section(key, value)]
    for key, value in table.items():
        if _is_section(key, value):
            lines += ["", f"[{prefix}{_key(key)}]", *_section(value, f"{prefix}{_key(key)}.")]
    return lines


def _is_section(key: str, value: Any) -> bool:
    # Options of a data set or network are few: they read better on one line.
    return isinstance(value, dict) and key != "options"


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # JSON's escapes are TOML's, but TOML also forbids DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"TOML has no value for {type(value).__name__}")


def _library_text(name: str) -> str:
    if name not in names():
        hint = nearest(name, names())
        raise InputError(
            f"recipe '{name}': no built-in recipe of that name{hint}; comitia train --list shows them"
        )
    return files("comitia.recipes").joinpath("library", f"{name}.toml").read_text(encoding="utf-8")


def _pairs(overrides: Overrides) -> list[tuple[str, Any]]:
    if isinstance(overrides, Mapping):
        return list(overrides.items())
    return [_pair(text) for text in overrides]


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InputError(f"overrides: must be key=value, for instance training.lr=0.05, got {text!r}")
    try:
        # A value with a line break could smuggle in further keys: only the one key is taken.
        return key.strip(), tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()
    except (ValueError, RecursionError) as error:
        raise InputError(f"overrides: {key.strip()[:60]}: not a value of TOML ({str(error)[:100]})") from None


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise InputError(f"recipe key {key}: '{part}' is a value, not a table")
    table[last] = value
