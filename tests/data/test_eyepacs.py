from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from comitia._errors import InputError
from comitia.data import load
from comitia.data.eyepacs import read_splits
from comitia.data.eyepacs_preparation import prepare, preprocess
from comitia.data.joined import Joined

TRAIN = {"10_left": 0, "10_right": 1, "13_left": 2, "13_right": 4, "2_left": 3}
SOLUTION = {
    "1_left": (0, "Public"),
    "1_right": (2, "Private"),
    "9_left": (4, "Public"),
    "3_left": (1, "Private"),
}
OPTIONS = {"size": 24, "blur": 4.0}


def save_photo(path: Path, seed: int) -> None:
    y, x = np.mgrid[:90, :120]
    disc = (y - 45) ** 2 + (x - 60) ** 2 < 40**2
    noise = np.random.default_rng(seed).integers(60, 200, (90, 120, 3))
    Image.fromarray((disc[..., None] * noise).astype(np.uint8)).save(path, quality=95)


@pytest.fixture
def kaggle(tmp_path: Path) -> Path:
    folder = tmp_path / "kaggle"
    for part in ("train", "test"):
        (folder / part).mkdir(parents=True)
    for seed, name in enumerate(TRAIN):
        save_photo(folder / "train" / f"{name}.jpeg", seed)
    for seed, name in enumerate(SOLUTION):
        save_photo(folder / "test" / f"{name}.jpeg", 10 + seed)
    rows = [f"{name},{level}" for name, level in TRAIN.items()]
    (folder / "trainLabels.csv").write_text("\n".join(["image,level", *rows]) + "\n")
    rows = [f"{name},{level},{usage}" for name, (level, usage) in SOLUTION.items()]
    (folder / "retinopathy_solution.csv").write_text("\n".join(["image,level,Usage", *rows]) + "\n")
    return folder


def test_splits_and_labels(kaggle: Path, tmp_path: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    unusable = prepare(kaggle, tmp_path, workers=1, progress=lambda *call: calls.append(call), **OPTIONS)
    assert unusable == {"train": (), "holdout": (), "test": ()}
    assert calls[4] == ("train", 5, 5)
    assert len(calls) == 9
    data = load("eyepacs", tmp_path, **OPTIONS)
    assert data.train_y.tolist() == [0, 0, 1, 1, 1]  # grades 2-4 against 0-1
    assert data.holdout_y is not None
    assert data.holdout_y.tolist() == [0, 1]
    assert data.test_y.tolist() == [1, 0]
    assert data.test_x.shape == (2, 24, 24, 3)
    assert isinstance(data.train_x, np.memmap)
    with Image.open(kaggle / "test" / "3_left.jpeg") as photo:
        assert np.array_equal(data.test_x[1], preprocess(photo, **OPTIONS))


def test_public_photographs_may_train(kaggle: Path, tmp_path: Path) -> None:
    prepare(kaggle, tmp_path, workers=1, **OPTIONS)
    apart, together = (load("eyepacs", tmp_path, **OPTIONS, public=use) for use in ("holdout", "train"))
    assert together.holdout_x is None
    assert together.holdout_y is None
    assert isinstance(together.train_x, Joined)
    assert all(isinstance(part, np.memmap) for part in together.train_x.parts)
    assert together.train_y.tolist() == [0, 0, 1, 1, 1, 0, 1]  # Kaggle's train, then 1_left and 9_left
    for place, name in ((5, "1_left"), (6, "9_left")):
        with Image.open(kaggle / "test" / f"{name}.jpeg") as photo:
            assert np.array_equal(together.train_x[[place]][0], preprocess(photo, **OPTIONS))
    assert np.array_equal(together.train_x[:5], apart.train_x)
    assert np.array_equal(together.test_x, apart.test_x)
    assert together.test_y.tolist() == [1, 0]
    with pytest.raises(InputError, match="data set eyepacs: public: 'trian' is not one of holdout, train"):
        load("eyepacs", tmp_path, **OPTIONS, public="trian")


def test_two_processes_give_the_same_arrays(kaggle: Path, tmp_path: Path) -> None:
    prepare(kaggle, tmp_path / "one", workers=1, **OPTIONS)
    prepare(kaggle, tmp_path / "two", workers=2, **OPTIONS)
    one, two = (sorted((tmp_path / name).rglob("*.*")) for name in ("one", "two"))
    assert [path.name for path in one] == [path.name for path in two]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(one, two) if a.is_file())


