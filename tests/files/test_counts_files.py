"""`.counts` files: read as they were written, and whatever else is in them is refused in one line."""

import doctest
import io
import json
import zipfile

import numpy as np
import pytest

import comitia.files.counts
from comitia import Counted, InputError, Predictions, count, read_counts, read_predictions, weigh
from comitia.files import write_counts, write_predictions
from comitia.files.counts import FORMAT, HEADER
from counting_cases import KINDS, part, shards, whole


def test_examples():
    assert doctest.testmod(comitia.files.counts).failed == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_round_trip(kind, tmp_path):
    made = count(whole(kind))
    write_counts(tmp_path / "a.counts", made)
    found = read_counts(tmp_path / "a.counts")
    for name in (
        "names",
        "named",
        "class_names",
        "declared",
        "samples",
        "folds",
        "parts",
        "shared",
        "abstains",
    ):
        assert getattr(found, name) == getattr(made, name), name
    for name in ("run", "step"):
        assert np.array_equal(getattr(found, name), getattr(made, name)), name
    assert {name: array.tolist() for name, array in found.arrays().items()} == {
        name: array.tolist() for name, array in made.arrays().items()
    }
    assert found.fingerprint() == made.fingerprint()
    write_counts(tmp_path / "b.counts", found)
    assert (tmp_path / "b.counts").read_bytes() == (tmp_path / "a.counts").read_bytes()
    assert len((tmp_path / "a.counts").read_bytes()) < 5000


@pytest.mark.parametrize("kind", ["text classes", "masked and abstaining"])
def test_files_add_up(kind, tmp_path):
    paths = [tmp_path / f"{place}.counts" for place in range(8)]
    for path, shard in zip(paths, shards(kind)):
        write_counts(path, count(shard))
    found = read_counts([str(path) for path in paths])
    assert found.fingerprint() == count(whole(kind)).fingerprint()
    assert weigh(found).to_json() == weigh(count(whole(kind))).to_json()
    write_counts(tmp_path / "some.counts", read_counts(paths[:3]))
    assert read_counts([tmp_path / "some.counts", *paths[3:]]).fingerprint() == found.fingerprint()
    with pytest.raises(InputError, match=r"1\.counts: holds samples that are in .*some\.counts too"):
        read_counts([tmp_path / "some.counts", paths[1]])


def test_several_files_are_as_many_parts(tmp_path):
    for place, shard in enumerate((part("votes", slice(0, 40)), part("votes", slice(40, 90)))):
        write_predictions(tmp_path / f"{place}.npz", shard)
    both = count(read_predictions([tmp_path / "0.npz", tmp_path / "1.npz"]))
    one = count(read_predictions(tmp_path / "1.npz"))
    assert set(one.parts) < set(both.parts)
    with pytest.raises(InputError, match="count each sample once"):
        both + one


def test_numpy_reads_the_matrices(tmp_path):
    made = count(whole("masked"))
    write_counts(tmp_path / "a.counts", made)
    with np.load(tmp_path / "a.counts", allow_pickle=False) as archive:
        assert np.array_equal(archive["co_errors"], made.counts.co_errors)
        assert json.loads(archive[HEADER])["names"] == list(made.names)


def test_urls(tmp_path, no_copies_left):
    pytest.importorskip("fsspec")
    made = count(whole("votes"))
    write_counts("memory://counts/a.counts", made)
    assert read_counts("memory://counts/a.counts").fingerprint() == made.fingerprint()
    write_counts(f"file://{tmp_path}/a.counts", made)
    with pytest.raises(
        InputError, match=r"a\.counts: holds samples that are in memory://counts/a\.counts too"
    ):
        read_counts(["memory://counts/a.counts", tmp_path / "a.counts"])


def test_names(tmp_path):
    with pytest.raises(InputError, match=r"a.npz: counts are written as .counts; end the name in .counts"):
        write_counts(tmp_path / "a.npz", count(whole("votes")))
    write_counts(tmp_path / "A.COUNTS", count(whole("votes")))
    assert read_counts(tmp_path / "A.COUNTS").members == 6
    with pytest.raises(InputError, match=r"none\.counts: no such file"):
        read_counts(tmp_path / "none.counts")
    (tmp_path / "folder.counts").mkdir()
    with pytest.raises(InputError, match=r"folder\.counts: is a folder; name the files in it"):
        read_counts(tmp_path / "folder.counts")
    with pytest.raises(InputError, match="counts: at least one part is required"):
        read_counts([])


