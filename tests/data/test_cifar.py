import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.data import load
from comitia.data.cifar import CIFAR10, CIFAR100, Layout, read_layout
from shared_data import shared

SMALL = Layout(
    name="cifar10",
    archive="small.tar.gz",
    folder="small",
    pickled=("small-py",),
    train=("a.bin", "b.bin"),
    test="t.bin",
    records={"a.bin": 3, "b.bin": 3, "t.bin": 2},
    label_bytes=2,
    classes=5,
    sums={"t.bin": "0" * 32},
)


def content(records: int, seed: int = 0) -> bytes:
    rows = np.random.default_rng(seed).integers(0, 256, (records, 2 + 3072), dtype=np.uint8)
    rows[:, 1] %= 5
    return rows.tobytes()


def layout(**sums: str) -> Layout:
    return Layout(**{**vars(SMALL), "sums": sums})


def fill(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir()
    for name, held in files.items():
        (folder / name).write_bytes(held)


ALL = {"a.bin": content(3, 1), "b.bin": content(3, 2), "t.bin": content(2, 3)}


def test_pixels_and_fine_labels_are_where_they_belong(tmp_path: Path) -> None:
    fill(tmp_path / "small", ALL)
    data = read_layout(layout(), tmp_path, partial=False)
    assert data.train_x.shape == (6, 32, 32, 3)
    record = ALL["b.bin"][3074:]  # the second record of the second file
    assert data.train_y[4] == record[1]
    for row, column, colour in [(0, 0, 0), (5, 31, 1), (30, 2, 2)]:
        assert data.train_x[4, row, column, colour] == record[2 + 1024 * colour + 32 * row + column]
    assert data.mean_image is not None
    assert np.allclose(data.mean_image, (data.train_x / 255).mean(axis=0), atol=1e-6)


def test_archive_reads_like_the_folder(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "small.tar.gz", "w:gz") as archive:
        for name, held in reversed(ALL.items()):
            entry = tarfile.TarInfo(f"some-folder/{name}")
            entry.size = len(held)
            archive.addfile(entry, io.BytesIO(held))
    packed = read_layout(layout(), tmp_path, partial=False)
    fill(tmp_path / "small", ALL)
    unpacked = read_layout(layout(), tmp_path / "small", partial=False)
    assert np.array_equal(packed.train_x, unpacked.train_x)
    assert np.array_equal(packed.test_y, unpacked.test_y)


@pytest.mark.parametrize("damage", ["cut", "flipped", "no archive"])
def test_damaged_archive(tmp_path: Path, damage: str) -> None:
    test_archive_reads_like_the_folder(tmp_path)
    path = tmp_path / "small.tar.gz"
    held = path.read_bytes()
    broken = {"cut": held[:-500], "flipped": held[:900] + b"?" + held[901:], "no archive": b"hello"}
    path.write_bytes(broken[damage])
    with pytest.raises(InputError, match=r"small.tar.gz: not a whole archive \(.*\); fetch it again"):
        read_layout(layout(), path, partial=False)


@pytest.mark.parametrize(
    ("changed", "partial", "message"),
    [
        ({"b.bin": None}, False, "b.bin missing; data.partial = true trains on the others"),
        ({"a.bin": None, "b.bin": None}, True, "a.bin, b.bin missing$"),
        ({"t.bin": None}, True, "t.bin is missing"),
        ({"a.bin": b"short"}, False, "a.bin must have 9222 bytes, got 5; fetch it again"),
        ({"a.bin": b"\xff" * 9222}, False, "a.bin holds a label of 255"),
    ],
)
def test_wrong_files(tmp_path: Path, changed: dict[str, bytes | None], partial: bool, message: str) -> None:
    held = {name: value for name, value in {**ALL, **changed}.items() if value is not None}
    fill(tmp_path / "small", held)
    with pytest.raises(InputError, match=message):
        read_layout(layout(), tmp_path, partial=partial)


def test_partial_takes_what_is_there(tmp_path: Path) -> None:
    fill(tmp_path / "small", {"b.bin": ALL["b.bin"], "t.bin": ALL["t.bin"]})
    assert len(read_layout(layout(), tmp_path, partial=True).train_y) == 3


def test_checksum_of_an_unpacked_file(tmp_path: Path) -> None:
    fill(tmp_path / "small", ALL)
    with pytest.raises(InputError, match="t.bin fails its checksum; fetch it again"):
        read_layout(SMALL, tmp_path, partial=False)


def test_pickled_version_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "cifar-10-batches-py").mkdir()
    message = "cifar-10-batches-py is the pickled version, and a pickle can run anything; take the binary"
    for folder in (tmp_path, tmp_path / "cifar-10-batches-py"):
        with pytest.raises(InputError, match=message):
            load("cifar10", folder)


def test_missing_tells_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no cifar-100-binary or .*: comitia data fetch cifar100"):
        load("cifar100", tmp_path)
    with pytest.raises(InputError, match="cifar100: no option 'partial', it takes none"):
        load("cifar100", tmp_path, partial=True)


def test_layouts_are_the_official_ones() -> None:
    assert sum(CIFAR10.records[file] for file in CIFAR10.train) == 50_000
    assert CIFAR100.records == {"train.bin": 50_000, "test.bin": 10_000}
    assert (CIFAR10.label_bytes, CIFAR100.label_bytes) == (1, 2)


def test_real_files_have_the_order_of_the_prediction_pack() -> None:
    folder = shared("cifar-10-batches-bin")
    if not (folder / "data_batch_3.bin").exists():
        with pytest.raises(InputError, match=r"data_batch_3.bin, data_batch_4.bin, data_batch_5.bin missing"):
            load("cifar10", folder)
    data = load("cifar10", folder, partial=True)
    with np.load(shared("predictions/cifar10-resnet20-checkpoints.npz"), allow_pickle=False) as pack:
        assert np.array_equal(data.test_y, pack["labels"])
    assert data.train_x.shape[1:] == (32, 32, 3)
    assert len(data.train_y) >= 20_000
