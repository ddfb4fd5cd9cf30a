"""What a worker does, whichever engine started it: train one run of a directory.

`python -m comitia.engines.worker` is a worker process of the local engine; `engines.local` starts it, not people. Jobs
come in as JSON lines, events go out as JSON lines. Standard input is also the lifeline: when the parent dies, however
it dies, its end closes and so does this process.
"""

import errno
import json
import os
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from comitia.deep.directory import Directory
from comitia.deep.events import Done, Event, Failed, Free, Listener, Ready, Started, append_event, event_line
from comitia.recipes import Recipe, plan, read_recipe

if TYPE_CHECKING:
    from comitia.data import Dataset

Job = dict[str, Any]


def train_one(root: str, run: int, *, threads: int, device: str, report: Listener) -> None:
    """Train a run to its end; each event is logged, then reported."""
    from comitia.deep.loop import train_run
    from comitia.deep.networks import choose_device, settle
    from comitia.deep.task import Task

    settle(threads)
    directory = Directory(Path(root))
    recipe, data = _load_once(root)

    def tell(event: Event) -> None:
        append_event(directory.log(run), event)
        report(event)

    task = Task.of(recipe, plan(recipe, run), directory, data, choose_device(device))
    tell(Started(run, os.getpid()))
    record = train_run(task, tell)
    tell(Done(run, record.stopped, len(record.saved)))


@lru_cache(maxsize=1)
def _load_once(root: str) -> "tuple[Recipe, Dataset]":
    """The recipe of a directory and its data; read once per process."""
    # whoever started the training allowed the code of its recipe
    recipe = read_recipe(Directory(Path(root)).recipe, allow_code=True)
    return recipe, load_data(recipe)


def load_data(recipe: Recipe) -> "Dataset":
    """Return the data set of a recipe, if it has enough samples to keep apart those that the recipe wants."""
    from comitia.data import load
    from comitia.deep.samples import run_parts

    source = recipe.data
    data = load(source.name, folder=source.folder, partial=source.partial, **source.options)
    run_parts(recipe, plan(recipe, 1), len(data.train_y), data.train_groups)
    return data


def find_modules(path: list[str]) -> None:
    """Let this process import what the process that started the training can: parts of recipes from outside."""
    sys.path += [folder for folder in path if folder not in sys.path]


def failure(error: Exception) -> str:
    """Return what went wrong, in one line."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"the disk is full, or a limit of its use is reached ({error.strerror})"
    return " ".join(f"{type(error).__name__}: {error}".split())


def main() -> None:
    """Train the runs that are asked for until standard input ends."""
    # What a network's own code prints must not get between the events.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    jobs: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    channel.write(event_line(Ready()))
    while True:
        channel.write(event_line(_perform(jobs.get(), lambda event: _send(channel, event))))


def _send(channel: Any, event: Event) -> None:
    channel.write(event_line(event))


def _receive(jobs: "SimpleQueue[Job]") -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)


def _perform(job: Job, report: Listener) -> Event:
    from comitia.deep.networks import flush_tiny_numbers

    find_modules(job["path"])
    flush_tiny_numbers()
    try:
        train_one(job["root"], job["run"], threads=job["threads"], device=job["device"], report=report)
        return Free(job["run"])
    except Exception as error:
        import traceback

        with suppress(OSError):  # on a full disk there is no room for it either
            traceback.print_exc()
        return Failed(job["run"], failure(error))


if __name__ == "__main__":
    main()
