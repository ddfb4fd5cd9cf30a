"""Counts in words."""


def counted(number: int, what: str) -> str:
    """Return the number with what it counts, in the singular for one.

    >>> counted(1, "run"), counted(12500, "sample"), counted(0, "run")
    ('1 run', '12,500 samples', '0 runs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
