"""The compiled loops give what numpy gives, and what is kept from the first pass is what a new one would find."""

import numpy as np
import pytest

from comitia import InputError, Predictions
from comitia import _kernels as kernels
from comitia._shards import CHUNK, Shard, classes_of
from comitia._threads import in_threads, loops, single_blas
from comitia._votes import certified_losses, ensemble_probabilities, probability_totals, vote_totals
from comitia.files import read_predictions
from comitia.statistics import measure, measure_with_part
from comitia.statistics.soft import margin_losses, sum_losses

compiled = pytest.mark.skipif(not kernels.AVAILABLE, reason="numba is not installed")


def rows(samples=500, classes=4, seed=0, dtype=np.float32):
    """Probabilities with many exact ties: multiples of 1/8 that sum to 1."""
    counts = np.random.default_rng(seed).multinomial(8, np.full(classes, 1 / classes), samples)
    return (counts / 8).astype(dtype)


def pack(members=6, samples=20_000, classes=5, seed=0):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(classes), (members, samples)).astype(np.float32)
    return probs, rng.integers(0, classes, samples)


@compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("classes", [2, 4, 300])
def test_classes_with_ties(dtype, classes):
    stored = rows(classes=classes, dtype=dtype)
    found = np.empty(len(stored), np.uint16)
    assert kernels.choose_classes(stored, 1e-3, found) == -1
    assert np.array_equal(found, stored.argmax(axis=1))


@compiled
@pytest.mark.parametrize("value", [np.nan, np.inf, -0.25, 2.0])
def test_the_first_row_that_is_no_distribution(value):
    stored = rows()
    stored[[7, 9], 1] = value
    assert kernels.choose_classes(stored, 1e-3, np.empty(len(stored), np.uint8)) == 7


@compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_margin_losses_to_the_last_bit(dtype):
    stored = np.random.default_rng(0).dirichlet(np.ones(6), 3000).astype(dtype)
    stored[0], stored[1] = 0, 0
    stored[0, 2] = 1 + 1e-4  # rounding may leave a probability a hair above 1
    labels = np.random.default_rng(1).integers(0, 6, 3000)
    labels[0], found = 2, np.empty(3000)
    kernels.margin_losses(stored, labels, found)
    assert np.array_equal(found, margin_losses(stored, labels))
    assert found[0] == 0.0


def test_large_and_small_packs_are_read_alike():
    """Above a size the compiled loops and several threads are used, below it numpy: the same bits."""
    probs, labels = pack()
    assert probs.size >= CHUNK
    whole = Predictions.from_arrays(probs=probs, labels=labels)
    parts = [slice(start, start + 2000) for start in range(0, 20_000, 2000)]
    small = [Predictions.from_arrays(probs=probs[:, part], labels=labels[part]) for part in parts]
    assert not small[0].shards[0].large
    assert np.array_equal(whole.votes(), np.concatenate([part.votes() for part in small], axis=1))
    joined = Predictions.concatenate(small)
    assert whole.fingerprint() == joined.fingerprint()
    one, other = measure(whole, "soft"), measure(joined, "soft")
    np.testing.assert_allclose(one.second, other.second, rtol=1e-13)
    assert np.array_equal(measure(whole).second, measure(joined).second)


def test_numpy_and_the_compiled_loops_read_alike(monkeypatch):
    """Without numba numpy reads; which of the two it was must not show."""
    from comitia import _checks, _votes
    from comitia.statistics import soft

    probs, labels = pack()
    found = Predictions.from_arrays(probs=probs, labels=labels)
    first = sum_losses(found)
    for module in (_checks, _votes, soft):
        monkeypatch.setattr(module, "loops", lambda stored, values=0: None)
    again = Predictions.from_arrays(probs=probs, labels=labels)
    assert np.array_equal(found.votes(), again.votes())
    assert np.array_equal(first.second, sum_losses(again).second)


def test_every_layout_gives_the_same_votes_and_losses():
    probs, labels = pack(members=3, samples=40_000)
    plain = Predictions.from_arrays(probs=probs, labels=labels)
    for other in (np.asfortranarray(probs), probs.astype(">f4"), probs[:, :, ::-1][:, :, ::-1]):
        found = Predictions.from_arrays(probs=other, labels=labels)
        assert np.array_equal(found.votes(), plain.votes())
        assert np.array_equal(sum_losses(found).first, sum_losses(plain).first)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("classes", [2, 5, 40])
def test_totals_are_those_of_a_product_of_matrices(vote, classes):
    probs, labels = pack(samples=30_000, classes=classes)
    weights = np.random.default_rng(2).dirichlet(np.ones(6))
    whole = Predictions.from_arrays(probs=probs, labels=labels)
    found = ensemble_probabilities(whole, weights, vote)
    if vote == "average":
        expected = probability_totals(probs, weights)
    else:
        one_hot = np.eye(classes)[probs.argmax(axis=2)]
        expected = np.einsum("m,mnc->nc", weights, one_hot)
    np.testing.assert_allclose(found, expected, atol=1e-14)
    part = whole.take(np.arange(0, 30_000, 7)).pick([4, 1])
    few = ensemble_probabilities(part, [0.5, 0.5], vote)
    again = Predictions.from_arrays(probs=probs[[4, 1], ::7], labels=labels[::7])
    np.testing.assert_allclose(few, ensemble_probabilities(again, [0.5, 0.5], vote), atol=1e-15)


