"""The hold-out from whatever people have, in one order."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from comitia._errors import InputError
from comitia.members.holdout import open_data

X = np.random.default_rng(0).normal(size=(700, 4)).astype(np.float32)
Y = np.arange(700) % 3


def joined(given: Any) -> tuple[np.ndarray, np.ndarray]:
    """All inputs and labels that the data give."""
    pairs = list(open_data(given).batches())
    return np.concatenate([np.asarray(x) for x, _ in pairs]), np.concatenate([y for _, y in pairs])


class Named(Dataset[dict[str, Any]]):
    def __len__(self) -> int:
        return len(X)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {
            "input_ids": torch.arange(3) + index,
            "attention_mask": torch.ones(3),
            "labels": int(Y[index]),
        }


class Rows:
    """A dataset in all but name, as those of the library `datasets` are."""

    def __len__(self) -> int:
        return len(X)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if index >= len(X):
            raise IndexError
        return {"x": X[index], "label": int(Y[index])}


class Stream(IterableDataset[tuple[torch.Tensor, int]]):
    def __iter__(self) -> Iterator[tuple[torch.Tensor, int]]:
        return ((torch.from_numpy(x), int(y)) for x, y in zip(X, Y))


class Ragged(Dataset[tuple[torch.Tensor, int]]):
    """Texts of different lengths."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, place: int) -> tuple[torch.Tensor, int]:
        return torch.zeros(place + 1), 0


def whole() -> TensorDataset:
    return TensorDataset(torch.from_numpy(X), torch.from_numpy(Y))


@pytest.mark.parametrize(
    "given",
    [
        (X, Y),
        (torch.from_numpy(X), torch.from_numpy(Y)),
        {"x": X, "y": Y},
        whole(),
        Rows(),
        DataLoader(whole(), batch_size=64),
        DataLoader(Stream(), batch_size=64),
        lambda: (X, Y),
        lambda: DataLoader(whole(), batch_size=700),
    ],
)
def test_every_form_gives_the_same_samples(given: Any) -> None:
    x, y = joined(given)
    assert np.array_equal(x, X)
    assert np.array_equal(y, Y)
    assert y.dtype == np.int64
    assert np.array_equal(open_data(given).labels, Y)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(tmp_path / "a.npz", x=X, y=Y)
    np.savez_compressed(
        tmp_path / "b.npz", input_ids=np.ones((700, 5), int), attention_mask=np.ones((700, 5)), labels=Y
    )
    assert np.array_equal(joined(tmp_path / "a.npz")[0], X)
    named = open_data(str(tmp_path / "b.npz"))
    assert sorted(named.example) == ["attention_mask", "input_ids"]
    assert named.samples == 700
    (tmp_path / "mine_data.py").write_text(
        "import numpy as np\ndef data():\n    return np.ones((5, 2)), np.arange(5)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert open_data("mine_data:data").samples == 5


def test_several_inputs() -> None:
    by_name = next(iter(open_data(Named()).batches()))[0]
    assert sorted(by_name) == ["attention_mask", "input_ids"]
    first, second = open_data((X, X + 1, Y)).example
    assert np.array_equal(first + 1, second)
    pair = TensorDataset(torch.from_numpy(X), torch.from_numpy(X), torch.from_numpy(Y))
    assert len(open_data(DataLoader(pair, batch_size=9)).example) == 2


def test_a_loader_that_shuffles_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"in an order of its own \(RandomSampler\).*make it with shuffle=False"
    ):
        open_data(DataLoader(whole(), batch_size=64, shuffle=True))


class Noisy(Dataset[tuple[torch.Tensor, int]]):
    """Augments at random, as training sets do."""

    def __len__(self) -> int:
        return 50

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.from_numpy(X[index]) + torch.randn(4), int(Y[index])


def test_samples_that_change_between_passes_are_noticed() -> None:
    data = open_data(Noisy())
    with pytest.raises(InputError, match="gave other samples than before.*random augmentation"):
        list(data.batches())


def test_the_checksum_knows_values_order_and_labels() -> None:
    one = open_data((X, Y)).sha256
    changed = X.copy()
    changed[3, 2] += 1
    assert open_data((X.copy(), Y.copy())).sha256 == one
    others = [(changed, Y), (X[::-1], Y[::-1]), (X, (Y + 1) % 3), (X[:-1], Y[:-1]), (X.astype(np.float64), Y)]
    assert len({one, *(open_data(other).sha256 for other in others)}) == 6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((X, Y[:-1]), r"x must have a row per label \(699\), got \(700, 4\)"),
        ((X, Y - 1), "labels must be classes from 0, got -1"),
        ((X, Y + 0.5), r"labels must be integers \(n,\)"),
        ((X, np.stack([Y, Y], axis=1)), r"labels must be integers \(n,\).*of shape \(700, 2\)"),
        ((X.astype(str), Y), "x must hold numbers"),
        ({"x": X}, "no labels among x"),
        (X, r"must be a DataLoader, a dataset, arrays \(x, y\) or a .npz, got ndarray"),
        (whole, None),
        ("data.csv", "must be a .npz or module:function, got 'data.csv'"),
        ("none.npz", "no such file"),
        ((X[:0], Y[:0]), "holds no samples"),
        (lambda: 1 / 0, "the function failed: ZeroDivisionError"),
        (Stream(), "needs a DataLoader around it"),
        (Ragged(), "stack expects each tensor to be equal size.*; give a DataLoader whose collate_fn pads"),
    ],
)
def test_what_is_no_hold_out(given: Any, message: str | None) -> None:
    if message is None:
        assert open_data(given).samples == 700
        return
    with pytest.raises(InputError, match=message):
        open_data(given)


def bomb(place: Path, shape: str, zeros: int) -> Path:
    """A pack whose x has that shape by its header, and so many bytes when it is unpacked."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    head = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", head + b"\0" * zeros)
    return place


def test_shapes_beyond_memory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.npz: x: claims to hold 4,194,304.0 GB"):
        open_data(bomb(tmp_path / "a.npz", f"({2**30}, {2**20})", 0))


def test_pickles_in_a_pack_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.array([{}, {}], dtype=object), y=[0, 1])
    with pytest.raises(InputError, match=r"x holds Python objects \(pickles\), which are refused"):
        open_data(tmp_path / "a.npz")
