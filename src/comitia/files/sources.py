"""Where the bytes of a table come from: a file, standard input or a stream; packed or not; read more than once."""

import gzip
import io
import mmap
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from comitia._errors import InputError
from comitia._sizes import require_room

#: How a file of each format begins.
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"PK\x03\x04": "zip",
    b"\x93NUMPY": "npy",
    b"\x1f\x8b": "gzip",
}


class Source:
    """Bytes that can be read from their beginning as often as needed.

    `name` is what messages call it. Standard input and streams are first written to a temporary file without a name,
    so that nothing is left behind however the process ends.
    """

    def __init__(self, given: str | Path | IO[bytes]) -> None:
        self.path: Path | None = None
        self.view: memoryview | None = None
        if isinstance(given, str | Path) and str(given) != "-":
            self.name, self.path = str(given), Path(given)
            _require_file(self.path)
        else:
            stream = sys.stdin.buffer if isinstance(given, str | Path) else given
            self.name = (
                "standard input" if stream is sys.stdin.buffer else str(getattr(stream, "name", "stream"))
            )
            self.view = _spooled(stream)
        self.packed = self._begins() == "gzip"

    def open(self) -> IO[bytes]:
        """Return the unpacked bytes as a stream of their own."""
        if not self.packed:
            return self._plain()
        # a path rather than a stream: it is closed with what is unpacked
        unpacked = cast(IO[bytes], gzip.open(self._plain() if self.path is None else self.path))  # noqa: SIM115
        return io.BufferedReader(_Measured(unpacked, self.name))

    def format(self) -> str:
        """Return "parquet", "arrow", "zip", "npy", "json" (lines) or "csv", by how the unpacked bytes begin."""
        found = self._begins()
        if found is not None and found != "gzip":
            return found
        with reading(self.name), self.open() as stream:
            head = stream.read(256)
        inner = _magic(head)
        if inner is not None:
            raise InputError(f"{self.name}: is a packed {inner} file; unpack it first (gunzip)")
        return "json" if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") else "csv"

    def format_of_arrow(self) -> str:
        """Return "file" (Feather is one) or "stream", for Arrow data."""
        with reading(self.name), self._plain() as stream:
            return "file" if stream.read(6) == b"ARROW1" else "stream"

    def _begins(self) -> str | None:
        with reading(self.name), self._plain() as stream:
            return _magic(stream.read(8))

    def _plain(self) -> IO[bytes]:
        if self.path is not None:
            return self.path.open("rb")
        assert self.view is not None
        return io.BufferedReader(_Window(self.view))


class _Measured(io.RawIOBase):
    """What is unpacked from a stream, as far as the limit: a small file may hold any number of equal bytes."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name, self._read = stream, name, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        self._read += len(piece)
        require_room(f"{self._name}: unpacked it", self._read)
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Window(io.RawIOBase):
    """A stream over bytes that others read too: it has a position of its own."""

    def __init__(self, view: memoryview) -> None:
        self._view, self._place = view, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._view[self._place : self._place + len(buffer)]
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what can go wrong while bytes are read into one line that names the source."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: is damaged ({error}); copy or write it again") from None
    except OSError as error:
        raise InputError(f"{name}: not readable ({error.strerror or error})") from None


def _magic(head: bytes) -> str | None:
    return next((kind for start, kind in MAGIC.items() if head.startswith(start)), None)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(
            f"{path}: {'is a folder; name the files in it' if path.is_dir() else 'no such file'}"
        )


def _spooled(stream: IO[bytes]) -> memoryview:
    """The bytes of a stream, in a temporary file that has no name and ends with the process."""
    with tempfile.TemporaryFile() as file:
        try:
            shutil.copyfileobj(stream, file)
        except TypeError:
            raise InputError("stream: must give bytes; open it in binary mode ('rb')") from None
        file.flush()
        if file.tell() == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
