"""Progress as a live table on a terminal: runs × epochs, loss, accuracy, time left."""

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.live import Live
from rich.table import Table
from rich.text import Text

from comitia.progress.tracking import Line, Track, clock, fold

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 16


class LiveView:
    """A table that is drawn anew with each event, and stays when the training ends."""

    def __init__(self, console: "Console") -> None:
        self._track = Track()
        # The table asks for itself at each refresh, so that the clock runs between events.
        self._live = Live(console=console, refresh_per_second=2, get_renderable=self._render)

    def __enter__(self) -> "LiveView":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def listen(self, event: dict[str, Any]) -> None:
        """Fold the event into what is shown."""
        self._track = fold(self._track, event, time.monotonic())

    def _render(self) -> Table:
        return draw(self._track, time.monotonic())


def draw(track: Track, now: float) -> Table:
    """The table of a training: at most 16 runs, those at work first."""
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
        table.add_row(*_cells(line))
    return table


def _cells(line: Line) -> tuple[str, ...]:
    width = 20
    filled = width * line.done // max(line.epochs, 1)
    bar = "━" * filled + "╌" * (width - filled) + f" {line.state}"
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
