"""Train a recipe into a directory with an engine: what is finished stays, what is missing is made."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from comitia._errors import InputError, require_choice
from comitia._extensions import allowing
from comitia.data import Dataset
from comitia.deep.directory import Directory, checked_record, read_record, remove_leftovers
from comitia.deep.events import Begin, End, Event, Failed, Listener, ignore
from comitia.deep.members import assemble
from comitia.deep.trackers import Tracker, require_tracker, tracking
from comitia.engines import local
from comitia.engines.opening import Settings, check_same, has_begun, locked, settle_directory
from comitia.engines.worker import load_data
from comitia.recipes import Plan, Recipe, modules_of, plans, read_recipe
from comitia.recipes.toml import Overrides

ENGINES = ("local", "ray")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a training: members, the predictions files by part, runs that were stopped or failed and why.

    >>> Outcome(Path("demo"), runs=2, members=5, predictions={}, failed={2: "out of memory"}).complete
    False
    """

    directory: Path
    runs: int
    members: int
    predictions: dict[str, Path]
    stopped: dict[int, str] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every run made all its members."""
        return not self.stopped and not self.failed


def train(
    recipe: str | Path | Recipe,
    out: str | Path,
    *,
    overrides: Overrides = (),
    members: int | None = None,
    epochs: int | None = None,
    engine: str = "local",
    workers: int | None = None,
    device: str = "auto",
    allow_code: bool = False,
    listen: Listener | None = None,
    track: Iterable[Tracker] = (),
) -> Outcome:
    """Train every run of a recipe that is not finished in `out`, write the predictions files, return the outcome.

    `train("demo", "demo", members=2, epochs=1).predictions["holdout"]` is the file `demo/holdout.npz` for `weigh`.

    Parameters
    ----------
    recipe : the name of a built-in recipe, a TOML file, or a `Recipe`
    out : the folder of the training; the same call again resumes
    overrides : changes of the recipe's keys, `{"training.lr": 0.05}` or `["training.lr=0.05"]`
    members, epochs : scale the recipe
    engine : "local" (processes of this machine) or "ray" (a cluster)
    workers : processes of the local engine; by default as many as there are processors
    device : "auto", "cpu", "cuda" or "mps"
    allow_code : whether code that the file names (`module:function`) may run; overrides and a `Recipe` are your own
    listen : called with each event of the training (`comitia.deep.events`)
    track : where its numbers go too: names of `comitia.deep.trackers.TRACKERS`, functions of an event, or
        ``"module:function"``; one that fails does not stop the training
    """
    require_packages("train", ("torch", "safetensors", "filelock"), extra="torch")
    from comitia.deep.networks import check_device

    require_choice("engine", engine, ENGINES)
    directory, show, sent = Directory(Path(out)), listen or ignore, tuple(track)
    for tracker in sent:
        require_tracker(tracker)
    scaled = read_recipe(recipe, overrides, members=members, epochs=epochs, allow_code=allow_code)
    chosen = _with_absolute_folder(scaled)
    check_device(device)
    with allowing(modules_of(chosen)):
        return _prepare_and_train(chosen, directory, engine, workers, device, show, sent)


def _prepare_and_train(
    chosen: Recipe,
    directory: Directory,
    engine: str,
    workers: int | None,
    device: str,
    show: Listener,
    sent: tuple[Tracker, ...],
) -> Outcome:
    """Check what can be checked before training, settle the directory, and train while it is locked."""
    from comitia.deep.networks import check_network, choose_device

    if engine == "local":
        choose_device(device)
    check_same(directory, chosen)
    data = load_data(chosen)
    if not has_begun(directory):
        check_network(chosen, data)
    if engine == "ray":
        from comitia.engines import ray

        ray.connect(cpus=chosen.engine.cpus, gpus=chosen.engine.gpus)
    with locked(directory):
        check_same(directory, chosen)  # another may have begun here while the data were read
        threads = max(1, int(chosen.engine.cpus))
        settings = settle_directory(directory, chosen, threads=threads, device=device)
        with tracking(sent, directory.root, show) as also:

            def tell(event: Event) -> None:
                show(event)
                also(event)

            return _train(directory, chosen, data, settings, engine, workers, tell)


def _train(
    directory: Directory,
    chosen: Recipe,
    data: Dataset,
    settings: Settings,
    engine: str,
    workers: int | None,
    tell: Listener,
) -> Outcome:
    """Train what is missing in a directory that is settled and locked, and write its predictions."""
    whole = read_recipe(directory.recipe)
    todo, done = _pending(directory, whole, asked=len(plans(chosen)))
    tell(_beginning(chosen, directory, todo, done))
    failures = _run(engine, directory, todo, chosen, workers, settings, tell)
    outcome = _outcome(directory, whole, todo, assemble(directory, whole, data), failures)
    tell(End(outcome.members, outcome.complete))
    return outcome


def require_packages(what: str, names: Iterable[str], *, extra: str) -> None:
    """Raise `InputError` that says what to install if one of the packages is not."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise InputError(f"{what}: needs {' and '.join(missing)}; pip install 'comitia[{extra}]'")


