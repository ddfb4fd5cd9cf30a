"""IMDB reviews as word ranks: Keras's `imdb.npz`, encoded, shuffled and padded as Keras does."""

import zipfile
import zlib
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.data.dataset import Dataset, Index, find
from comitia.data.list_pickle import read_lists

FILE = "imdb.npz"
PAD, START, UNKNOWN, FIRST = 0, 1, 2, 3  # FIRST is added to every rank; rank 1 is the commonest word
SHUFFLE_SEED = 113


def read_imdb(folder: str | Path | None = None, *, words: int = 20_000, length: int = 100) -> Dataset:
    """Return 25,000 reviews to train and 25,000 to test, int32 (n, length), two classes.

    As `keras.datasets.imdb.load_data(num_words=words)` followed by `pad_sequences(maxlen=length)`: both
    parts are shuffled by one RandomState(113), the training part first; a review starts with 1, its ranks
    are raised by 3, those at or above `words` become 2; it is padded with 0 and cut at the front.
    """
    if words <= FIRST or length < 1:
        raise InputError(f"data set imdb: needs words > {FIRST} and length >= 1, got {words} and {length}")
    path = find("imdb", [FILE], folder, remedy="fetch it with: comitia data fetch imdb")
    generator = np.random.RandomState(SHUFFLE_SEED)
    parts = {part: _part(path, part, generator, words, length) for part in ("train", "test")}
    return Dataset.of("imdb", parts["train"], parts["test"], classes=2, kind="tokens")


def _part(
    path: Path, part: str, generator: np.random.RandomState, words: int, length: int
) -> tuple[NDArray[np.int32], Index]:
    try:
        with zipfile.ZipFile(path) as archive:
            with archive.open(f"x_{part}.npy") as stream:
                reviews = _reviews(stream, f"{path}: x_{part}")
                _drain(stream)
            with archive.open(f"y_{part}.npy") as stream:
                labels = npy.read_array(stream, allow_pickle=False)
                _drain(stream)
    except InputError:
        raise
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path}: not a whole imdb.npz ({error}); fetch it again") from error
    _check(path, reviews, labels)
    order = np.arange(len(reviews))
    generator.shuffle(order)
    return encode([reviews[k] for k in order], words=words, length=length), labels[order].astype(np.int64)


def _reviews(stream: IO[bytes], what: str) -> list[list[int]]:
    version = npy.read_magic(stream)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    _, _, dtype = read_header(stream)
    if dtype != np.dtype(object):
        raise InputError(f"{what}: must be an object array of lists, got an array of {dtype}")
    return read_lists(stream, what)  # type: ignore[arg-type]


def _drain(stream: IO[bytes]) -> None:
    """Read to the end: only there the archive compares its checksum."""
    while stream.read(1 << 20):
        pass


def _check(path: Path, reviews: list[list[int]], labels: NDArray[np.generic]) -> None:
    if labels.shape != (len(reviews),) or labels.dtype.kind not in "iu":
        raise InputError(
            f"{path}: must hold one integer label per review, got {len(reviews)} reviews and labels of shape "
            f"{labels.shape} ({labels.dtype})"
        )
    if any(not review or min(review) < 0 or max(review) >= 1 << 31 for review in reviews):
        raise InputError(f"{path}: a review must be word ranks from 0 to 2^31, and not empty")
    if not np.isin(labels, (0, 1)).all():
        raise InputError(f"{path}: labels must be 0 or 1, got {int(labels.min())} to {int(labels.max())}")


def encode(reviews: list[list[int]], *, words: int, length: int) -> NDArray[np.int32]:
    """Return the reviews as int32 (n, length): 1, then ranks + 3, rare words 2, padded with 0 and cut at the front.

    >>> encode([[1, 2, 900], [5] * 9], words=500, length=5).tolist()
    [[0, 1, 4, 5, 2], [8, 8, 8, 8, 8]]
    """
    tokens = np.full((len(reviews), length), PAD, dtype=np.int64)
    for row, review in zip(tokens, reviews):
        tail = review[-length:]
        row[length - len(tail) :] = np.asarray(tail, dtype=np.int64) + FIRST
        if len(tail) < length:
            row[length - len(tail) - 1] = START
    tokens[tokens >= words] = UNKNOWN
    return tokens.astype(np.int32)
