"""Learning curves of a training: read from the logs of its runs, kept as CSV, drawn as one figure."""

import csv
import io
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from comitia._errors import InputError
from comitia.deep import events
from comitia.pages.figure import Figure, Panel, Series, Table

LEARNING = "learning.csv"
COLUMNS = ("run", "epoch", "loss", "accuracy", "seconds")
WAYS: dict[str, Callable[[list[float]], float]] = {"median": statistics.median, "lowest": min, "highest": max}


@dataclass(frozen=True)
class Epoch:
    """One epoch of one run: mean loss and accuracy over its batches of training samples, and its duration."""

    run: int
    epoch: int
    loss: float
    accuracy: float
    seconds: float


def logged_epochs(folder: Path) -> tuple[Epoch, ...]:
    """Return the epochs in the logs of a training directory; if one was trained twice, the later."""
    logs = sorted(folder.glob("runs/*/log.jsonl"))
    told = (event for log in logs for event in events.logged_events(log, events.Epoch))
    found = {(e.run, e.epoch): Epoch(*(getattr(e, column) for column in COLUMNS)) for e in told}
    return tuple(found[key] for key in sorted(found))


def learning_csv(epochs: Iterable[Epoch]) -> str:
    """Return the epochs as CSV.

    >>> learning_csv([Epoch(1, 2, 0.5, 0.75, 12.04)]).splitlines()
    ['run,epoch,loss,accuracy,seconds', '1,2,0.500000,0.750000,12.0']
    """
    rows = [f"{e.run},{e.epoch},{e.loss:.6f},{e.accuracy:.6f},{e.seconds:.1f}" for e in epochs]
    return "\n".join([",".join(COLUMNS), *rows]) + "\n"


def read_learning(text: str, *, source: str) -> tuple[Epoch, ...]:
    """Return the epochs of that CSV."""
    rows = csv.reader(io.StringIO(text))
    if tuple(next(rows, ())) != COLUMNS:
        raise InputError(f"{source}: must begin with {','.join(COLUMNS)}; run reproduce again to write it")
    found = []
    for row in rows:
        try:
            run, epoch, *numbers = row
            loss, accuracy, seconds = map(float, numbers)
            found.append(Epoch(int(run), int(epoch), loss, accuracy, seconds))
        except ValueError:
            raise InputError(f"{source}: damaged line {','.join(row)[:60]!r}") from None
        if not all(map(math.isfinite, (loss, accuracy, seconds))):
            raise InputError(f"{source}: run {run}, epoch {epoch}: a number is not finite")
    return tuple(found)


def learning_figure(epochs: Sequence[Epoch]) -> Figure | None:
    """Return training loss and accuracy by epoch: median, lowest and highest run; None without epochs.

    >>> figure = learning_figure([Epoch(1, 1, 2.0, 0.2, 9.0), Epoch(2, 1, 1.0, 0.4, 9.0)])
    >>> [series.y for series in figure.panels[0].series]
    [(1.5,), (1.0,), (2.0,)]
    """
    if not epochs:
        return None
    runs = len({one.run for one in epochs})
    panels = (_panel("training loss", "loss", epochs), _panel("training accuracy", "accuracy", epochs))
    return Figure(
        key="learning",
        title="How the runs learned",
        caption=f"{runs} runs. Means over the batches of each epoch while the network was learning, on (augmented) "
        "training samples. They do not estimate the error on new samples.",
        alt=_in_words(panels),
        x_title="epoch",
        panels=panels,
        table=_table(epochs),
    )


def _by_epoch(epochs: Sequence[Epoch], name: str) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for one in sorted(epochs, key=lambda e: e.epoch):
        found.setdefault(one.epoch, []).append(getattr(one, name))
    return found


def _panel(title: str, name: str, epochs: Sequence[Epoch]) -> Panel:
    values = _by_epoch(epochs, name)
    x = tuple(map(float, values))
    several = len({one.run for one in epochs}) > 1
    ways = WAYS if several else {"median": WAYS["median"]}
    series = tuple(
        Series(
            label if several else "the run",
            "tandem" if label == "median" else "best",
            x,
            tuple(float(way(some)) for some in values.values()),
            dashed=label != "median",
        )
        for label, way in ways.items()
    )
    return Panel("lines", title, series, percent=name == "accuracy")


def _in_words(panels: Sequence[Panel]) -> str:
    parts = [
        f"{panel.y_title} from {panel.series[0].y[0]:.3g} to {panel.series[0].y[-1]:.3g}" for panel in panels
    ]
    return "Line chart against the epoch, medians of the runs: " + "; ".join(parts) + "."


def _table(epochs: Sequence[Epoch]) -> Table:
    loss, accuracy = _by_epoch(epochs, "loss"), _by_epoch(epochs, "accuracy")
    columns = ("epoch", "runs", *(f"{name}, {label}" for name in ("loss", "accuracy") for label in WAYS))
    rows = tuple(
        (
            epoch,
            len(loss[epoch]),
            *(float(way(kind[epoch])) for kind in (loss, accuracy) for way in WAYS.values()),
        )
        for epoch in loss
    )
    return Table(columns, rows)
