"""How far a training and its predictions are from what the paper did: notes for the reader, and what may be judged."""

import json
from typing import Any

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.paper.rows import EXTENT, references
from comitia.recipes import Recipe, names, read_recipe, strategy_of

# What a recipe may change and still train as the paper did: how many runs, from which seed, where, and what is kept.
FREE = ("about", "seed", "keep", "training.runs", "data.folder", "engine.cpus", "engine.gpus")


def trained_otherwise(recipe: Recipe) -> tuple[str, ...]:
    """Return a note if the recipe trains otherwise than the built-in one of its name, or has none of that name.

    >>> trained_otherwise(read_recipe("imdb-cnn_lstm-sse", members=8))
    ()
    """
    unjudged = "not judged by numbers from the literature, which stand beside it all the same"
    if recipe.name not in names():
        return (f"{recipe.name} is not a built-in recipe: {unjudged}",) if references(recipe.name) else ()
    ours, full = recipe.flat(), read_recipe(recipe.name).flat()
    changed = [
        f"{key} = {_shown(ours.get(key))} (built in: {_shown(full.get(key))})"
        for key in {**ours, **full}
        if key not in FREE and ours.get(key) != full.get(key)
    ]
    return (f"trained with {', '.join(changed)}: {unjudged}",) if changed else ()


def _shown(value: Any) -> str:
    return "none" if value is None else json.dumps(value)


def require_classes(recipe: Recipe, predictions: Predictions) -> None:
    """Raise for predictions that cannot be of the recipe's data."""
    classes, _ = EXTENT.get(recipe.data.name, (predictions.classes, 0))
    if predictions.classes != classes:
        raise InputError(
            f"predictions: {recipe.data.name}, the data of {recipe.name}, has {classes} classes, "
            f"got {predictions.classes}; give predictions of these data"
        )


def other_samples(recipe: Recipe, predictions: Predictions) -> tuple[str, ...]:
    """Return notes where weights, bounds and scores rest on other samples than the paper's."""
    found = []
    _, samples = EXTENT.get(recipe.data.name, (0, predictions.samples))
    if predictions.samples != samples:
        official = f"the official test set of {recipe.data.name} has {samples:,}"
        found.append(f"{predictions.samples:,} samples; {official}")
    if strategy_of(recipe).out_of_bag:
        found.append(
            "weights and bounds come from halves of the test samples; those of the paper for bagging rest on "
            "out-of-bag samples"
        )
    return tuple(found)
