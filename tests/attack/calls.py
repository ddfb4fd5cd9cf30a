"""One command in this process: its exit code, what it said, what it wrote, and what was wrong about that."""

import contextlib
import io
import os
import re
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from comitia.cli.main import main

#: Seconds of processor time that no command on files of a few kilobytes needs.
HANG = 30
#: Exit code 1 is an answer of these.
ANSWERS = ("verify", "monitor", "drift")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


class Hanging(BaseException):
    """The command takes too long."""


@dataclass(frozen=True)
class Called:
    """What came of a command."""

    code: object
    out: str
    error: str
    crash: str = ""


def call(words: list[str]) -> Called:
    """Run the command line in this process."""
    out, error = io.StringIO(), io.StringIO()
    code: object = 0
    crash = ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error), _limited():
        try:
            main(words)
        except SystemExit as end:
            code = end.code
        except Hanging:
            code, crash = None, f"took more than {HANG} s of processor time"
        except BaseException as failure:
            code, crash = None, f"escaped: {type(failure).__name__}: {failure}"
    return Called(code, out.getvalue(), error.getvalue(), crash)


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise Hanging

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, HANG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def faults(words: list[str], found: Called) -> str:
    """Return what is wrong about how a command ended, whatever its input; empty if nothing is."""
    if found.crash:
        return found.crash
    if found.code not in (0, 1, 2):
        return f"exit code {found.code}"
    said = found.error.strip()
    if "Traceback" in said or said.startswith("comitia: failed:"):
        return f"not told as bad input: {said[-300:]}"
    if found.code == 1 and words[0] not in ANSWERS:
        return f"exit code 1: {said[-300:]}"
    if found.code == 2 and (len(said.splitlines()) != 1 or not said.startswith("comitia: ")):
        return f"not one line: {said[:300]!r}"
    if CONTROL.search(found.out + found.error):
        return "control characters reached the terminal"
    return ""


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def restore(folder: Path, files: dict[str, bytes]) -> None:
    """Make the folder hold those files and nothing else."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in files or path.is_symlink():
            path.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.unlink(missing_ok=True)  # another file: the old one may still be mapped
            path.write_bytes(content)


def in_folder(folder: Path) -> None:
    """Work there."""
    os.chdir(folder)
