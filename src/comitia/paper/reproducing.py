"""Reproduce a row of the paper, a comparison of ensembles, or its argument, and write everything to a folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from comitia._errors import InputError
from comitia._extensions import name_of
from comitia._predictions import Predictions
from comitia.evaluation import Evaluation
from comitia.evaluation.comparison import Comparison
from comitia.evaluation.protocol import WEIGHTINGS, check_settings
from comitia.files import read_predictions
from comitia.paper import comparing
from comitia.paper.argument import Argument, run_argument
from comitia.paper.comparison_plan import ComparisonPlan, read_plan
from comitia.paper.judging import evaluate_row, require_sizes
from comitia.paper.outputs import (
    ARGUMENT_FILES,
    output_folder,
    require_absent_outputs,
    require_drawing,
    run_facts,
    write_argument,
    write_comparison,
    write_learning,
    write_row,
    write_temperatures,
)
from comitia.recipes import Recipe, changed_table, read_recipe, recipe_from_dict
from comitia.weighting import Method

Pack = Predictions | str | Path
Listener = Callable[[Any], None]


@dataclass(frozen=True, kw_only=True)
class _Written:
    """The folder that everything was written to, the files, and which runs are missing."""

    folder: Path
    written: tuple[Path, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reproduction(_Written):
    """A row of the paper: its evaluation, and where it was written."""

    evaluation: Evaluation


@dataclass(frozen=True, kw_only=True)
class ReproducedComparison(_Written):
    """A comparison of ensembles, and where it was written."""

    comparison: Comparison


@dataclass(frozen=True, kw_only=True)
class ReproducedArgument(_Written):
    """The experiment of the paper's argument, and where it was written."""

    argument: Argument


@dataclass(frozen=True)
class _Trained:
    """Test predictions, where they come from, the seconds of their training, and which runs are missing."""

    predictions: Predictions
    source: str
    seconds: Mapping[str, float]
    missing: tuple[str, ...] = ()


def reproduce(
    recipe: str | Path | Recipe,
    *,
    predictions: Pack | None = None,
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
    weightings: Sequence[Method] = WEIGHTINGS,
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
    asked: dict[str, Any] = {"repeats": repeats, "seed": seed, "delta": delta, "weightings": weightings}
    check_settings(**asked)
    if figures:
        require_drawing()
    other = None if bayes is None else _read(bayes)
    if predictions is None:
        found = _train(chosen, folder, engine, workers, listen)
    else:
        found = _Trained(_read(predictions), _source(predictions), {})
    begin = perf_counter()
    evaluation = evaluate_row(chosen, found.predictions, bayes=other, sizes=sizes, **asked)
    seconds = {**found.seconds, "evaluation": perf_counter() - begin}
    asked["weightings"] = [name_of(method) for method in weightings]
    asked["sizes"] = None if sizes is None else [int(size) for size in sizes]
    settings = {"recipe": chosen.to_dict() if predictions is None else chosen.name, **asked}
    written = write_row(
        evaluation, folder, run_facts(source=found.source, seconds=seconds, settings=settings)
    )
    written += _extras(evaluation, folder, figures=figures, trained=predictions is None)
    return Reproduction(evaluation=evaluation, folder=folder, written=written, missing=found.missing)


def _recipe(
    recipe: str | Path | Recipe, overrides: Sequence[str], members: int | None, epochs: int | None
) -> Recipe:
    if not isinstance(recipe, Recipe):
        return read_recipe(recipe, overrides, members=members, epochs=epochs)
    return recipe_from_dict(changed_table(recipe.to_dict(), overrides), members=members, epochs=epochs)


def _require_untrained(members: int | None, epochs: int | None, workers: int | None, engine: str) -> None:
    if engine != "local" or any(value is not None for value in (members, epochs, workers)):
        raise InputError(
            "predictions: nothing is trained, so members, epochs, workers and engine have no effect; leave them out"
        )


def _read(pack: Pack) -> Predictions:
    return pack if isinstance(pack, Predictions) else read_predictions([pack])


def _source(pack: Pack) -> str:
    return "stored predictions" + ("" if isinstance(pack, Predictions) else f" {Path(pack).name}")


def _extras(evaluation: Evaluation, folder: Path, *, figures: bool, trained: bool) -> tuple[Path, ...]:
    """Write the figures and, of a training, how its runs learned; return the files."""
    written: tuple[Path, ...] = ()
    if figures:
        from comitia.pages import write_figures

        written += write_figures(evaluation, folder / "figures")
    return written + (write_learning(folder, figures=figures) if trained else ())


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
    source = f"trained here: {outcome.members} members of {outcome.runs} runs"
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


def reproduce_argument(
    *,
    out: str | Path | None = None,
    repeats: int = 200,
    seed: int = 0,
    delta: float = 0.05,
    figures: bool = True,
    force: bool = False,
) -> ReproducedArgument:
    """Show the paper's argument on a problem that is computed exactly, and write record, tables and figures.

    As training samples increase, samples of a misspecified posterior agree ever more, and the Bayes ensemble tends to
    the best single hypothesis. Members that are trained independently go on to differ, so that their errors cancel.
    Three further truths, one of them in the class, show where there is nothing to gain.

    Parameters
    ----------
    out : the folder that everything is written to; None is ``reproduced/argument``
    repeats, seed : training sets drawn per number of samples, and the seed of all of them
    delta : failure probability of the tandem bound
    figures : whether to draw figures (extra `report`)
    force : whether to overwrite earlier results
    """
    folder = output_folder(out, "argument")
    require_absent_outputs(folder, force, ARGUMENT_FILES)
    if figures:
        require_drawing()
    argument = run_argument(repeats=repeats, seed=seed, delta=delta)
    settings = {"repeats": repeats, "seed": seed, "delta": delta}
    facts = run_facts(source="computed here", seconds={}, settings=settings)
    written = write_argument(argument, folder, facts)
    if figures:
        from comitia.pages import write_drawn
        from comitia.paper.argument.figures import argument_figures

        written += write_drawn(argument_figures(argument), folder / "figures")
    return ReproducedArgument(argument=argument, folder=folder, written=written)
