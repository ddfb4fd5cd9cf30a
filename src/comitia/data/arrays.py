"""A user's own arrays from one `.npz`."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.data.dataset import Dataset, Kind, find

FILE = "arrays.npz"
KEYS = ("train_x", "train_y", "test_x", "test_y")


def read_arrays(folder: str | Path | None = None) -> Dataset:
    """Return the data set in a `.npz` with train_x, train_y, test_x, test_y; pickles inside are refused.

    `folder` is the file itself, or a folder with `arrays.npz`. Images are uint8 or float (n, H, W, C), texts
    integer (n, length), vectors float (n, d); labels are integers from 0.
    """
    direct = folder is not None and Path(folder).suffix == ".npz"
    remedy = "name your file: data.folder = 'file.npz'"
    path = Path(str(folder)) if direct else find("arrays", [FILE], folder, remedy=remedy)
    held = _load(path)
    train_x, train_y, test_x, test_y = (held[key] for key in KEYS)
    _check_pair(path, "train", train_x, train_y)
    _check_pair(path, "test", test_x, test_y)
    if train_x.shape[1:] != test_x.shape[1:]:
        raise InputError(
            f"{path}: train_x and test_x must have samples of one shape, got {train_x.shape[1:]} and "
            f"{test_x.shape[1:]}"
        )
    kind = _kind(path, train_x)
    return Dataset.of(
        "arrays",
        (_stored(train_x, kind), train_y.astype(np.int64)),
        (_stored(test_x, kind), test_y.astype(np.int64)),
        classes=max(2, int(max(train_y.max(), test_y.max())) + 1),
        kind=kind,
    )


def _load(path: Path) -> dict[str, NDArray[Any]]:
    if not path.is_file():
        raise InputError(f"data set arrays: no file {path}")
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            missing = [key for key in KEYS if key not in archive.files]
            if missing:
                raise InputError(f"{path}: must hold {', '.join(KEYS)}; {', '.join(missing)} missing")
            return {key: archive[key] for key in KEYS}
    except InputError:
        raise
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, TypeError) as error:
        raise InputError(f"{path}: not a .npz of plain arrays ({error})") from error


def _check_pair(path: Path, part: str, samples: NDArray[Any], labels: NDArray[Any]) -> None:
    if labels.ndim != 1 or labels.dtype.kind not in "iu" or samples.ndim < 2:
        raise InputError(
            f"{path}: {part}_x must be (n, ...) and {part}_y integer (n,), got {samples.shape} and "
            f"{labels.dtype} {labels.shape}"
        )
    if len(samples) != len(labels) or not len(labels):
        raise InputError(
            f"{path}: {part}_x and {part}_y must have as many samples, at least one, got {len(samples)} and "
            f"{len(labels)}"
        )
    if labels.min() < 0:
        raise InputError(f"{path}: {part}_y must be classes from 0, got {labels.min()}")
    if samples.dtype.kind == "f" and not np.isfinite(samples).all():
        raise InputError(f"{path}: {part}_x must be finite, got NaN or infinity")


def _kind(path: Path, samples: NDArray[Any]) -> Kind:
    if samples.ndim == 4 and samples.dtype.kind in "fu":
        return "image"
    if samples.ndim == 2 and samples.dtype.kind in "iuf":
        return "vector" if samples.dtype.kind == "f" else "tokens"
    raise InputError(
        f"{path}: train_x must be images (n, H, W, C), integer texts (n, length) or float vectors (n, d), "
        f"got {samples.dtype} {samples.shape}"
    )


def _stored(samples: NDArray[Any], kind: Kind) -> NDArray[Any]:
    if kind == "tokens":
        return samples.astype(np.int32)
    return samples if samples.dtype == np.uint8 else samples.astype(np.float32)
