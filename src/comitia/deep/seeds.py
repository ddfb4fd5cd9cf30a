"""Random streams by name: (seed, run, epoch, purpose) → its own stream, so that a resumed run needs no old one."""

from typing import Literal

import numpy as np

Purpose = Literal["initial", "order", "augment", "network", "bootstrap", "passes", "noise"]
# A stream is named by its place here: new purposes go to the end, or every training changes.
PURPOSES: tuple[Purpose, ...] = (
    "initial",
    "order",
    "augment",
    "network",
    "bootstrap",
    "passes",
    "noise",
)


def stream(seed: int, run: int, epoch: int, purpose: Purpose) -> np.random.Generator:
    """The generator of that run, epoch and purpose; streams of different names are independent.

    >>> stream(0, 1, 2, "order").integers(100) == stream(0, 1, 2, "order").integers(100)
    np.True_
    """
    return np.random.Generator(np.random.PCG64(_sequence(seed, run, epoch, purpose)))


def number(seed: int, run: int, epoch: int, purpose: Purpose) -> int:
    """A 63-bit seed for torch's generator."""
    return int(_sequence(seed, run, epoch, purpose).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _sequence(seed: int, run: int, epoch: int, purpose: Purpose) -> np.random.SeedSequence:
    return np.random.SeedSequence([seed, run, epoch, PURPOSES.index(purpose)])
