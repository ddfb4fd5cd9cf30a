"""Packs of predictions: mapped where they lie, refused where they are damaged or hold pickles."""

import gc
import zipfile

import numpy as np
import pytest

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files.npz import read_arrays, read_npz
from shared_data import shared

RNG = np.random.default_rng(4)
PROBS = RNG.dirichlet([1, 1, 1], (3, 40)).astype(np.float32)
LABELS = RNG.integers(0, 3, 40)


def is_mapped(array):
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_pack_is_read_as_it_was_saved(tmp_path, save):
    names = np.array(["a", "b", "ü"])
    save(tmp_path / "a.npz", probs=PROBS, labels=LABELS, run=[1, 1, 2], step=[1, 2, 1], names=names, more=[9])
    found = read_npz(tmp_path / "a.npz")
    assert found.fingerprint() == Predictions.from_arrays(probs=PROBS, labels=LABELS).fingerprint()
    assert found.names == ("a", "b", "ü")
    assert is_mapped(found.shards[0].values) is (save is np.savez)


def test_a_large_compressed_array_is_mapped_too(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", probs=PROBS)
    monkeypatch.setattr("comitia.files.npz.IN_MEMORY", 100)
    found = read_npz(tmp_path / "a.npz")
    gc.collect()
    assert is_mapped(found.shards[0].values)
    assert found.fingerprint() == Predictions.from_arrays(probs=PROBS).fingerprint()


def test_fortran_order_and_byte_order_are_kept(tmp_path):
    np.savez(tmp_path / "a.npz", probs=np.asfortranarray(PROBS), labels=LABELS.astype(">i4"))
    arrays = read_arrays(tmp_path / "a.npz")
    assert np.array_equal(arrays["probs"], PROBS)
    assert np.array_equal(arrays["labels"], LABELS)


def test_labels_given_apart_take_the_place_of_those_in_the_pack(tmp_path):
    np.savez(tmp_path / "a.npz", probs=PROBS, labels=LABELS)
    assert read_npz(tmp_path / "a.npz", np.zeros(40)).labels.tolist() == [0] * 40


def test_pickles_are_refused_and_never_loaded(tmp_path):
    for number, save in enumerate((np.savez, np.savez_compressed)):
        path = tmp_path / f"{number}.npz"
        save(path, votes=np.array([[1, None]], dtype=object))
        with pytest.raises(InputError, match="holds Python objects .pickles., which are refused"):
            read_npz(path)


def test_pickles_under_other_keys_do_no_harm(tmp_path):
    np.savez(tmp_path / "a.npz", votes=[[0, 1]], notes=np.array([None, "x"], dtype=object))
    assert read_npz(tmp_path / "a.npz").samples == 2


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_file_cut_short_anywhere_is_refused(tmp_path, save):
    save(tmp_path / "whole.npz", probs=PROBS, labels=LABELS)
    content = (tmp_path / "whole.npz").read_bytes()
    for length in [1, 20, 100, len(content) // 2, len(content) - 30, len(content) - 1]:
        (tmp_path / "cut.npz").write_bytes(content[:length])
        with pytest.raises(InputError, match=r"cut.npz: is not a whole .npz file"):
            read_npz(tmp_path / "cut.npz")


def test_damage_inside_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", votes=RNG.integers(0, 9, (5, 400)))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[300:340] = bytes(40)
    (tmp_path / "a.npz").write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"a.npz: is (damaged|no whole)"):
        read_npz(tmp_path / "a.npz")


def test_an_array_longer_than_its_place_is_refused(tmp_path):
    np.save(tmp_path / "v.npy", np.zeros((4, 10), np.uint8))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("votes.npy", (tmp_path / "v.npy").read_bytes()[:-7])
        archive.writestr("labels.npy", (tmp_path / "v.npy").read_bytes())
    with pytest.raises(InputError, match="votes.npy is cut short"):
        read_npz(tmp_path / "a.npz")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "text.npz").write_text("probs,labels\n")
    with pytest.raises(InputError, match=r"empty.npz: is empty \(0 bytes\)"):
        read_npz(tmp_path / "empty.npz")
    with pytest.raises(InputError, match=r"text.npz: is not a whole .npz file"):
        read_npz(tmp_path / "text.npz")


