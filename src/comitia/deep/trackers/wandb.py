"""Numbers of a training for Weights & Biases (extra: wandb): a project per recipe, a run of theirs for each run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from comitia.deep.events import Begin, Event, Listener
from comitia.deep.trackers.numbers import numbers_of

# The axis of every number: their own counter allows no two numbers of one step.
AXIS = "epoch"


@contextmanager
def track(out: Path) -> Iterator[Listener]:
    """Log into `out/wandb`, offline unless WANDB_MODE says otherwise; `wandb sync` sends it."""
    runs: dict[int, Any] = {}
    project: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Begin):
            project.append(event.name)
        for number in numbers_of(event):
            if number.run not in runs:
                runs[number.run] = _run(out, project[0], number.run)
            runs[number.run].log({number.name: number.value, AXIS: number.step})

    try:
        yield listen
    finally:
        for run in runs.values():
            run.finish()


def _run(out: Path, project: str, run: int) -> Any:
    import wandb

    out.mkdir(parents=True, exist_ok=True)
    settings = wandb.Settings(console="off", silent=True, x_disable_stats=True)
    mode: Any = os.environ.get("WANDB_MODE", "offline")
    found = wandb.init(
        project=project, group=out.name, name=f"run {run}", dir=str(out), mode=mode, reinit="create_new",
        settings=settings,
    )  # fmt: skip
    found.define_metric("*", step_metric=AXIS)
    return found
