"""The temperatures of a chain, layer by layer over its epochs, from the lines of its log."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from quorate.report.figure import Cell, Figure, Panel, Reference, Series, Table, legible

# One colour a layer: the largest, whose temperatures are the least noisy. Those of a few parameters would hide them.
ROLES = ("tandem", "uniform", "first-order", "bayes", "other", "paper")
SMALLEST = 0.01
KINDS = ("kinetic", "configurational")

Event = dict[str, Any]


def temperature_events(lines: Iterable[str]) -> list[Event]:
    """The events of a log that tell temperatures; where an epoch was trained twice, the later ones."""
    events = (json.loads(line) for line in lines)
    found = {event["epoch"]: event for event in events if event["event"] == "temperatures"}
    return [found[epoch] for epoch in sorted(found)]


def temperature_figure(name: str, events: Sequence[Event]) -> Figure | None:
    """Kinetic and configurational temperature of the largest layers as multiples of T; None without readings.

    >>> layer = {"name": "dense", "size": 8, "kinetic": None, "configurational": 0.5}
    >>> figure = temperature_figure("chain", [{"epoch": 3, "expected": 0.5, "layers": [layer]}])
    >>> figure.panels[0].series[0].y
    (1.0,)
    """
    if not events:
        return None
    sizes = {layer["name"]: layer["size"] for layer in events[0]["layers"]}
    large = [layer for layer in sizes if sizes[layer] >= SMALLEST * max(sizes.values())]
    layers = sorted(large, key=lambda layer: -sizes[layer])[: len(ROLES)]
    panels = tuple(panel for kind in KINDS if (panel := _panel(kind, events, layers)) is not None)
    expected = events[0]["expected"]
    return Figure(
        key=f"temperatures-{name}",
        title=f"Temperatures of {legible(name)}, T = {expected:g}",
        caption=f"Means over an epoch, as multiples of T = {expected:g}: 1 where the chain has the temperature it "
        f"should. The {len(layers)} largest layers, epochs with noise only.",
        alt=_in_words(panels),
        x_title="epoch",
        panels=panels,
        table=_table(events, layers),
    )


def _panel(kind: str, events: Sequence[Event], layers: Sequence[str]) -> Panel | None:
    series = tuple(
        Series(
            legible(layer),
            role,
            tuple(float(event["epoch"]) for event in events),
            tuple(_ratio(event, layer, kind) for event in events),
        )
        for layer, role in zip(layers, ROLES)
    )
    if all(y is None for one in series for y in one.y):
        return None
    return Panel("lines", f"{kind} / T", series, (Reference("T", "best", 1.0),))


def _ratio(event: Event, layer: str, kind: str) -> float | None:
    value = next((one[kind] for one in event["layers"] if one["name"] == layer), None)
    return None if value is None else float(value) / float(event["expected"])


def _in_words(panels: Sequence[Panel]) -> str:
    parts = []
    for panel in panels:
        last = {one.name: one.y[-1] for one in panel.series if one.y[-1] is not None}
        parts.append(f"{panel.y_title} at the end: " + ", ".join(f"{n} {y:.2f}" for n, y in last.items()))
    return "; ".join(parts) + "."


def _table(events: Sequence[Event], layers: Sequence[str]) -> Table:
    columns = ("epoch", *(f"{kind} / T, {legible(layer)}" for kind in KINDS for layer in layers))
    rows: list[tuple[Cell, ...]] = [
        (int(event["epoch"]), *(_ratio(event, layer, kind) for kind in KINDS for layer in layers))
        for event in events
    ]
    return Table(columns, tuple(rows))
