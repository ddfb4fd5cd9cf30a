"""How the members of an evaluation were trained, and so whether numbers from the literature may judge them.

Members trained here are known by their recipe. Stored predictions are known by their checksum if they are the
authors' own, by the recipe that lies beside them if comitia trained them, or by what the user says. Nothing else is
judged by numbers from the literature, which are shown all the same.
"""

import json
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.evaluation.references import Provenance
from comitia.paper.rows import EXTENT, network_of, paper_row, read_table
from comitia.recipes import Recipe, names, plan, plans, read_recipe

#: What a user says of stored predictions that were trained as the paper did.
AS_PAPER = "paper"
# What a recipe may change and still train as the paper did: how many runs, from which seed, where, and what is kept.
# The authors drew IMDB splits both ways.
FREE = (
    "about",
    "seed",
    "keep",
    "data.folder",
    "data.split",
    "training.runs",
    "training.sizes",
    "engine.cpus",
    "engine.gpus",
)

#: Told with the runs of a chain.
TEMPERATURE = "sampler.temperature"

# With so much patience the state that is kept is taken to be the paper's: this project's choice, not yet measured.
PATIENT = 5


def row_key(recipe: Recipe) -> str:
    """Return the key of the paper's row that the recipe trains; empty where it has none."""
    row = paper_row(recipe.name, budget=recipe.training.budget or None)
    return "" if row is None else row.key


def trained_here(recipe: Recipe, *, runs: int) -> Provenance:
    """Return the provenance of that many runs trained by the recipe."""
    changed = changes(recipe)
    # Without a row of the paper the recipe is this project's own.
    whose = "the built-in recipe" if recipe.name in names() and not row_key(recipe) else "the paper"
    told = [_told(*change, whose) for change in changed if change[0] != TEMPERATURE]
    scale = ", ".join([_runs(recipe, runs), *told])
    scale += _patience(recipe)
    return Provenance("trained", row_key(recipe), scale, not changed)


def stored(recipe: Recipe, pack: Predictions, *, beside: Recipe | None, told: str | None) -> Provenance:
    """Return the provenance of stored predictions: by checksum, by the recipe beside them, or as the user says."""
    key = row_key(recipe)
    for row in read_table("stored"):
        if row["sha256"] == pack.fingerprint():
            if row["recipe"] != recipe.name:
                raise InputError(
                    f"predictions: these are stored predictions of {row['recipe']}, got the recipe {recipe.name}"
                )
            return Provenance("stored", key, row["how"], row["as_paper"] == "yes")
    ours = beside is not None and beside.name == recipe.name
    if told is not None:
        known = told == AS_PAPER
        if not told.strip():
            raise InputError(f"trained: '{AS_PAPER}' or a description is required, got {told!r}")
        if known and ours and beside is not None and (changed := changes(beside)):
            raise InputError(
                f"trained: '{AS_PAPER}' contradicts the recipe that lies beside the predictions: "
                f"{_told(*changed[0])}; leave it out"
            )
        return Provenance("stored", key, "trained as the paper did, by your word" if known else told, known)
    if ours and beside is not None:
        found = trained_here(beside, runs=_run_count(pack))
        return Provenance("stored", row_key(beside), found.scale, found.as_paper)
    return Provenance("stored", key, "it is not known how its members were trained", False)


def recipe_beside(path: Path) -> Recipe | None:
    """Return the recipe of the training whose test predictions that file holds, if it is such a file."""
    recipe = path.parent / "recipe.toml"
    return read_recipe(recipe) if path.name == "test.npz" and recipe.is_file() else None


