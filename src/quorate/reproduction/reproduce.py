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
from quorate.recipes import Recipe
from quorate.reproduction.rows import references

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
    judged against their uniform average too.
    """
    groups = size_groups(recipe)
    found = evaluate(
        predictions,
        sizes=sizes if groups is None or sizes is None else [s for s in sizes if s in groups],
        repeats=repeats,
        seed=seed,
        delta=delta,
        weightings=weightings,
        groups=groups,
    )
    budget = recipe.training.budget if groups is not None else None
    beside = references(recipe.name, budget=budget)
    if bayes is not None:
        beside = (_trained_here(bayes, predictions), *beside)
    named = replace(found, name=recipe.name, references=beside)
    return replace(named, claims=judge(named))


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
    accuracy = float(score(bayes, uniform, "average" if bayes.has_probs else "majority").correct.mean())
    label = f"Bayes ensemble ({bayes.members} members, trained here)"
    value = round(accuracy, 10)
    return Reference(label, "bayes", "accuracy", value, bayes.members, "all", "uniform", "average")


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
