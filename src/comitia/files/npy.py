"""One `.npy` per member: probabilities (n, C), of class 1 (n,), or classes (n,); memory-mapped."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files.remote import shown

#: Bytes of shape and type beyond which a header is none.
MOST_HEADER = 2**16


def read_npy(path: Path) -> NDArray[Any]:
    """Return the array of that file, memory-mapped and read-only; pickles are refused."""
    try:
        with path.open("rb") as stream:
            if stream.read(2) == b"PK":
                raise InputError(f"{path}: holds several arrays; end its name in .npz")
            stream.seek(0)
            shape, fortran, dtype = array_header(stream)
            offset, length = stream.tell(), os.fstat(stream.fileno()).st_size
        size = math.prod(shape) * dtype.itemsize
        if offset + size > length:
            raise ValueError(f"it needs {offset + size:,} bytes and has {length:,}")
        return (
            np.memmap(path, dtype, "r", offset, shape, "F" if fortran else "C")
            if size
            else np.empty(shape, dtype)
        )
    except InputError:
        raise
    except (ValueError, EOFError, OSError, SyntaxError, OverflowError, TokenError) as error:
        raise InputError(f"{path}: {explain(path, error)}") from None


def array_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the header of an array; return its shape, whether its columns lie together, and its type (no objects)."""
    version = np.lib.format.read_magic(stream)
    place = stream.tell()
    length = int.from_bytes(stream.read(2 if version == (1, 0) else 4), "little")
    if length > MOST_HEADER:  # numpy would take that much memory before it finds the file shorter
        raise ValueError(f"its header is said to have {length:,} bytes")
    stream.seek(place)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    if dtype.hasobject:
        raise ValueError("object arrays need allow_pickle")
    if any(size < 0 for size in shape):
        raise ValueError(f"negative dimensions are not allowed, got {shape}")
    return shape, fortran, dtype


def explain(path: Path, error: Exception) -> str:
    """Return why an array could not be read, in words of the user."""
    text = str(error)
    if path.is_file() and path.stat().st_size == 0:
        return "is empty (0 bytes); write it again"
    if "allow_pickle" in text or "Python objects" in text or "pickle" in text:
        return "holds Python objects (pickles), which are refused; save plain arrays of numbers"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"is not a whole NumPy file ({' '.join(text.split())}); write it again"


def read_members(paths: Sequence[Path], labels: NDArray[Any] | None) -> Predictions:
    """Return the predictions of one file per member, in the order given, named by their stems."""
    arrays = tuple(read_npy(path) for path in paths)
    for path, array in zip(paths, arrays):
        if array.ndim not in (1, 2):
            raise InputError(f"{path}: must have shape (n,) or (n, C), got {array.shape}")
        if array.shape != arrays[0].shape:
            raise InputError(
                f"{path}: has shape {array.shape}, {paths[0]} has {arrays[0].shape}; they must agree"
            )
        if (array.dtype.kind == "f") != (arrays[0].dtype.kind == "f"):
            raise InputError(
                f"{path}: holds {array.dtype}, {paths[0]} holds {arrays[0].dtype}; give one kind"
            )
    names = unique_names(paths)
    if arrays[0].dtype.kind != "f" and arrays[0].ndim == 1:
        return Predictions.from_arrays(votes=arrays, labels=labels, names=names)
    return Predictions.from_arrays(probs=arrays, labels=labels, names=names)


def unique_names(paths: Sequence[Path]) -> list[str]:
    """Return the stems of the files, or their whole paths or URLs where stems repeat (runs in folders of their own).

    >>> unique_names([Path("a/1.npy"), Path("b/1.npy")])
    ['a/1', 'b/1']
    """
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    addresses = [path.as_posix() if shown(path) == str(path) else shown(path) for path in paths]
    return [address.removesuffix(path.suffix) for address, path in zip(addresses, paths)]
