from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.data import load

Y = np.array([0, 2, 1])


def save(path: Path, **changed: Any) -> Path:
    arrays = {"train_x": np.ones((3, 4)), "train_y": Y, "test_x": np.ones((2, 4)), "test_y": Y[:2]}
    np.savez(path, **{key: value for key, value in {**arrays, **changed}.items() if value is not None})
    return path


@pytest.mark.parametrize(
    ("samples", "kind", "dtype"),
    [
        (np.ones((3, 4)), "vector", np.float32),
        (np.ones((3, 7), dtype=np.int64), "tokens", np.int32),
        (np.ones((3, 8, 8, 1), dtype=np.uint8), "image", np.uint8),
        (np.ones((3, 8, 8, 3)), "image", np.float32),
    ],
)
def test_kinds(tmp_path: Path, samples: np.ndarray, kind: str, dtype: type) -> None:
    save(tmp_path / "arrays.npz", train_x=samples, test_x=samples[:2])
    for place in (tmp_path, tmp_path / "arrays.npz"):
        data = load("arrays", place)
        assert (data.kind, data.train_x.dtype, data.classes) == (kind, dtype, 3)
        assert data.input_shape == samples.shape[1:]


def test_any_name_of_the_file(tmp_path: Path) -> None:
    assert load("arrays", save(tmp_path / "mine.npz")).train_y.tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"test_y": None}, "must hold train_x, train_y, test_x, test_y; test_y missing"),
        ({"train_y": Y[:2]}, "must have as many samples, at least one, got 3 and 2"),
        ({"train_y": Y / 2}, r"train_y integer \(n,\), got \(3, 4\) and float64"),
        ({"train_y": Y - 1}, "must be classes from 0, got -1"),
        ({"train_x": np.full((3, 4), np.nan)}, "train_x must be finite"),
        ({"test_x": np.ones((2, 5))}, r"one shape, got \(4,\) and \(5,\)"),
        ({"train_x": np.ones((3, 4, 5)), "test_x": np.ones((2, 4, 5))}, "train_x must be images"),
        ({"train_x": np.array([[None]] * 3)}, "not a .npz of plain arrays"),
        ({"train_x": np.ones((0, 4)), "train_y": Y[:0]}, "at least one, got 0 and 0"),
    ],
)
def test_wrong_arrays(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    path = save(tmp_path / "mine.npz", **changed)
    with pytest.raises(InputError, match=message):
        load("arrays", path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04"])
def test_damaged_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine.npz").write_bytes(content)
    with pytest.raises(InputError, match="mine.npz: not a .npz of plain arrays"):
        load("arrays", tmp_path / "mine.npz")


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        load("arrays", tmp_path / "none.npz")
    with pytest.raises(InputError, match=r"no arrays.npz in .*; name your file"):
        load("arrays", tmp_path)


def test_unknown_names_and_options(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'cifar' is not one of .* \(did you mean 'cifar10'\?\)"):
        load("cifar")
    with pytest.raises(InputError, match=r"imdb: no option 'lenght'.*\(did you mean 'length'\?\)"):
        load("imdb", lenght=5)


@pytest.mark.parametrize(
    ("name", "option", "value", "wanted"),
    [
        ("imdb", "length", "x", "an integer"),
        ("imdb", "words", 50.0, "an integer"),
        ("imdb", "length", True, "an integer"),
        ("eyepacs", "blur", [1], "a number"),
    ],
)
def test_options_of_a_wrong_type(name: str, option: str, value: object, wanted: str) -> None:
    with pytest.raises(InputError, match=f"data set {name}: {option} must be {wanted}, got "):
        load(name, **{option: value})


def test_a_whole_number_is_a_number(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"eyepacs-512-blur4 has no train.npy"):
        load("eyepacs", tmp_path, blur=4)
