"""The learning rate as a pure function of the epoch, in multiples of the initial rate.

The epoch t = 0, 1, ... may be fractional: samplers change their step size inside an epoch.
"""

import math

from comitia.recipes.recipe import Schedule, Training


def constant(epoch: float) -> float:
    """1, at every epoch.

    >>> constant(3)
    1.0
    """
    return 1.0


def step(epoch: float, *, milestones: tuple[int, ...], factors: tuple[float, ...]) -> float:
    """`factors[k]` from epoch `milestones[k]` on, 1 before the first.

    >>> [step(t, milestones=(2, 4), factors=(0.1, 0.01)) for t in range(5)]
    [1.0, 1.0, 0.1, 0.1, 0.01]
    """
    passed = [factor for milestone, factor in zip(milestones, factors) if epoch >= milestone]
    return passed[-1] if passed else 1.0


def linear(epoch: float, *, epochs: int, start: float = 0.5, end: float = 0.9, final: float = 0.01) -> float:
    """1 until start·epochs, straight down to `final` at end·epochs, `final` after that.

    The paper's equation: 1 - .99·(t/epochs - .5)/.4 between half and nine tenths of the epochs.

    >>> round(linear(70, epochs=100), 6)
    0.505
    """
    share = (epoch / epochs - start) / (end - start)
    return 1.0 - (1.0 - final) * min(max(share, 0.0), 1.0)


def cyclic(epoch: float, *, epochs: int, cycles: int) -> float:
    """(cos(π·(t mod c)/c) + 1)/2 with cycles of c = ⌈epochs/cycles⌉ epochs.

    >>> [round(cyclic(t, epochs=8, cycles=2), 3) for t in (0, 2, 4)]
    [1.0, 0.5, 1.0]
    """
    length = math.ceil(epochs / cycles)
    return 0.5 * (math.cos(math.pi * (epoch % length) / length) + 1.0)


def factor(schedule: Schedule, epoch: float, *, epochs: int) -> float:
    """The multiple of the initial rate at that epoch of so many."""
    if schedule.shape == "step":
        return step(epoch, milestones=schedule.milestones, factors=schedule.factors)
    if schedule.shape == "linear":
        return linear(epoch, epochs=epochs, start=schedule.start, end=schedule.end, final=schedule.final)
    if schedule.shape == "cyclic":
        return cyclic(epoch, epochs=epochs, cycles=schedule.cycles)
    return constant(epoch)


def rate(training: Training, epoch: float) -> float:
    """The learning rate at that epoch (0, 1, ...) of a training.

    >>> rate(Training(strategy="sse", epochs=4, lr=0.2, schedule=Schedule(shape="cyclic", cycles=2)), 1)
    0.1
    """
    return training.lr * factor(training.schedule, epoch, epochs=training.epochs)
