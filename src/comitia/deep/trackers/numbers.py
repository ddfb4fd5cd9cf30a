"""The numbers that the events of a training hold, as every tracker sends them."""

from collections.abc import Iterator
from dataclasses import dataclass

from comitia.deep.events import Epoch, Event, Member, Temperatures


@dataclass(frozen=True)
class Number:
    """A number of a run at a step: an epoch, or for a member the step of its state."""

    run: int
    name: str
    value: float
    step: int


def numbers_of(event: Event) -> Iterator[Number]:
    """Yield the numbers of an event: of epochs, of members on the hold-out, and temperatures of samplers.

    Both temperatures of each layer are multiples of the one they should have, 1 where all is well.

    >>> [number.name for number in numbers_of(Member(run=1, step=2, accuracy=0.5))]
    ['holdout_accuracy']
    """
    found: list[tuple[str, float | None]] = []
    if isinstance(event, Epoch):
        names = ("loss", "accuracy", "select_accuracy", "seconds")
        found, step = [(name, getattr(event, name)) for name in names], event.epoch
    elif isinstance(event, Member):
        found, step = [("holdout_accuracy", event.accuracy)], event.step
    elif isinstance(event, Temperatures):
        found, step = _temperatures(event), event.epoch
    else:
        return
    yield from (Number(event.run, name, value, step) for name, value in found if value is not None)


def _temperatures(event: Temperatures) -> list[tuple[str, float | None]]:
    found: list[tuple[str, float | None]] = []
    for layer in event.layers:
        for kind in ("kinetic", "configurational"):
            value = getattr(layer, kind)
            found.append(
                (f"{kind}_temperature/{layer.name}", None if value is None else value / event.expected)
            )
    return found
