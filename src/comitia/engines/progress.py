"""What people see of a training: a live table on a terminal, plain lines elsewhere.

`Track` is the state of a training, folded from its events; both views show it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from comitia.deep.events import (
    Begin,
    Done,
    Epoch,
    EpochMessage,
    Event,
    Failed,
    Listener,
    Member,
    Message,
    Started,
    Stopped,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# Runs that the live table shows at most.
SHOWN = 16
# Columns that the table takes with the longest bar; on a narrower terminal the bar is shorter.
WIDE, BAR = 80, 20


@contextmanager
def watching(console: "Console") -> Iterator[Listener]:
    """Show the events of a training on the console for as long as the context lasts."""
    if not console.is_terminal:
        yield PlainView(console).listen
        return
    view = LiveView(console)
    try:
        yield view.listen
    finally:
        view.stop()


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
        """Return the seconds left at the pace since the start; None before the first epoch.

        >>> line = Line(run=1, epochs=4, done=1)
        >>> Track(lines={1: line}, trained=1, began=100.0).left(110.0)
        30.0
        """
        if self.trained == 0:
            return None
        return (self.epochs - self.done) * (now - self.began) / self.trained


def fold(track: Track, event: Event, now: float) -> Track:
    """Return the track after the event."""
    if isinstance(event, Begin):
        return _begin(event, now)
    run = getattr(event, "run", None)
    if isinstance(event, Message | EpochMessage):
        text = f"run {run}: {event.message}" if run else event.message
        track = replace(track, messages=(*track.messages, text))
    if run not in track.lines:
        return track
    line = _fold_line(track.lines[run], event)
    trained = track.trained + isinstance(event, Epoch)
    return replace(track, lines={**track.lines, run: line}, trained=trained)


def _fold_line(line: Line, event: Event) -> Line:
    if isinstance(event, Epoch):
        return replace(line, done=event.epoch, loss=event.loss, accuracy=event.accuracy, state="training")
    if isinstance(event, Started):
        return replace(line, state="training")
    if isinstance(event, Member):
        return replace(line, holdout=event.accuracy)
    if isinstance(event, Stopped | Failed):
        return replace(line, state=event.kind)
    if isinstance(event, Done) and line.state != "stopped":
        return replace(line, done=line.epochs, state="done")
    return line


def _begin(event: Begin, now: float) -> Track:
    lines = {}
    for run, epochs in event.epochs.items():
        state = "waiting" if run in event.todo else "done"
        lines[run] = Line(run=run, epochs=epochs, done=event.done.get(run, 0), state=state)
    return Track(name=event.name, lines=lines, began=now)


def clock(seconds: float | None) -> str:
    """Return the seconds as people read them.

    >>> clock(75), clock(3700), clock(None)
    ('1:15', '1:01:40', '–')
    """
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class PlainView:
    """Prints what an event says as it comes."""

    def __init__(self, console: "Console", now: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._now = now
        self._track = Track()

    def listen(self, event: Event) -> None:
        """Fold the event and print its line, if it has one."""
        now = self._now()
        self._track = fold(self._track, event, now)
        if text := describe(self._track, event, now):
            # When nobody reads on (`| head`), rich leaves with SystemExit; the training goes on.
            with suppress(BrokenPipeError, SystemExit):
                self._console.print(text, markup=False, soft_wrap=True)


def describe(track: Track, event: Event, now: float) -> str | None:
    """Return the line for an event, None for those that need none."""
    if isinstance(event, Begin):
        return _beginning(event)
    if isinstance(event, Epoch):
        return _epoch(track, event, now)
    return track.messages[-1] if isinstance(event, Message | EpochMessage) else None


def _beginning(event: Begin) -> str:
    runs, todo = len(event.epochs), len(event.todo)
    if not todo:
        return f"{event.name}: all {runs} runs are finished in {event.directory}"
    return f"{event.name}: {todo} of {runs} runs to train into {event.directory}"


def _epoch(track: Track, event: Epoch, now: float) -> str:
    chosen = "" if event.select_accuracy is None else f", on select {event.select_accuracy:.4f}"
    return (
        f"run {event.run} epoch {event.epoch}/{event.epochs}: loss {event.loss:.4f}, "
        f"accuracy {event.accuracy:.4f}{chosen}, {event.seconds:.1f} s; "
        f"{track.done}/{track.epochs} epochs, {clock(track.left(now))} left"
    )


class LiveView:
    """A table that appears with the first event, is drawn again with each, and stays when the training ends."""

    def __init__(self, console: "Console") -> None:
        from rich.live import Live

        self._track = Track()
        self._console = console
        # The table asks for itself at each refresh, so that the clock runs between events.
        self._live = Live(console=console, refresh_per_second=2, get_renderable=self.render)

    def listen(self, event: Event) -> None:
        """Fold the event into what is shown."""
        self._track = fold(self._track, event, time.monotonic())
        if not self._live.is_started:
            self._live.start()

    def stop(self) -> None:
        """Leave the table as it is."""
        self._live.stop()

    def render(self) -> "Table":
        """Return the table at this moment."""
        return draw(self._track, time.monotonic(), self._console.width)


def draw(track: Track, now: float, width: int = WIDE) -> "Table":
    """Return the table of a training: at most 16 runs, those at work first, in that many columns (60 or more)."""
    from rich.table import Table
    from rich.text import Text

    left = clock(track.left(now))
    title = f"{track.name}: {track.done}/{track.epochs} epochs, {left} left" if track.lines else "starting"
    # Text, not str: what a failure says must not be read as markup.
    words, below = Text(title), Text(_caption(track))
    table = Table(title=words, title_justify="left", caption=below, caption_justify="left")
    for name in ("run", "epochs", "", "loss", "accuracy", "hold-out"):
        table.add_column(name, justify="left" if name == "" else "right")
    order = {"training": 0, "failed": 1, "stopped": 1, "waiting": 2, "done": 3}
    lines = sorted(track.lines.values(), key=lambda line: (order[line.state], line.run))
    for line in lines[:SHOWN]:
        table.add_row(*_cells(line, max(0, min(BAR, BAR - WIDE + width))))
    return table


def _cells(line: Line, width: int) -> tuple[str, ...]:
    filled = width * line.done // max(line.epochs, 1)
    bar = ("━" * filled + "╌" * (width - filled) + f" {line.state}").strip()
    numbers = (line.loss, line.accuracy, line.holdout)
    return (
        str(line.run),
        f"{line.done}/{line.epochs}",
        bar,
        *("" if number is None else f"{number:.4f}" for number in numbers),
    )


def _caption(track: Track) -> str:
    hidden = len(track.lines) - SHOWN
    more = [f"and {hidden} runs more"] if hidden > 0 else []
    return "\n".join([*more, *track.messages[-3:]])
