"""Numbers of a training for TensorBoard (extra: tensorboard)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from comitia.deep.events import Event, Listener
from comitia.deep.trackers.numbers import numbers_of


@contextmanager
def track(out: Path) -> Iterator[Listener]:
    """Write scalars into `out/tensorboard`, a folder for each run."""
    from torch.utils.tensorboard.writer import SummaryWriter

    writers: dict[int, Any] = {}

    def listen(event: Event) -> None:
        for number in numbers_of(event):
            if number.run not in writers:
                writers[number.run] = SummaryWriter(str(out / "tensorboard" / f"run-{number.run:04d}"))
            writers[number.run].add_scalar(number.name, number.value, number.step)

    try:
        yield listen
    finally:
        for writer in writers.values():
            writer.close()
