"""Which predictions an evaluation is of, and the check of numbers that a record states."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """The predictions that were evaluated: their sha256 and their extent.

    `groups`, `abstained` and `folds` count the groups of samples, the cells without an answer and the folds of an
    out-of-fold table; None where there are none.
    """

    sha256: str
    samples: int
    classes: int
    members: int
    runs: int
    groups: int | None = None
    abstained: int = 0
    folds: int | None = None

    def fault(self) -> str | None:
        """Return what is wrong with a source, or None."""
        return outside(
            samples=(self.samples, 1, math.inf),
            groups=(self.groups, 1, self.samples),
            abstained=(self.abstained, 0, self.samples * self.members),
            folds=(self.folds, 1, self.samples),
        )


def outside(**ranges: tuple[float | None, float, float]) -> str | None:
    """Return the first of the values, each with the lowest and highest it may have, that is out of range, or None.

    >>> outside(share=(0.5, 0, 1), delta=(2.5, 0, 1))
    'delta is 2.5, outside of 0 to 1'
    """
    for name, (value, low, high) in ranges.items():
        if value is not None and not low <= value <= high:
            return f"{name} is {value:g}, outside of {low:g} to {high:g}"
    return None
