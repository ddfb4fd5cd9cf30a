"""Recipes: TOML files that say which members to train, checked on reading; the built-in ones in `library/`.

>>> recipe = read_recipe("demo", epochs=2, members=3)
>>> recipe.training.runs, recipe.training.epochs, recipe.data.name
(3, 2, 'mnist5k')
"""

from comitia.recipes.planning import Plan
from comitia.recipes.reading import modules_of, read_recipe, recipe_from_dict
from comitia.recipes.recipe import (
    CONVOLUTIONS,
    KERNELS,
    OUT_OF_BAG,
    PER_RUN,
    Data,
    Engine,
    Model,
    Recipe,
    Sampler,
    Schedule,
    Training,
)
from comitia.recipes.strategies import STRATEGIES, Strategy, plan, plans, strategy_of
from comitia.recipes.toml import about, changed_table, names

__all__ = [
    "CONVOLUTIONS",
    "KERNELS",
    "OUT_OF_BAG",
    "PER_RUN",
    "STRATEGIES",
    "Data",
    "Engine",
    "Model",
    "Plan",
    "Recipe",
    "Sampler",
    "Schedule",
    "Strategy",
    "Training",
    "about",
    "changed_table",
    "modules_of",
    "names",
    "plan",
    "plans",
    "read_recipe",
    "recipe_from_dict",
    "strategy_of",
]