def test_predictions_and_counts_are_told_apart(tmp_path):
    write_counts(tmp_path / "a.counts", count(whole("votes")))
    write_predictions(tmp_path / "a.npz", whole("votes"))
    with pytest.raises(
        InputError, match=r"a\.counts: holds counts, and this needs what members said on each sample"
    ):
        read_predictions(tmp_path / "a.counts")
    with pytest.raises(InputError, match=r"a\.npz: is not a \.counts file, and others are; count it first"):
        read_counts([tmp_path / "a.counts", tmp_path / "a.npz"])


def entries(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(array, **options):
    content = io.BytesIO()
    np.save(content, array, **options)
    return content.getvalue()


def said(header, **changes):
    return {HEADER: json.dumps({**json.loads(header), **changes}).encode()}


def without(header, key):
    return {HEADER: json.dumps({k: v for k, v in json.loads(header).items() if k != key}).encode()}


def many(header, members):
    return said(header, names=[f"m{i}" for i in range(members)])


def claimed(members):
    """The header of a matrix that is not there."""
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        content, {"descr": "<i8", "fortran_order": False, "shape": (members, members)}
    )
    return content.getvalue()


def large(members):
    """The small arrays of that many members."""
    own = packed(np.zeros(members, np.int64))
    return {"errors.npy": own, "samples.npy": own, "answers.npy": packed(np.zeros((members, 3), np.int64))}


PAIRS = np.zeros((6, 6), np.int64)
FORGED = {
    "no header": (lambda old: {HEADER: None}, "holds no counts.json, so it is no file that comitia count wrote"),
    "a matrix is missing": (lambda old: {"co_errors.npy": None}, "holds no co_errors; it is damaged or was edited"),
    "an unknown matrix": (lambda old: {"more.npy": packed(PAIRS)}, "holds unknown 'more'"),
    "a matrix under two names": (lambda old: {"answers": packed(PAIRS)}, "holds an array twice"),
    "other numbers": (
        lambda old: {"co_errors.npy": packed(PAIRS.astype(np.float64))},
        "co_errors.npy: must be int64 of shape (6, 6), got float64",
    ),
    "another order": (lambda old: {"co_errors.npy": packed(np.asfortranarray(PAIRS + np.eye(6, dtype=int)))}, "int64"),
    "another byte order": (lambda old: {"co_errors.npy": packed(PAIRS.astype(">i8"))}, "co_errors.npy: must be int64"),
    "another shape": (lambda old: {"co_errors.npy": packed(PAIRS[:5])}, "of shape (6, 6), got int64 of shape (5, 6)"),
    "pickles": (
        lambda old: {"errors.npy": packed(np.array([{}] * 6), allow_pickle=True)},
        "holds Python objects (pickles), which are refused",
    ),
    "cut short": (lambda old: {"co_errors.npy": packed(PAIRS)[:-9]}, "co_errors.npy: must hold 288 bytes, got 279"),
    "cut by much": (lambda old: {"co_errors.npy": packed(PAIRS)[:200]}, "co_errors.npy is cut short"),
    "too long": (lambda old: {"errors.npy": old["errors.npy"] + b"0"}, "errors.npy: must hold 48 bytes, got 49"),
    "not an array": (lambda old: {"errors.npy": b"hello"}, "is not a whole NumPy file"),
    "a matrix of terabytes": (
        lambda old: {**many(old[HEADER], 10**5), "errors.npy": packed(np.zeros(10**5, np.int64))},
        "must be int64 of shape",
    ),
    "a matrix that is said to be terabytes": (
        lambda old: {**many(old[HEADER], 10**5), "co_errors.npy": claimed(10**5), **large(10**5)},
        "co_errors.npy is cut short",
    ),
    "header of no text": (lambda old: {HEADER: b"\xff\xfe"}, "part.counts"),
    "header of no JSON": (lambda old: {HEADER: b"{"}, "not readable as JSON"),
    "header of another kind": (
        lambda old: said(old[HEADER], format="comitia-ensemble-2"), "not counts that comitia count wrote (format",
    ),
    "another version": (
        lambda old: said(old[HEADER], format="comitia-counts-9"),
        "written by another version of comitia (format comitia-counts-9, this one reads comitia-counts-1)",
    ),
    "key missing": (lambda old: without(old[HEADER], "parts"), "parts: missing"),
    "key unknown": (lambda old: said(old[HEADER], part=["x"]), "part: unknown key (did you mean 'parts'?)"),
    "names of numbers": (lambda old: said(old[HEADER], names=[1, 2, 3, 4, 5, 6]), "names[0]: must be a text, got 1"),
    "samples of text": (lambda old: said(old[HEADER], samples="9"), "samples: must be a whole number, got '9'"),
    "samples beyond measure": (lambda old: said(old[HEADER], samples=2**62), "samples: must be from 1 to 2^50"),
    "fewer samples": (lambda old: said(old[HEADER], samples=900), "samples: must be from 0 to 900 samples, got 960"),
    "more samples": (lambda old: said(old[HEADER], samples=999), "labels: must add up to 999 samples, got 960"),
    "no parts": (lambda old: said(old[HEADER], parts=[]), "parts: must be at least 1"),
    "parts of text": (lambda old: said(old[HEADER], parts=["a"]), "parts: must be different sha256 in order"),
    "names twice": (lambda old: said(old[HEADER], names=["a"] * 6), "names: must be one or more different texts"),
    "run of a member too few": (lambda old: said(old[HEADER], run=[1, 2]), "run: must have one number for each of 6"),
    "classes renamed": (lambda old: said(old[HEADER], declared=True), "sha256: is not that of the counts"),
    "another checksum": (lambda old: said(old[HEADER], sha256="0" * 64), "sha256: is not that of the counts"),
    "folds added": (lambda old: said(old[HEADER], folds=["1", "2"]), "sha256: is not that of the counts"),
    "better members": (
        lambda old: {"errors.npy": packed(np.zeros(6, np.int64))}, "errors: a member is right more often",
    ),
    "errors apart from co-errors": (
        lambda old: {"errors.npy": packed(np.load(io.BytesIO(old["errors.npy"])) + 1)},
        "co_errors: the diagonal must be the errors of each member",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_forged_files_are_refused_in_one_line(case, tmp_path):
    path = tmp_path / "part.counts"
    write_counts(path, count(whole("votes")))
    change, message = FORGED[case]
    old = entries(path)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**old, **change(old)}.items():
            if content is not None:
                archive.writestr(name, content)
    with pytest.raises(InputError) as refused:
        read_counts(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_name_in_the_archive_twice(tmp_path):
    path = tmp_path / "part.counts"
    write_counts(path, count(whole("votes")))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("errors.npy", packed(np.zeros(6, np.int64)))
    with pytest.raises(InputError, match="holds an array twice"):
        read_counts(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + b"\0" * 50])
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "part.counts"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"part\.counts: is (empty|not a whole \.counts file)"):
        read_counts(path)


