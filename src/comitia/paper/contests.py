"""Contests: several ensembles trained on the same data for the same number of epochs, read from one TOML file.

| key | what |
|---|---|
| `name`, `about` | the file's stem if left out; one line |
| `budget` | the epochs that each ensemble trains in all; every entry is held to it |
| `repeats` | how often each is trained, with other seeds |
| `[recipe]` | what all entries share: a recipe without a strategy |
| `[ensembles.NAME]` | what this one changes in it, or `last_of = "OTHER"`: the last states of another's runs |

The repeats of an entry are runs of one training: with r runs an ensemble, repeat k has runs (k-1)·r+1 to k·r.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from comitia._errors import InputError, nearest, require_choice
from comitia.recipes import Recipe, changed_table, plans, recipe_from_dict, strategy_of

TYPES = {"name": str, "about": str, "budget": int, "repeats": int, "recipe": dict, "ensembles": dict}
DEFAULTS = {"about": "", "repeats": 1}
KINDS = {str: "a text", int: "a whole number", dict: "a table"}


@dataclass(frozen=True)
class Entry:
    """One ensemble of a contest: its name, the recipe of a repeat, and whose last states it is if not its own."""

    name: str
    recipe: Recipe
    last_of: str | None = None

    @property
    def folder(self) -> str:
        """Where its training lies in the contest's directory."""
        return self.last_of or self.name

    @property
    def epochs(self) -> int:
        """The epochs of one repeat, over all its runs."""
        return sum(plan.epochs for plan in plans(self.recipe))

    def repeated(self, repeats: int) -> Recipe:
        """The recipe that trains all repeats; a single dropout network becomes several."""
        return strategy_of(self.recipe).repeated(self.recipe, repeats)

    def runs(self, repeat: int) -> range:
        """The runs of repeat 0, 1, ..."""
        count = self.recipe.training.runs
        return range(repeat * count + 1, (repeat + 1) * count + 1)


@dataclass(frozen=True)
class Contest:
    """Ensembles to be compared at equal training epochs."""

    name: str
    about: str
    budget: int
    repeats: int
    entries: tuple[Entry, ...]


def contest_names() -> tuple[str, ...]:
    """The names of the built-in contests, sorted.

    >>> contest_names()
    ('bayes-demo', 'bayes-imdb')
    """
    folder = files("comitia.paper").joinpath("comparisons")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def read_contest(name_or_path: str, changes: Sequence[str] = (), *, repeats: int | None = None) -> Contest:
    """The contest of that built-in name or file, checked; `changes` are `key=value` for all its recipes.

    >>> contest = read_contest("bayes-demo")
    >>> contest.budget, [entry.name for entry in contest.entries][:3]
    (30, ['simple', 'checkpoints', 'simple-plain'])
    """
    table = _table(name_or_path)
    for key in table:
        if key not in TYPES:
            raise InputError(f"comparison key {key}: unknown{nearest(key, tuple(TYPES))}")
    for key, kind in TYPES.items():
        if key not in table:
            raise InputError(f"comparison key {key}: missing in {name_or_path}; it has no default")
        if type(table[key]) is not kind:
            raise InputError(f"comparison key {key}: must be {KINDS[kind]}, got {table[key]!r}")
    for name, given in table["ensembles"].items():
        if not isinstance(given, dict):
            raise InputError(f"ensemble {name}: must be a table, got {given!r}")
    if not table["ensembles"]:
        raise InputError("comparison key ensembles: needs at least one ensemble, got none")
    shared = {"name": table["name"], **table["recipe"]}
    own = {
        name: _own_recipe(name, shared, given, changes)
        for name, given in table["ensembles"].items()
        if "last_of" not in given
    }
    entries = tuple(_entry(name, given, own) for name, given in table["ensembles"].items())
    count = table["repeats"] if repeats is None else repeats
    if count < 1:
        raise InputError(f"repeats: must be at least 1, got {count}")
    contest = Contest(table["name"], table["about"], table["budget"], count, entries)
    _check(contest)
    return contest


def _table(name_or_path: str) -> dict[str, Any]:
    path = Path(name_or_path)
    if not name_or_path.endswith(".toml") and path.name == name_or_path:
        require_choice("--compare", name_or_path, contest_names())
        source = files("comitia.paper").joinpath("comparisons", f"{name_or_path}.toml")
        return {**DEFAULTS, **tomllib.loads(source.read_text(encoding="utf-8"))}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"--compare {path}: no such file; give a .toml file or a built-in name") from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"--compare {path}: not a TOML file: {error}") from None
    return {"name": path.stem, **DEFAULTS, **table}


def _own_recipe(name: str, shared: dict[str, Any], given: Any, changes: Sequence[str]) -> Recipe:
    try:
        return recipe_from_dict(changed_table(_merged(shared, given), changes))
    except InputError as error:
        raise InputError(f"ensemble {name}: {error}") from error


def _merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The shared table with the values of the own one, table by table."""
    found = dict(shared)
    for key, value in own.items():
        both = isinstance(value, Mapping) and isinstance(found.get(key), Mapping)
        found[key] = _merged(found[key], value) if both else value
    return found


def _entry(name: str, given: Mapping[str, Any], own: Mapping[str, Recipe]) -> Entry:
    if "last_of" not in given:
        return Entry(name, own[name])
    if set(given) != {"last_of"} or given["last_of"] not in own:
        raise InputError(
            f"ensemble {name}: last_of must stand alone and name an ensemble that is trained, "
            f"one of {', '.join(own)}, got {dict(given)}"
        )
    return Entry(name, own[given["last_of"]], given["last_of"])


def _check(contest: Contest) -> None:
    for entry in contest.entries:
        if not entry.name.replace("-", "").replace(".", "").isalnum():
            raise InputError(
                f"ensemble {entry.name!r}: must be letters, digits, dashes and dots: it names a folder"
            )
        if not strategy_of(entry.recipe).comparable:
            raise InputError(
                f"ensemble {entry.name}: strategy '{entry.recipe.training.strategy}' cannot be compared at "
                "equal epochs here; give it to comitia reproduce NAME"
            )
        if entry.epochs != contest.budget:
            raise InputError(
                f"ensemble {entry.name}: trains {entry.epochs} epochs in all its runs, the budget is "
                f"{contest.budget}; change runs or epochs"
            )
