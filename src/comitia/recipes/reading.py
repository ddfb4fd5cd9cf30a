"""Recipes from names, files, tables and records: every key known, every value of its type, the whole consistent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from comitia._errors import InputError
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
) -> Recipe:
    """Return the recipe of that built-in name or TOML file (or the record itself), changed, scaled and checked.

    `overrides` are `{"training.lr": 0.05}` or texts `training.lr=0.05`; the value of a text is read as TOML, and as
    plain text where it is not TOML. `epochs` is applied after them, `members` last.

    >>> read_recipe("demo", ["training.lr=0.01"]).training.lr
    0.01
    """
    table = recipe.to_dict() if isinstance(recipe, Recipe) else read_table(recipe)
    return recipe_from_dict(changed_table(table, overrides), members=members, epochs=epochs)


def recipe_from_dict(
    table: Mapping[str, Any], *, members: int | None = None, epochs: int | None = None
) -> Recipe:
    """Return the recipe of a nested table, scaled and checked."""
    recipe = from_plain(Recipe, table, "recipe key ")
    if epochs is not None:
        check(recipe)
        recipe = strategy_of(recipe).with_epochs(recipe, epochs)
    if members is not None:
        if members < 1:
            raise InputError(f"members: must be at least 1, got {members}")
        recipe = strategy_of(recipe).with_members(recipe, members)
    check(recipe)
    return recipe
