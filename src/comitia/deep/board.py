"""Losses and accuracies of a training for TensorBoard (extra: tensorboard)."""

from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia.deep.events import End, Epoch, Event, Member, Temperatures


class Board:
    """Writes each epoch of each run, members' accuracies on the hold-out and temperatures of samplers as scalars."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError as error:
            raise InputError(
                "tensorboard: needs the package tensorboard; pip install 'comitia[tensorboard]'"
            ) from error
        self._open = SummaryWriter
        self._folder = folder
        self._writers: dict[int, Any] = {}

    def listen(self, event: Event) -> None:
        """Write the numbers of the event, if it has some."""
        if isinstance(event, Epoch):
            for name in ("loss", "accuracy", "select_accuracy", "seconds"):
                self._write(event.run, name, getattr(event, name), event.epoch)
        elif isinstance(event, Member):
            self._write(event.run, "holdout_accuracy", event.accuracy, event.step)
        elif isinstance(event, Temperatures):
            self._temperatures(event)
        elif isinstance(event, End):
            for writer in self._writers.values():
                writer.close()

    def _temperatures(self, event: Temperatures) -> None:
        """Write both temperatures of each layer as multiples of the one they should have, 1 where all is well."""
        for layer in event.layers:
            for kind in ("kinetic", "configurational"):
                value = getattr(layer, kind)
                ratio = None if value is None else value / event.expected
                self._write(event.run, f"{kind}_temperature/{layer.name}", ratio, event.epoch)

    def _write(self, run: int, name: str, value: float | None, step: int) -> None:
        if value is not None:
            self._writer(run).add_scalar(name, value, step)

    def _writer(self, run: int) -> Any:
        if run not in self._writers:
            self._writers[run] = self._open(str(self._folder / f"run-{run:04d}"))
        return self._writers[run]
