"""The record of a run: what is finished, with the checksums that prove it. Its renaming commits an epoch."""

import json
from dataclasses import asdict, dataclass, field, replace
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np

from comitia.deep.directory import Directory
from comitia.deep.strategies.plan import Plan
from comitia.files.atomic import write_text


@dataclass(frozen=True)
class Saved:
    """A state that is a member (or several, one a stochastic pass): epoch, checksum of state and rows.

    `sha256` is empty once the state was dropped to save disk. `accuracy` is on the hold-out, None without one.
    """

    step: int
    sha256: str
    rows: dict[str, str] = field(default_factory=dict)
    accuracy: float | None = None


@dataclass(frozen=True)
class Resume:
    """The file to go on from: how many epochs it has behind it, and its checksum."""

    epoch: int
    sha256: str


@dataclass(frozen=True)
class Record:
    """A run so far. `stopped` says why it ended before its time; `best` is the accuracy on `select`."""

    run: int
    epochs: int = 0
    finished: bool = False
    stopped: str | None = None
    best: float | None = None
    saved: tuple[Saved, ...] = ()
    resumes: tuple[Resume, ...] = ()

    @property
    def over(self) -> bool:
        """Nothing is left to train."""
        return self.finished or self.stopped is not None

    def to_json(self) -> str:
        """The record as a JSON text."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> "Record":
        """The record that `to_json` wrote."""
        saved = tuple(Saved(**entry) for entry in content.pop("saved"))
        resumes = tuple(Resume(**entry) for entry in content.pop("resumes"))
        return cls(**content, saved=saved, resumes=resumes)


def write_record(directory: Directory, record: Record) -> None:
    """Commit the record."""
    write_text(directory.record(record.run), record.to_json())


def read_record(directory: Directory, run: int) -> Record:
    """The record of a run; an empty one where there is none or it cannot be read."""
    try:
        return Record.from_dict(json.loads(directory.record(run).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return Record(run=run)


def checked_record(directory: Directory, plan: Plan) -> tuple[Record, list[str]]:
    """The record without what its checksums disprove, and one line on each file that was lost.

    Rows that are lost are computed again from their state; a lost state (or a lost row whose state was
    dropped) is trained again.
    """
    record, lost = read_record(directory, plan.run), list[str]()
    kept = tuple(_checked(directory, plan, saved, lost) for saved in record.saved)
    good = tuple(saved for saved in kept if saved is not None)
    if len(good) == len(record.saved):
        return replace(record, saved=good), lost
    if plan.best:
        return Record(run=plan.run), lost
    return replace(record, saved=good, finished=False, stopped=None), lost


def has_sound_rows(directory: Directory, run: int, saved: Saved) -> bool:
    """Whether the member's predictions are there, with their checksums."""
    lost: list[str] = []
    paths = {directory.row(run, saved.step, part): digest for part, digest in saved.rows.items()}
    return bool(paths) and all(_holds(path, digest, lost) for path, digest in paths.items())


def _checked(directory: Directory, plan: Plan, saved: Saved, lost: list[str]) -> Saved | None:
    rows, run = {}, plan.run
    for part, digest in saved.rows.items():
        path = directory.row(run, saved.step, part)
        if _holds(path, digest, lost) and _has_passes(path, plan.passes, lost):
            rows[part] = digest
    if saved.sha256:
        return (
            replace(saved, rows=rows)
            if _holds(directory.state(run, saved.step), saved.sha256, lost)
            else None
        )
    return saved if len(rows) == len(saved.rows) else None


def _has_passes(path: Path, wanted: int, lost: list[str]) -> bool:
    """Whether a row has all stochastic passes: the recipe may ask for more than when it was made."""
    found = int(np.load(path, mmap_mode="r", allow_pickle=False).shape[0])
    if found < wanted:
        lost.append(f"{path}: holds {found} passes of the {wanted} wanted; it is made again")
    return found >= wanted


def _holds(path: Path, digest: str, lost: list[str]) -> bool:
    try:
        with path.open("rb") as file:
            if file_digest(file, "sha256").hexdigest() == digest:
                return True
        lost.append(f"{path}: does not have its checksum; it is made again")
    except FileNotFoundError:
        lost.append(f"{path}: is missing; it is made again")
    return False