def changes(recipe: Recipe) -> list[tuple[str, str, str]]:
    """Return (key, value, the paper's value) of what the recipe trains otherwise than the built-in one of its name.

    >>> changes(read_recipe("imdb-cnn_lstm-sse", members=8)), changes(read_recipe("imdb-cnn_lstm-sse", epochs=20))
    ([], [('training.epochs', '20', '50')])
    """
    if recipe.name not in names():
        return [("name", recipe.name, "the built-in recipes")] if network_of(recipe.name) else []
    built_in = read_recipe(recipe.name)
    ours, full = recipe.flat(), built_in.flat()
    if recipe.training.patience >= PATIENT:
        ours.pop("training.patience")
    if paper_row(recipe.name, budget=recipe.training.budget) is not None:
        full["training.budget"] = recipe.training.budget  # the paper has a row for each budget
    # What epochs decide is told by them alone.
    scaled = read_recipe(recipe.name, epochs=recipe.training.epochs).flat() if _differs(ours, full) else full
    return [
        (key, _shown(ours.get(key)), _shown(full.get(key)))
        for key in {**ours, **full}
        if key not in FREE
        and ours.get(key) != full.get(key)
        and (key == "training.epochs" or ours.get(key) != scaled.get(key))
    ]


def is_scaled_down(recipe: Recipe) -> bool:
    """Whether the recipe trains fewer runs, epochs or images than the built-in one of its name.

    >>> is_scaled_down(read_recipe("imdb-cnn_lstm-sse", epochs=20))
    True
    >>> is_scaled_down(read_recipe("imdb-cnn_lstm-sse", ["training.lr=0.1"]))
    False
    """
    if recipe.name not in names():
        return False
    full = read_recipe(recipe.name)
    fewer = recipe.training.epochs < full.training.epochs or len(plans(recipe)) < len(plans(full))
    return fewer or recipe.data.partial > full.data.partial


def _told(key: str, now: str, full: str, whose: str = "the paper") -> str:
    """A change in words.

    >>> _told("training.epochs", "20", "200"), _told("training.lr", "0.1", "0.2")
    ('20 of 200 epochs', 'training.lr = 0.1 (the paper: 0.2)')
    """
    words = {"training.epochs": f"{now} of {full} epochs", "data.partial": "part of the training images"}
    return words.get(key, f"{key} = {now} ({whose}: {full})")


def _differs(ours: dict[str, Any], full: dict[str, Any]) -> bool:
    return bool(ours["training.epochs"] != full["training.epochs"])


def _shown(value: Any) -> str:
    return "none" if value is None else json.dumps(value)


def _runs(recipe: Recipe, runs: int) -> str:
    if recipe.training.sizes:
        return f"M = {', '.join(map(str, recipe.training.sizes))}"
    first = plan(recipe, 1)
    states = f" × {first.members} states" if first.members > 1 else ""
    # A chain samples another law at every temperature, so it is always told.
    heat = f" at T = {first.sampler.temperature:g}" if first.dynamics and first.sampler else ""
    return f"{runs} run{'s' if runs != 1 else ''}{states}{heat}"


def _patience(recipe: Recipe) -> str:
    patience = recipe.training.patience
    return f", each stopped after {patience} epochs without improvement" if patience else ""


def _run_count(pack: Predictions) -> int:
    return pack.members if pack.run is None else len(set(pack.run.tolist()))


def require_classes(recipe: Recipe, predictions: Predictions) -> None:
    """Raise for predictions that cannot be of the recipe's data."""
    classes, _ = EXTENT.get(recipe.data.name, (predictions.classes, 0))
    if predictions.classes != classes:
        raise InputError(
            f"predictions: {recipe.data.name}, the data of {recipe.name}, has {classes} classes, "
            f"got {predictions.classes}; give predictions of these data"
        )


def notes_on(recipe: Recipe, predictions: Predictions, provenance: Provenance) -> tuple[str, ...]:
    """Return notes where training or test samples are other than the paper's."""
    found = []
    if not provenance.as_paper and network_of(recipe.name):
        found.append(
            f"{provenance.scale}: not judged by numbers from the literature, which stand beside it all the same"
        )
    _, samples = EXTENT.get(recipe.data.name, (0, predictions.samples))
    if predictions.samples != samples:
        official = f"the official test set of {recipe.data.name} has {samples:,}"
        found.append(f"{predictions.samples:,} samples; {official}")
    return tuple(found)
