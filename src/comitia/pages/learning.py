"""Learning curves of a training: read from the logs of its runs, kept as CSV, drawn as one figure."""

import csv
import io
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from comitia._errors import InputError
from comitia._words import counted
from comitia.deep import events
from comitia.pages.figure import Figure, Panel, Series, Table

LEARNING = "learning.csv"
COLUMNS = ("run", "epoch", "loss", "accuracy", "seconds")
#: The column that runs with early stopping have in addition.
SELECT = "select_accuracy"
WAYS: dict[str, Callable[[list[float]], float]] = {"median": statistics.median, "lowest": min, "highest": max}


@dataclass(frozen=True)
class Epoch:
    """One epoch of one run: mean loss and accuracy over its batches of training samples, and its duration.

    `select_accuracy` is that on the samples that choose the epoch, None without early stopping.
    """

    run: int
    epoch: int
    loss: float
    accuracy: float
    seconds: float
    select_accuracy: float | None = None


def logged_epochs(folder: Path) -> tuple[Epoch, ...]:
    """Return the epochs in the logs of a training directory; if one was trained twice, the later."""
    logs = sorted(folder.glob("runs/*/log.jsonl"))
    told = (event for log in logs for event in events.logged_events(log, events.Epoch))
    found = {(e.run, e.epoch): Epoch(*(getattr(e, c) for c in (*COLUMNS, SELECT))) for e in told}
    return tuple(found[key] for key in sorted(found))


def learning_csv(epochs: Iterable[Epoch]) -> str:
    """Return the epochs as CSV.

    >>> learning_csv([Epoch(1, 2, 0.5, 0.75, 12.04)]).splitlines()
    ['run,epoch,loss,accuracy,seconds', '1,2,0.500000,0.750000,12.0']
    """
    told = list(epochs)
    rows = [f"{e.run},{e.epoch},{e.loss:.6f},{e.accuracy:.6f},{e.seconds:.1f}" for e in told]
    if all(e.select_accuracy is None for e in told):
        return "\n".join([",".join(COLUMNS), *rows]) + "\n"
    chosen = ["" if e.select_accuracy is None else f"{e.select_accuracy:.6f}" for e in told]
    lines = [f"{row},{select}" for row, select in zip(rows, chosen)]
    return "\n".join([",".join((*COLUMNS, SELECT)), *lines]) + "\n"


def read_learning(text: str, *, source: str) -> tuple[Epoch, ...]:
    """Return the epochs of that CSV."""
    try:
        rows = iter([*csv.reader(io.StringIO(text))])
    except csv.Error as error:
        raise InputError(f"{source}: is not CSV text ({error}); run reproduce again to write it") from None
    if tuple(next(rows, ())) not in (COLUMNS, (*COLUMNS, SELECT)):
        raise InputError(f"{source}: must begin with {','.join(COLUMNS)}; run reproduce again to write it")
    found = []
    for row in rows:
        try:
            run, epoch, *numbers = row
            loss, accuracy, seconds, *select = (float(n) for n in numbers if n)
            found.append(Epoch(int(run), int(epoch), loss, accuracy, seconds, *select))
        except (ValueError, TypeError, OverflowError):
            raise InputError(f"{source}: damaged line {','.join(row)[:60]!r}") from None
        if not all(map(math.isfinite, (loss, accuracy, seconds, *select))):
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
    panels = [_panel("training loss", "loss", epochs), _panel("training accuracy", "accuracy", epochs)]
    if all(one.select_accuracy is not None for one in epochs):
        panels.append(_panel("accuracy on select", SELECT, epochs))
    return Figure(
        key="learning",
        title="How the runs learned",
        caption=f"{counted(runs, 'run')}. Means over the batches of each epoch while the network was learning, on "
        "(augmented) training samples. They do not estimate the error on new samples.",
        alt=_in_words(panels),
        x_title="epoch",
        panels=tuple(panels),
        table=_table(epochs),
    )


def cut_short(epochs: Sequence[Epoch], patience: int) -> tuple[int, int]:
    """Return how many runs would keep another state if they stopped after that many epochs without a better one.

    And how many runs were counted: those with early stopping that trained longer than that.

    >>> one = [Epoch(1, t + 1, 1.0, 0.5, 9.0, a) for t, a in enumerate((0.7, 0.6, 0.6, 0.8))]
    >>> cut_short(one, 2), cut_short(one, 3)
    ((1, 1), (0, 1))
    """
    found = []
    for run in {one.run for one in epochs}:
        curve = [one.select_accuracy for one in sorted(epochs, key=lambda e: e.epoch) if one.run == run]
        known = [value for value in curve if value is not None]
        if len(known) > patience:
            found.append(_stopped_at(known, patience) != known.index(max(known)))
    return sum(found), len(found)


def _stopped_at(curve: Sequence[float], patience: int) -> int:
    """The epoch (0, 1, ...) that is kept if training ends once `patience` epochs in a row were not better."""
    best = 0
    for epoch, value in enumerate(curve):
        if epoch - best > patience:
            break
        best = epoch if value > curve[best] else best
    return best


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
    return Panel("lines", title, series, percent=name != "loss")


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