def test_damaged_bytes_are_told_or_do_not_matter(tmp_path):
    """Every byte changed in turn, and every length: the counts are the same or there is one line."""
    path = tmp_path / "part.counts"
    made = count(part("masked and abstaining", slice(0, 40)))
    write_counts(path, made)
    good, rng, told = path.read_bytes(), np.random.default_rng(0), 0
    damaged = [good[:size] for size in range(0, len(good), 37)]
    for place in range(0, len(good), 5):
        damaged.append(good[:place] + bytes([good[place] ^ int(rng.integers(1, 256))]) + good[place + 1 :])
    for content in damaged:
        path.write_bytes(content)
        found = read_or_refuse(path)
        if found is None:
            told += 1
        else:
            assert found.fingerprint() == made.fingerprint()
            assert (found.names, found.parts) == (made.names, made.parts)
    assert told > 0.8 * len(damaged)


def read_or_refuse(path):
    """The counts, or None after one line that names the file; any other error is a failure."""
    try:
        return read_counts(path)
    except InputError as error:
        text = str(error)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return None


def test_an_encrypted_archive_is_refused(tmp_path):
    path = tmp_path / "part.counts"
    write_counts(path, count(whole("votes")))
    content = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = content.find(mark)
        while start >= 0:
            content[start + flags] |= 1
            start = content.find(mark, start + 1)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"part\.counts: .*encrypted"):
        read_counts(path)


def test_the_format_is_what_it_is_called(tmp_path):
    write_counts(tmp_path / "a.counts", count(whole("runs")))
    header = json.loads(entries(tmp_path / "a.counts")[HEADER])
    assert header["format"] == FORMAT == "comitia-counts-1"
    assert header["run"] == [0, 0, 1, 1, 2, 2]
    assert header["sha256"] == count(whole("runs")).fingerprint()


def test_names_may_be_any_text(tmp_path):
    odd = ["ü", "a\nb", "日本", "\ud800", "'", ""]
    pack = whole("votes")
    made = count(Predictions.from_arrays(votes=pack.votes(), labels=pack.labels, names=odd))
    write_counts(tmp_path / "a.counts", made)
    assert isinstance(read_counts(tmp_path / "a.counts"), Counted)
    assert list(read_counts(tmp_path / "a.counts").names) == odd
