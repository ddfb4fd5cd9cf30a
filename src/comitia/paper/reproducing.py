"""Reproduce a row of the paper, or a comparison of ensembles: train, evaluate, and write everything to a folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._words import counted
from comitia.evaluation import Evaluation
from comitia.evaluation.comparison import Comparison
from comitia.evaluation.protocol import check_settings
from comitia.evaluation.references import Provenance
from comitia.files import read_predictions
from comitia.paper import comparing
from comitia.paper.comparison_plan import ComparisonPlan, read_plan
from comitia.paper.judging import evaluate_row, require_sizes, require_states
from comitia.paper.outputs import (
    Written,
    output_folder,
    require_absent_outputs,
    require_drawing,
    run_facts,
    write_chain,
    write_comparison,
    write_learning,
    write_page,
    write_row,
    write_temperatures,
)
from comitia.paper.provenance import recipe_beside, stored
from comitia.recipes import Recipe, changed_table, read_recipe, recipe_from_dict
from comitia.weighting import Method

Pack = Predictions | str | Path
Listener = Callable[[Any], None]


@dataclass(frozen=True, kw_only=True)
class Reproduction(Written):
    """A row of the paper: its evaluation, and where it was written."""

    evaluation: Evaluation


@dataclass(frozen=True, kw_only=True)
class ReproducedComparison(Written):
    """A comparison of ensembles, and where it was written."""

    comparison: Comparison


@dataclass(frozen=True)
class _Trained:
    """Test predictions, where they come from, the seconds of their training, and which runs are missing."""

    predictions: Predictions
    source: str
    seconds: Mapping[str, float]
    missing: tuple[str, ...] = ()
    provenance: Provenance | None = None


def reproduce(
    recipe: str | Path | Recipe,
    *,
    predictions: Pack | None = None,
    trained: str | None = None,
    bayes: Pack | None = None,
    out: str | Path | None = None,
    members: int | None = None,
    epochs: int | None = None,
    overrides: Sequence[str] = (),
    engine: str = "local",
    workers: int | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    delta: float = 0.05,
    weightings: Sequence[Method] | None = None,
    figures: bool = True,
    listen: Listener | None = None,
    force: bool = False,
) -> Reproduction:
    """Reproduce a row of the paper: train, evaluate, and write tables and figures beside its numbers.

    Everything that can be wrong is checked before any training. The same call again resumes a training that was
    stopped.

    Parameters
    ----------
    recipe : a built-in name, a TOML file, or a `Recipe`
    predictions : stored test predictions, or their file; nothing is trained then
    trained : how the stored predictions' members were trained, ``"paper"`` for as the paper did: only those are judged
        by numbers from the literature. Not needed for a file that comitia trained, or the authors' own
    bayes : test predictions of a Bayes ensemble trained here, which the first claim is judged against too
    out : the folder that everything is written to; None is ``reproduced/NAME``
    members, epochs, overrides : runs to train, epochs per run, and ``"key=value"`` changes of the recipe
    engine, workers : ``"local"`` or ``"ray"``, and the processes of the local engine
    sizes, repeats, seed, delta, weightings : as `evaluate` takes them
    figures : whether to draw figures (extra `report`)
    listen : called with every event of the training
    force : whether to overwrite the results of earlier `predictions`
    """
    chosen = _recipe(recipe, overrides, members, epochs)
    folder = output_folder(out, chosen.name)
    if predictions is not None:
        _require_untrained(members, epochs, workers, engine)
        require_absent_outputs(folder, force)
    else:
        require_sizes(chosen, sizes)
        _require_no_word(trained)
        require_states(chosen, weightings)
    asked: dict[str, Any] = {"repeats": repeats, "seed": seed, "delta": delta, "weightings": weightings}
    check_settings(**asked)
    if figures:
        require_drawing()
    other = None if bayes is None else _read(bayes)
    if predictions is None:
        found = _train(chosen, folder, engine, workers, listen)
    else:
        found = _stored(chosen, predictions, trained)
    begin = perf_counter()
    evaluation = evaluate_row(
        chosen, found.predictions, provenance=found.provenance, bayes=other, sizes=sizes, **asked
    )
    seconds = {**found.seconds, "evaluation": perf_counter() - begin}
    asked["weightings"] = list(evaluation.settings.weightings)
    asked["sizes"] = None if sizes is None else [int(size) for size in sizes]
    settings = {"recipe": chosen.to_dict() if predictions is None else chosen.name, **asked}
    settings |= _given(trained=trained, bayes=bayes, overrides=() if predictions is None else overrides)
    facts = run_facts(source=found.source, seconds=seconds, settings=settings)
    written = write_row(evaluation, folder, facts)
    written += _extras(evaluation, folder, figures=figures, trained=predictions is None)
    written += write_page(evaluation, folder, facts)
    return Reproduction(evaluation=evaluation, folder=folder, written=written, missing=found.missing)


def _recipe(
    recipe: str | Path | Recipe, overrides: Sequence[str], members: int | None, epochs: int | None
) -> Recipe:
    if not isinstance(recipe, Recipe):
        return read_recipe(recipe, overrides, members=members, epochs=epochs)
    table = changed_table(recipe.to_dict(), overrides)
    return recipe_from_dict(table, members=members, epochs=epochs, allow_code=True)


def _require_untrained(members: int | None, epochs: int | None, workers: int | None, engine: str) -> None:
    if engine != "local" or any(value is not None for value in (members, epochs, workers)):
        raise InputError(
            "predictions: nothing is trained, so members, epochs, workers and engine have no effect; leave them out"
        )


def _read(pack: Pack) -> Predictions:
    return pack if isinstance(pack, Predictions) else read_predictions([pack])


def _stored(recipe: Recipe, pack: Pack, trained: str | None) -> _Trained:
    """Return stored predictions with what is known of their training."""
    predictions, path = _read(pack), None if isinstance(pack, Predictions) else Path(pack)
    beside = None if path is None else recipe_beside(path)
    source = "stored predictions" + ("" if path is None else f" {path.name}")
    origin = stored(recipe, predictions, beside=beside, told=trained)
    return _Trained(predictions, source, {}, provenance=origin)


def _given(*, trained: str | None, bayes: Pack | None, overrides: Sequence[str]) -> dict[str, Any]:
    """Return what else decides an evaluation, as it was given; the recipe of a training holds its changes itself."""
    other = "PACK.npz" if isinstance(bayes, Predictions) else None if bayes is None else Path(bayes).name
    given = {"overrides": list(overrides), "trained": trained, "bayes": other}
    return {key: value for key, value in given.items() if value}


def _require_no_word(trained: str | None) -> None:
    if trained is not None:
        raise InputError(
            f"trained: says how stored predictions came to be and requires predictions, got {trained!r}; leave it out"
        )


def _extras(evaluation: Evaluation, folder: Path, *, figures: bool, trained: bool) -> tuple[Path, ...]:
    """Write the figures and, of a training, how its runs learned and the temperatures of a chain; return the files."""
    written: tuple[Path, ...] = ()
    if figures:
        from comitia.pages import write_figures

        written += write_figures(evaluation, folder / "figures")
    if not trained:
        return written
    written += write_learning(folder, figures=figures)
    return written + write_chain(folder, evaluation.name or "chain", figures=figures)


def _train(
    recipe: Recipe, folder: Path, engine: str, workers: int | None, listen: Listener | None
) -> _Trained:
    """Train or resume the recipe in that folder; at least one run must come of it."""
    from comitia.engines.training import train

    begin = perf_counter()
    hear = (lambda event: None) if listen is None else listen
    outcome = train(recipe, folder, engine=engine, workers=workers, listen=hear)
    if "test" not in outcome.predictions:
        raise RuntimeError(
            f"{folder}: the training gave no test predictions; {outcome.failed or outcome.stopped}"
        )
    seconds = {"training, this call": perf_counter() - begin, "epochs, all runs": _epoch_seconds(folder)}
    source = f"trained here: {counted(outcome.members, 'member')} of {counted(outcome.runs, 'run')}"
    reasons = {**outcome.stopped, **outcome.failed}
    missing = tuple(f"run {run} is missing: {reason}" for run, reason in reasons.items())
    return _Trained(read_predictions([outcome.predictions["test"]]), source, seconds, missing)


def _epoch_seconds(folder: Path) -> float:
    """Return the seconds of all epochs in a training's logs, over all runs and however often it was resumed."""
    from comitia.deep.events import Epoch, logged_events

    logs = sorted(folder.glob("runs/*/log.jsonl"))
    return float(sum(epoch.seconds for log in logs for epoch in logged_events(log, Epoch)))


