"""Samples that are copies of each other are told from those that look alike by chance."""

import numpy as np
import pytest

from comitia._copies import in_common, marks, repeats, repeats_beyond, telling
from comitia._shards import Shard


def probs(samples=500, classes=3, members=12, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).dirichlet(np.ones(classes), (members, samples)).astype(dtype)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_marks_are_the_same_where_the_probabilities_are(dtype, quick):
    values = probs(dtype=dtype)
    order = np.random.default_rng(1).permutation(500)
    plain = marks([Shard("probs", values)], quick=quick)
    assert repeats(plain) == 0
    assert np.array_equal(marks([Shard("probs", values[:, order])], quick=quick), plain[order])
    halves = [Shard("probs", values, rows=np.arange(123)), Shard("probs", values[:, 123:])]
    assert np.array_equal(marks(halves, quick=quick), plain)
    wide = tuple(np.asfortranarray(rows.astype(">f8")) for rows in values.astype("f4"))
    assert np.array_equal(marks([Shard("probs", wide)], quick=quick), plain)


def test_marks_tell_samples_apart_by_any_member_and_class():
    values = np.repeat(probs(samples=1, classes=2), 30, axis=1)
    for k in range(12):
        values[k, k] = values[k, k, ::-1]
    values[[0, 1], 12] = values[[1, 0], 12]
    assert repeats(marks([Shard("probs", values)])) == 30 - 1 - 13


def test_marks_of_masked_samples_differ_by_the_mask():
    values = np.full((2, 2), 0.25)
    shard = Shard("binary", values, mask=np.array([[True, False], [False, True]]))
    assert repeats(marks([shard])) == 0


@pytest.mark.parametrize("kind", ["probs", "binary"])
def test_samples_tell_where_a_member_is_unsure(kind):
    first = np.array([[0.5, 0.995, 1.0, 0.001, 0.3], [1.0, 0.98, 0.0, 0.0, 0.0]])
    mask = np.ones((2, 5), bool)
    mask[0, 4] = False
    values = first if kind == "binary" else np.stack([1 - first, first], axis=-1)
    assert telling([Shard(kind, values, mask)]).tolist() == [True, True, False, False, False]


def drawn(seed, size, kinds):
    return np.random.default_rng(seed).integers(0, kinds, size).astype(np.uint64)


@pytest.mark.parametrize("size, kinds", [(500, 20), (500, 400), (500, 5000), (5000, 100_000)])
def test_draws_that_look_alike_are_no_copies(size, kinds):
    """However few kinds of samples there are, and however many more of them one set has."""
    for seed in range(20):
        one, other = drawn(seed, size, kinds), drawn(100 + seed, 10 * size, kinds)
        assert in_common(one, other) == in_common(other, one) == 0
        assert in_common(one, other[:size]) == 0
        assert repeats_beyond(other, one) == repeats_beyond(one, other) == 0


@pytest.mark.parametrize("copied", [50, 500])
def test_copies_are_counted_in_whatever_order(copied):
    one, fresh = drawn(0, 500, 2**62), drawn(1, 800, 2**62)
    other = np.concatenate([fresh, one[::-1][:copied]])
    assert in_common(one, other) == in_common(other, one) == copied
    assert in_common(one, np.repeat(other, 2)) == copied
    assert in_common(one, fresh) == 0
    assert repeats_beyond(np.concatenate([other, fresh[:copied]]), one) == copied
    assert repeats_beyond(other, one) == 0
    assert in_common(one[:0], other) == repeats_beyond(other, one[:0]) == 0
