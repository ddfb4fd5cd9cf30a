from pathlib import Path

import numpy as np

from comitia.data.checking import check
from shared_data import shared


def test_missing_and_bundled(tmp_path: Path) -> None:
    assert [check(name, tmp_path).state for name in ("imdb", "cifar10", "eyepacs", "mnist5k")] == [
        "missing",
        "missing",
        "missing",
        "whole",
    ]
    assert check("cifar100", tmp_path).remark == "comitia data fetch cifar100"


def test_corrupt(tmp_path: Path) -> None:
    (tmp_path / "imdb.npz").write_bytes(b"PK\x03\x04 and no more")
    state = check("imdb", tmp_path)
    assert (state.state, state.checksum, state.bytes) == ("corrupt", "other", 16)
    (tmp_path / "cifar-10-batches-bin").mkdir()
    assert check("cifar10", tmp_path).state == "corrupt"


def test_own_arrays(tmp_path: Path) -> None:
    arrays = {
        "train_x": np.ones((3, 2)),
        "train_y": np.arange(3),
        "test_x": np.ones((1, 2)),
        "test_y": np.ones(1, int),
    }
    np.savez(tmp_path / "mine.npz", **arrays)
    assert check("arrays", tmp_path / "mine.npz").remark == "3 to train, 1 to test"


def test_real_data() -> None:
    folder = shared("cifar-10-batches-bin").parent
    state = check("cifar10", folder)
    assert state.state in ("whole", "partial")
    assert state.remark.endswith("10,000 to test")
