"""Where everything of a training lies, and the record of each run, whose renaming commits an epoch.

| path under DIR | what |
|---|---|
| `recipe.toml` | the recipe as resolved |
| `settings.json` | what else decides the bytes of a state: threads, device |
| `runs/run-0001/run.json` | the record of a run: epochs done, members, checksums |
| `runs/run-0001/step-0005.safetensors` | a member's state: after epoch 5, or the fifth that was drawn |
| `runs/run-0001/step-0005.holdout.npy`, `.test.npy` | its predictions, one row each |
| `runs/run-0001/resume-0005.safetensors` | network, optimiser and averages after epoch 5, gone when the run is done |
| `runs/run-0001/log.jsonl` | one line per event |
| `holdout.npz`, `test.npz` | predictions of all members, as `weigh` and `evaluate` take them |
| `holdout-augmented.npz`, `test-augmented.npz` | the same as means over augmented copies, if they were collected |
"""

import json
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from pathlib import Path

import numpy as np

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, to_plain
from comitia.files.atomic import remove_orphans, write_text
from comitia.recipes import Plan


@dataclass(frozen=True)
class Directory:
    """The paths under the output directory of a training.

    >>> Directory(Path("out")).state(1, 5).as_posix()
    'out/runs/run-0001/step-0005.safetensors'
    """

    root: Path

    @property
    def recipe(self) -> Path:
        """The recipe as resolved."""
        return self.root / "recipe.toml"

    @property
    def settings(self) -> Path:
        """Threads and device the states are made with."""
        return self.root / "settings.json"

    @property
    def lock(self) -> Path:
        """The file whose lock a training holds."""
        return self.root / ".lock"

    @property
    def workers(self) -> Path:
        """What worker processes say on standard error."""
        return self.root / "workers"

    def run(self, run: int) -> Path:
        """Return the path of the folder of a run."""
        return self.root / "runs" / f"run-{run:04d}"

    def record(self, run: int) -> Path:
        """Return the path of the record of a run."""
        return self.run(run) / "run.json"

    def log(self, run: int) -> Path:
        """Return the path of the events of a run, one JSON object per line."""
        return self.run(run) / "log.jsonl"

    def state(self, run: int, step: int) -> Path:
        """Return the path of the state saved after that epoch, or drawn with that number."""
        return self.run(run) / f"step-{step:04d}.safetensors"

    def resume(self, run: int, epoch: int) -> Path:
        """Return the path of what is needed to go on after that epoch."""
        return self.run(run) / f"resume-{epoch:04d}.safetensors"

    def row(self, run: int, step: int, part: str) -> Path:
        """Return the path of one member's predictions on a part ("holdout" or "test")."""
        return self.run(run) / f"step-{step:04d}.{part}.npy"

    def predictions(self, part: str) -> Path:
        """Return the path of the predictions of all members on a part."""
        return self.root / f"{part}.npz"

    def augmented(self, part: str) -> Path:
        """Return the path of the members' mean predictions over augmented copies."""
        return self.root / f"{part}-augmented.npz"


def checksum(path: Path) -> str | None:
    """Return the sha256 (hex) of a file, None if there is none."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}); remove it, and it is made again"
        ) from None


@dataclass(frozen=True)
class Saved:
    """A state that is a member (or several, one per stochastic pass): its step, checksum of state and rows.

    `step` is the epoch it was saved at; of states that are drawn when the run ends, the number of the draw.

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


def write_record(directory: Directory, record: Record) -> None:
    """Commit the record."""
    write_text(directory.record(record.run), json.dumps(to_plain(record), indent=1) + "\n")


def read_record(directory: Directory, run: int) -> Record:
    """Return the record of a run; an empty one where there is none or it cannot be read."""
    path = directory.record(run)
    try:
        return from_plain(Record, parse_json(path.read_text(encoding="utf-8"), str(path)), f"{path}: ")
    except (FileNotFoundError, UnicodeDecodeError, InputError):
        return Record(run=run)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}); remove it, and it is made again"
        ) from None


def checked_record(directory: Directory, plan: Plan) -> tuple[Record, list[str]]:
    """Return the record without what its checksums disprove, and one line on each file that was lost.

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
        lost.append(f"{path}: holds {found} passes of the {wanted} wanted; it will be recomputed")
    return found >= wanted


def _holds(path: Path, digest: str, lost: list[str]) -> bool:
    found = checksum(path)
    if found != digest:
        problem = "is missing" if found is None else "has a wrong checksum"
        lost.append(f"{path}: {problem}; it will be recomputed")
    return found == digest


def remove_leftovers(directory: Directory, record: Record) -> None:
    """Remove states and resume files that the record does not name, and what a killed attempt half wrote."""
    named = {directory.resume(record.run, one.epoch).name for one in record.resumes}
    named |= {directory.state(record.run, one.step).name for one in record.saved if one.sha256}
    remove_orphans(directory.run(record.run))
    for path in directory.run(record.run).glob("[!.]*.safetensors"):
        if path.name not in named:
            path.unlink(missing_ok=True)
