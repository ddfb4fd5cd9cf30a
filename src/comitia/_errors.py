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


def require_open_unit(argument: str, value: float) -> float:
    """Return the value as a float, if it lies strictly between 0 and 1."""
    number = float(value)
    if not 0.0 < number < 1.0:
        raise InputError(f"{argument}: must lie strictly between 0 and 1, got {value:g}")
    return number
