"""The learning rate as a pure function of the epoch, in multiples of the initial rate.

The epoch t = 0, 1, ... may be fractional: samplers change their step size inside an epoch.
"""

import math
from collections.abc import Callable
from functools import cache
from inspect import signature

from comitia._extensions import is_reference, resolve
from comitia.recipes.recipe import Schedule, Training


def constant(epoch: float, *, epochs: int = 1) -> float:
    """Return 1 at every epoch.

    >>> constant(3)
    1.0
    """
    return 1.0


def step(epoch: float, *, milestones: tuple[int, ...], factors: tuple[float, ...], epochs: int = 1) -> float:
    """Return `factors[k]` from epoch `milestones[k]` on, 1 before the first.

    >>> [step(t, milestones=(2, 4), factors=(0.1, 0.01)) for t in range(5)]
    [1.0, 1.0, 0.1, 0.1, 0.01]
    """
    passed = [factor for milestone, factor in zip(milestones, factors) if epoch >= milestone]
    return passed[-1] if passed else 1.0


def linear(epoch: float, *, epochs: int, start: float = 0.5, end: float = 0.9, final: float = 0.01) -> float:
    """Return 1 until start·epochs, straight down to `final` at end·epochs, `final` after that.

    The paper's equation: 1 - .99·(t/epochs - .5)/.4 between half and nine tenths of the epochs.

    >>> round(linear(70, epochs=100), 6)
    0.505
    """
    share = (epoch / epochs - start) / (end - start)
    return 1.0 - (1.0 - final) * min(max(share, 0.0), 1.0)


def cyclic(epoch: float, *, epochs: int, cycles: int) -> float:
    """Return (cos(π·(t mod c)/c) + 1)/2 with cycles of c = ⌈epochs/cycles⌉ epochs.

    >>> [round(cyclic(t, epochs=8, cycles=2), 3) for t in (0, 2, 4)]
    [1.0, 0.5, 1.0]
    """
    length = math.ceil(epochs / cycles)
    return 0.5 * (math.cos(math.pi * (epoch % length) / length) + 1.0)


SHAPES: dict[str, Callable[..., float]] = {
    "constant": constant,
    "step": step,
    "linear": linear,
    "cyclic": cyclic,
}


def shape_of(schedule: Schedule) -> Callable[..., float]:
    """Return the function of a schedule's shape: one of ours, or of (epoch, epochs=..., options) from outside."""
    found: Callable[..., float] = resolve("recipe key training.schedule.shape", schedule.shape, SHAPES)
    return found


@cache
def shape_keys(shape: str) -> tuple[str, ...]:
    """Return the keys of `[training.schedule]` that one of our shapes, or one from outside, takes.

    >>> shape_keys("step"), shape_keys("mine:warm_up")
    (('milestones', 'factors'), ('options',))
    """
    if is_reference(shape):
        return ("options",)
    return tuple(key for key in signature(SHAPES[shape]).parameters if key not in ("epoch", "epochs"))


def factor(schedule: Schedule, epoch: float, *, epochs: int) -> float:
    """Return the multiple of the initial rate at that epoch out of `epochs`."""
    shape = shape_of(schedule)
    if is_reference(schedule.shape):
        return float(shape(epoch, epochs=epochs, **schedule.options))
    return shape(epoch, epochs=epochs, **{key: getattr(schedule, key) for key in shape_keys(schedule.shape)})


def rate(training: Training, epoch: float) -> float:
    """Return the learning rate at that epoch (0, 1, ...) of a training.

    >>> rate(Training(strategy="sse", epochs=4, lr=0.2, schedule=Schedule(shape="cyclic", cycles=2)), 1)
    0.1
    """
    return training.lr * factor(training.schedule, epoch, epochs=training.epochs)
