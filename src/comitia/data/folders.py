"""Where data sets lie: a folder that was named, else the cache that `COMITIA_DATA` moves."""

import os
from collections.abc import Iterable
from pathlib import Path

from comitia._errors import InputError


def cache_folder() -> Path:
    """`COMITIA_DATA`; else `comitia` in the user's cache folder (`XDG_CACHE_HOME`, by default ~/.cache)."""
    if named := os.environ.get("COMITIA_DATA"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "comitia"


def find(name: str, files: Iterable[str], folder: str | Path | None, *, remedy: str) -> Path:
    """The first of those files (or folders) that exists; the named folder may be that file itself."""
    wanted = tuple(files)
    where = cache_folder() if folder is None else Path(folder).expanduser()
    if where.name in wanted and where.exists():
        return where
    for file in wanted:
        if (where / file).exists():
            return where / file
    raise InputError(f"data set {name}: no {' or '.join(wanted)} in {where}; {remedy}")
