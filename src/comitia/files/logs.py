"""Small files that are only added to: a line per event, each with its own checksum, so that a kill loses nothing."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._records import parse_json
from comitia.files.atomic import _flush
from comitia.files.remote import is_url, plain, shown

# Hexadecimal digits of the checksum of a line.
DIGITS = 16


@dataclass(frozen=True)
class Log:
    """The records of a file, how many of its bytes hold whole lines, and how many are left of a line that was cut."""

    records: tuple[dict[str, Any], ...]
    whole: int
    torn: int


def log_place(given: str | Path | None, beside: str | Path, ending: str) -> Path:
    """Return the file of a log: the one given, or one beside another file, with the ending in place of its own.

    >>> log_place(None, "runs/ensemble.json", ".monitor.jsonl").as_posix()
    'runs/ensemble.monitor.jsonl'
    """
    if given is not None:
        place = plain(given)
        if is_url(place):
            raise InputError(
                f"state: must be a local file, got {shown(given)}; lines cannot be added behind a URL"
            )
        return _writable(Path(place))
    base = plain(beside)
    if is_url(base):
        raise InputError("state: required where the ensemble has a URL; give a local file")
    return Path(base).with_suffix(ending)


def _writable(place: Path) -> Path:
    folder = place.absolute().parent
    if not folder.is_dir():
        raise InputError(f"state: the folder {folder} does not exist; make it first")
    return place


def read_log(place: Path) -> Log:
    """Return the records of the file, none where there is no file; a line cut off at its end is left out and counted.

    A line that is whole but damaged is an error: what was counted can no longer be known.
    """
    try:
        content = place.read_bytes()
    except FileNotFoundError:
        return Log((), 0, 0)
    except OSError as error:
        raise InputError(f"{place}: not readable ({error.strerror})") from None
    whole = content.rfind(b"\n") + 1
    lines = content[:whole].split(b"\n")[:-1]
    records = tuple(_record(line, f"{place}, line {number}") for number, line in enumerate(lines, 1))
    return Log(records, whole, len(content) - whole)


def add_to_log(place: Path, log: Log, records: list[dict[str, Any]]) -> None:
    """Add a line per record and flush it to the disk, after a line that was cut is removed.

    Each line is written by one call. A process that is killed in between has added the lines before it.
    """
    handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    try:
        if log.torn and os.fstat(handle).st_size == log.whole + log.torn:
            os.ftruncate(handle, log.whole)
        for record in records:
            _write(handle, _line(record))
            os.fsync(handle)
    finally:
        os.close(handle)
    _flush(place.absolute().parent)


def _write(handle: int, line: bytes) -> None:
    while line:
        line = line[os.write(handle, line) :]


def _line(record: dict[str, Any]) -> bytes:
    text = json.dumps(record, separators=(",", ":"), allow_nan=False)
    return f'{text[:-1]},"check":"{_check(text)}"}}\n'.encode()


def _check(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _record(line: bytes, where: str) -> dict[str, Any]:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise InputError(f"{where}: damaged; restore the file from a copy, or begin a new one") from None
    end = len(',"check":"') + DIGITS + len('"}')
    if text[-2:] != '"}' or _check(f"{text[:-end]}}}") != text[-DIGITS - 2 : -2]:
        raise InputError(f"{where}: damaged or edited; restore the file from a copy, or begin a new one")
    record: dict[str, Any] = parse_json(text, where)
    if record.pop("check", None) is None:
        raise InputError(f"{where}: damaged or edited; restore the file from a copy, or begin a new one")
    return record
