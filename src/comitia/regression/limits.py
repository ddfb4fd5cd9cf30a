"""How large an error can be: what a promise of a mean needs to know, or what it counts larger errors as."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError

Array = NDArray[np.float64]

#: Who says it: "known" is the user's word that no error is larger; at "clip" and "chosen" larger errors count as the
#: limit, which the user gave, or which the samples that chose the weights gave.
HOW = ("known", "clip", "chosen")
#: A limit that samples choose is this many times the largest error among them.
WIDER = 2.0
#: Squares of smaller and larger limits leave what floating point can hold.
SMALLEST, LARGEST = 1e-100, 1e100


@dataclass(frozen=True)
class Limit:
    """The largest error B, in units of the target, and who says so."""

    value: float
    how: str

    @property
    def clips(self) -> bool:
        """Whether errors above it count as it, so that the promise is of a clipped loss."""
        return self.how != "known"

    def fault(self) -> str | None:
        """Return what is wrong with a limit, or None."""
        possible = SMALLEST <= self.value <= LARGEST and self.how in HOW
        return (
            None if possible else f"limit: must be {SMALLEST:g} to {LARGEST:g}, and one of {', '.join(HOW)}"
        )

    def clipped(self, errors: Array) -> Array:
        """Return the sizes of the errors, those above the limit as the limit."""
        return np.minimum(np.abs(errors), self.value)

    def in_words(self, size: str) -> str:
        """Return what a promise says about large errors.

        >>> Limit(5.0, "known").in_words("5"), Limit(5.0, "clip").in_words("5")
        ('no error being larger than 5', 'errors larger than 5 counted as 5')
        """
        return (
            f"errors larger than {size} counted as {size}"
            if self.clips
            else f"no error being larger than {size}"
        )


def asked_limit(largest_error: float | None, clip: float | None) -> Limit | None:
    """Return the limit that was asked for; None where the samples are to choose it."""
    if largest_error is not None and clip is not None:
        raise InputError(
            "clip: either largest_error (no error is larger) or clip (larger ones count as it); give one"
        )
    for name, how, value in (("largest_error", "known", largest_error), ("clip", "clip", clip)):
        if value is not None:
            return Limit(_positive(name, value), how)
    return None


def chosen_limit(errors: Array) -> Limit | None:
    """Return twice the largest of those errors: of the weighted mean on samples that do not certify. None of zeros.

    >>> chosen_limit(np.array([1.0, -3.0]))
    Limit(value=6.0, how='chosen')
    """
    largest = float(np.abs(errors).max())
    return Limit(min(max(WIDER * largest, SMALLEST), LARGEST), "chosen") if largest > 0 else None


def require_true(limit: Limit, errors: Array, whose: str) -> None:
    """Raise where some error contradicts the user's word that none is larger than the limit."""
    if limit.clips:
        return
    largest = float(np.abs(errors).max())
    if largest > limit.value:
        raise InputError(
            f"largest_error: {limit.value:g} is not true, {whose} errs by {largest:g}; give a larger one that is, or "
            "clip= counts larger errors as it"
        )


def _positive(argument: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: must be a number, got {value!r}") from None
    if not SMALLEST <= number <= LARGEST:
        raise InputError(
            f"{argument}: must be above 0 and finite ({SMALLEST:g} to {LARGEST:g}), in units of the target, got "
            f"{number:g}"
        )
    return number
