"""What may be held at once: a limit that is checked before anything is allocated, and how to raise it."""

import os
import re

from comitia._errors import InputError

#: The environment variable that says how many bytes arrays may take, such as 16G.
VARIABLE = "COMITIA_MEMORY"
#: Without it: this much, or half of the machine's memory where that is less.
USUAL = 4 * 2**30
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def limit() -> int:
    """Return how many bytes one thing that is read or counted may take."""
    given = os.environ.get(VARIABLE)
    if given is None:
        return min(USUAL, _machine() // 2)
    found = re.fullmatch(r"(\d{1,15})([KMGT]?)B?", given.strip().upper())
    if found is None or not int(found[1]):
        raise InputError(f"{VARIABLE}: must be a number of bytes such as 16G, got '{given}'")
    return int(found[1]) * UNITS[found[2]]


def require_room(what: str, size: int) -> None:
    """Raise if something takes more bytes than may be held; `what` begins the message.

    >>> require_room("a.npz: probs", 10**15)
    Traceback (most recent call last):
    comitia._errors.InputError: a.npz: probs needs 909.5 TiB, more than the limit of ...
    """
    if size > (most := limit()):
        raise InputError(
            f"{what} needs {shown(size)}, more than the limit of {shown(most)}; {VARIABLE}={_enough(size)} raises it"
        )


def shown(size: int) -> str:
    """Return a number of bytes for people.

    >>> shown(4_800_000_000), shown(100)
    ('4.5 GiB', '100 B')
    """
    number, unit = float(size), 0
    while number >= 1024 and unit < 5:
        number, unit = number / 1024, unit + 1
    return f"{number:.1f} {' KMGTP'[unit]}iB" if unit else f"{size} B"


def _enough(size: int) -> str:
    return f"{-(-size // 2**30)}G"


def _machine() -> int:
    """The memory of the machine; where that is not told, plenty."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**40
