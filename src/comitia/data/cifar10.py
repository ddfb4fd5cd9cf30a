"""CIFAR-10 in its official binary version."""

from pathlib import Path

from comitia.data.cifar_binary import Layout, read_layout
from comitia.data.dataset import Dataset

BATCHES = tuple(f"data_batch_{k}.bin" for k in range(1, 6))
LAYOUT = Layout(
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


def read(folder: str | Path | None = None, *, partial: bool = False) -> Dataset:
    """50,000 images to train and 10,000 to test, uint8 (n, 32, 32, 3), ten classes."""
    return read_layout(LAYOUT, folder, partial=partial)
