"""Where data sets lie: a folder that was named, else the cache that `QUORATE_DATA` moves."""

import os
from collections.abc import Iterable
from pathlib import Path

from quorate.errors import InputError


def cache_folder() -> Path:
    """`QUORATE_DATA`; else `quorate` in the user's cache folder (`XDG_CACHE_HOME`, by default ~/.cache)."""
    if named := os.environ.get("QUORATE_DATA"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "quorate"


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
