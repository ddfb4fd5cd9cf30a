"""The temperatures of a chain: read from its log, kept as CSV, drawn layer by layer as multiples of T."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from comitia._errors import InputError
from comitia.deep.events import LayerReading as LayerReading
from comitia.deep.events import Temperatures, parse_event
from comitia.pages.figure import Cell, Figure, Panel, Reference, Series, Table, legible

# One colour per layer. The largest are drawn: they are the least noisy, and layers of a few parameters would hide them.
ROLES = ("tandem", "uniform", "first-order", "bayes", "other", "paper")
SMALLEST = 0.01
KINDS = ("kinetic", "configurational")
TEMPERATURES = "temperatures.csv"
COLUMNS = ("epoch", "expected", "layer", "size", *KINDS)


@dataclass(frozen=True)
class EpochReading:
    """All layers in one epoch, and the temperature T that they should have."""

    epoch: int
    expected: float
    layers: tuple[LayerReading, ...]


@dataclass(frozen=True)
class Chain:
    """A named chain and its epochs with noise, in order, at least one."""

    name: str
    epochs: tuple[EpochReading, ...]


def read_chain(directory: Path, name: str) -> Chain | None:
    """Return the temperatures of the first run of a training, under that name; None if its log has none."""
    log = directory / "runs" / "run-0001" / "log.jsonl"
    if not log.exists():
        return None
    try:
        lines = log.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{log}: not readable as text ({error})") from None
    return chain_of(name, lines, source=str(log))


def chain_of(name: str, lines: Iterable[str], *, source: str = "log") -> Chain | None:
    """Return the temperatures in the lines of a log; if an epoch was trained twice, the later ones.

    >>> layer = '{"name": "dense", "size": 8, "kinetic": null, "configurational": 0.5}'
    >>> line = f'{{"event": "temperatures", "run": 1, "epoch": 3, "expected": 0.5, "layers": [{layer}]}}'
    >>> chain_of("chain", [line]).epochs[0].layers[0].configurational
    0.5
    """
    found: dict[int, EpochReading] = {}
    for line in lines:
        event = parse_event(line, f"{source}: damaged log", (Temperatures,))
        if isinstance(event, Temperatures):
            found[event.epoch] = EpochReading(event.epoch, event.expected, event.layers)
    return Chain(name, tuple(found[epoch] for epoch in sorted(found))) if found else None


def temperatures_csv(chain: Chain) -> str:
    """Return the temperatures of all layers and epochs as CSV; those that are not known are empty.

    >>> epoch = EpochReading(3, 0.5, (LayerReading("dense", 8, None, 0.4),))
    >>> temperatures_csv(Chain("chain", (epoch,))).splitlines()
    ['epoch,expected,layer,size,kinetic,configurational', '3,0.5,dense,8,,0.4']
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for one in chain.epochs:
        for layer in one.layers:
            known = [
                None if value is None else f"{value:.6g}" for value in (layer.kinetic, layer.configurational)
            ]
            lines.writerow((one.epoch, one.expected, layer.name, layer.size, *known))
    return text.getvalue()


def read_temperatures(text: str, name: str, *, source: str) -> Chain:
    """Return the chain of that CSV under that name."""
    rows = csv.reader(io.StringIO(text))
    if tuple(next(rows, ())) != COLUMNS:
        raise InputError(f"{source}: must begin with {','.join(COLUMNS)}; run reproduce again to write it")
    found: dict[int, tuple[float, list[LayerReading]]] = {}
    for row in rows:
        try:
            epoch, expected, layer, size, *values = row
            kinetic, configurational = (float(value) if value else None for value in values)
            reading = LayerReading(layer, int(size), kinetic, configurational)
            found.setdefault(int(epoch), (float(expected), []))[1].append(reading)
        except ValueError:
            raise InputError(f"{source}: damaged line {','.join(row)[:60]!r}") from None
    if not found:
        raise InputError(f"{source}: has no epochs; run reproduce again to write it")
    return Chain(name, tuple(EpochReading(e, t, tuple(layers)) for e, (t, layers) in found.items()))


def temperature_figure(chain: Chain) -> Figure | None:
    """Return the temperatures of the largest layers as multiples of T; None if none is finite.

    >>> epoch = EpochReading(3, 0.5, (LayerReading("dense", 8, None, 0.5),))
    >>> temperature_figure(Chain("chain", (epoch,))).panels[0].series[0].y
    (1.0,)
    """
    layers = _largest(chain)
    drawn = {kind: panel for kind in KINDS if (panel := _panel(kind, chain.epochs, layers)) is not None}
    if not drawn:
        return None
    expected = chain.epochs[0].expected
    return Figure(
        key=f"temperatures-{chain.name}",
        title=f"Temperatures of {legible(chain.name)}, T = {expected:g}",
        caption=f"Means per epoch of the first run, as multiples of T = {expected:g}. The chain has the right "
        f"temperature at 1. Shown: {_counted(len(layers))}, epochs with noise only.",
        alt=_in_words(tuple(drawn.values())),
        x_title="epoch",
        panels=tuple(drawn.values()),
        table=_table(chain.epochs, layers, tuple(drawn)),
    )


def _counted(layers: int) -> str:
    return "the largest layer" if layers == 1 else f"the {layers} largest layers"


def _largest(chain: Chain) -> list[str]:
    sizes = {layer.name: layer.size for layer in chain.epochs[0].layers}
    large = [name for name, size in sizes.items() if size >= SMALLEST * max(sizes.values())]
    return sorted(large, key=lambda name: -sizes[name])[: len(ROLES)]


def _panel(kind: str, epochs: Sequence[EpochReading], layers: Sequence[str]) -> Panel | None:
    series = tuple(
        Series(
            legible(layer),
            role,
            tuple(float(one.epoch) for one in epochs),
            tuple(_ratio(one, layer, kind) for one in epochs),
        )
        for layer, role in zip(layers, ROLES)
    )
    if all(y is None for one in series for y in one.y):
        return None
    return Panel("lines", f"{kind} / T", series, (Reference("T", "best", 1.0),))


def _ratio(reading: EpochReading, layer: str, kind: str) -> float | None:
    value = next((getattr(one, kind) for one in reading.layers if one.name == layer), None)
    return None if value is None else float(value) / reading.expected


def _in_words(panels: Sequence[Panel]) -> str:
    parts = []
    for panel in panels:
        last = {one.name: one.y[-1] for one in panel.series if one.y[-1] is not None}
        told = ", ".join(f"{name} {y:.2f}" for name, y in last.items()) or "none finite"
        parts.append(f"{panel.y_title} at the end: {told}")
    return "Temperature over T against the epoch, by layer. " + "; ".join(parts) + "."


def _table(epochs: Sequence[EpochReading], layers: Sequence[str], kinds: Sequence[str]) -> Table:
    """The ratios of the kinds that are drawn, so that a chain without momenta has no empty columns."""
    columns = ("epoch", *(f"{kind} / T, {legible(layer)}" for kind in kinds for layer in layers))
    rows: list[tuple[Cell, ...]] = [
        (one.epoch, *(_ratio(one, layer, kind) for kind in kinds for layer in layers)) for one in epochs
    ]
    return Table(columns, tuple(rows))
