"""Files that appear whole or not at all: written beside their place, flushed to disk, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

from comitia._errors import InputError
from comitia.files.remote import is_url, plain, whole_remote


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; it takes the place of `path` on success and is removed on failure.

    Where `path` is a URL, the temporary file is put there in one piece.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with whole(Path(folder) / "a.txt") as temporary:
    ...         _ = temporary.write_text("complete")
    ...     (Path(folder) / "a.txt").read_text()
    'complete'
    """
    place = plain(path)
    with whole_remote(str(place)) if is_url(place) else _whole_local(place) as temporary:
        yield temporary


@contextmanager
def _whole_local(path: str | Path) -> Iterator[Path]:
    target = Path(os.path.realpath(path))  # a link stays one: what it points to is written
    if target.exists() and not target.is_file():
        raise InputError(f"{path}: not a regular file; refusing to overwrite it")
    handle, name = mkstemp(prefix=f".{target.name}.", suffix=target.suffix, dir=target.absolute().parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, _mode(target))
        _flush(temporary)
        os.replace(temporary, target)
        _flush(target.absolute().parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with whole(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: str | Path, text: str) -> None:
    """Write a text (UTF-8, as it is) whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def _mode(target: Path) -> int:
    # mkstemp makes private files; an output should have the rights that a plain open() would give it.
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _flush(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # Windows has no handles of folders
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
