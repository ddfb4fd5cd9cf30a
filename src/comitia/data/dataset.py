"""The record of a data set, where it lies, and which of its samples train, choose the epoch, and certify."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.data.joined import Joined

Kind = Literal["image", "tokens", "vector"]
Array = NDArray[Any]
Samples = Array | Joined
Index = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Samples for training and testing, as they are stored.

    Images are uint8 (n, H, W, C) or float32, texts int32 (n, length), vectors float32 (n, d);
    labels int64 (n,). `mean_image` (float32, H × W × C, on the scale 0..1, over all training images) is
    None where the network is to see plain `pixels / 255`; elsewhere it sees `pixels / 255 - mean`, with
    the mean over the images it trains on (the function `mean_image`), so that none of the hold-out enters it.
    `holdout_x`, `holdout_y` are there for data sets that come with a hold-out of their own. `train_x` may be
    several arrays on disk under one numbering (`Joined`). `train_groups` and its kin number what samples belong to,
    such as a patient, where they are not independent of each other.
    """

    name: str
    train_x: Samples
    train_y: Index
    test_x: Array
    test_y: Index
    classes: int
    kind: Kind
    mean_image: NDArray[np.float32] | None = None
    holdout_x: Array | None = None
    holdout_y: Index | None = None
    train_groups: Index | None = None
    test_groups: Index | None = None
    holdout_groups: Index | None = None

    @classmethod
    def of(
        cls,
        name: str,
        train: tuple[Samples, Index],
        test: tuple[Array, Index],
        *,
        classes: int,
        kind: Kind,
        holdout: tuple[Array, Index] | None = None,
        mean_image: NDArray[np.float32] | None = None,
    ) -> "Dataset":
        """Return the data set of those (samples, labels)."""
        held = (None, None) if holdout is None else holdout
        return cls(
            name=name,
            train_x=train[0],
            train_y=train[1],
            test_x=test[0],
            test_y=test[1],
            classes=classes,
            kind=kind,
            mean_image=mean_image,
            holdout_x=held[0],
            holdout_y=held[1],
        )

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The shape of one sample: (H, W, C), (length,) or (d,)."""
        return tuple(self.train_x.shape[1:])


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Sorted, disjoint indices that cover all training samples.

    `train` trains, `select` decides which epoch is kept, `holdout` weighs and certifies. A sample of `select`
    has had a say in which state was kept, so it can certify nothing.
    """

    train: Index
    select: Index
    holdout: Index


def divide(
    samples: int,
    *,
    holdout: int | float = 0,
    select: int | float = 0,
    seed: int | tuple[int, int] = 0,
    groups: Index | None = None,
) -> Parts:
    """Return the training samples in three parts, drawn by the seed; each size is a count or a fraction.

    The hold-out is drawn first: it stays the same whether or not samples are kept apart for `select`. Groups stay
    whole: a part takes groups until it has its size or more.

    >>> parts = divide(10, holdout=0.2, select=3, seed=0)
    >>> len(parts.train), len(parts.select), len(parts.holdout)
    (5, 3, 2)
    """
    kept, chosen = _count("holdout", holdout, samples), _count("select", select, samples)
    if kept + chosen >= samples:
        raise InputError(
            f"data.holdout + data.select: must leave samples to train on, got {kept} + {chosen} of {samples}"
        )
    # RandomState is frozen: a newer numpy draws the same samples.
    random = np.random.RandomState(seed)
    if groups is None:
        order = random.permutation(samples)
        first, second = kept, kept + chosen
    else:
        units, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        place = random.permutation(len(units))  # of each group in the order
        order = np.argsort(place[codes], kind="stable")
        ends = np.cumsum(sizes[np.argsort(place)])
        first = _whole(ends, kept)
        second = _whole(ends, first + chosen) if chosen else first
    return Parts(
        holdout=np.sort(order[:first]), select=np.sort(order[first:second]), train=np.sort(order[second:])
    )


def _whole(ends: Index, size: int) -> int:
    """The end of the first group at which there are that many samples."""
    return int(ends[np.searchsorted(ends, size)]) if size else 0


def _count(name: str, share: int | float, samples: int) -> int:
    if isinstance(share, float):
        if not 0 <= share < 1:
            raise InputError(f"data.{name}: a fraction must lie in [0, 1), got {share:g}")
        return round(share * samples)
    if share < 0:
        raise InputError(f"data.{name}: a count must be at least 0, got {share}")
    return share


def mean_image(images: Samples, index: Index | None = None) -> NDArray[np.float32]:
    """Return the mean of those uint8 images (all by default) on the scale 0..1, float32 (H, W, C).

    >>> mean_image(np.full((4, 2, 2, 1), 51, dtype=np.uint8))[0, 0]
    array([0.2], dtype=float32)
    """
    rows = np.arange(len(images)) if index is None else index
    total = np.zeros(images.shape[1:], dtype=np.int64)
    for start in range(0, len(rows), 4096):  # in blocks: the images may be larger than memory
        total += images[rows[start : start + 4096]].sum(axis=0, dtype=np.int64)
    return (total / (255.0 * max(1, len(rows)))).astype(np.float32)


def data_folder(folder: str | Path | None) -> Path:
    """Return the folder itself; without one `COMITIA_DATA`, else `comitia` in the user's cache folder.

    The cache folder is `XDG_CACHE_HOME`, by default ~/.cache.
    """
    if folder is not None:
        return Path(folder).expanduser()
    if named := os.environ.get("COMITIA_DATA"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "comitia"


def find(name: str, files: Iterable[str], folder: str | Path | None, *, remedy: str) -> Path:
    """Return the first of those files (or folders) that exists; the named folder may be that file itself."""
    wanted, where = tuple(files), data_folder(folder)
    if where.name in wanted and where.exists():
        return where
    for file in wanted:
        if (where / file).exists():
            return where / file
    raise InputError(f"data set {name}: no {' or '.join(wanted)} in {where}; {remedy}")
