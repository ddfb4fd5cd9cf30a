"""Progress as plain lines, for logs and pipes: one an epoch, one a finished run."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from comitia.progress.tracking import Track, clock, fold

if TYPE_CHECKING:
    from rich.console import Console


class PlainView:
    """Prints what an event says as it comes."""

    def __init__(self, console: "Console", now: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._now = now
        self._track = Track()

    def listen(self, event: dict[str, Any]) -> None:
        """Fold the event and print its line, if it has one."""
        now = self._now()
        self._track = fold(self._track, event, now)
        if text := describe(self._track, event, now):
            self._console.print(text, markup=False, soft_wrap=True)


def describe(track: Track, event: dict[str, Any], now: float) -> str | None:
    """The line for an event, None for those that need none."""
    kind = event["event"]
    if kind == "begin":
        return _beginning(event)
    if kind == "epoch":
        return _epoch(track, event, now)
    if kind in ("lost", "crashed", "failed", "stopped", "warning"):
        return track.messages[-1]
    return None


def _beginning(event: dict[str, Any]) -> str:
    runs, todo = len(event["epochs"]), len(event["todo"])
    if not todo:
        return f"{event['name']}: all {runs} runs are finished in {event['directory']}"
    return f"{event['name']}: {todo} of {runs} runs to train into {event['directory']}"


def _epoch(track: Track, event: dict[str, Any], now: float) -> str:
    select = event.get("select_accuracy")
    chosen = "" if select is None else f", on select {select:.4f}"
    return (
        f"run {event['run']} epoch {event['epoch']}/{event['epochs']}: loss {event['loss']:.4f}, "
        f"accuracy {event['accuracy']:.4f}{chosen}, {event['seconds']:.1f} s; "
        f"{track.done}/{track.epochs} epochs, {clock(track.left(now))} left"
    )
