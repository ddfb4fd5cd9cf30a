"""Recipes from names, files, tables and records: every key known, every value of its type, the whole consistent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._extensions import allowing, is_reference, module_of, require_allowed
from comitia._records import from_plain
from comitia.recipes.checks import check
from comitia.recipes.recipe import Recipe
from comitia.recipes.strategies import strategy_of
from comitia.recipes.toml import Overrides, changed_table, read_table


def read_recipe(
    recipe: str | Path | Recipe,
    overrides: Overrides = (),
    members: int | None = None,
    epochs: int | None = None,
    *,
    allow_code: bool = False,
) -> Recipe:
    """Return the recipe of that built-in name or TOML file (or the record itself), changed, scaled and checked.

    `overrides` are `{"training.lr": 0.05}` or texts `training.lr=0.05`; the value of a text is read as TOML, and as
    plain text where it is not TOML. `epochs` is applied after them, `members` last.

    A file that names `module:function` runs that code when it is read. It is refused unless `allow_code` is given or
    the overrides name the module.

    >>> read_recipe("demo", ["training.lr=0.01"]).training.lr
    0.01
    """
    own = isinstance(recipe, Recipe)
    table = recipe.to_dict() if isinstance(recipe, Recipe) else read_table(recipe)
    changed = changed_table(table, overrides)
    with allowing(None if allow_code or own else modules_named(overrides)):
        return recipe_from_dict(changed, members=members, epochs=epochs)


def recipe_from_dict(
    table: Mapping[str, Any],
    *,
    members: int | None = None,
    epochs: int | None = None,
    allow_code: bool = False,
) -> Recipe:
    """Return the recipe of a nested table, scaled and checked; code that it names runs if `allow_code` is given."""
    with allowing(None if allow_code else ()):
        return _checked(from_plain(Recipe, table, "recipe key "), members, epochs)


def modules_of(recipe: Recipe) -> set[str]:
    """Return the modules from outside that a recipe names."""
    return {module_of(text) for text in _parts(recipe).values() if is_reference(text)}


def _parts(recipe: Recipe) -> dict[str, str]:
    """What may be `module:function`, by its key."""
    training = recipe.training
    return {
        "data.name": recipe.data.name,
        "model.name": recipe.model.name,
        "training.strategy": training.strategy,
        "training.augment": training.augment,
        "training.schedule.shape": training.schedule.shape,
    }


def modules_named(overrides: Overrides) -> set[str]:
    """Return the modules that the caller's own changes of a recipe name."""
    return _named(changed_table({}, overrides))


def _named(table: Any) -> set[str]:
    """The modules that values of a nested table name."""
    if isinstance(table, Mapping):
        return {module for value in table.values() for module in _named(value)}
    return {module_of(table)} if isinstance(table, str) and is_reference(table) else set()


def _checked(recipe: Recipe, members: int | None, epochs: int | None) -> Recipe:
    for key, text in _parts(recipe).items():
        if is_reference(text):
            require_allowed(f"recipe key {key}", text)
    if epochs is not None:
        check(recipe)
        recipe = strategy_of(recipe).with_epochs(recipe, epochs)
    if members is not None:
        if members < 1:
            raise InputError(f"members: must be at least 1, got {members}")
        recipe = strategy_of(recipe).with_members(recipe, members)
    check(recipe)
    return recipe