def _with_absolute_folder(recipe: Recipe) -> Recipe:
    """The recipe with a data folder that workers find from wherever they run."""
    folder = recipe.data.folder
    if folder is None:
        return recipe
    return replace(recipe, data=replace(recipe.data, folder=str(Path(folder).expanduser().absolute())))


def _run(
    engine: str,
    directory: Directory,
    todo: list[Plan],
    recipe: Recipe,
    workers: int | None,
    settings: Settings,
    listen: Listener,
) -> dict[int, str]:
    """Let the engine train the runs and return those that failed, with the reason."""
    failures: dict[int, str] = {}

    def report(event: Event) -> None:
        if isinstance(event, Failed) and event.run is not None:
            failures[event.run] = event.message
        listen(event)

    runs, threads, device = [plan.run for plan in todo], settings.threads, settings.device
    if not runs:
        return failures
    if engine == "ray":
        from comitia.engines import ray

        cpus, gpus = recipe.engine.cpus, recipe.engine.gpus
        ray.train(directory, runs, threads=threads, device=device, cpus=cpus, gpus=gpus, report=report)
    else:
        count = workers or local.default_workers(threads)
        local.train(directory, runs, workers=count, threads=threads, device=device, report=report)
    return failures


def _pending(directory: Directory, recipe: Recipe, *, asked: int) -> tuple[list[Plan], dict[int, int]]:
    """The plans with something left to make, and the epochs that each run has behind it.

    Of runs beyond those asked for, what was finished is repaired where it is damaged, nothing else is made.
    """
    todo, done = [], {}
    drop = recipe.keep == "predictions"
    for plan in plans(recipe):
        record, lost = checked_record(directory, plan)
        done[plan.run] = plan.epochs if record.over else record.epochs
        unfinished = not record.over or any(
            not saved.rows or (drop and saved.sha256) for saved in record.saved
        )
        if lost or (unfinished and plan.run <= asked):
            todo.append(plan)
        elif record.over:
            remove_leftovers(directory, record)  # of a worker killed after the last word of its record
    return todo, done


def _beginning(recipe: Recipe, directory: Directory, todo: list[Plan], done: dict[int, int]) -> Begin:
    planned = sorted({plan.run: plan for plan in (*plans(recipe), *todo)}.values(), key=lambda plan: plan.run)
    return Begin(
        name=recipe.name,
        directory=os.fspath(directory.root),
        epochs={plan.run: plan.epochs for plan in planned},
        done=done,
        todo=tuple(plan.run for plan in todo),
        members=sum(plan.members for plan in planned),
    )


def _outcome(
    directory: Directory, recipe: Recipe, todo: list[Plan], written: dict[str, Path], failures: dict[int, str]
) -> Outcome:
    planned = plans(recipe)
    records = {plan.run: read_record(directory, plan.run) for plan in planned}
    stopped = {run: record.stopped for run, record in records.items() if record.stopped is not None}
    members = sum(len(records[plan.run].saved) * plan.passes for plan in planned if records[plan.run].over)
    silent = (plan.run for plan in todo if not records[plan.run].over and plan.run not in failures)
    failed = {**failures, **dict.fromkeys(silent, "its worker ended without finishing it")}
    return Outcome(directory.root, len(planned), members, written, stopped, failed)
