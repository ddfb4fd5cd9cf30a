"""Columns of tables, and the numbering of their texts over many batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comitia.files.columns import Column, Vocabulary
from memory_table import column_of

CELLS = st.lists(st.one_of(st.none(), st.sampled_from(["cat", "dog", "emu", "fox"])), min_size=1, max_size=8)


@given(st.lists(CELLS, min_size=1, max_size=4))
def test_words_are_numbered_as_they_appear(batches):
    known, expected = Vocabulary(), {}
    for cells in batches:
        found = known.codes(column_of(cells))
        wanted = [-1 if cell is None else expected.setdefault(cell, len(expected)) for cell in cells]
        assert found.tolist() == wanted
        assert found.dtype == np.int32
    assert known.words == list(expected)
    assert len(known) == len(expected)


def test_numbers_are_spelled_alike_however_they_are_stored():
    known = Vocabulary()
    assert known.codes(Column(np.array([2, 1]))).tolist() == [0, 1]
    assert known.codes(Column(np.array([1.0, 2.5]))).tolist() == [1, 2]
    assert known.codes(column_of(["2", "1"])).tolist() == [0, 1]
    assert known.words == ["2", "1", "2.5"]


@pytest.mark.parametrize("words", [("b", "a"), ("a", "b", "c")])
def test_a_dictionary_that_stays_the_same_is_looked_up_once(words):
    known = Vocabulary()
    known.codes(column_of(["z"]))
    first = known.codes(Column(np.array([1, 1]), words))
    again = known.codes(Column(np.array([0, 1]), words))
    assert first.tolist() == [1, 1]
    assert again.tolist() == [2, 1]
    assert known.words == ["z", words[1], words[0]]


def test_words_that_no_cell_uses_are_not_numbered():
    known = Vocabulary()
    column = Column(np.array([0, 1]), ("never", "once"), np.array([True, False]))
    assert known.codes(column).tolist() == [-1, 0]
    assert known.words == ["once"]


def test_a_column_without_any_word():
    assert Vocabulary().codes(Column(np.zeros(2, int), (), np.ones(2, bool))).tolist() == [-1, -1]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_codes_by_bytes_are_the_codes_or_none(dtype: type) -> None:
    """They are given where all numbers were met before, and only there."""
    rng, known = np.random.default_rng(0), Vocabulary()
    for most, met in ((3, False), (3, True), (60, False), (60, True), (128, False)):
        column = Column(rng.permutation(np.arange(500) % most).astype(dtype))
        quick = known.codes_by_bytes(column)
        assert (quick is not None) == met
        if quick is not None:
            np.testing.assert_array_equal(quick, known.codes(column))
        known.codes(column)
    assert known.codes_by_bytes(Column(np.array([-1], np.int8))) is None
    assert known.codes_by_bytes(Column(np.array([0], dtype), missing=np.array([True]))) is None
