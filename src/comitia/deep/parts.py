"""The samples that members predict: the hold-out (out-of-bag samples with bagging) and the test samples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.data.dataset import Dataset
from comitia.data.division import Parts

Part = tuple[str, NDArray[Any], NDArray[np.int64]]


def predicted_parts(data: Dataset, parts: Parts, *, bootstrap: bool) -> list[Part]:
    """("holdout" or "test", samples, labels) of each part that has samples.

    With bootstrap samples every training sample is out of some bags, so all are predicted and a mask tells
    which of them a member may be judged by.
    """
    both = [("holdout", *_holdout(data, parts, bootstrap)), ("test", data.test_x, data.test_y)]
    return [part for part in both if len(part[2])]


def _holdout(data: Dataset, parts: Parts, bootstrap: bool) -> tuple[NDArray[Any], NDArray[np.int64]]:
    if bootstrap:
        return data.train_x[parts.train], data.train_y[parts.train]
    if data.holdout_x is not None and data.holdout_y is not None:
        return data.holdout_x, data.holdout_y
    return data.train_x[parts.holdout], data.train_y[parts.holdout]
