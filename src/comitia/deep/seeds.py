"""Random streams by name: (seed, run, epoch, purpose) → its own stream, so that a resumed run needs no old one."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Purpose = Literal[
    "initial", "order", "augment", "network", "bootstrap", "passes", "noise", "copies", "draw", "statistics"
]
# A stream is named by its place here: new purposes go to the end, or every training changes.
PURPOSES: tuple[Purpose, ...] = (
    "initial",
    "order",
    "augment",
    "network",
    "bootstrap",
    "passes",
    "noise",
    "copies",
    "draw",
    "statistics",
)


def stream(seed: int, run: int, epoch: int, purpose: Purpose) -> np.random.Generator:
    """Return the generator of that run, epoch and purpose; streams of different names are independent.

    >>> stream(0, 1, 2, "order").integers(100) == stream(0, 1, 2, "order").integers(100)
    np.True_
    """
    return np.random.Generator(np.random.PCG64(_sequence(seed, run, epoch, purpose)))


def number(seed: int, run: int, epoch: int, purpose: Purpose) -> int:
    """Return a 63-bit seed for torch's generator."""
    return int(_sequence(seed, run, epoch, purpose).generate_state(1, np.uint64)[0] >> np.uint64(1))


def bootstrap(samples: int, *, seed: int, run: int) -> NDArray[np.int64]:
    """Return the positions 0..samples-1 drawn uniformly with replacement, as many as there are, sorted.

    >>> drawn = bootstrap(1000, seed=0, run=1)
    >>> len(drawn), 350 < 1000 - len(set(drawn.tolist())) < 390
    (1000, True)
    """
    return np.sort(stream(seed, run, 0, "bootstrap").integers(samples, size=samples))


def out_of_bag(samples: int, *, seed: int, run: int) -> NDArray[np.bool_]:
    """Return True where the bootstrap sample of that run holds no copy of the position."""
    mask = np.ones(samples, dtype=np.bool_)
    mask[bootstrap(samples, seed=seed, run=run)] = False
    return mask


def _sequence(seed: int, run: int, epoch: int, purpose: Purpose) -> np.random.SeedSequence:
    return np.random.SeedSequence([seed, run, epoch, PURPOSES.index(purpose)])
