"""Several files: which belong together, and where the labels come from."""

import doctest

import numpy as np
import pytest

import comitia.files.reading
import comitia.files.writing
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files import read_labels, read_predictions, write_predictions

RNG = np.random.default_rng(6)


def some(masked=False, **options):
    probs = RNG.dirichlet([1, 1, 1], (3, 60)).astype(np.float32)
    mask = RNG.random((3, 60)) < 0.5 if masked else None
    return Predictions.from_arrays(probs=probs, labels=RNG.integers(0, 3, 60), mask=mask, **options)


@pytest.mark.parametrize("module", [comitia.files.reading, comitia.files.writing])
def test_examples(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("masked", [False, True])
def test_what_is_written_is_read(tmp_path, masked):
    predictions = some(masked, run=[1, 2, 3], step=[4, 4, 4], names=["a", "b", "c"])
    write_predictions(tmp_path / "a.npz", predictions)
    found = read_predictions(tmp_path / "a.npz")
    assert found.fingerprint() == predictions.fingerprint()
    assert found.names == predictions.names
    assert found.run.tolist() == [1, 2, 3]
    assert found.step.tolist() == [4, 4, 4]


def test_shards_written_apart_are_the_whole(tmp_path):
    predictions = some(True)
    paths = [tmp_path / "0.npz", tmp_path / "1.npz"]
    write_predictions(paths[0], predictions.take(np.arange(25)))
    write_predictions(paths[1], predictions.take(np.arange(25, 60)))
    joined = read_predictions(paths)
    assert joined.fingerprint() == predictions.fingerprint()
    write_predictions(tmp_path / "joined.npz", joined)
    assert read_predictions(tmp_path / "joined.npz").fingerprint() == predictions.fingerprint()


def test_only_npz_is_written(tmp_path):
    with pytest.raises(InputError, match=r"end the name in .npz"):
        write_predictions(tmp_path / "a.csv", some())
    assert not list(tmp_path.iterdir())


def test_shards_of_other_members_are_named(tmp_path):
    write_predictions(tmp_path / "0.npz", some(names=["a", "b", "c"]))
    write_predictions(tmp_path / "1.npz", some(names=["a", "b", "d"]))
    with pytest.raises(InputError, match=r"differ in names: c and d \(0 = 0.npz, 1 = 1.npz\)"):
        read_predictions([tmp_path / "0.npz", tmp_path / "1.npz"])


def test_tables_are_shards_too(tmp_path):
    (tmp_path / "0.csv").write_text("a,b,label\n0,1,0\n")
    (tmp_path / "1.csv").write_text("a,b,label\n2,2,2\n0,0,1\n")
    found = read_predictions([tmp_path / "0.csv", str(tmp_path / "1.csv")])
    assert found.votes().tolist() == [[0, 2, 0], [1, 2, 0]]
    assert found.classes == 3


def test_one_array_a_member_with_labels(tmp_path):
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", np.array([0, 1, 1]))
    np.save(tmp_path / "y.npy", np.array([0, 0, 1]))
    found = read_predictions([tmp_path / "a.npy", tmp_path / "b.npy"], labels=tmp_path / "y.npy")
    assert found.labels.tolist() == [0, 0, 1]
    assert read_predictions([tmp_path / "a.npy"]).labels is None


def test_labels_among_the_members_are_refused(tmp_path):
    for name in ("a", "labels"):
        np.save(tmp_path / f"{name}.npy", np.array([0, 1, 1]))
    again = tmp_path / ".." / tmp_path.name / "labels.npy"
    with pytest.raises(InputError, match=r"labels.npy: is given as labels and among the files; leave it out"):
        read_predictions(sorted(tmp_path.glob("*.npy")), labels=again)


def written(folder, name, values, **options):
    write_predictions(folder / name, Predictions.from_arrays(**values, **options))
    return folder / name


@pytest.mark.parametrize("kind", ["probs", "binary"])
def test_files_with_samples_in_common_are_refused(tmp_path, kind):
    """In another order, in part, and beside fresh ones."""
    values, labels = RNG.dirichlet([1, 1, 1], (9, 900)).astype(np.float32), RNG.integers(0, 2, 900)
    values = values[..., 0] if kind == "binary" else values
    first = written(tmp_path, "first.npz", {"probs": values[:, :300]}, labels=labels[:300])
    again = np.r_[600:900, 299:199:-1]
    other = written(tmp_path, "other.npz", {"probs": values[:, again]}, labels=labels[again])
    fresh = written(tmp_path, "fresh.npz", {"probs": values[:, 300:600]}, labels=labels[300:600])
    with pytest.raises(InputError, match=r"other.npz: 100 of its samples are in .*first.npz too; give each"):
        read_predictions([first, fresh, other])
    assert read_predictions([fresh, other]).samples == 700


def test_files_of_members_that_know_few_probabilities_are_read(tmp_path):
    """Samples of two files then look alike by chance, as do those of one."""
    shares = np.array([0.1, 0.4, 0.8])[RNG.integers(0, 3, (4, 800))]
    labels = RNG.integers(0, 2, 800)
    halves = [slice(0, 400), slice(400, 800)]
    paths = [
        written(tmp_path, f"{k}.npz", {"probs": shares[:, half]}, labels=labels[half])
        for k, half in enumerate(halves)
    ]
    assert read_predictions(paths).samples == 800


def test_labels_apart_serve_one_file(tmp_path):
    write_predictions(tmp_path / "a.npz", some())
    (tmp_path / "y.txt").write_text("1\n" * 60)
    assert read_predictions(tmp_path / "a.npz", tmp_path / "y.txt").labels.tolist() == [1] * 60
    with pytest.raises(InputError, match="put labels into each file"):
        read_predictions([tmp_path / "a.npz", tmp_path / "a.npz"], tmp_path / "y.txt")


TEXTS = ["0\n2\n1\n", "label\n0\n2\n1\n", "class\n0\n2\n1\n", "id,label\n7,0\n8,2\n9,1\n", "0\r\n2\r\n\r\n1"]


@pytest.mark.parametrize("text", TEXTS)
def test_labels_of_texts_and_tables(tmp_path, text):
    (tmp_path / "y.csv").write_text(text)
    assert read_labels(tmp_path / "y.csv").tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "is empty; one class per line"),
        ("cat\ndog\n", "classes must be numbered 0, 1, …"),
        ("a,b\n1,2\n", "one column is required, or one called label \\(label= names it\\), got a, b"),
    ],
)
def test_bad_labels_are_refused(tmp_path, text, message):
    (tmp_path / "y.csv").write_text(text)
    with pytest.raises(InputError, match=rf"y.csv: {message}"):
        read_labels(tmp_path / "y.csv")


def test_labels_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "y.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match="is not text"):
        read_labels(tmp_path / "y.txt")
    with pytest.raises(InputError, match="no such file of labels"):
        read_labels(tmp_path / "absent.npy")


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    for name in ("a.npz", "b.csv", "c.txt"):
        (tmp_path / name).write_text("")
    cases = {
        (): "at least one file",
        ("a.npz", "b.csv"): r"of one kind are required, got .csv and .npz",
        ("c.txt",): r"c.txt: the name must end in one of .npz, .npy, .csv, .tsv, .jsonl",
        ("d.npz",): "d.npz: no such file",
        (".",): "is a folder",
    }
    for names, message in cases.items():
        with pytest.raises(InputError, match=message):
            read_predictions([tmp_path / name for name in names])
