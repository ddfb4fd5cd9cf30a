"""The one opener of small text files: records, recipes, lists of numbers. What can be wrong with a path is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from comitia._errors import InputError
from comitia._records import parse_json
from comitia._sizes import require_room
from comitia.files.remote import local, shown

#: Records and recipes take a few times their size once they are parsed.
PARSED = 20


def read_text(path: str | Path, *, absent: str = "no such file") -> str:
    """Return the text (UTF-8) of a file or URL."""
    place = local(path)
    with opening(path, absent):
        if place.is_dir():
            raise InputError(f"{shown(path)}: is a folder; the name of a file is required")
        require_room(f"{shown(path)}: a text of this size", PARSED * place.stat().st_size)
        return place.read_text(encoding="utf-8")


def read_numbers(path: str | Path) -> list[float]:
    """Return the numbers of a JSON list in a file or URL."""
    values = parse_json(read_text(path), shown(path))
    if not isinstance(values, list) or not all(type(x) in (int, float) for x in values):
        raise InputError(f"{shown(path)}: must be a JSON list of numbers, one per member")
    try:
        return [float(x) for x in values]
    except OverflowError:
        raise InputError(f"{shown(path)}: holds a number beyond the range of float64") from None


@contextmanager
def opening(path: str | Path, absent: str = "no such file") -> Iterator[None]:
    """Turn what can be wrong with a path that is read into one line that names it."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: {absent}") from None
    except UnicodeDecodeError:
        raise InputError(f"{shown(path)}: not readable as text (it is not UTF-8)") from None
    except OSError as error:
        raise InputError(f"{shown(path)}: not readable ({error.strerror or error})") from None
    except ValueError as error:
        raise InputError(f"{str(path)!r}: no name of a file ({error})") from None
