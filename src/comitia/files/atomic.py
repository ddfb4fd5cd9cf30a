"""Files that appear whole or not at all: written beside their place, flushed to disk, then renamed.

The one opener for files to write. What a killed process left half written is removed by the next one that writes there.
"""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import IO

from comitia._errors import InputError
from comitia.files.remote import is_url, plain, whole_remote

# The name of what is half written: ".ensemble.json.part-1a2b3c4d.json".
_PART = re.compile(r"\.(?P<name>.+)\.part-[a-z0-9_]{8}")
#: What the disk, and not the user's choice of a path, is to blame for.
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@dataclass(frozen=True)
class _Written:
    """A file written beside its place, locked by an open handle as long as its writer lives."""

    target: Path
    temporary: Path
    handle: int

    def settle(self) -> None:
        """Give it the rights of a plain file, and bring it to the disk."""
        os.chmod(self.temporary, _mode(self.target))
        _flush(self.temporary)

    def commit(self) -> None:
        """Put it into its place."""
        self._close()
        os.replace(self.temporary, self.target)
        _flush(self.target.parent)

    def abandon(self) -> None:
        """Remove it."""
        self._close()
        self.temporary.unlink(missing_ok=True)

    def _close(self) -> None:
        with suppress(OSError):  # closed before
            os.close(self.handle)


# Files that wait for the end of the block in which they appear together.
_WAITING: ContextVar[list[_Written] | None] = ContextVar("_WAITING", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Let all files that are written inside appear at its end, or none of them. URLs are not waited for.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with together():
    ...         write_text(Path(folder) / "a.txt", "1")
    ...         before = Path(folder, "a.txt").exists()
    ...     before, Path(folder, "a.txt").exists()
    (False, True)
    """
    waiting: list[_Written] = []
    token = _WAITING.set(waiting)
    try:
        yield
        for written in waiting:
            written.commit()
    except BaseException:
        for written in waiting:
            written.abandon()
        raise
    finally:
        _WAITING.reset(token)


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
    with whole_remote(str(place)) if is_url(place) else _whole_local(Path(place)) as temporary:
        yield temporary


@contextmanager
def _whole_local(path: Path) -> Iterator[Path]:
    written = _beside(_target(path))
    try:
        yield written.temporary
        written.settle()
        waiting = _WAITING.get()
        if waiting is None:
            written.commit()
        else:
            waiting.append(written)
    except BaseException:
        written.abandon()
        raise


def _target(path: Path) -> Path:
    """What is written: a link to a file stays one, and what it points to is; a link to nothing is refused."""
    with explained(path):
        if path.is_symlink() and not path.exists():
            raise InputError(
                f"{path}: a link to nothing; refusing to write what it points to; remove the link"
            )
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            raise InputError(f"{path}: not a regular file; refusing to overwrite it")
    return target


def _beside(target: Path) -> _Written:
    with explained(target):
        remove_orphans(target.parent, target.name)
        while True:
            handle, name = mkstemp(prefix=f".{target.name}.part-", suffix=target.suffix, dir=target.parent)
            _lock(handle)
            if os.fstat(handle).st_nlink or os.name == "nt":
                return _Written(target, Path(name), handle)
            os.close(handle)  # taken for an orphan before it was locked


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what is wrong with a path that cannot be written to into one line; what the disk is to blame for stays."""
    try:
        yield
    except OSError as error:
        if error.errno in DISK:
            raise
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path!r}: no name of a file ({error})") from None


def remove_orphans(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left half written in a folder, of that file or of all.

    A writer that lives holds a lock on its temporary file, and what has that name and another ending is its own too.
    """
    if not folder.is_dir():
        return
    for entry in os.listdir(folder):
        path, found = folder / entry, _PART.match(entry)
        if found is None or path.is_symlink() or name not in (None, found["name"]):
            continue
        main = folder / (found[0] + Path(found["name"]).suffix)
        if not _is_held(main):
            path.unlink(missing_ok=True)


def _is_held(path: Path) -> bool:
    """Whether a process that lives has a lock on the file."""
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return not _lock(handle, wait=False)
    finally:
        os.close(handle)


def _lock(handle: int, wait: bool = True) -> bool:
    """Lock an open file until it is closed, or its process ends; return whether that was possible."""
    try:
        import fcntl
    except ImportError:  # Windows does not remove files that are open
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
    return True


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with whole(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: str | Path, text: str) -> None:
    """Write a text (UTF-8, as it is) whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def open_own(path: Path, mode: str) -> IO[str]:
    """Open a text file that is written as work goes on ("a" or "w"); a link in its place is not followed."""
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= os.O_APPEND if mode == "a" else os.O_TRUNC
    with explained(path):
        handle = os.open(path, flags, 0o666)
    return os.fdopen(handle, mode, encoding="utf-8")


def require_real(folder: Path) -> None:
    """Raise where something inside a folder of ours is a link, a pipe or a device: writing would go elsewhere."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink():
                raise InputError(
                    f"{path}: a link inside a folder of comitia's, which are not followed; remove it"
                )
            if not path.is_file() and not path.is_dir():
                raise InputError(f"{path}: neither a file nor a folder; remove it")


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
