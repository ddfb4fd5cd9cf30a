"""Reading of stored samples: arg-max in the stored precision, bounded pieces, memory given back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia._shards import (
    Shard,
    class_rows,
    classes_of,
    smallest_unsigned,
    spans,
)


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.sampled_from(["f2", "f4", "f8"]))
@settings(max_examples=40, deadline=None)
def test_the_first_largest_class_is_chosen(seed, classes, dtype):
    # A coarse grid makes ties common.
    stored = np.random.default_rng(seed).integers(0, 4, (3, 7, classes)).astype(dtype)
    chosen = classes_of("probs", stored, smallest_unsigned(classes))
    expected = [[max(range(classes), key=lambda c, row=row: (row[c], -c)) for row in rows] for rows in stored]
    assert chosen.tolist() == expected


def test_more_than_256_classes_are_told_apart():
    stored = np.zeros((1, 300))
    stored[0, 299] = 1
    assert classes_of("probs", stored, smallest_unsigned(300)).tolist() == [299]


def test_binary_class_1_needs_more_than_half():
    assert classes_of("binary", np.array([0.5, 0.500001, 0.2]), np.dtype("u1")).tolist() == [0, 1, 0]


@pytest.mark.parametrize("classes, name", [(2, "uint8"), (256, "uint8"), (257, "uint16"), (65_536, "uint16")])
def test_smallest_unsigned_holds_all_classes(classes, name):
    assert smallest_unsigned(classes) == np.dtype(name)


def test_spans_cover_everything_once():
    assert [k for start, stop in spans(10, 3) for k in range(start, stop)] == list(range(10))


def test_pieces_stay_small_however_many_members():
    shard = Shard("probs", np.broadcast_to(np.float32(0.001), (500, 3000, 1000)))
    assert all((stop - start) * 500 * 1000 <= 2**24 for start, stop in shard.spans(8192))


@pytest.mark.parametrize("shape", [(1, 4), (5, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_class_rows_are_never_the_stored_ones(shape, order):
    stored = np.array(np.random.default_rng(0).random(shape), order=order)
    rows = class_rows(stored)
    assert np.array_equal(rows, stored.T)
    assert rows.flags.c_contiguous
    assert rows.flags.writeable
    assert not np.shares_memory(rows, stored)


def test_release_keeps_what_a_copy_on_write_map_holds(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 5000)))
    written = np.load(tmp_path / "a.npy", mmap_mode="c")
    written[1, 3] = 1
    shard = Shard("votes", np.asarray(written))
    shard.release()
    assert shard.piece(0, 5000)[1, 3] == 1


def test_a_released_map_reads_the_same_again(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(20_000).reshape(2, -1))
    shard = Shard("votes", np.load(tmp_path / "a.npy", mmap_mode="r"))
    before = shard.piece(0, 10_000)
    shard.release()
    assert np.array_equal(shard.piece(0, 10_000), before)
