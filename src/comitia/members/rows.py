"""What each member predicts, a row per member in a work folder: whole or absent, known by all that decides it."""

import json
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from inspect import isclass, isfunction
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._extensions import name_of
from comitia._records import from_plain, to_plain
from comitia.files.atomic import whole, write_text
from comitia.files.npy import read_npy
from comitia.members.record import MemberFile

#: Raised when rows of earlier versions must not be taken for those of this one.
VERSION = 2
# Where packages lie, whose code changes by their versions alone.
_INSTALLED = {sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
Probabilities = NDArray[np.float32]


@dataclass(frozen=True)
class Row:
    """A member's row as it lies in the work folder: of which member, its checksum, and how its file was read."""

    member: MemberFile
    classes: int
    sha256: str
    said: str | None = None


class Rows:
    """The rows of a work folder, made when the first is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, key: str) -> Row | None:
        """Return the row of that key if it is there and whole."""
        try:
            plain = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            row = from_plain(Row, plain, f"{self.folder}: ")
            return row if _digest(self.values(key)) == row.sha256 else None
        except (OSError, ValueError):  # InputError is a ValueError
            return None

    def values(self, key: str) -> Probabilities:
        """Return the row's probabilities, memory-mapped: (n, C), of two classes (n,) of the second."""
        return read_npy(self.folder / f"{key}.npy")

    def keep(self, key: str, member: MemberFile, probs: Probabilities, said: str | None) -> Row:
        """Write a row, its description last: what has one is whole."""
        values = np.ascontiguousarray(probs[:, 1] if probs.shape[1] == 2 else probs)
        row = Row(member, probs.shape[1], _digest(values), said)
        self._make()
        with whole(self.folder / f"{key}.npy") as temporary, temporary.open("wb") as stream:
            np.save(stream, values, allow_pickle=False)
        write_text(self.folder / f"{key}.json", json.dumps(to_plain(row), indent=1) + "\n")
        return row

    def changed(self, members: list[MemberFile]) -> list[str]:
        """Return the paths of members whose rows here were made of other bytes than they have now."""
        now = {one.path: one.sha256 for one in members}
        before: dict[str, set[str]] = {}
        for path in self.folder.glob("*.json"):
            try:
                held = json.loads(path.read_text(encoding="utf-8"))["member"]
                before.setdefault(held["path"], set()).add(held["sha256"])
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return [path for path, known in now.items() if path in before and known not in before[path]]

    def _make(self) -> None:
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be made a folder ({error.strerror})") from None


def row_key(member: MemberFile, data: str, made: object, device: str) -> str:
    """Return the name of a member's row: a checksum of all that decides it; `made` tells how its network is made."""
    about = [VERSION, member.kind, member.sha256, member.entry, member.outputs, data, made, device]
    return sha256(json.dumps(about).encode()).hexdigest()[:32]


def describe_model(model: Callable[..., Any] | None) -> str | None:
    """Return what tells the code that makes networks from other code: its name, and checksums of its files.

    Code that lies in no file, as in a notebook, and functions that carry values along may have changed without a
    trace. They are described as no other, so that no row is taken for theirs.
    """
    if model is None:
        return None
    files = code_files(model.__module__) if isfunction(model) or isclass(model) else []
    if not files or getattr(model, "__closure__", None):
        return uuid4().hex
    digest = sha256(repr(getattr(model, "__defaults__", None)).encode())
    for path in files:
        digest.update(sha256(path.read_bytes()).digest())
    return f"{name_of(model)} {digest.hexdigest()[:16]}"


def code_files(name: str) -> list[Path]:
    """Return the file of a module, and those of the modules that it uses and that are not installed."""
    found: set[Path] = set()
    todo = [name]
    while todo:
        module = sys.modules.get(name := todo.pop())
        path = Path(getattr(module, "__file__", None) or "")
        if module is None or path in found or not path.is_file() or (found and _is_installed(name, path)):
            continue
        found.add(path)
        for value in vars(module).values():
            used = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            todo += [used] if isinstance(used, str) else []
    return sorted(found)


def _is_installed(name: str, path: Path) -> bool:
    return name.partition(".")[0] == "comitia" or any(path.is_relative_to(one) for one in _INSTALLED)


def with_outputs(row: Row, member: MemberFile) -> MemberFile:
    """Return the member as it is named now, with what its row tells of its outputs."""
    return replace(member, outputs=row.member.outputs)


def _digest(values: Probabilities) -> str:
    return sha256(f"{values.shape} ".encode() + np.ascontiguousarray(values).tobytes()).hexdigest()