def test_broken_off_goes_on_where_it_stopped(kaggle: Path, tmp_path: Path) -> None:
    def stop(split: str, done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(kaggle, tmp_path, workers=1, progress=stop, **OPTIONS)
    with pytest.raises(InputError, match="2 photographs of train are not prepared yet; run the same"):
        load("eyepacs", tmp_path, **OPTIONS)
    for name in list(TRAIN)[:3]:
        (kaggle / "train" / f"{name}.jpeg").unlink()  # done ones are not looked at again
    calls: list[tuple[str, int, int]] = []
    prepare(kaggle, tmp_path, workers=1, progress=lambda *call: calls.append(call), **OPTIONS)
    assert calls[0] == ("train", 4, 5)
    assert (load("eyepacs", tmp_path, **OPTIONS).train_x[:, 12, 12].std(axis=1) > 0).any()


def test_unusable_photographs_are_named_and_grey(kaggle: Path, tmp_path: Path) -> None:
    whole = (kaggle / "train" / "10_right.jpeg").read_bytes()
    (kaggle / "train" / "10_right.jpeg").write_bytes(whole[: len(whole) // 2])
    Image.fromarray(np.zeros((50, 50, 3), np.uint8)).save(kaggle / "train" / "2_left.jpeg")
    (kaggle / "test" / "1_left.jpeg").write_bytes(b"no photograph")
    unusable = prepare(kaggle, tmp_path, workers=1, **OPTIONS)
    assert unusable == {"train": ("10_right", "2_left"), "holdout": ("1_left",), "test": ()}
    data = load("eyepacs", tmp_path, **OPTIONS)
    assert [bool((image == 128).all()) for image in data.train_x] == [False, True, False, False, True]


def test_missing_photograph_is_an_error_that_loses_nothing(kaggle: Path, tmp_path: Path) -> None:
    held = (kaggle / "train" / "2_left.jpeg").read_bytes()
    (kaggle / "train" / "2_left.jpeg").unlink()
    with pytest.raises(InputError, match=r"no photograph .*2_left.jpeg; unpack it and go on"):
        prepare(kaggle, tmp_path, workers=1, **OPTIONS)
    (kaggle / "train" / "2_left.jpeg").write_bytes(held)
    calls: list[tuple[str, int, int]] = []
    prepare(kaggle, tmp_path, workers=1, progress=lambda *call: calls.append(call), **OPTIONS)
    assert calls[0] == ("train", 5, 5)


def test_other_tables_are_not_mixed_in(kaggle: Path, tmp_path: Path) -> None:
    prepare(kaggle, tmp_path, workers=1, **OPTIONS)
    (kaggle / "trainLabels.csv").write_text("image,level\n10_left,0\n")
    with pytest.raises(InputError, match="was prepared from other tables; remove it first"):
        prepare(kaggle, tmp_path, workers=1, **OPTIONS)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("image,grade\n10_left,0\n", "needs columns image and level"),
        ("image,level\n10_left,none\n", "needs columns image and level"),
        ("image,level\n10_left,7\n", r"needs rows with levels 0 to 4, got 1 rows, \[7\]"),
        ("image,level\n", "got 0 rows"),
    ],
)
def test_wrong_tables(kaggle: Path, table: str, message: str) -> None:
    (kaggle / "trainLabels.csv").write_text(table)
    with pytest.raises(InputError, match=message):
        read_splits(kaggle)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must hold train/, test/.*trainLabels.csv is missing"):
        read_splits(tmp_path)
    with pytest.raises(InputError, match="has no train.npy; prepare it from the unpacked Kaggle folder"):
        load("eyepacs", tmp_path)
    with pytest.raises(InputError, match="needs blur > 0 and size >= 8, got 0 and 512"):
        prepare(tmp_path, blur=0.0)


def test_the_eyes_of_a_patient_are_a_group(kaggle: Path, tmp_path: Path) -> None:
    prepare(kaggle, tmp_path, workers=1, **OPTIONS)
    data = load("eyepacs", tmp_path, **OPTIONS)
    assert data.train_groups is not None
    assert data.holdout_groups is not None
    assert data.test_groups is not None
    assert data.train_groups.tolist() == [10, 10, 13, 13, 2]
    assert data.holdout_groups.tolist() == [1, 9]
    assert data.test_groups.tolist() == [1, 3]
    both = load("eyepacs", tmp_path, **OPTIONS, public="train")
    assert both.train_groups is not None
    assert both.train_groups.tolist() == [10, 10, 13, 13, 2, 1, 9]
    (next(tmp_path.glob("eyepacs-*")) / "train-images.txt").write_text("a_left\n")
    with pytest.raises(InputError, match="must name the photographs, such as 10_left"):
        load("eyepacs", tmp_path, **OPTIONS)
