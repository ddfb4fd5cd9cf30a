"""Losses and accuracies of a training for TensorBoard (extra: tensorboard)."""

from pathlib import Path
from typing import Any

from comitia._errors import InputError


class Board:
    """Writes each epoch of each run, members' accuracies on the hold-out and temperatures of samplers as scalars."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError as error:
            raise InputError(
                "--tensorboard: needs the package tensorboard; install comitia[tensorboard]"
            ) from error
        self._open = SummaryWriter
        self._folder = folder
        self._writers: dict[int, Any] = {}

    def listen(self, event: dict[str, Any]) -> None:
        """Write the numbers of the event, if it has some."""
        if event["event"] == "epoch":
            for name in ("loss", "accuracy", "select_accuracy", "seconds"):
                if event[name] is not None:
                    self._writer(event["run"]).add_scalar(name, event[name], event["epoch"])
        elif event["event"] == "member" and event["accuracy"] is not None:
            self._writer(event["run"]).add_scalar("holdout_accuracy", event["accuracy"], event["step"])
        elif event["event"] == "temperatures":
            self._temperatures(event)
        elif event["event"] == "end":
            for writer in self._writers.values():
                writer.close()

    def _temperatures(self, event: dict[str, Any]) -> None:
        """Both temperatures of each layer as multiples of the one they should have, 1 where all is well."""
        for layer in event["layers"]:
            for kind in ("kinetic", "configurational"):
                if layer[kind] is not None:
                    ratio = layer[kind] / event["expected"]
                    name = f"{kind}_temperature/{layer['name']}"
                    self._writer(event["run"]).add_scalar(name, ratio, event["epoch"])

    def _writer(self, run: int) -> Any:
        if run not in self._writers:
            self._writers[run] = self._open(str(self._folder / f"run-{run:04d}"))
        return self._writers[run]
