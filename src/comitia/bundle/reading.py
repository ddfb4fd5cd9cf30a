"""Reading a bundle: every file in it must be there, as it was written, and nothing else."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._words import legible
from comitia.bundle.config import CONFIG, ENSEMBLE, Config, StoredFile, read_config

if TYPE_CHECKING:
    from comitia.deep.ensemble import WeightedEnsemble

#: `config.json` and `ensemble.json` are never larger.
LARGEST_TEXT = 2**28
#: How many faults of a bundle one line lists.
LISTED = 3


@dataclass(frozen=True)
class Bundle:
    """A folder that was read: its ensemble, what `config.json` says, and where it lies.

    >>> bundle = read_bundle("bundle")  # doctest: +SKIP
    >>> bundle.ensemble.best.promise, bundle.module(allow_code=True)  # doctest: +SKIP
    """

    path: Path
    ensemble: Ensemble
    config: Config
    files: dict[str, StoredFile] = field(repr=False)

    def content(self, name: str) -> bytes:
        """Return the bytes of a file, which are those that were listed."""
        found = (self.path / name).read_bytes()
        if sha256(found).hexdigest() != self.files[name].sha256:
            raise InputError(f"{self.path / name}: changed while it was read; try again")
        return found

    def module(
        self, model: Any = None, *, allow_code: bool = False, device: str = "auto", prepare: Any = None
    ) -> "WeightedEnsemble":
        """Return the ensemble as one torch module; `WeightedEnsemble.from_pretrained` says what is what."""
        from comitia.bundle.pretrained import module_of

        return module_of(self, model, allow_code=allow_code, device=device, prepare=prepare)


def is_bundle(path: str | Path) -> bool:
    """Return whether a folder lies there: a bundle is one, an ensemble is a file.

    >>> is_bundle("ensemble.json")
    False
    """
    return "://" not in str(path) and Path(path).is_dir()


def read_bundle(path: str | Path) -> Bundle:
    """Return the bundle in a folder; one whose files are missing, changed, swapped or too many is refused."""
    folder = Path(path)
    if not folder.is_dir():
        raise InputError(f"{path}: no such folder; comitia build makes a bundle")
    if not (folder / CONFIG).is_file():
        raise InputError(f"{path}: not a bundle, it has no {CONFIG}; comitia build makes one")
    config = read_config(_text(folder / CONFIG), f"{path}: {CONFIG}")
    files = {one.name: one for one in config.files}
    faults = [*_faults(folder, files)]
    if faults:
        more = f" and {len(faults) - LISTED} more" if len(faults) > LISTED else ""
        raise InputError(
            f"{path}: {'; '.join(faults[:LISTED])}{more}; get the bundle again, or build it anew"
        )
    ensemble = Ensemble.from_json(_text(folder / ENSEMBLE), source=f"{path}: {ENSEMBLE}")
    _require_same_members(f"{path}: {CONFIG}", config, ensemble)
    return Bundle(folder, ensemble, config, files)


def _faults(folder: Path, files: dict[str, StoredFile]) -> list[str]:
    """Return what is wrong with the files, a few words each; hidden ones are never read and do not count."""
    found = sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))
    faults = [f"'{name}' is missing" for name in files if name not in found]
    faults += [f"'{_shown(name)}' does not belong to it" for name in found if name not in {CONFIG, *files}]
    marks = {one.sha256: one.name for one in files.values()}
    for name, stored in files.items():
        if name not in found:
            continue
        mark = _mark(folder / name)
        if mark != stored.sha256:
            other = marks.get(mark)
            faults.append(f"'{name}' " + ("was changed" if other is None else f"holds what '{other}' should"))
    return faults


def _mark(path: Path) -> str:
    """The sha256 of a file; of anything else none."""
    if not path.is_file():
        return "not a file"
    with path.open("rb") as stream:
        digest = sha256()
        while piece := stream.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise InputError(f"{path}: too large for what it should be; get the bundle again")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not text; get the bundle again") from None
    except OSError as error:
        raise InputError(f"{path}: not readable ({error.strerror})") from None


def _require_same_members(source: str, config: Config, ensemble: Ensemble) -> None:
    """Raise unless the members of the bundle are those that vote, in the same order."""
    voting = [ensemble.names[i] for i in ensemble.active]
    listed = [one.name for one in config.members]
    if voting != listed:
        odd = next((a for a, b in zip(voting, listed) if a != b), "another number of them")
        raise InputError(
            f"{source}: lists other members than those that vote in {ENSEMBLE} ('{_shown(odd)}'); build it anew"
        )
    if config.members and ensemble.run is not None and ensemble.step is not None:
        for i, one in zip(ensemble.active, config.members):
            if (one.run, one.step) != (ensemble.run[i], ensemble.step[i]):
                raise InputError(
                    f"{source}: member '{_shown(one.name)}' has another run or step in {ENSEMBLE}"
                )


def _shown(name: str) -> str:
    return legible(name)[:80]
