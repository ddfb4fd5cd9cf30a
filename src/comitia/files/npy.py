"""One `.npy` per member: probabilities (n, C), of class 1 (n,), or classes (n,); memory-mapped."""

from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files.remote import shown


def read_npy(path: Path) -> NDArray[Any]:
    """Return the array of that file, memory-mapped and read-only; pickles are refused."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError, OverflowError, BadZipFile, TokenError) as error:
        raise InputError(f"{path}: {explain(path, error)}") from None
    if not isinstance(found, np.ndarray):
        found.close()
        raise InputError(f"{path}: holds several arrays; end its name in .npz")
    return found


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
