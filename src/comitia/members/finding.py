"""Which files are members: kinds recognised, folders looked through, what is broken or there twice refused."""

import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from comitia._errors import InputError
from comitia._sizes import require_room
from comitia.members.contents import checksum, member_files
from comitia.members.entries import choose_entry
from comitia.members.naming import gives_step, name_members, natural
from comitia.members.record import MemberFile
from comitia.members.safetensors_files import INDEX, read_header

ENDINGS = {
    ".pt": "state",
    ".pth": "state",
    ".ckpt": "state",
    ".safetensors": "safetensors",
    ".onnx": "onnx",
    ".skops": "skops",
    ".pt2": "exported",
}
# Files of a training that are no members: what `Trainer` leaves beside a model.
BESIDE = ("optimizer.pt", "scheduler.pt", "scaler.pt", "rng_state.pth", "training_args.bin")
PICKLES = (".pkl", ".pickle", ".joblib", ".dill")
#: How many faults a message lists.
LISTED = 3
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Fault:
    """A checkpoint that cannot be used, and why."""

    path: str
    why: str


def find_members(
    paths: Sequence[str | Path],
    *,
    entry: str | None = None,
    pattern: str | None = None,
    skip_bad: bool = False,
    tell: Tell | None = None,
) -> tuple[MemberFile, ...]:
    """Return the members in those files and folders, known by their checksums; nothing is loaded.

    Parameters
    ----------
    paths : checkpoints, Hugging Face folders, folders with a sharded state, and folders of any of these
    entry : where in a file the state lies ("state_dict", "ema"), where it holds several
    pattern : where run and step stand in names: "{run}/net-{step}.pt"; by default they are read from usual names
    skip_bad : leave out what is broken or there twice, in place of an error that names it
    tell : called with a line for each that is left out
    """
    places = list(_places(paths))
    if not places:
        raise InputError("checkpoints: at least one file or folder is required")
    found: list[MemberFile] = []
    faults: list[Fault] = []
    for place, kind in places:
        try:
            found.append(_recognised(place, kind, entry))
        except InputError as error:
            faults.append(Fault(str(place), _without_place(str(error), str(place))))
    found, twice = _without_repeats(found)
    refuse(faults + twice, len(places), skip_bad, tell)
    named = name_members([PurePath(one.path) for one in found], pattern)
    return tuple(replace(one, name=by.name, run=by.run, step=by.step) for one, by in zip(found, named))


def refuse(faults: Sequence[Fault], count: int, skip_bad: bool, tell: Tell | None) -> None:
    """Raise where there are faults, or tell of each if they are to be left out and something remains."""
    if not faults:
        return
    if skip_bad and len(faults) < count:
        for fault in faults:
            (tell or _silent)(f"left out: {fault.path}: {fault.why}")
        return
    listed = "; ".join(f"{fault.path}: {fault.why}" for fault in faults[:LISTED])
    if count == 1:
        raise InputError(listed)
    more = f"; and {len(faults) - LISTED} more" if len(faults) > LISTED else ""
    remedy = "" if len(faults) == count else "; --skip-bad leaves them out"
    raise InputError(f"{len(faults)} of {count} checkpoints cannot be used: {listed}{more}{remedy}")


def _silent(line: str) -> None:
    pass


def _without_place(text: str, place: str) -> str:
    return text.removeprefix(f"{place}: ")


def _places(paths: Sequence[str | Path]) -> Iterator[tuple[Path, str]]:
    """Each member's place and kind; folders that are none are looked through."""
    seen: set[Path] = set()
    for path in map(Path, paths):
        inside = list(_inside(path))
        if not inside:
            raise InputError(
                f"{path}: holds no training and no checkpoints ({', '.join(ENDINGS)}, or a Hugging Face folder)"
            )
        for place, kind in inside:
            if place.resolve() not in seen:
                seen.add(place.resolve())
                yield place, kind


def _inside(path: Path) -> Iterator[tuple[Path, str]]:
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_file():
        yield path, _kind_of_file(path)
    elif kind := _kind_of_folder(path):
        yield path, kind
    else:
        for inner in sorted(path.iterdir(), key=lambda one: natural(one.name)):
            if inner.is_dir() and not inner.name.startswith("."):
                yield from _inside(inner)
            elif inner.is_file() and inner.suffix.lower() in ENDINGS and inner.name not in BESIDE:
                yield inner, _kind_of_file(inner)


def _kind_of_file(path: Path) -> str:
    ending = path.suffix.lower()
    if ending in PICKLES:
        raise InputError(
            f"{path}: is a pickle, which runs code when it is read, and is refused; save scikit-learn models by "
            "skops.io.dump, states by torch.save(network.state_dict(), …)"
        )
    if ending not in ENDINGS:
        raise InputError(f"{path}: must be a checkpoint ({', '.join(ENDINGS)}), got '{ending or path.name}'")
    return ENDINGS[ending]


def _kind_of_folder(path: Path) -> str | None:
    """Whether a folder is one member: of transformers, or a state in parts."""
    config = path / "config.json"
    if config.is_file() and _model_type(config) is not None:
        return "huggingface"
    return "safetensors" if any(path.glob(f"*{INDEX}")) else None


def _model_type(config: Path) -> str | None:
    try:
        held: Any = json.loads(config.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    found = held.get("model_type") if isinstance(held, dict) else None
    return found if isinstance(found, str) else None


def _recognised(place: Path, kind: str, entry: str | None) -> MemberFile:
    """The member at a place: its file is whole as far as that can be seen without loading it."""
    _require_whole(place, kind)
    taken = None
    if kind == "state":
        from comitia.members.torch_files import read_torch, require_states

        taken = choose_entry(place, require_states(place, read_torch(place)), entry)
    files = member_files(place, kind)
    headers = {
        key: one for path in files if path.suffix == ".safetensors" for key, one in read_header(path).items()
    }
    if kind == "safetensors" and entry is not None:
        taken = choose_entry(place, {"": headers}, entry)
    return MemberFile(str(place), kind, "", None, None, checksum(files), taken)


def _require_whole(place: Path, kind: str) -> None:
    if place.is_file() and place.stat().st_size == 0:
        raise InputError(f"{place}: is empty (0 bytes); save it again")
    if kind in ("skops", "exported") and not zipfile.is_zipfile(place):
        raise InputError(f"{place}: is no archive, as a whole {place.suffix} file is; copy or save it again")
    if kind == "skops":
        try:
            with zipfile.ZipFile(place) as archive:
                size = sum(item.file_size for item in archive.infolist())
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise InputError(f"{place}: is a damaged archive ({error}); copy or save it again") from None
        require_room(f"{place}, unpacked,", size)


def _without_repeats(found: list[MemberFile]) -> tuple[list[MemberFile], list[Fault]]:
    """The members of different bytes, and a fault for each that repeats another one; one with a step stays."""
    first: dict[str, MemberFile] = {}
    faults = []
    for one in sorted(found, key=lambda member: not gives_step(PurePath(member.path))):
        if one.sha256 in first:
            faults.append(Fault(one.path, f"has the same bytes as {first[one.sha256].path}"))
        else:
            first[one.sha256] = one
    return [one for one in found if first[one.sha256] is one], faults
