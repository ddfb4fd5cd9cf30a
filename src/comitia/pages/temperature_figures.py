"""The temperatures of a chain, layer by layer over its epochs, drawn as multiples of T."""

from collections.abc import Sequence

from comitia.pages.chain_temperatures import Chain, EpochReading
from comitia.pages.figure import Cell, Figure, Panel, Reference, Series, Table, legible

# One colour a layer: the largest, whose temperatures are the least noisy. Those of a few parameters would hide them.
ROLES = ("tandem", "uniform", "first-order", "bayes", "other", "paper")
SMALLEST = 0.01
KINDS = ("kinetic", "configurational")


def temperature_figure(chain: Chain) -> Figure | None:
    """Kinetic and configurational temperature of the largest layers as multiples of T; None if none is finite.

    >>> from comitia.pages.chain_temperatures import EpochReading, LayerReading
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
        caption=f"Means over an epoch of the first run, as multiples of T = {expected:g}: 1 where the chain has the "
        f"temperature it should. {_counted(len(layers))}, epochs with noise only.",
        alt=_in_words(tuple(drawn.values())),
        x_title="epoch",
        panels=tuple(drawn.values()),
        table=_table(chain.epochs, layers, tuple(drawn)),
    )


def _counted(layers: int) -> str:
    return "The largest layer" if layers == 1 else f"The {layers} largest layers"


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
    """The ratios of the kinds that are drawn: a chain without momenta has no empty columns."""
    columns = ("epoch", *(f"{kind} / T, {legible(layer)}" for kind in kinds for layer in layers))
    rows: list[tuple[Cell, ...]] = [
        (one.epoch, *(_ratio(one, layer, kind) for kind in kinds for layer in layers)) for one in epochs
    ]
    return Table(columns, tuple(rows))