def test_missing_arrays_are_named_with_a_suggestion(tmp_path):
    np.savez(tmp_path / "a.npz", prob=PROBS, labels=LABELS)
    with pytest.raises(InputError, match="neither probs nor votes, only prob, labels .did you mean 'probs'"):
        read_npz(tmp_path / "a.npz")


def test_bad_contents_name_the_file(tmp_path):
    np.savez(tmp_path / "a.npz", probs=PROBS * 3, labels=LABELS)
    with pytest.raises(InputError, match=r"a.npz: probs: member 0, sample 0"):
        read_npz(tmp_path / "a.npz")


FACTS = {
    "classes": np.array(["cat", "dog", "emu"]),
    "groups": np.arange(40) // 4,
    "folds": np.arange(40) % 5,
    "ids": np.array([f"s{k}" for k in range(40)]),
    "abstained": RNG.random((3, 40)) < 0.2,
}


@pytest.mark.parametrize("kind", ["probs", "votes"])
def test_what_is_known_of_samples_and_classes_is_read_without_any_option(tmp_path, kind):
    values = PROBS if kind == "probs" else PROBS.argmax(axis=2)
    np.savez(tmp_path / "a.npz", labels=LABELS, **{kind: values}, **FACTS)
    found = read_npz(tmp_path / "a.npz")
    assert (found.class_names, found.declared) == (("cat", "dog", "emu"), True)
    assert found.groups.codes.tolist() == FACTS["groups"].tolist()
    assert found.folds.codes.tolist() == FACTS["folds"].tolist()
    assert found.ids.tolist() == FACTS["ids"].tolist()
    assert found.abstained().tolist() == FACTS["abstained"].tolist()
    assert (found.votes() == np.where(FACTS["abstained"], 3, PROBS.argmax(axis=2))).all()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"classes": np.array(["a", "b", "c"], object)}, "classes holds Python objects"),
        ({"classes": np.array([["a", "b", "c"]])}, "classes: must have shape"),
        ({"classes": np.array(["a", "b"])}, "classes: must name the 3 classes"),
        ({"classes": np.array(["a", "b", "a"])}, "classes: duplicate name 'a'"),
        ({"groups": np.arange(39)}, "groups: must have shape"),
        ({"groups": np.arange(40) + 0.5}, "groups: must be whole numbers or texts"),
        ({"groups": np.array(["x", None] * 20)}, "groups holds Python objects"),
        ({"folds": np.zeros((40, 2), int)}, "folds: must have shape"),
        ({"ids": np.zeros(40, int)}, "ids: '0' occurs 40 times"),
        ({"ids": np.array(["a"])}, "ids: must have shape"),
        ({"abstained": np.zeros((3, 40))}, "abstained: must be bool"),
        ({"abstained": np.zeros((40, 3), bool)}, "abstained: must have shape"),
    ],
)
def test_bad_facts_are_one_line(tmp_path, bad, message):
    np.savez(tmp_path / "a.npz", probs=PROBS, labels=LABELS, **bad)
    with pytest.raises(InputError) as error:
        read_npz(tmp_path / "a.npz")
    assert str(error.value).startswith(f"{tmp_path / 'a.npz'}: {message}")
    assert "\n" not in str(error.value)


SHAPES = {
    "imdb-cnn_lstm-checkpoints": (50, 25_000, 2, True, True),
    "cifar10-resnet20-checkpoints": (50, 10_000, 10, True, True),
    "cifar10-resnet20-checkpoints-validation": (50, 50_000, 10, False, False),
    "cifar10-resnet20-bagging-outofbag": (50, 50_000, 10, False, False),
}


@pytest.mark.parametrize("name", SHAPES)
def test_real_packs_have_their_shapes(name):
    found = read_npz(shared(f"predictions/{name}.npz"))
    assert (found.members, found.samples, found.classes, found.has_probs, found.shared) == SHAPES[name]
    assert len(found.last()) == (50 if "bagging" in name else 10)


def test_a_pack_of_pickles_is_refused():
    with pytest.raises(InputError, match=r"imdb.npz: holds neither probs nor votes"):
        read_npz(shared("imdb.npz"))
