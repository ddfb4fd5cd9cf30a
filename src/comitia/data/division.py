"""Which training samples train, which choose the epoch, and which weigh and certify."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.data.dataset import Array, Index


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Sorted, disjoint indices that cover all training samples.

    `train` trains, `select` decides which epoch is kept, `holdout` weighs and certifies. A sample of `select`
    has had a say in which state was kept, so it can certify nothing.
    """

    train: Index
    select: Index
    holdout: Index


def divide(samples: int, *, holdout: int | float = 0, select: int | float = 0, seed: int = 0) -> Parts:
    """The training samples in three parts, drawn by the seed; each size is a count or a fraction.

    The hold-out is drawn first: it stays the same whether or not samples are kept apart for `select`.

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
    order = np.random.RandomState(seed).permutation(samples)
    return Parts(
        holdout=np.sort(order[:kept]),
        select=np.sort(order[kept : kept + chosen]),
        train=np.sort(order[kept + chosen :]),
    )


def _count(name: str, share: int | float, samples: int) -> int:
    if isinstance(share, float):
        if not 0 <= share < 1:
            raise InputError(f"data.{name}: a fraction must lie in [0, 1), got {share:g}")
        return round(share * samples)
    if share < 0:
        raise InputError(f"data.{name}: a count must be at least 0, got {share}")
    return share


def mean_image(images: Array, index: Index | None = None) -> NDArray[np.float32]:
    """The mean of those uint8 images (all by default) on the scale 0..1, float32 (H, W, C).

    >>> mean_image(np.full((4, 2, 2, 1), 51, dtype=np.uint8))[0, 0]
    array([0.2], dtype=float32)
    """
    rows = np.arange(len(images)) if index is None else index
    total = np.zeros(images.shape[1:], dtype=np.int64)
    for start in range(0, len(rows), 4096):  # in blocks: the images may be larger than memory
        total += images[rows[start : start + 4096]].sum(axis=0, dtype=np.int64)
    return (total / (255.0 * max(1, len(rows)))).astype(np.float32)
