"""Arrays under one numbering against numpy's own concatenation."""

from typing import Any

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.data.dataset import mean_image
from comitia.data.joined import Joined

RANDOM = np.random.default_rng(0)
PARTS = [RANDOM.integers(0, 256, (n, 4, 5, 3)).astype(np.uint8) for n in (7, 0, 1, 4)]
WHOLE = np.concatenate(PARTS)


@pytest.mark.parametrize(
    "key",
    [
        slice(None),
        slice(5, 9),
        slice(9, 40),
        slice(None, None, -2),
        slice(3, 3),
        0,
        7,
        -1,
        [11, 0, 7, 7, 6],
        np.array([-12, -1, 8]),
        np.array([], dtype=np.int64),
        np.arange(12) % 3 == 1,
        np.array([[0, 8], [11, 7]]),
    ],
)
def test_indexing_is_that_of_the_concatenation(key: Any) -> None:
    joined = Joined(PARTS)
    taken = joined[key]
    assert type(taken) is np.ndarray
    assert taken.dtype == WHOLE.dtype
    assert taken.shape == WHOLE[key].shape
    assert np.array_equal(taken, WHOLE[key])


def test_size_and_type() -> None:
    joined = Joined(PARTS)
    assert (len(joined), joined.shape, joined.dtype) == (12, WHOLE.shape, np.uint8)
    assert np.array_equal(mean_image(joined, np.array([0, 7, 9])), mean_image(WHOLE, np.array([0, 7, 9])))


@pytest.mark.parametrize("key", [12, -13, [3, 12], np.ones(11, dtype=bool)])
def test_beyond_the_end(key: Any) -> None:
    with pytest.raises(IndexError):
        Joined(PARTS)[key]


def test_parts_must_fit() -> None:
    with pytest.raises(InputError, match="parts: must be of one type and shape of a sample"):
        Joined([PARTS[0], PARTS[0][:, :3]])
    with pytest.raises(InputError, match="float32"):
        Joined([PARTS[0], PARTS[0].astype(np.float32)])


class Watched(np.ndarray):
    """An array that keeps what it was indexed by."""

    asked: list[list[int]]

    def __getitem__(self, key: Any) -> Any:
        self.asked.append(np.asarray(key).tolist())
        return super().__getitem__(key)


def test_no_more_is_read_than_asked_for() -> None:
    first, second = (part.view(Watched) for part in (PARTS[0], PARTS[3]))
    first.asked, second.asked = [], []
    Joined([first, second])[[8, 2, 10]]
    assert (first.asked, second.asked) == ([[2]], [[1, 3]])
