"""A row of the paper from predictions to tables: evaluate, judge the claims, write everything beside its numbers."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.errors import InputError
from quorate.evaluation import Evaluation, Reference, evaluate
from quorate.evaluation.claims import claims_markdown, judge
from quorate.evaluation.scores import score
from quorate.evaluation.tables import FORMATS, all_rows, beside_paper, render
from quorate.files.atomic import write_text
from quorate.predictions import Predictions
from quorate.recipes import BAYESIAN, Recipe, names, read_recipe
from quorate.reproduction.rows import EXTENT, references

if TYPE_CHECKING:
    from quorate.engines.training import Outcome

# What the numbers may depend on; those not installed are left out.
PACKAGES = ("quorate", "numpy", "scipy", "numba", "torch", "ray")
OUTPUTS = (
    "evaluation.json",
    "claims.md",
    "run.json",
    *(f"{t}{e}" for t in ("table", "rows") for e in FORMATS),
)


def reproduce(
    recipe: Recipe,
    predictions: Predictions,
    *,
    bayes: Predictions | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    delta: float = 0.05,
    weightings: Sequence[str] = ("uniform", "first-order", "tandem"),
) -> Evaluation:
    """The evaluation of a recipe's test predictions with the paper's numbers and the three claims.

    `bayes` are the members of a Bayes ensemble trained here, on the same test samples: the first claim is then
    judged against their uniform average too. A recipe that trains a Bayes ensemble has no first claim.
    """
    groups = size_groups(recipe)
    if groups is not None:
        require_sizes(recipe, sizes)
    notes = _extent_notes(recipe, predictions)
    found = evaluate(
        predictions,
        sizes=sizes,
        repeats=repeats,
        seed=seed,
        delta=delta,
        weightings=weightings,
        groups=groups,
    )
    budget = recipe.training.budget if groups is not None else None
    elsewhere = references(recipe.name, budget=budget)
    here = () if bayes is None else (_trained_here(bayes, predictions),)
    scaled = _scaled_notes(recipe)
    elsewhere = tuple(replace(reference, judged=not scaled) for reference in elsewhere)
    named = replace(
        found,
        name=recipe.name,
        references=(*here, *elsewhere),
        notes=(*scaled, *notes, *found.notes),
        bayesian=recipe.training.strategy in BAYESIAN,
    )
    return replace(named, claims=judge(named))


def _scaled_notes(recipe: Recipe) -> tuple[str, ...]:
    """A note if the recipe trains less than the built-in one of its name."""
    if recipe.name not in names():
        return ()
    full = read_recipe(recipe.name).training.epochs
    less = [f"for {recipe.training.epochs} of {full} epochs"] if recipe.training.epochs < full else []
    less += ["on part of the data"] if recipe.data.partial else []
    if not less:
        return ()
    return (
        f"trained {', '.join(less)}: not judged by numbers from the literature, which stand beside it all the same",
    )


def require_sizes(recipe: Recipe, sizes: Sequence[int] | None) -> None:
    """Raise for ensemble sizes that the runs of the recipe cannot give."""
    groups, runs = size_groups(recipe), recipe.training.runs
    if sizes is not None and not sizes:
        raise InputError("sizes: at least one number of runs is required, got none")
    for size in sizes or ():
        if groups is not None and size not in groups:
            trained = ", ".join(map(str, groups))
            raise InputError(f"sizes: the epoch budget trains ensembles of {trained} runs, got {size}")
        if groups is None and not 1 <= size <= runs:
            raise InputError(f"sizes: must be from 1 to {runs}, the runs of the recipe, got {size}")


def _extent_notes(recipe: Recipe, predictions: Predictions) -> tuple[str, ...]:
    """A note where the samples are not the official test set; predictions of other classes are an error."""
    data = recipe.data.name
    if data not in EXTENT:
        return ()
    classes, samples = EXTENT[data]
    if predictions.classes != classes:
        raise InputError(
            f"predictions: {data}, the data of {recipe.name}, has {classes} classes, got {predictions.classes}; "
            "give predictions of these data"
        )
    if predictions.samples == samples:
        return ()
    return (f"{predictions.samples:,} samples; the official test set of {data} has {samples:,}",)


def size_groups(recipe: Recipe) -> Mapping[int, Sequence[int]] | None:
    """The runs (1, 2, ...) of each ensemble size of an epoch budget; None for every other strategy."""
    if recipe.training.strategy != "epoch-budget":
        return None
    sizes = recipe.training.sizes
    ends = np.cumsum(sizes).tolist()
    return {size: range(end - size + 1, end + 1) for size, end in zip(sizes, ends)}


def _trained_here(bayes: Predictions, predictions: Predictions) -> Reference:
    """The accuracy of the uniform average of a Bayes ensemble's members, on all test samples."""
    known = (bayes.labels, predictions.labels)
    if known[0] is None or known[1] is None or not np.array_equal(known[0], known[1]):
        raise InputError("bayes: its samples must be those of the ensemble, in the same order; labels differ")
    uniform = np.full((1, bayes.members), 1.0 / bayes.members)
    vote = "average" if bayes.has_probs else "majority"
    accuracy = float(score(bayes, uniform, vote).correct.mean())
    label = f"Bayes ensemble ({bayes.members} members, trained here)"
    value = round(accuracy, 10)
    return Reference(label, "bayes", "accuracy", value, bayes.members, "all", "uniform", vote)


