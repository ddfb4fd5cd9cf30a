"""CIFAR-100 in its official binary version; the fine labels."""

from pathlib import Path

from comitia.data.cifar_binary import Layout, read_layout
from comitia.data.dataset import Dataset

LAYOUT = Layout(
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


def read(folder: str | Path | None = None) -> Dataset:
    """50,000 images to train and 10,000 to test, uint8 (n, 32, 32, 3), a hundred classes."""
    return read_layout(LAYOUT, folder, partial=False)
