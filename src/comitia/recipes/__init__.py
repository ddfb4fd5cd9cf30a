"""Recipes: TOML files that say which members to train, checked on reading; the built-in ones in `library/`.

>>> recipe = read_recipe("demo", epochs=2, members=3)
>>> recipe.training.runs, recipe.training.epochs, recipe.data.name
(3, 2, 'mnist5k')
"""

from comitia.recipes.reading import about, names, read_recipe, recipe_from_dict
from comitia.recipes.recipe import (
    BAYESIAN,
    STRATEGIES,
    Data,
    Engine,
    Model,
    Recipe,
    Sampler,
    Schedule,
    Training,
)

__all__ = [
    "BAYESIAN",
    "STRATEGIES",
    "Data",
    "Engine",
    "Model",
    "Recipe",
    "Sampler",
    "Schedule",
    "Training",
    "about",
    "names",
    "read_recipe",
    "recipe_from_dict",
]
