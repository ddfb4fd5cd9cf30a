import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia._errors import InputError
from comitia.data import load
from comitia.data.imdb import encode
from shared_data import shared


def keras_tokens(review: list[int], words: int, length: int) -> list[int]:
    """What Keras's load_data and pad_sequences do to one review, step by step."""
    whole = [1] + [word + 3 for word in review]
    known = [word if word < words else 2 for word in whole]
    return ([0] * length + known)[-length:]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=12), min_size=1, max_size=5),
    st.integers(5, 50),
    st.integers(1, 10),
)
def test_encode_is_kerass(reviews: list[list[int]], words: int, length: int) -> None:
    expected = [keras_tokens(review, words, length) for review in reviews]
    assert encode(reviews, words=words, length=length).tolist() == expected


def write(path: Path, **arrays: object) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            stream = io.BytesIO()
            np.lib.format.write_array(stream, array, allow_pickle=True)  # type: ignore[arg-type]
            archive.writestr(f"{name}.npy", stream.getvalue())


def lists(rows: list[object]) -> np.ndarray:
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


def small(path: Path, **changed: object) -> None:
    rows = lists([[k + 1, 7, 9] for k in range(6)])
    arrays = {"x_train": rows, "y_train": np.arange(6) % 2, "x_test": rows, "y_test": np.arange(6) % 2}
    write(path, **{**arrays, **changed})


def test_order_is_that_of_one_generator_train_first(tmp_path: Path) -> None:
    small(tmp_path / "imdb.npz")
    data = load("imdb", tmp_path, length=4)
    generator = np.random.RandomState(113)
    for tokens in (data.train_x, data.test_x):
        order = np.arange(6)
        generator.shuffle(order)
        assert tokens[:, 1].tolist() == [k + 4 for k in order]
    assert (data.train_x[:, 0] == 1).all()
    assert data.kind == "tokens"
    assert data.train_x.dtype == np.int32
    assert data.train_y.tolist() == [(k - 4) % 2 for k in data.train_x[:, 1]]


def test_python_2_names_and_protocols_are_read(tmp_path: Path) -> None:
    """Keras's own file was pickled by an old numpy: other module name, protocol 2."""
    rows = lists([[1, 2], [3]])
    old = pickle.dumps(rows, protocol=3).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    old = old.replace(b"\x80\x03", b"\x80\x02").replace(b"C\x01b", b"U\x01b")  # a text of Python 2
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|O", "fortran_order": False, "shape": (2,)})
    small(tmp_path / "imdb.npz")
    with zipfile.ZipFile(tmp_path / "imdb.npz") as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    labels = io.BytesIO()
    np.save(labels, np.array([0, 1]))
    held |= {"x_train.npy": header.getvalue() + old, "y_train.npy": labels.getvalue()}
    with zipfile.ZipFile(tmp_path / "imdb.npz", "w") as archive:
        for name, content in held.items():
            archive.writestr(name, content)
    assert sorted(load("imdb", tmp_path, length=3).train_x.tolist()) == [[0, 1, 6], [1, 4, 5]]


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("harm-done",)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x_train": lists([Evil()] * 6)}, "the pickle inside asks for .*mkdir.*it was not run"),
        ({"x_train": lists([[1.5]] * 6)}, "must hold lists of integers, got another kind"),
        ({"x_train": lists([[True]] * 6)}, "must hold lists of integers, got another kind"),
        ({"x_train": lists([(1, 2)] * 6)}, "must hold an array of lists of integers"),
        ({"x_train": lists([[]] * 6)}, "a review must be word ranks"),
        ({"x_train": lists([[-4]] * 6)}, "a review must be word ranks"),
        ({"x_train": lists([[1 << 70]] * 6)}, "a review must be word ranks"),
        ({"x_train": np.arange(6)}, "must be an object array of lists, got an array of int64"),
        (
            {"y_train": np.arange(5)},
            r"one integer label per review, got 6 reviews and labels of shape \(5,\)",
        ),
        ({"y_train": np.arange(6)}, "labels must be 0 or 1, got 0 to 5"),
        ({"y_train": lists([0] * 6)}, "not a whole imdb.npz"),
    ],
)
def test_wrong_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    small(tmp_path / "imdb.npz", **changed)
    with pytest.raises(InputError, match=message):
        load("imdb", tmp_path)
    assert not (tmp_path / "harm-done").exists()


@pytest.mark.parametrize("where", ["cut", "empty", "flipped"])
def test_damaged_files(tmp_path: Path, where: str) -> None:
    path = tmp_path / "imdb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED):
        pass
    small(path)
    content = path.read_bytes()
    middle = content.index(b"x_train") + 60
    damaged = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "flipped": content[:middle] + bytes([content[middle] ^ 16]) + content[middle + 1 :],
    }
    path.write_bytes(damaged[where])
    with pytest.raises(InputError, match="imdb.npz"):
        load("imdb", tmp_path)


def test_missing_tells_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=f"no imdb.npz in {tmp_path}; fetch it with: comitia data fetch imdb"
    ):
        load("imdb", tmp_path)


def test_real_file_has_the_order_of_the_prediction_pack() -> None:
    data = load("imdb", shared("imdb.npz"))
    with np.load(shared("predictions/imdb-cnn_lstm-checkpoints.npz"), allow_pickle=False) as pack:
        assert np.array_equal(data.test_y, pack["labels"])
    assert data.train_x.shape == data.test_x.shape == (25_000, 100)
    assert data.train_y.mean() == data.test_y.mean() == 0.5
    assert data.train_x.max() < 20_000
    assert (data.train_x == 0).any(axis=1).sum() < (data.train_x[:, 0] == 0).sum() + 1  # padding is in front
    assert data.train_x[0, -4:].tolist() == [5345, 19, 178, 32]  # as Keras's documentation prints it
