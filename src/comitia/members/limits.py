"""What files claim to hold is checked before memory is given to it."""

import os
from math import prod

from comitia._errors import InputError


def memory_bytes() -> int:
    """Return how much memory this machine has; where the system does not tell, 2^40.

    >>> memory_bytes() > 2**20
    True
    """
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 2**40


def require_memory(what: str, size: int) -> None:
    """Raise if that many bytes are more than this machine's memory."""
    held = memory_bytes()
    if size > held:
        raise InputError(
            f"{what}: claims to hold {size / 2**30:,.1f} GB, and this machine has {held / 2**30:,.1f} GB of memory; "
            "the file is damaged, or needs a larger machine"
        )


def array_bytes(shape: tuple[int, ...], itemsize: int) -> int:
    """Return how many bytes an array takes, in whole numbers of any size.

    >>> array_bytes((2**40, 2**40), 4) == 2**82
    True
    """
    return prod(shape) * itemsize
