"""Counts in words, and words as they can be shown."""

import re

# control characters, lone surrogates, and marks that change the direction of the text after them
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def counted(number: int, what: str) -> str:
    """Return the number with what it counts, in the singular for one.

    >>> counted(1, "run"), counted(12500, "sample"), counted(0, "run")
    ('1 run', '12,500 samples', '0 runs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def legible(text: str) -> str:
    """Return the text on one line, with characters that cannot be printed replaced by �.

    >>> legible("run\\n3 \\x00"), legible("Ж <b>")
    ('run 3 �', 'Ж <b>')
    """
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.split()))
