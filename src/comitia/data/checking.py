"""Whether a data set is there, whole, and the official one."""

from dataclasses import dataclass, replace
from pathlib import Path

from comitia._errors import InputError
from comitia.data.dataset import data_folder
from comitia.data.eyepacs import prepared_folder
from comitia.data.fetching import ELSEWHERE, SOURCES, file_digest
from comitia.data.mnist5k import bundled_path


@dataclass(frozen=True, kw_only=True)
class State:
    """What was found: `state` is whole, partial, corrupt or missing; `checksum` official, other or none
    (other: readable, but not the file that its home gives)."""

    name: str
    state: str
    checksum: str = ""
    bytes: int | None = None
    path: str | None = None
    remark: str = ""


def check(name: str, folder: str | Path | None = None) -> State:
    """Return the state of that data set: its checksum compared where one is known, its content read in any case.

    >>> check("mnist5k").state
    'whole'
    """
    path = _find(name, folder)
    if path is None:
        return State(name=name, state="missing", remark=_remedy(name))
    found = State(
        name=name, state="whole", checksum=_checksum(name, path), bytes=_bytes(path), path=str(path)
    )
    place = None if name == "mnist5k" else folder
    try:
        return replace(found, remark=_samples(name, place, partial=False))
    except InputError as error:
        return _failed(found, place, str(error))


def _failed(found: State, folder: str | Path | None, problem: str) -> State:
    """Partial, where what is there can be used or gone on with; else corrupt."""
    if found.name == "cifar10":
        try:
            return replace(found, state="partial", remark=_samples("cifar10", folder, partial=True))
        except InputError as error:
            problem = str(error)
    state = "partial" if found.name == "eyepacs" else "corrupt"
    return replace(found, state=state, remark=problem)


def _samples(name: str, folder: str | Path | None, *, partial: bool) -> str:
    from comitia.data import load

    data = load(name, folder, partial=partial)
    return f"{len(data.train_y):,} to train, {len(data.test_y):,} to test"


def _find(name: str, folder: str | Path | None) -> Path | None:
    """The file or folder that `load` would read, or None."""
    where = data_folder(folder)
    candidates = {
        "imdb": ["imdb.npz"],
        "cifar10": ["cifar-10-batches-bin", "cifar-10-binary.tar.gz"],
        "cifar100": ["cifar-100-binary", "cifar-100-binary.tar.gz"],
        "arrays": ["arrays.npz"],
        "eyepacs": [prepared_folder(where).name],
    }.get(name, [])
    if name == "mnist5k":
        return bundled_path()
    if where.is_file() or where.name in candidates:
        return where if where.exists() else None
    return next((where / file for file in candidates if (where / file).exists()), None)


def _bytes(path: Path) -> int:
    files = [path] if path.is_file() else [entry for entry in path.rglob("*") if entry.is_file()]
    return sum(file.stat().st_size for file in files)


def _checksum(name: str, path: Path) -> str:
    """`official` or `other` for a file whose official checksum is known, else `none`."""
    if not path.is_file() or name not in SOURCES:
        return "none"
    source = SOURCES[name]
    return "official" if file_digest(path, source.digest) == source.digest else "other"


def _remedy(name: str) -> str:
    return f"comitia data fetch {name}" if name in SOURCES else ELSEWHERE[name]
