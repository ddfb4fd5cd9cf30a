"""The output directory of a training: made, or recognised as that of the same recipe, and locked."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from comitia._errors import InputError
from comitia.deep.directory import Directory
from comitia.files.atomic import write_text
from comitia.recipes import Recipe, read_recipe


@dataclass(frozen=True)
class Settings:
    """What, besides the recipe, decides the bytes of a state: kept from the first start on."""

    fingerprint: str
    threads: int
    device: str

    def to_json(self) -> str:
        """The settings as a JSON text."""
        return json.dumps(asdict(self), indent=1) + "\n"


def check_same(directory: Directory, recipe: Recipe) -> None:
    """Raise if the directory holds something else than a training of this recipe."""
    root = directory.root
    if not root.exists() or (root.is_dir() and not any(root.iterdir())):
        return
    if not root.is_dir():
        raise InputError(f"--out {root}: must be a directory, it is a file; give another path")
    if not directory.recipe.exists():
        if {path.name for path in root.iterdir()} <= {".lock"}:
            return
        raise InputError(f"--out {root}: is not empty and holds no training; give another directory")
    if not has_begun(directory):
        return
    other = read_recipe(directory.recipe)
    if other.fingerprint() != recipe.fingerprint():
        raise InputError(
            f"--out {root}: holds a training of another recipe ({_difference(other, recipe)}); "
            "give another directory, or the recipe it was begun with"
        )


def has_begun(directory: Directory) -> bool:
    """Whether some run has committed an epoch; before that a directory may be given to another recipe."""
    return any(directory.root.glob("runs/*/run.json"))


def trained_recipe(directory: Directory) -> Recipe:
    """The recipe of the training that the directory holds."""
    if not directory.recipe.exists():
        raise InputError(f"{directory.root}: holds no training; give the --out of comitia train")
    return read_recipe(directory.recipe)


@contextmanager
def locked(directory: Directory) -> Iterator[None]:
    """Hold the directory's lock; the system releases it however the process ends."""
    try:
        directory.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {directory.root}: cannot be made a directory ({error.strerror})") from None
    handle = os.open(directory.lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(
                f"{directory.root}: a training is running there{_holder(handle)}; wait for it or stop it"
            ) from error
        os.truncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        for leftover in directory.root.glob(".*.npz.*"):  # what a killed process had half gathered
            leftover.unlink()
        yield
    finally:
        os.close(handle)


def settle_directory(directory: Directory, recipe: Recipe, *, threads: int, device: str) -> Settings:
    """The settings of the directory, written with the recipe when it is new; the recipe's runs may grow."""
    stored = _stored_settings(directory) if has_begun(directory) else None
    if stored is not None and device not in ("auto", stored.device):
        raise InputError(
            f"--device {device}: the training there was begun with {stored.device}; "
            "leave --device out, or give another directory"
        )
    write_text(directory.recipe, _with_most_runs(directory, recipe).to_toml())
    if stored is None:
        stored = Settings(fingerprint=recipe.fingerprint(), threads=threads, device=device)
        write_text(directory.settings, stored.to_json())
    return stored


def _stored_settings(directory: Directory) -> Settings | None:
    try:
        content: dict[str, Any] = json.loads(directory.settings.read_text(encoding="utf-8"))
        return Settings(**content)
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _with_most_runs(directory: Directory, recipe: Recipe) -> Recipe:
    """The recipe with the runs of the directory if it has more: they are not forgotten."""
    if not has_begun(directory):
        return recipe
    before = read_recipe(directory.recipe).training.runs
    runs = max(before, recipe.training.runs)
    return replace(recipe, training=replace(recipe.training, runs=runs))


def _difference(one: Recipe, other: Recipe) -> str:
    """The first key in which two recipes differ: `training.lr: 0.1 there, 0.2 here`."""
    left, right = one.flat(), other.flat()
    for key in sorted({*left, *right} - {"name", "about", "keep", "training.runs", "data.folder"}):
        if left.get(key) != right.get(key) and not key.startswith("engine."):
            return f"{key}: {left.get(key)} there, {right.get(key)} here"
    return "differs"


def _holder(handle: int) -> str:
    text = os.pread(handle, 20, 0).decode(errors="replace").strip()
    return f" (process {text})" if text.isdigit() else ""
