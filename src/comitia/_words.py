"""Words for people: counts, and texts from outside made harmless."""

import re

# Control characters but line breaks and tabs, marks that turn the direction of writing, and halves of pairs.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def counted(number: int, what: str) -> str:
    """Return the number with what it counts, in the singular for one.

    >>> counted(1, "run"), counted(12500, "sample"), counted(0, "run")
    ('1 run', '12,500 samples', '0 runs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def harmless(text: str) -> str:
    """Return the text with a � for each character that a terminal would obey, or that would hide others.

    What comes from files, names of columns and of paths may hold any; nothing reaches the terminal but through here.

    >>> harmless("a\\x1b[2Jb")
    'a�[2Jb'
    """
    return _HARMFUL.sub("\ufffd", text)


def legible(text: str) -> str:
    """Return the text on one line, with characters that cannot be printed replaced by �.

    >>> legible("run\\n3 \\x00"), legible("Ж <b>")
    ('run 3 �', 'Ж <b>')
    """
    return harmless(" ".join(text.split()))
