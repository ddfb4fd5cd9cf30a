"""One `.npy` a member."""

import doctest

import numpy as np
import pytest

import comitia.files.npy
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files.npy import read_members


@pytest.fixture
def save(tmp_path):
    def write(name, array):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        np.save(path, array)
        return path

    return write


def test_examples():
    assert doctest.testmod(comitia.files.npy).failed == 0


@pytest.mark.parametrize(
    "values, key",
    [
        (np.random.default_rng(0).dirichlet([1, 1, 1], (2, 9)), "probs"),
        (np.random.default_rng(0).random((2, 9)), "probs"),
        (np.random.default_rng(0).integers(0, 3, (2, 9)), "votes"),
    ],
)
def test_members_are_stacked_in_the_order_given(save, values, key):
    paths = [save("b.npy", values[0]), save("a.npy", values[1])]
    labels = np.zeros(9, int)
    found = read_members(paths, labels)
    assert found.names == ("b", "a")
    assert found.fingerprint() == Predictions.from_arrays(**{key: values}, labels=labels).fingerprint()
    assert isinstance(found.shards[0].values[0].base.base, np.memmap)


def test_names_of_equal_stems_have_their_folders(save):
    found = read_members([save("1/p.npy", np.array([0, 1])), save("2/p.npy", np.array([0, 1]))], None)
    assert [name[-3:] for name in found.names] == ["1/p", "2/p"]


@pytest.mark.parametrize(
    "other, message",
    [
        (np.zeros((2, 2, 2)), r"must have shape \(n,\) or \(n, C\), got \(2, 2, 2\)"),
        (np.zeros(3, int), r"has shape \(3,\), .*a.npy has \(2,\)"),
        (np.zeros(2), "holds float64, .*a.npy holds int64; give one kind"),
        (np.array([None, 1], dtype=object), "holds Python objects"),
    ],
)
def test_members_that_do_not_fit_are_named(save, other, message):
    paths = [save("a.npy", np.array([0, 1])), save("b.npy", other)]
    with pytest.raises(InputError, match=f"b.npy: {message}"):
        read_members(paths, None)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", r"is empty \(0 bytes\)"),
        (b"\x93NUMPY\x01", "is not a whole NumPy file"),
        (b"text", "is not a whole NumPy file"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, message):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(InputError, match=f"a.npy: .*({message})"):
        read_members([tmp_path / "a.npy"], None)


def test_a_file_cut_short_is_refused(save):
    path = save("a.npy", np.arange(1000))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"a.npy: is not a whole NumPy file"):
        read_members([path], None)
