"""Plans of comparisons: ensembles to train on the same data for the same number of epochs, read from one TOML file.

| key | what |
|---|---|
| `name`, `about` | the file's stem if left out; one line |
| `budget` | the epochs that each ensemble trains in all; every entry is held to it |
| `repeats` | how often each is trained, with other seeds |
| `[recipe]` | what all entries share: a recipe without a strategy |
| `[ensembles.NAME]` | what this one changes in it, or `last_of = "OTHER"`: the last states of another's runs |

The repeats of an entry are runs of one training: with r runs per ensemble, repeat k has runs (k-1)·r+1 to k·r.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from comitia._errors import InputError, require_choice
from comitia._extensions import allowing
from comitia._records import from_plain
from comitia.evaluation.comparison import names_folder
from comitia.files.texts import read_text
from comitia.recipes import Recipe, changed_table, plans, recipe_from_dict, strategy_of
from comitia.recipes.reading import modules_named
from comitia.recipes.toml import parse_toml


@dataclass(frozen=True)
class _File:
    """What a file must hold."""

    name: str
    budget: int
    recipe: dict[str, Any]
    ensembles: dict[str, dict[str, Any]]
    about: str = ""
    repeats: int = 1


@dataclass(frozen=True)
class Entry:
    """One ensemble of a comparison: its name, the recipe of a repeat, and whose last states it is if not its own."""

    name: str
    recipe: Recipe
    last_of: str | None = None

    @property
    def folder(self) -> str:
        """Where its training lies in the directory of the comparison."""
        return self.last_of or self.name

    @property
    def epochs(self) -> int:
        """The epochs of one repeat, over all its runs."""
        return sum(plan.epochs for plan in plans(self.recipe))

    def repeated(self, repeats: int) -> Recipe:
        """Return the recipe that trains all repeats; a single dropout network becomes several."""
        return strategy_of(self.recipe).repeated(self.recipe, repeats)

    def runs(self, repeat: int) -> range:
        """Return the runs of repeat 0, 1, ..."""
        count = self.recipe.training.runs
        return range(repeat * count + 1, (repeat + 1) * count + 1)


@dataclass(frozen=True)
class ComparisonPlan:
    """Ensembles to compare at equal training epochs."""

    name: str
    about: str
    budget: int
    repeats: int
    entries: tuple[Entry, ...]


def plan_names() -> tuple[str, ...]:
    """Return the names of the built-in plans, sorted.

    >>> plan_names()
    ('bayes-demo', 'bayes-imdb')
    """
    folder = files("comitia.paper").joinpath("comparisons")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def read_plan(
    name_or_path: str | Path, overrides: Sequence[str] = (), *, repeats: int | None = None
) -> ComparisonPlan:
    """Read the plan of that built-in name or file and check it; `overrides` are `key=value` for all its recipes.

    >>> plan = read_plan("bayes-demo")
    >>> plan.budget, [entry.name for entry in plan.entries][:3]
    (30, ['simple', 'checkpoints', 'simple-plain'])
    """
    file = from_plain(_File, _table(str(name_or_path)), "comparison key ")
    if not file.ensembles:
        raise InputError("comparison key ensembles: at least one ensemble is required, got none")
    shared = {"name": file.name, **file.recipe}
    own = {
        name: _own_recipe(name, shared, given, overrides)
        for name, given in file.ensembles.items()
        if "last_of" not in given
    }
    entries = tuple(_entry(name, given, own) for name, given in file.ensembles.items())
    count = file.repeats if repeats is None else repeats
    if count < 1:
        raise InputError(f"repeats: must be at least 1, got {count}")
    plan = ComparisonPlan(file.name, file.about, file.budget, count, entries)
    _check(plan)
    return plan


def _table(name_or_path: str) -> dict[str, Any]:
    path = Path(name_or_path)
    if not name_or_path.endswith(".toml") and path.name == name_or_path:
        require_choice("comparison", name_or_path, plan_names())
        source = files("comitia.paper").joinpath("comparisons", f"{name_or_path}.toml")
        return tomllib.loads(source.read_text(encoding="utf-8"))
    text = read_text(path, absent=f"no such file; give a .toml file or one of {', '.join(plan_names())}")
    return {"name": path.stem, **parse_toml(text, f"comparison {path}")}


def _own_recipe(name: str, shared: dict[str, Any], given: Any, changes: Sequence[str]) -> Recipe:
    try:
        with allowing(modules_named(changes)):
            return recipe_from_dict(changed_table(_merged(shared, given), changes))
    except InputError as error:
        raise InputError(f"ensemble {name}: {error}") from error


def _merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shared table with the values of the own one, table by table."""
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
            f"ensemble {name}: last_of must be its only key and name an ensemble that is trained, "
            f"one of {', '.join(own)}, got {dict(given)}"
        )
    return Entry(name, own[given["last_of"]], given["last_of"])


def _check(plan: ComparisonPlan) -> None:
    for entry in plan.entries:
        if not names_folder(entry.name):
            raise InputError(
                f"ensemble {entry.name!r}: must be letters, digits, dashes and dots, because it names a folder"
            )
        if not strategy_of(entry.recipe).comparable:
            raise InputError(
                f"ensemble {entry.name}: strategy '{entry.recipe.training.strategy}' cannot be compared at "
                "equal epochs; reproduce its recipe instead"
            )
        if entry.epochs != plan.budget:
            raise InputError(
                f"ensemble {entry.name}: trains {entry.epochs} epochs in all its runs, the budget is "
                f"{plan.budget}; change runs or epochs"
            )
