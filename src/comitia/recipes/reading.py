"""Recipes read from TOML: every key known, every value of its type, the whole consistent."""

import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import MISSING, Field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from comitia._errors import InputError, nearest
from comitia.recipes.checks import check
from comitia.recipes.recipe import Data, Engine, Model, Recipe, Sampler, Schedule, Training
from comitia.recipes.scaling import with_epochs, with_members

TABLES: dict[str, type] = {
    "data": Data,
    "model": Model,
    "training": Training,
    "training.schedule": Schedule,
    "sampler": Sampler,
    "engine": Engine,
}
Overrides = Mapping[str, Any] | Iterable[str]


def names() -> tuple[str, ...]:
    """The names of the built-in recipes, sorted.

    >>> "demo" in names()
    True
    """
    folder = files("comitia.recipes").joinpath("library")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def about(name: str) -> str:
    """One line on what the built-in recipe trains."""
    return str(tomllib.loads(_library_text(name))["about"])


def read_recipe(
    name_or_path: str | Path,
    overrides: Overrides = (),
    members: int | None = None,
    epochs: int | None = None,
) -> Recipe:
    """The recipe of that built-in name or TOML file, changed by `overrides`, scaled and checked.

    `overrides` are `{"training.lr": 0.05}` or texts `training.lr=0.05` as `--set` takes them; the value is
    read as TOML, and as plain text where it is not TOML. `epochs` is applied after them, `members` last.

    >>> read_recipe("demo", ["training.lr=0.01"]).training.lr
    0.01
    """
    return recipe_from_dict(changed_table(_table(name_or_path), overrides), members=members, epochs=epochs)


def changed_table(table: Mapping[str, Any], overrides: Overrides) -> dict[str, Any]:
    """A copy of the nested table with those keys changed."""
    found = deepcopy(dict(table))
    for key, value in _pairs(overrides):
        _put(found, key, value)
    return found


def recipe_from_dict(
    table: Mapping[str, Any], *, members: int | None = None, epochs: int | None = None
) -> Recipe:
    """The recipe of a nested table, scaled and checked."""
    recipe: Recipe = _record(Recipe, table, "")
    if epochs is not None:
        check(recipe)
        recipe = with_epochs(recipe, epochs)
    if members is not None:
        recipe = with_members(recipe, members)
    check(recipe)
    return recipe


def _table(name_or_path: str | Path) -> dict[str, Any]:
    text = str(name_or_path)
    path = Path(text)
    if not text.endswith(".toml") and path.name == text:
        return tomllib.loads(_library_text(text))
    if not path.is_file():
        raise InputError(f"recipe {text}: no such file; give a .toml file or a name of comitia train --list")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"recipe {text}: not a TOML file: {error}") from error
    table.setdefault("name", path.stem)
    return table


def _library_text(name: str) -> str:
    if name not in names():
        hint = nearest(name, names())
        raise InputError(f"recipe '{name}': no built-in recipe of that name{hint}; see comitia train --list")
    return files("comitia.recipes").joinpath("library", f"{name}.toml").read_text(encoding="utf-8")


def _pairs(overrides: Overrides) -> list[tuple[str, Any]]:
    if isinstance(overrides, Mapping):
        return list(overrides.items())
    return [_pair(text) for text in overrides]


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InputError(f"--set {text}: must be key=value, for instance training.lr=0.05")
    try:
        # A value with a line break could smuggle in further keys: only the one key is taken.
        return key.strip(), tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise InputError(f"recipe key {key}: '{part}' is a value, not a table")
    table[last] = value


def _record(kind: type, table: Any, prefix: str) -> Any:
    if not isinstance(table, Mapping):
        raise InputError(f"recipe key {prefix.rstrip('.')}: must be a table, got {table!r}")
    known = {entry.name: entry for entry in fields(kind)}
    for key in table:
        if key not in known:
            raise InputError(f"recipe key {prefix}{key}: unknown{_suggest(key, known)}")
    for name, entry in known.items():
        if name not in table and entry.default is MISSING and entry.default_factory is MISSING:
            raise InputError(f"recipe key {prefix}{name}: missing; it has no default")
    return kind(**{key: _entry(known[key], value, prefix) for key, value in table.items()})


def _suggest(key: str, known: Mapping[str, Any]) -> str:
    """The table where the very same key belongs, else the nearest key of this one."""
    homes = [f"{name}.{key}" for name, kind in TABLES.items() if key in {f.name for f in fields(kind)}]
    return f" (did you mean '{homes[0]}'?)" if homes else nearest(key, known)


def _entry(entry: "Field[Any]", value: Any, prefix: str) -> Any:
    name = f"{prefix}{entry.name}"
    if name in TABLES:
        return _record(TABLES[name], value, f"{name}.")
    return _value(name, entry.type, value)


def _value(name: str, kind: Any, value: Any) -> Any:
    wanted, fits = WANTED[str(kind)] if str(kind) in WANTED else WANTED[kind.__name__]
    if not fits(value):
        raise InputError(f"recipe key {name}: must be {wanted}, got {value!r}")
    if kind is float:
        return float(value)
    if isinstance(value, list):
        return tuple(float(item) if "float" in str(kind) else item for item in value)
    return value


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_integer(value)


WANTED: dict[str, tuple[str, Any]] = {
    "str": ("a text", lambda v: isinstance(v, str)),
    "str | None": ("a text", lambda v: v is None or isinstance(v, str)),
    "bool": ("true or false", lambda v: isinstance(v, bool)),
    "int": ("an integer", _is_integer),
    "float": ("a number", _is_number),
    "int | float": ("a count or a fraction", _is_number),
    "tuple[int, ...]": (
        "a list of integers",
        lambda v: isinstance(v, list | tuple) and all(map(_is_integer, v)),
    ),
    "tuple[float, ...]": (
        "a list of numbers",
        lambda v: isinstance(v, list | tuple) and all(map(_is_number, v)),
    ),
    "collections.abc.Mapping[str, typing.Any]": ("a table", lambda v: isinstance(v, Mapping)),
}