def test_binary_probabilities_vote_as_two_classes():
    ones = np.random.default_rng(0).random((4, 100_000)).astype(np.float32)
    labels = np.random.default_rng(1).integers(0, 2, 100_000)
    both = np.stack([1 - ones, ones], axis=2)
    narrow = Predictions.from_arrays(probs=ones, labels=labels)
    wide = Predictions.from_arrays(probs=both, labels=labels)
    weights = [0.1, 0.2, 0.3, 0.4]
    assert np.array_equal(
        certified_losses(narrow, weights, "average"), certified_losses(wide, weights, "average")
    )


def test_one_table_of_votes_whatever_adds_them():
    votes = np.random.default_rng(0).integers(0, 5, (30, 20_000)).astype(np.uint8)
    weights = np.random.default_rng(1).dirichlet(np.ones(30), 2)
    two = vote_totals(votes, weights, 5)
    np.testing.assert_allclose(vote_totals(votes, weights[1], 5), two[1], atol=1e-15)


def test_all_samples_and_a_part_are_summed_in_one_pass():
    probs, labels = pack()
    whole = Predictions.from_arrays(probs=probs, labels=labels)
    part = np.sort(np.random.default_rng(3).permutation(20_000)[:3000])
    every, some = measure_with_part(whole, part)
    for found, expected in ((every, measure(whole, "soft")), (some, measure(whole.take(part), "soft"))):
        np.testing.assert_allclose(found.second, expected.second, rtol=1e-13)
        np.testing.assert_allclose(found.first, expected.first, rtol=1e-13)
        assert (found.first_samples, found.pair_samples) == (expected.first_samples, expected.pair_samples)


def test_a_file_is_hashed_as_it_is_checked(tmp_path):
    probs, labels = pack(members=3)
    np.savez(tmp_path / "pack.npz", probs=probs, labels=labels)
    stored = read_predictions(tmp_path / "pack.npz")
    assert stored.shards[0].known.digests is not None
    assert stored.fingerprint() == Predictions.from_arrays(probs=probs, labels=labels).fingerprint()
    some = stored.take(np.arange(100))
    assert (
        some.fingerprint() == Predictions.from_arrays(probs=probs[:, :100], labels=labels[:100]).fingerprint()
    )
    two = stored.pick([2, 0])
    assert two.fingerprint() == Predictions.from_arrays(probs=probs[[2, 0]], labels=labels).fingerprint()


def test_the_first_bad_member_is_named_whoever_finds_it_first():
    probs, labels = pack(members=40)
    probs[3, 11, 1] = np.nan
    probs[30:] = -1
    with pytest.raises(InputError, match="member 3, sample 11 holds NaN"):
        Predictions.from_arrays(probs=probs, labels=labels)


def test_votes_cannot_be_written_to():
    probs, labels = pack(members=2)
    with pytest.raises(ValueError, match="read-only"):
        Predictions.from_arrays(probs=probs, labels=labels).votes()[0, 0] = 1


def test_threads_keep_the_order():
    assert list(in_threads(lambda k: k * k, range(100), large=True)) == [k * k for k in range(100)]


def test_loops_take_contiguous_native_numbers_only():
    stored = rows()
    assert loops(stored, values=10**9) is loops(stored)
    assert loops(stored[:, ::2]) is None
    assert loops(stored.astype(">f4")) is None
    assert loops(stored.astype(np.float16)) is None
    assert (loops(stored) is not None) == kernels.AVAILABLE


def test_a_shard_without_a_first_pass_still_votes():
    stored = rows()[None]
    shard = Shard("probs", stored)
    assert np.array_equal(shard.votes(0, 500, 7)[0], classes_of("probs", stored[0], np.dtype("u1")))


def test_one_thread_of_linear_algebra_inside_and_as_before_outside():
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def counts():
        found = threadpoolctl.ThreadpoolController().select(user_api="blas").info()
        return {library["num_threads"] for library in found}

    before = counts()
    assert single_blas(counts)() == {1}
    assert counts() == before


def test_members_of_different_types_have_one_fingerprint(tmp_path):
    one, other = (pack(members=1, samples=50, seed=seed)[0][0] for seed in (0, 1))
    labels = pack(members=1, samples=50)[1]
    np.save(tmp_path / "a.npy", one)
    np.save(
        tmp_path / "b.npy", other.astype(np.float64) / other.astype(np.float64).sum(axis=1, keepdims=True)
    )
    np.save(tmp_path / "y.npy", labels)
    files = [tmp_path / "a.npy", tmp_path / "b.npy"]
    stored = read_predictions(files, labels=tmp_path / "y.npy")
    arrays = tuple(np.load(path) for path in files)
    again = Predictions.from_arrays(probs=arrays, labels=labels, names=["a", "b"])
    assert stored.fingerprint() == again.fingerprint() == stored.pick([0, 1]).fingerprint()
    assert stored.fingerprint() == stored.take(np.arange(50)).fingerprint()


def test_a_file_that_changes_while_it_is_used_is_noticed(tmp_path):
    from comitia import weigh

    probs, labels = pack(members=3, samples=400)
    np.savez(tmp_path / "pack.npz", probs=probs, labels=labels)
    stored = read_predictions(tmp_path / "pack.npz")
    np.savez(tmp_path / "other.npz", probs=probs[:, ::-1], labels=labels)
    content = (tmp_path / "other.npz").read_bytes()
    with (tmp_path / "pack.npz").open("r+b") as file:
        file.write(content)
    import os

    os.utime(tmp_path / "pack.npz", ns=(1, 1))
    with pytest.raises(InputError, match="pack.npz: changed while it was read"):
        weigh(stored, vote="average")


def test_wider_floats_than_float64_are_refused():
    wide = np.full((2, 10), 0.5, np.longdouble)
    if wide.dtype.itemsize > 8:
        with pytest.raises(InputError, match="is wider than float64"):
            Predictions.from_arrays(probs=wide)
