"""The one error that means: the input is wrong, and this is what to do about it."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """The user's input is wrong. Its text is one line: what was required, what was given, what to do."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the choice closest to the word, or an empty text.

    >>> nearest("tandm", ["uniform", "tandem"])
    " (did you mean 'tandem'?)"
    """
    close = get_close_matches(word, list(choices), n=1, cutoff=0.5)
    return f" (did you mean '{close[0]}'?)" if close else ""


def require_choice(argument: str, word: str, choices: Iterable[str]) -> str:
    """Return the word if it is one of the choices; else raise an `InputError` that suggests the nearest."""
    known = list(choices)
    if word not in known:
        listed = ", ".join(known)
        raise InputError(f"{argument}: '{word}' is not one of {listed}{nearest(word, known)}")
    return word


def require_type(argument: str, value: object, kind: type, remedy: str) -> None:
    """Raise unless the value is of that type."""
    if not isinstance(value, kind):
        raise InputError(f"{argument}: must be {kind.__name__}, got {type(value).__name__}; {remedy}")


def require_whole_number(argument: str, value: object, least: int | None = None) -> int:
    """Return the value as an int, if it is a whole number, and at least the least."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"{argument}: must be a whole number, got {value!r}")
    number = int(value.__index__())
    if least is not None and number < least:
        raise InputError(f"{argument}: must be at least {least}, got {number}")
    return number


def require_open_unit(argument: str, value: float, below: float = 1.0) -> float:
    """Return the value as a float, if it lies strictly between 0 and 1 (or `below`)."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: must be a number, got {value!r}") from None
    if not 0.0 < number < below:
        raise InputError(f"{argument}: must lie strictly between 0 and {below:g}, got {value:g}")
    return number
