"""The state of a training as its events tell it: a record folded from them, and what follows from it."""

from dataclasses import dataclass, field, replace
from typing import Any

Event = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One run: epochs done of how many, the latest loss and accuracies, what became of it."""

    run: int
    epochs: int
    done: int = 0
    loss: float | None = None
    accuracy: float | None = None
    holdout: float | None = None
    state: str = "waiting"  # waiting, training, done, stopped, failed


@dataclass(frozen=True)
class Track:
    """All runs, the epochs trained since the start, and when that was."""

    name: str = ""
    lines: dict[int, Line] = field(default_factory=dict)
    trained: int = 0
    began: float = 0.0
    messages: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """Epochs done, also those of earlier starts."""
        return sum(line.done for line in self.lines.values())

    @property
    def epochs(self) -> int:
        """Epochs in all; a run that ended early has no more than it did."""
        ended = ("stopped", "failed")
        return sum(line.done if line.state in ended else line.epochs for line in self.lines.values())

    def left(self, now: float) -> float | None:
        """Seconds left at the pace since the start; None before the first epoch.

        >>> line = Line(run=1, epochs=4, done=1)
        >>> Track(lines={1: line}, trained=1, began=100.0).left(110.0)
        30.0
        """
        if self.trained == 0:
            return None
        return (self.epochs - self.done) * (now - self.began) / self.trained


def fold(track: Track, event: Event, now: float) -> Track:
    """The track after the event."""
    kind, run = event["event"], event.get("run")
    if kind == "begin":
        return _begin(event, now)
    if kind in ("lost", "crashed", "failed", "stopped", "warning"):
        text = f"run {run}: {event['message']}" if run else event["message"]
        track = replace(track, messages=(*track.messages, text))
    if run not in track.lines:
        return track
    line = _fold_line(track.lines[run], kind, event)
    trained = track.trained + (kind == "epoch")
    return replace(track, lines={**track.lines, run: line}, trained=trained)


def _fold_line(line: Line, kind: str, event: Event) -> Line:
    if kind == "epoch":
        loss, accuracy = event["loss"], event["accuracy"]
        return replace(line, done=event["epoch"], loss=loss, accuracy=accuracy, state="training")
    if kind == "started":
        return replace(line, state="training")
    if kind == "member":
        return replace(line, holdout=event["accuracy"])
    if kind in ("stopped", "failed"):
        return replace(line, state=kind)
    if kind == "done" and line.state != "stopped":
        return replace(line, done=line.epochs, state="done")
    return line


def _begin(event: Event, now: float) -> Track:
    lines = {}
    for key, epochs in event["epochs"].items():
        state = "waiting" if key in event["todo"] else "done"
        lines[key] = Line(run=key, epochs=epochs, done=event["done"].get(key, 0), state=state)
    return Track(name=event["name"], lines=lines, began=now)


def clock(seconds: float | None) -> str:
    """Seconds as people read them.

    >>> clock(75), clock(3700), clock(None)
    ('1:15', '1:01:40', '–')
    """
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
