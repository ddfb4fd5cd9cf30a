"""What a worker does, whichever engine started it: train one run of a directory."""

import json
import os
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comitia.deep.directory import Directory
from comitia.deep.strategies import plan
from comitia.recipes import Recipe, read_recipe

if TYPE_CHECKING:
    from comitia.data import Dataset, Parts

Event = dict[str, Any]


def train_one(root: str, run: int, *, threads: int, device: str, report: Callable[[Event], None]) -> Event:
    """Train a run to its end and return its last event; each event is logged, then reported."""
    from comitia.deep.loop import Task, train_run
    from comitia.deep.networks import choose_device, settle

    settle(threads)
    directory = Directory(Path(root))
    recipe, data, parts = load_once(root)
    log = directory.log(run)

    def tell(event: Event) -> None:
        append_line(log, {**event, "time": time.time()})
        report(event)

    task = Task.of(recipe, plan(recipe, run), directory, data, parts, choose_device(device))
    tell({"event": "started", "run": run, "process": os.getpid()})
    record = train_run(task, tell)
    done = {"event": "done", "run": run, "stopped": record.stopped, "members": len(record.saved)}
    tell(done)
    return done


@lru_cache(maxsize=1)
def load_once(root: str) -> "tuple[Recipe, Dataset, Parts]":
    """The recipe of a directory and its data; read once a process."""
    recipe = read_recipe(Directory(Path(root)).recipe)
    return (recipe, *load_data(recipe))


def load_data(recipe: Recipe) -> "tuple[Dataset, Parts]":
    """The data set of a recipe and which samples train, select and certify."""
    from comitia.data import divide, load

    source = recipe.data
    data = load(source.name, folder=source.folder, partial=source.partial, **source.options)
    parts = divide(len(data.train_y), holdout=source.holdout, select=source.select, seed=recipe.seed)
    return data, parts


def append_line(path: Path, record: Event) -> None:
    """Append the record as one JSON line in a single write, which a crash does not mix with another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
