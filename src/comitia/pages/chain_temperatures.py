"""The temperatures of a chain as its log tells them, in typed records."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from comitia._errors import InputError
from comitia.deep.events import LayerReading as LayerReading
from comitia.deep.events import Temperatures, parse_event


@dataclass(frozen=True)
class EpochReading:
    """All layers in one epoch, and the temperature T that they should have."""

    epoch: int
    expected: float
    layers: tuple[LayerReading, ...]


@dataclass(frozen=True)
class Chain:
    """A named chain and its epochs with noise, in order; there is at least one."""

    name: str
    epochs: tuple[EpochReading, ...]


def read_chain(folder: Path, name: str) -> Chain | None:
    """The temperatures of the first run of the training in `folder/name`; None where its log tells none."""
    log = folder / name / "runs" / "run-0001" / "log.jsonl"
    if not log.exists():
        return None
    try:
        lines = log.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{log}: not readable as text ({error})") from None
    return chain_of(name, lines, source=str(log))


def chain_of(name: str, lines: Iterable[str], *, source: str = "log") -> Chain | None:
    """The temperatures in the lines of a log; where an epoch was trained twice, the later ones.

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
