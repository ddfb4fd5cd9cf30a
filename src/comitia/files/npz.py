"""`.npz` packs of predictions: arrays stored plainly are memory-mapped where they lie in the archive."""

import math
import shutil
import struct
import tempfile
import tokenize
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, nearest
from comitia._predictions import Predictions
from comitia._sizes import require_room
from comitia.files.crc import crc_of
from comitia.files.npy import MOST_HEADER, array_header, explain

# fmt: off
KEYS = (
    "probs", "votes", "labels", "mask", "run", "step", "names", "classes", "groups", "folds", "ids", "abstained",
)
# fmt: on
#: Compressed arrays up to this many bytes are unpacked into memory, larger ones into a temporary file.
IN_MEMORY = 2**28
#: Fixed part of a local header of the zip format; the lengths of name and extra field stand at 26.
LOCAL_HEADER = 30
_OBJECTS = (
    "{path}: {key} holds Python objects (pickles), which are refused; save plain numbers, or texts as "
    "array.astype(str)"
)


def read_npz(path: Path, labels: NDArray[Any] | None = None, strata: Sequence[str] = ()) -> Predictions:
    """Return the checked predictions of one pack, with those labels, if given; unknown keys are ignored.

    `strata` are keys of further arrays (n,), facts of the samples.
    """
    arrays = read_arrays(path, strata)
    facts = {name: _fact(path, arrays, name) for name in strata}
    arrays = {key: array for key, array in arrays.items() if key in KEYS}
    if labels is not None:
        arrays["labels"] = labels
    if "probs" not in arrays and "votes" not in arrays:
        raise InputError(_missing(path))
    if "classes" in arrays and arrays["classes"].ndim != 1:
        raise InputError(
            f"{path}: classes: must have shape (C,), one name per class, got {arrays['classes'].shape}"
        )
    try:
        return Predictions.from_arrays(**arrays, strata=facts)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _fact(path: Path, arrays: dict[str, Any], name: str) -> NDArray[Any]:
    if name not in arrays or name in (
        "probs",
        "votes",
        "mask",
        "run",
        "step",
        "names",
        "classes",
        "abstained",
    ):
        with zipfile.ZipFile(path) as archive:
            found = [item.removesuffix(".npy") for item in archive.namelist()]
        raise InputError(
            f"{path}: no array '{name}' (n,) for per='{name}'{nearest(name, found)}; there are {', '.join(found)}"
        )
    return np.asarray(arrays[name])


def read_arrays(path: Path, further: Sequence[str] = ()) -> dict[str, Any]:
    """Return the arrays of a pack by our keys, and by further ones, if there are such."""
    with opened_archive(path) as archive:
        entries = {item.filename.removesuffix(".npy"): item for item in archive.infolist()}
        return {key: _plain(path, archive, key, entries[key]) for key in (*KEYS, *further) if key in entries}


def read_named(
    path: Path, check: Callable[[str, tuple[int, ...], int], None] | None = None
) -> dict[str, NDArray[Any]]:
    """Return all arrays of a pack by name; `check` is given name, shape and bytes per number before any is unpacked."""
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    with opened_archive(path) as archive:
        entries = {item.filename.removesuffix(".npy"): item for item in archive.infolist()}
        for key, item in entries.items() if check is not None else ():
            with archive.open(item) as stream:
                shape, _, dtype = _header(path, key, stream)
            assert check is not None
            check(f"{path}: {key}", shape, dtype.itemsize)
            check(f"{path}: {key}", (item.file_size,), 1)
        return {key: _plain(path, archive, key, item) for key, item in entries.items()}


