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
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.evaluation import Evaluation, Reference, evaluate
from comitia.evaluation.claims import claims_markdown, judge
from comitia.evaluation.draws import draw_all, runs_of
from comitia.evaluation.findings import half_width
from comitia.evaluation.scores import score
from comitia.evaluation.tables import FORMATS, all_rows, beside_paper, by_size, render
from comitia.files.atomic import write_text
from comitia.paper.faithfulness import other_samples, require_classes, trained_otherwise
from comitia.paper.rows import references
from comitia.recipes import Recipe, strategy_of
from comitia.recipes.strategies import size_groups

if TYPE_CHECKING:
    from comitia.engines.training import Outcome

# What the numbers may depend on; those not installed are left out.
PACKAGES = ("comitia", "numpy", "scipy", "numba", "torch", "ray")
OUTPUTS = (
    "evaluation.json",
    "claims.md",
    "run.json",
    *(f"{t}{e}" for t in ("table", "rows", "sizes") for e in FORMATS),
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
    judged against their uniform average too. A recipe that trains a Bayes ensemble has no first claim, and one that
    trains otherwise than the built-in recipe of its name is not judged by numbers from the literature.
    """
    require_classes(recipe, predictions)
    groups = size_groups(recipe)
    missing: tuple[str, ...] = ()
    if groups is not None:
        require_sizes(recipe, sizes)
        groups, missing = _whole_groups(groups, predictions)
        sizes = None if sizes is None else [size for size in sizes if size in groups]
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
    otherwise = trained_otherwise(recipe)
    elsewhere = (replace(r, judged=not otherwise) for r in references(recipe.name, budget=budget))
    here = () if bayes is None else (_trained_here(bayes, predictions, found),)
    named = replace(
        found,
        name=recipe.name,
        references=(*here, *elsewhere),
        notes=(*otherwise, *other_samples(recipe, predictions), *missing, *found.notes),
        bayesian=strategy_of(recipe).bayesian,
    )
    return replace(named, claims=judge(named))


def _whole_groups(
    groups: Mapping[int, Sequence[int]], predictions: Predictions
) -> tuple[dict[int, Sequence[int]], tuple[str, ...]]:
    """The sizes of which every run is there, and a note on each of the others."""
    there = set(runs_of(predictions).numbers)
    whole = {size: runs for size, runs in groups.items() if set(runs) <= there}
    if not whole:
        raise InputError("predictions: of no size of the epoch budget are all runs there; train them first")
    return whole, tuple(
        f"size {size} is left out: {len(set(runs) - there)} of its runs are missing"
        for size, runs in groups.items()
        if size not in whole
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


def _trained_here(bayes: Predictions, predictions: Predictions, ours: Evaluation) -> Reference:
    """The accuracy of a Bayes ensemble's uniform vote on all test samples, compared with ours sample by sample."""
    known = (bayes.labels, predictions.labels)
    if known[0] is None or known[1] is None or not np.array_equal(known[0], known[1]):
        raise InputError("bayes: its samples must be those of the ensemble, in the same order; labels differ")
    vote = "average" if "average" in ours.settings.votes and bayes.has_probs else "majority"
    right = score(bayes, np.full((1, bayes.members), 1.0 / bayes.members), vote).correct[0]
    label = f"Bayes ensemble ({bayes.members} members, trained here)"
    reference = Reference(
        label, "bayes", "accuracy", round(float(right.mean()), 10), bayes.members, "all", "uniform", vote
    )
    if ours.settings.grouped or vote not in ours.settings.votes:
        return reference
    found = _uniform_right(predictions, ours, vote)  # (draws, n)
    reach = half_width(found.mean(axis=0) - right, found.mean(axis=1))
    return replace(reference, half_width=round(reach, 10))


def _uniform_right(predictions: Predictions, ours: Evaluation, vote: str) -> NDArray[np.bool_]:
    """(draws, n) whether the uniform vote of the last states is right, for each draw of the largest size."""
    s = ours.settings
    size = s.sizes[-1]
    weights = np.zeros((s.repeats, predictions.members))
    for row, draw in zip(weights, draw_all(runs_of(predictions), [size], s.repeats, s.seed)[size]):
        row[list(draw.last)] = 1.0 / size
    return score(predictions, weights, vote).correct


def train_recipe(recipe: Recipe, out: Path, *, engine: str, workers: int | None, listen: Any) -> "Outcome":
    """What training, or finishing, the recipe in that folder came to; at least one run must be there."""
    from comitia.engines.training import train

    outcome = train(recipe, out, engine=engine, workers=workers, listen=listen)
    if "test" not in outcome.predictions:
        raise RuntimeError(
            f"{out}: no test predictions came of the training; {outcome.failed or outcome.stopped}"
        )
    return outcome


def epoch_seconds(folder: Path) -> float:
    """The seconds of all epochs in a training's logs, over all runs and however often it was taken up again."""
    from comitia.deep.events import Epoch, logged_events

    logs = sorted(folder.glob("runs/*/log.jsonl"))
    return float(sum(epoch.seconds for log in logs for epoch in logged_events(log, Epoch)))


def write_outputs(evaluation: Evaluation, folder: Path, facts: dict[str, Any]) -> tuple[Path, ...]:
    """The files written: evaluation, tables, claims and, apart from them, the facts of this run."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"evaluation.json": json.dumps(evaluation.to_json(), indent=1, allow_nan=False) + "\n"}
    tables = {"table": beside_paper(evaluation), "rows": all_rows(evaluation), "sizes": by_size(evaluation)}
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
    from comitia.pages import write_figures as write

    return write(evaluation, folder)


def write_learning(folder: Path, *, figures: bool) -> tuple[Path, ...]:
    """The files written: how the runs trained in that folder learned, as `learning.csv` and as a figure."""
    from comitia.pages import write_drawn
    from comitia.pages.learning import LEARNING, learning_csv, learning_figure, logged_epochs

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
