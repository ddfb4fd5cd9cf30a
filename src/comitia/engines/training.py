"""Train a recipe into a directory with an engine: what is finished stays, what is missing is made."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from comitia._errors import require_choice
from comitia.deep.assembling import assemble
from comitia.deep.directory import Directory
from comitia.deep.records import checked_record, read_record
from comitia.deep.strategies import plans
from comitia.deep.strategies.plan import Plan
from comitia.engines import local
from comitia.engines.opening import check_same, has_begun, locked, settle_directory
from comitia.engines.work import load_data
from comitia.recipes import Recipe, read_recipe

ENGINES = ("local", "ray")
Event = dict[str, Any]
Listener = Callable[[Event], None]


@dataclass(frozen=True)
class Outcome:
    """What a training came to: members, the predictions files by part, runs that were stopped or failed and why."""

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
    recipe: Recipe,
    out: Path,
    *,
    engine: str = "local",
    workers: int | None = None,
    device: str = "auto",
    listen: Listener = lambda event: None,
) -> Outcome:
    """Train every run of the recipe that is not finished in `out`, and write the predictions files."""
    from comitia.deep.networks import check_device, check_network, choose_device

    require_choice("--engine", engine, ENGINES)
    directory = Directory(out)
    recipe = _with_absolute_folder(recipe)
    check_device(device)
    if engine == "local":
        choose_device(device)
    check_same(directory, recipe)
    data, parts = load_data(recipe)
    if not has_begun(directory):
        check_network(recipe, data)
    if engine == "ray":
        from comitia.engines import ray

        ray.connect(cpus=recipe.engine.cpus, gpus=recipe.engine.gpus)
    with locked(directory):
        check_same(directory, recipe)  # another may have begun here while the data were read
        threads = max(1, int(recipe.engine.cpus))
        settings = settle_directory(directory, recipe, threads=threads, device=device)
        whole = read_recipe(directory.recipe)
        todo, done = _pending(directory, whole, asked=len(plans(recipe)))
        listen(_beginning(recipe, directory, todo, done))
        failures = _run(engine, directory, todo, recipe, workers, settings.threads, settings.device, listen)
        written = assemble(directory, whole, data, parts)
        outcome = _outcome(directory, whole, todo, written, failures)
        listen({"event": "end", "members": outcome.members, "complete": outcome.complete})
        return outcome


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
    threads: int,
    device: str,
    listen: Listener,
) -> dict[int, str]:
    """The runs that failed, with the reason, after the engine has tried all."""
    failures: dict[int, str] = {}

    def report(event: Event) -> None:
        if event["event"] == "failed":
            failures[event["run"]] = event["message"]
        listen(event)

    runs = [plan.run for plan in todo]
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

    Of runs beyond those asked for, what was finished is mended where it is damaged, nothing else is made.
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
    return todo, done


def _beginning(recipe: Recipe, directory: Directory, todo: list[Plan], done: dict[int, int]) -> Event:
    planned = sorted({plan.run: plan for plan in (*plans(recipe), *todo)}.values(), key=lambda plan: plan.run)
    return {
        "event": "begin",
        "name": recipe.name,
        "directory": os.fspath(directory.root),
        "epochs": {plan.run: plan.epochs for plan in planned},
        "done": done,
        "todo": [plan.run for plan in todo],
        "members": sum(plan.members for plan in planned),
    }


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
