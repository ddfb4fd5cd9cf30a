"""The record of a data set as it is stored."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["image", "tokens", "vector"]
Array = NDArray[Any]
Index = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Samples for training and testing, as they are stored.

    Images are uint8 (n, H, W, C) or float32, texts int32 (n, length), vectors float32 (n, d);
    labels int64 (n,). `mean_image` (float32, H × W × C, on the scale 0..1, over all training images) is
    None where the network is to see plain `pixels / 255`; elsewhere it sees `pixels / 255 - mean`, with
    the mean over the images it trains on (`division.mean_image`), so that none of the hold-out enters it.
    `holdout_x`, `holdout_y` are there for data sets that come with a hold-out of their own.
    """

    name: str
    train_x: Array
    train_y: Index
    test_x: Array
    test_y: Index
    classes: int
    kind: Kind
    mean_image: NDArray[np.float32] | None = None
    holdout_x: Array | None = None
    holdout_y: Index | None = None

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The shape of one sample: (H, W, C), (length,) or (d,)."""
        return tuple(self.train_x.shape[1:])
