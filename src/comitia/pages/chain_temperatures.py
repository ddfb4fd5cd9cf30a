"""The temperatures of a chain as its log tells them, in typed records."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia.pages.misfits import misfit


@dataclass(frozen=True)
class LayerReading:
    """One layer in one epoch; a temperature that is not finite, or not known to the sampler, is None."""

    name: str
    size: int
    kinetic: float | None
    configurational: float | None


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
    >>> line = f'{{"event": "temperatures", "epoch": 3, "expected": 0.5, "layers": [{layer}]}}'
    >>> chain_of("chain", [line]).epochs[0].layers[0].configurational
    0.5
    """
    found: dict[int, EpochReading] = {}
    for line in lines:
        try:
            event = json.loads(line)
            if event["event"] == "temperatures":
                reading = _reading(event)
                found[reading.epoch] = reading
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise InputError(f"{source}: damaged log: {type(error).__name__} {error}") from None
    return Chain(name, tuple(found[epoch] for epoch in sorted(found))) if found else None


def _reading(event: dict[str, Any]) -> EpochReading:
    names = ("name", "size", "kinetic", "configurational")
    layers = tuple(LayerReading(*(layer[key] for key in names)) for layer in event["layers"])
    found = EpochReading(event["epoch"], event["expected"], layers)
    wrong = misfit(found, EpochReading, "temperatures")
    if wrong is None and not (found.expected > 0 and layers):
        wrong = "temperatures need a T above 0 and a layer"
    if wrong is not None:
        raise ValueError(wrong)
    return found
