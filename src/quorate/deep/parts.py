"""The samples that members predict: the hold-out (out-of-bag samples with bagging) and the test samples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.data.dataset import Dataset, Parts


def part_samples(
    data: Dataset, parts: Parts, part: str, *, bootstrap: bool
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The samples and labels of "holdout" or "test"; none where the recipe keeps no hold-out.

    With bootstrap samples every training sample is out of some bags, so all are predicted and a mask tells
    which of them a member may be judged by.
    """
    if part == "test":
        return data.test_x, data.test_y
    if bootstrap:
        return data.train_x[parts.train], data.train_y[parts.train]
    if data.holdout_x is not None and data.holdout_y is not None:
        return data.holdout_x, data.holdout_y
    return data.train_x[parts.holdout], data.train_y[parts.holdout]