def _header(path: Path, key: str, stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        return array_header(stream)
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise InputError(_OBJECTS.format(path=path, key=key)) from None


@contextmanager
def opened_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive of arrays, and turn what can go wrong while it is read into one line that names it."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except InputError:
        raise
    except zipfile.BadZipFile as error:
        raise InputError(f"{path}: {_broken(path, error)}") from None
    except (
        ValueError,
        EOFError,
        OSError,
        RuntimeError,
        OverflowError,
        struct.error,
        tokenize.TokenError,
    ) as error:
        raise InputError(f"{path}: {explain(path, error)}") from None
    except Exception as error:  # zlib.error and its kin have no common class
        if type(error).__module__ not in ("zlib", "_lzma", "lzma", "bz2"):
            raise
        raise InputError(f"{path}: is damaged ({error}); copy or write it again") from None


def _plain(path: Path, archive: zipfile.ZipFile, key: str, item: zipfile.ZipInfo) -> NDArray[Any]:
    try:
        return _array(path, archive, item)
    except ValueError as error:
        if "allow_pickle" not in str(error) and "Object arrays" not in str(error):
            raise
        raise InputError(_OBJECTS.format(path=path, key=key)) from None


def _array(path: Path, archive: zipfile.ZipFile, item: zipfile.ZipInfo) -> NDArray[Any]:
    if item.compress_type == zipfile.ZIP_STORED and item.file_size > 0:
        return _mapped(path, item)
    with archive.open(item) as stream:
        shape, _, dtype = array_header(stream)
    name = f"{path}: {item.filename.removesuffix('.npy')}"
    require_room(f"{name}, unpacked,", math.prod(shape) * dtype.itemsize)
    claimed = math.prod(shape) * dtype.itemsize
    if claimed > item.file_size:
        raise zipfile.BadZipFile(f"{item.filename} is cut short")
    if item.file_size > claimed + 2 * MOST_HEADER:  # a bomb: it would fill the disk
        raise zipfile.BadZipFile(f"{item.filename} holds more than its header says")
    if item.file_size > IN_MEMORY:
        return _unpacked(archive, item)
    with archive.open(item) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _mapped(path: Path, item: zipfile.ZipInfo) -> NDArray[Any]:
    """The array mapped in place, its checksum found right: its bytes follow a local header of unknown length."""
    with path.open("rb") as stream:
        stream.seek(item.header_offset)
        header = stream.read(LOCAL_HEADER)
        if len(header) < LOCAL_HEADER or header[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile(f"no header of {item.filename}")
        name_length, extra_length = struct.unpack("<HH", header[26:30])
        stream.seek(item.header_offset + LOCAL_HEADER + name_length + extra_length)
        start = stream.tell()
        shape, fortran, dtype = array_header(stream)
        offset = stream.tell()
    size = math.prod(shape) * dtype.itemsize
    if offset - start + size > item.file_size or offset + size > path.stat().st_size:
        raise zipfile.BadZipFile(f"{item.filename} is cut short")
    if crc_of(path, start, item.file_size) != item.CRC:
        raise zipfile.BadZipFile(f"bad CRC-32 of {item.filename}")
    if size == 0:
        return np.empty(shape, dtype)
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran else "C")


def _unpacked(archive: zipfile.ZipFile, item: zipfile.ZipInfo) -> NDArray[Any]:
    """The array unpacked into a temporary file that vanishes with the last reference to it."""
    with tempfile.TemporaryFile() as plain:
        with archive.open(item) as stream:
            shutil.copyfileobj(stream, plain, 2**22)
        plain.seek(0)
        shape, fortran, dtype = array_header(plain)
        return np.memmap(plain, dtype, "r", plain.tell(), shape, "F" if fortran else "C")


def _missing(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        found = [name.removesuffix(".npy") for name in archive.namelist()]
    if "values" in found:
        return f"{path}: holds real numbers, and this takes classes; comitia weigh and read_real_predictions take it"
    hints = [nearest(name, ("probs", "votes")) for name in found]
    hint = next((hint for hint in hints if hint), "")
    listed = ", ".join(found) or "nothing"
    return f"{path}: holds neither probs nor votes, only {listed}{hint}; save one of them under that name"


def _broken(path: Path, error: Exception) -> str:
    if path.stat().st_size == 0:
        return "is empty (0 bytes); write it again"
    return f"is not a whole {path.suffix} file ({error}); it may be cut short: copy or write it again"
