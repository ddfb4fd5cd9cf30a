"""The output directory of a training: made, or recognised as that of the same recipe, and locked."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, to_plain
from comitia.deep.directory import Directory
from comitia.files.atomic import remove_orphans, require_real, write_text
from comitia.recipes import Recipe, read_recipe


@dataclass(frozen=True)
class Settings:
    """What, besides the recipe, decides the bytes of a state: kept from the first start on."""

    fingerprint: str
    threads: int
    device: str


def check_same(directory: Directory, recipe: Recipe) -> None:
    """Raise if the directory holds something else than a training of this recipe."""
    root = directory.root
    if not root.exists() or (root.is_dir() and not any(root.iterdir())):
        return
    if not root.is_dir():
        raise InputError(f"out: must be a directory, {root} is a file; give another path")
    require_real(root)
    if not directory.recipe.exists():
        if {path.name for path in root.iterdir()} <= {".lock"}:
            return
        raise InputError(f"out: {root} is not empty and holds no training; give another directory")
    if not has_begun(directory):
        return
    other = read_recipe(directory.recipe)
    if other.fingerprint() != recipe.fingerprint():
        raise InputError(
            f"out: {root} holds a training of another recipe ({_difference(other, recipe)}); "
            "give another directory, or the recipe it was started with"
        )
    _require_division(directory, other)


def _require_division(directory: Directory, recipe: Recipe) -> None:
    """Raise where an earlier version kept other samples of that recipe apart: its hold-out is not ours."""
    stored = _stored_settings(directory)
    if stored is not None and stored.fingerprint != recipe.fingerprint() and has_begun(directory):
        raise InputError(
            f"{directory.root}: holds a training by another version of comitia, which kept other samples apart than "
            "this one would; its members have seen some of ours, so train again into another directory"
        )


def has_begun(directory: Directory) -> bool:
    """Whether some run has committed an epoch; before that a directory may be given to another recipe."""
    return any(directory.root.glob("runs/*/run.json"))


def trained_recipe(directory: Directory) -> Recipe:
    """Return the recipe of the training that the directory holds."""
    if not directory.recipe.exists():
        raise InputError(f"{directory.root}: holds no training; give the folder that was trained into")
    recipe = read_recipe(directory.recipe)
    _require_division(directory, recipe)
    return recipe


@contextmanager
def locked(directory: Directory) -> Iterator[None]:
    """Hold the directory's lock; the system releases it however the process ends."""
    from filelock import FileLock, Timeout

    try:
        directory.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: {directory.root} cannot be made a directory ({error.strerror})") from None
    require_real(directory.root)
    lock = FileLock(directory.lock)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(
            f"{directory.root}: a training is running there{_holder(directory.lock)}; wait for it or stop it"
        ) from None
    try:
        with suppress(OSError):  # on some systems nobody can write to a locked file
            directory.lock.write_text(str(os.getpid()), encoding="ascii")
        remove_orphans(directory.root)
        yield
    finally:
        lock.release()


def settle_directory(directory: Directory, recipe: Recipe, *, threads: int, device: str) -> Settings:
    """Write the recipe, whose runs may have grown, and the settings if the directory is new; return the settings."""
    stored = _stored_settings(directory) if has_begun(directory) else None
    if stored is not None and device not in ("auto", stored.device):
        raise InputError(
            f"device: the training there was started with {stored.device}, got {device}; "
            "leave it out, or give another directory"
        )
    write_text(directory.recipe, _with_most_runs(directory, recipe).to_toml())
    if stored is None:
        stored = Settings(fingerprint=recipe.fingerprint(), threads=threads, device=device)
        write_text(directory.settings, json.dumps(to_plain(stored), indent=1) + "\n")
    return stored


def _stored_settings(directory: Directory) -> Settings | None:
    path = directory.settings
    try:
        return from_plain(Settings, parse_json(path.read_text(encoding="utf-8"), str(path)), f"{path}: ")
    except (FileNotFoundError, UnicodeDecodeError, InputError):
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


def _holder(lock: Path) -> str:
    """The process that holds the lock, where it could be written down."""
    with suppress(OSError, UnicodeDecodeError):
        text = lock.read_text(encoding="ascii").strip()
        return f" (process {text})" if text.isdigit() else ""
    return ""
