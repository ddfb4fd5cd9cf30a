"""Parquet and Arrow files whose bytes lie, and arrays of odd shapes: found by the attack, each one line now."""

from pathlib import Path

import numpy as np
import pytest

from comitia import Predictions, read_predictions
from comitia._errors import InputError

arrow = pytest.importorskip("pyarrow")


def feather(path: Path, **columns: object) -> bytes:
    from pyarrow import feather as files

    files.write_feather(arrow.table(columns), path, compression="uncompressed")
    return path.read_bytes()


def test_offsets_beyond_the_data_do_not_end_the_process(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    whole = feather(path, a=["cat", "dog"] * 8, label=["cat", "dog"] * 8)
    offsets = np.arange(0, 51, 3, dtype="<i4").tobytes()
    assert offsets in whole
    lying = np.array([0, *[2**30] * 16], "<i4").tobytes()
    path.write_bytes(whole.replace(offsets, lying))
    with pytest.raises(InputError, match=r"a\.arrow: is not a whole Parquet or Arrow file"):
        read_predictions(path)


def test_texts_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    whole = feather(path, a=["cat", "dog"] * 8, label=["cat", "dog"] * 8)
    path.write_bytes(whole.replace(b"catdog", b"c\x99tdog"))
    with pytest.raises(InputError, match=r"a\.arrow: is not a whole Parquet or Arrow file"):
        read_predictions(path)


def test_half_precision_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    labels = np.tile([0, 1], 20)
    feather(path, a=labels.astype(np.float16), label=labels)
    assert read_predictions(path).votes().tolist() == [labels.tolist()]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"votes": [["a", "b"]], "labels": [["a"], ["b"]]}, "labels: must have shape"),
        ({"probs": [[0.5, 0.5]], "labels": [["a"], ["b"]]}, "labels: must have shape"),
        (
            {"votes": [[0, 1]], "labels": [0, 1], "ids": np.zeros(2, "V8")},
            "ids: must be texts or whole numbers",
        ),
    ],
)
def test_arrays_of_odd_shapes(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Predictions.from_arrays(**given)  # type: ignore[arg-type]


def test_steps_beyond_64_bits() -> None:
    with pytest.raises(InputError, match=r"step: 1e\+30 is beyond the whole numbers of 64 bits"):
        Predictions.from_arrays(votes=[[0, 1]], labels=[0, 1], step=[1e30])


@pytest.mark.parametrize("said", [2, 5])
def test_a_table_with_other_rows_than_it_says_is_refused(said: int) -> None:
    """What is missing would be whatever memory held before."""
    import pyarrow

    from comitia.files.arrow import ArrowTable

    batch = pyarrow.record_batch({"a": [0, 1, 0]})
    table = ArrowTable("t.parquet", batch.schema, said, lambda columns, size: iter([batch]))
    with pytest.raises(InputError, match=rf"is said to have {said} rows and has 3; write it again"):
        list(table.batches(["a"]))