def train_recipe(recipe: Recipe, out: Path, *, engine: str, workers: int | None, listen: Any) -> "Outcome":
    """What training, or finishing, the recipe in that folder came to; every run must be there."""
    from quorate.engines.training import train

    outcome = train(recipe, out, engine=engine, workers=workers, listen=listen)
    if "test" not in outcome.predictions:
        raise RuntimeError(
            f"{out}: no test predictions came of the training; {outcome.failed or outcome.stopped}"
        )
    return outcome


def epoch_seconds(folder: Path) -> float:
    """The seconds of all epochs in a training's logs, over all runs and however often it was taken up again."""
    events = (
        json.loads(line)
        for log in sorted(folder.glob("runs/*/log.jsonl"))
        for line in log.read_text(encoding="utf-8").splitlines()
    )
    return float(sum(event["seconds"] for event in events if event["event"] == "epoch"))


def write_outputs(evaluation: Evaluation, folder: Path, facts: dict[str, Any]) -> tuple[Path, ...]:
    """The files written: evaluation, tables, claims and, apart from them, the facts of this run."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"evaluation.json": json.dumps(evaluation.to_json(), indent=1, allow_nan=False) + "\n"}
    tables = {"table": beside_paper(evaluation), "rows": all_rows(evaluation)}
    texts |= {
        f"{name}{end}": render(table, f"{name}{end}") for name, table in tables.items() for end in FORMATS
    }
    texts["claims.md"] = claims_markdown(evaluation.claims)
    texts["run.json"] = json.dumps(facts, indent=1) + "\n"
    for name, text in texts.items():
        write_text(folder / name, text)
    return tuple(folder / name for name in texts)


def write_figures(evaluation: Evaluation, folder: Path) -> tuple[Path, ...]:
    """The figures' files under the folder; plotting libraries must be installed (extra `report`)."""
    from quorate.report import write_figures as write

    return write(evaluation, folder)


def write_learning(folder: Path, *, figures: bool) -> tuple[Path, ...]:
    """The files written: how the runs trained in that folder learned, as `learning.csv` and as a figure."""
    from quorate.report.figures import write_drawn
    from quorate.report.learning import LEARNING, learning_csv, learning_figure, logged_epochs

    epochs = logged_epochs(folder)
    write_text(folder / LEARNING, learning_csv(epochs))
    figure = learning_figure(epochs) if figures else None
    drawn = () if figure is None else write_drawn([figure], folder / "figures")
    return (folder / LEARNING, *drawn)


def run_facts(*, source: str, seconds: dict[str, float], settings: dict[str, Any]) -> dict[str, Any]:
    """Machine, versions, time and settings of this run: what the evaluation's record leaves out."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    machine = {"system": platform.system(), "machine": platform.machine(), "processor": _processor()}
    machine["cores"] = str(os.cpu_count())
    rounded = {what: round(value, 1) for what, value in seconds.items()}
    return {
        "source": source,
        "seconds": rounded,
        "settings": settings,
        "machine": machine,
        "versions": versions,
    }


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