def reproduce_comparison(
    comparison: str | Path | ComparisonPlan,
    *,
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    engine: str = "local",
    workers: int | None = None,
    repeats: int | None = None,
    seed: int = 0,
    delta: float = 0.05,
    weightings: Sequence[Method] = comparing.WEIGHTINGS,
    figures: bool = True,
    listen: Listener | None = None,
) -> ReproducedComparison:
    """Train the ensembles of a plan for the same number of epochs each, and write their comparison to a folder.

    Parameters
    ----------
    comparison : a built-in name, a TOML file, or a `ComparisonPlan`, which `overrides` and `repeats` do not change
    repeats : how often each ensemble is trained; None is what the plan says
    out, overrides, engine, workers, seed, delta, weightings, figures, listen : as `reproduce` takes them
    """
    plan = _plan(comparison, overrides, repeats)
    folder = output_folder(out, plan.name)
    settings: dict[str, Any] = {"seed": seed, "delta": delta}
    check_settings(weightings=weightings, repeats=plan.repeats, **settings)
    if figures:
        require_drawing()
    trained = {
        entry.name: _train(entry.repeated(plan.repeats), folder / entry.folder, engine, workers, listen)
        for entry in plan.entries
        if entry.last_of is None
    }
    packs = {name: found.predictions for name, found in trained.items()}
    compared = comparing.compare(plan, packs, weightings=weightings, **settings)
    seconds = {"training, this call": sum(t.seconds["training, this call"] for t in trained.values())}
    seconds |= {f"epochs, {name}": found.seconds["epochs, all runs"] for name, found in trained.items()}
    facts = run_facts(source="trained here", seconds=seconds, settings={"comparison": plan.name, **settings})
    written = write_comparison(compared, folder, facts)
    if figures:
        written += write_temperatures(plan, folder)
    missing = tuple(f"{name}, {text}" for name, found in trained.items() for text in found.missing)
    return ReproducedComparison(comparison=compared, folder=folder, written=written, missing=missing)


def _plan(
    comparison: str | Path | ComparisonPlan, overrides: Sequence[str], repeats: int | None
) -> ComparisonPlan:
    if not isinstance(comparison, ComparisonPlan):
        return read_plan(comparison, overrides, repeats=repeats)
    if overrides or repeats is not None:
        raise InputError("comparison: overrides and repeats require a name or a file, got a plan")
    return comparison
