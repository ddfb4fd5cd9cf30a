"""CIFAR-10 and CIFAR-100 in their official binary form: records of labels and 3,072 pixels."""

import gzip
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.data.dataset import Dataset, Index, data_folder, find, mean_image

PIXELS = 3 * 32 * 32
Contents = Callable[[str], bytes | None]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where a CIFAR data set keeps what: `sums` are MD5s of unpacked files, as far as they are known."""

    name: str
    archive: str
    folder: str
    pickled: tuple[str, ...]
    train: tuple[str, ...]
    test: str
    records: dict[str, int]
    label_bytes: int
    classes: int
    sums: dict[str, str]


BATCHES = tuple(f"data_batch_{k}.bin" for k in range(1, 6))
CIFAR10 = Layout(
    name="cifar10",
    archive="cifar-10-binary.tar.gz",
    folder="cifar-10-batches-bin",
    pickled=("cifar-10-batches-py", "cifar-10-python.tar.gz"),
    train=BATCHES,
    test="test_batch.bin",
    records={**dict.fromkeys(BATCHES, 10_000), "test_batch.bin": 10_000},
    label_bytes=1,
    classes=10,
    sums={
        "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
        "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
        "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
    },
)
CIFAR100 = Layout(
    name="cifar100",
    archive="cifar-100-binary.tar.gz",
    folder="cifar-100-binary",
    pickled=("cifar-100-python", "cifar-100-python.tar.gz"),
    train=("train.bin",),
    test="test.bin",
    records={"train.bin": 50_000, "test.bin": 10_000},
    label_bytes=2,  # coarse, then fine
    classes=100,
    sums={},
)


def read_cifar10(folder: str | Path | None = None, *, partial: bool = False) -> Dataset:
    """Return 50,000 images to train and 10,000 to test, uint8 (n, 32, 32, 3), ten classes."""
    return read_layout(CIFAR10, folder, partial=partial)


def read_cifar100(folder: str | Path | None = None) -> Dataset:
    """Return 50,000 images to train and 10,000 to test, uint8 (n, 32, 32, 3), a hundred classes (the fine labels)."""
    return read_layout(CIFAR100, folder, partial=False)


def read_layout(layout: Layout, folder: str | Path | None, *, partial: bool) -> Dataset:
    """Return the data set: uint8 (n, 32, 32, 3) images; with `partial` some training files may be missing."""
    contents = _open(layout, folder)
    held = [file for file in layout.train if contents(file) is not None]
    _check_held(layout, held, contents, partial)
    train = [_records(layout, file, contents(file)) for file in held]
    train_x = np.concatenate([images for images, _ in train])
    train_y = np.concatenate([labels for _, labels in train])
    return Dataset.of(
        layout.name,
        (train_x, train_y),
        _records(layout, layout.test, contents(layout.test)),
        classes=layout.classes,
        kind="image",
        mean_image=mean_image(train_x),
    )


def _open(layout: Layout, folder: str | Path | None) -> Contents:
    """A function that gives the bytes of a file of the data set, or None."""
    where = data_folder(folder)
    for pickled in layout.pickled:
        if where.name == pickled or ((where / pickled).exists() and not _has_binary(layout, where)):
            raise InputError(
                f"data set {layout.name}: {pickled} is the pickled version, and a pickle can run anything; "
                f"take the binary version: comitia data fetch {layout.name}"
            )
    remedy = f"fetch it with: comitia data fetch {layout.name}"
    path = find(layout.name, [layout.folder, layout.archive], folder, remedy=remedy)
    return _folder_contents(path) if path.is_dir() else _archive_contents(layout, path)


def _has_binary(layout: Layout, where: Path) -> bool:
    return (where / layout.folder).exists() or (where / layout.archive).exists()


def _folder_contents(path: Path) -> Contents:
    return lambda file: (path / file).read_bytes() if (path / file).is_file() else None


def _archive_contents(layout: Layout, path: Path) -> Contents:
    """All files of the archive at once: a compressed archive can only be read from its start."""
    wanted = {*layout.train, layout.test}
    held: dict[str, bytes] = {}
    try:
        with gzip.open(path) as unpacked, tarfile.open(fileobj=unpacked, mode="r:") as archive:
            for member in archive:
                file = Path(member.name).name
                stream = archive.extractfile(member) if file in wanted and member.isfile() else None
                if stream is not None:
                    held[file] = stream.read()
            while unpacked.read(1 << 20):  # only at the very end the checksum is compared
                pass
    except (OSError, EOFError, tarfile.TarError, ValueError, zlib.error) as error:
        raise InputError(f"{path}: not a whole archive ({error}); fetch it again") from error
    return held.get


def _check_held(layout: Layout, held: list[str], contents: Contents, partial: bool) -> None:
    if contents(layout.test) is None:
        raise InputError(f"data set {layout.name}: {layout.test} is missing; fetch it again")
    missing = [file for file in layout.train if file not in held]
    if not held or (missing and not partial):
        hint = "; data.partial = true trains on the others" if held else ""
        raise InputError(f"data set {layout.name}: {', '.join(missing)} missing{hint}")


def _records(layout: Layout, file: str, content: bytes | None) -> tuple[NDArray[np.uint8], Index]:
    size = layout.label_bytes + PIXELS
    if content is None or len(content) != layout.records[file] * size:
        got = 0 if content is None else len(content)
        raise InputError(
            f"data set {layout.name}: {file} must have {layout.records[file] * size} bytes, got {got}; "
            "fetch it again"
        )
    if file in layout.sums and md5(content, usedforsecurity=False).hexdigest() != layout.sums[file]:
        raise InputError(f"data set {layout.name}: {file} fails its checksum; fetch it again")
    rows = np.frombuffer(content, dtype=np.uint8).reshape(-1, size)
    labels = rows[:, layout.label_bytes - 1].astype(np.int64)
    if labels.max() >= layout.classes:
        raise InputError(f"data set {layout.name}: {file} holds a label of {labels.max()}; fetch it again")
    planes = rows[:, layout.label_bytes :].reshape(-1, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels
