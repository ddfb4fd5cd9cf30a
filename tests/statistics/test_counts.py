"""Counts agree with loops over samples, and counts of shards add up."""

import doctest
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comitia.statistics.bits
import comitia.statistics.counts
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.statistics import co_errors, count


def loops(votes, labels, mask):
    """The six counts, a sample and a pair at a time."""
    members = len(votes)
    both, differ, common, own = (np.zeros((members, members), int) for _ in range(4))
    for i in range(members):
        for j in range(members):
            for k, label in enumerate(labels):
                if mask[i][k] and mask[j][k]:
                    common[i, j] += 1
                    own[i, j] += votes[i][k] != label
                    both[i, j] += votes[i][k] != label and votes[j][k] != label
                    differ[i, j] += votes[i][k] != votes[j][k]
    return both, differ, common, own


@pytest.mark.parametrize("module", [comitia.statistics.bits, comitia.statistics.counts])
def test_examples(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("masked", [False, True])
@given(st.integers(1, 6), st.integers(1, 90), st.sampled_from([2, 3, 10, 300]), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_counts_agree_with_loops(masked, members, samples, classes, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, samples)
    votes = np.where(
        rng.random((members, samples)) < 0.5, labels, rng.integers(0, classes, (members, samples))
    )
    mask = (rng.random((members, samples)) < 0.7) if masked else np.ones((members, samples), bool)
    mask[:, 0] = True
    counts = count(Predictions.from_arrays(votes=votes, labels=labels, mask=mask))
    both, differ, common, own = loops(votes.tolist(), labels.tolist(), mask.tolist())
    assert np.array_equal(counts.co_errors, both)
    assert np.array_equal(counts.disagreements, differ)

    assert np.array_equal(counts.samples, common.diagonal())
    assert np.array_equal(counts.errors, both.diagonal())
    if not mask.all():
        assert np.array_equal(counts.pair_samples, common)
        assert np.array_equal(counts.pair_errors, own)


@pytest.mark.parametrize("kind", ["shared", "masked", "mixed"])
def test_counts_of_shards_add_up(kind):
    rng = np.random.default_rng(2)
    labels, votes = rng.integers(0, 4, 300), rng.integers(0, 4, (5, 300))
    mask = rng.random((5, 300)) < 0.6
    mask[:, :100] |= kind == "mixed"
    mask |= kind == "shared"
    whole = Predictions.from_arrays(votes=votes, labels=labels, mask=mask)
    parts = [
        Predictions.from_arrays(votes=votes[:, a:b], labels=labels[a:b], mask=mask[:, a:b], classes=4)
        for a, b in ((0, 100), (100, 171), (171, 300))
    ]
    summed = count(parts[0]) + count(parts[1]) + count(parts[2])
    joined = count(Predictions.concatenate(parts))
    for name in ("errors", "samples", "co_errors", "disagreements", "pair_samples", "pair_errors"):
        expected = getattr(count(whole), name)
        assert np.array_equal(getattr(summed, name), expected), name
        assert np.array_equal(getattr(joined, name), expected), name


def test_counts_are_the_same_in_small_pieces(monkeypatch):
    rng = np.random.default_rng(3)
    probs = rng.dirichlet([1, 1, 1], (4, 1000))
    predictions = Predictions.from_arrays(probs=probs, labels=rng.integers(0, 3, 1000))
    expected = count(predictions)
    monkeypatch.setattr("comitia.statistics.counts.GATHERED", 1)
    monkeypatch.setattr("comitia._shards.CHUNK", 1)
    pieces = count(predictions)
    assert np.array_equal(pieces.co_errors, expected.co_errors)
    assert np.array_equal(pieces.disagreements, expected.disagreements)


@pytest.mark.parametrize("errors", [np.zeros((2, 3)), np.zeros(3, bool)])
def test_co_errors_wants_a_bool_matrix(errors):
    with pytest.raises(InputError, match="errors: must be bool of shape"):
        co_errors(errors)


def test_labels_are_needed():
    with pytest.raises(InputError, match="labels: losses cannot be measured without them"):
        count(Predictions.from_arrays(votes=[[0, 1]]))


@pytest.mark.parametrize("classes", [3, 255, 256, 257])
def test_counts_with_abstentions_agree_with_loops_in_shards_too(classes):
    """With 256 classes and no answer as one more, a shard in which all answer is stored in fewer bits."""
    rng = np.random.default_rng(classes)
    labels, votes = rng.integers(0, classes, 80), rng.integers(0, classes, (3, 80))
    votes[:2] = np.where(rng.random((2, 80)) < 0.5, labels, votes[:2])
    silent = rng.random((3, 80)) < 0.3
    silent[:, 40:] = False
    parts = [
        Predictions.from_arrays(
            votes=votes[:, half], labels=labels[half], abstained=silent[:, half], classes=classes
        )
        for half in (slice(0, 40), slice(40, 80))
    ]
    counts = count(Predictions.concatenate(parts))
    said = np.where(silent, classes, votes)
    both, differ, _, _ = loops(said.tolist(), labels.tolist(), np.ones((3, 80), bool).tolist())
    assert np.array_equal(counts.co_errors, both)
    assert np.array_equal(counts.disagreements, differ)


@pytest.mark.parametrize("masked", [False, True])
@given(st.integers(1, 5), st.integers(2, 90), st.sampled_from([2, 4]), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_silences_agree_with_loops(masked, members, samples, classes, seed):
    """Both wrong, both silent, and silences of i where j has a sample too, a sample and a pair at a time."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, samples)
    votes = rng.integers(0, classes, (members, samples))
    mask = (rng.random((members, samples)) < 0.7) if masked else np.ones((members, samples), bool)
    silent = rng.random((members, samples)) < 0.3
    mask[:, :2], silent[:, 0], silent[:, 1] = True, False, True
    counts = count(Predictions.from_arrays(votes=votes, labels=labels, mask=mask, abstained=silent))
    wrong = np.where(silent, False, votes != labels)
    for i in range(members):
        for j in range(members):
            cells = [k for k in range(samples) if mask[i][k] and mask[j][k]]
            assert counts.co_mistakes[i, j] == sum(bool(wrong[i][k] and wrong[j][k]) for k in cells)
            assert counts.co_silences[i, j] == sum(bool(silent[i][k] and silent[j][k]) for k in cells)
            errs = [wrong[i][k] or silent[i][k] for k in cells], [wrong[j][k] or silent[j][k] for k in cells]
            assert counts.co_errors[i, j] == sum(bool(a and b) for a, b in zip(*errs))
            said = [[-1 if silent[m][k] else votes[m][k] for k in cells] for m in (i, j)]
            assert counts.disagreements[i, j] == sum(a != b for a, b in zip(*said))
            if not mask.all():
                assert counts.pair_silences[i, j] == sum(bool(silent[i][k]) for k in cells)
                assert counts.pair_errors[i, j] == sum(map(bool, errs[0]))
    assert np.array_equal(counts.silences, (silent & mask).sum(axis=1))


@pytest.mark.parametrize(
    "kinds", [("plain", "silent"), ("masked", "silent"), ("both", "plain"), ("both", "both")]
)
def test_counts_of_unlike_shards_add_up(kinds):
    rng = np.random.default_rng(5)
    labels, votes = rng.integers(0, 3, 200), rng.integers(0, 3, (4, 200))
    mask, silent = np.ones((4, 200), bool), np.zeros((4, 200), bool)
    for kind, where in zip(kinds, (slice(0, 80), slice(80, 200))):
        if kind in ("masked", "both"):
            mask[:, where] = rng.random(mask[:, where].shape) < 0.7
        if kind in ("silent", "both"):
            silent[:, where] = rng.random(mask[:, where].shape) < 0.3
    whole = {"votes": votes, "mask": mask, "abstained": silent}
    parts = [
        Predictions.from_arrays(
            **{key: array[:, where] for key, array in whole.items()}, labels=labels[where], classes=3
        )
        for where in (slice(0, 80), slice(80, 200))
    ]
    summed, expected = (
        count(parts[0]) + count(parts[1]),
        count(Predictions.from_arrays(**whole, labels=labels)),
    )
    for entry in fields(expected):
        assert np.array_equal(getattr(summed, entry.name), getattr(expected, entry.name)), entry.name


def test_what_says_nothing_is_left_out():
    """A part of masked, abstaining samples may be hold-out for all members, and answered by all."""
    mask, silent = np.ones((2, 6), bool), np.zeros((2, 6), bool)
    mask[0, :2], silent[1, 2] = False, True
    pack = Predictions.from_arrays(votes=np.eye(2, 6, dtype=int), labels=[0] * 6, mask=mask, abstained=silent)
    assert count(pack).pair_silences is not None
    plain = count(pack.take([3, 4, 5]))
    assert {entry.name for entry in fields(plain) if getattr(plain, entry.name) is None} == {
        *("pair_samples", "pair_errors", "co_mistakes", "co_silences", "pair_silences")
    }
    assert count(pack.take([2, 3])).pair_samples is None
    assert count(pack.take([0, 3])).co_silences is None


def test_picked_counts_are_those_of_the_picked_members():
    rng = np.random.default_rng(6)
    pack = Predictions.from_arrays(
        votes=rng.integers(0, 3, (4, 99)), labels=rng.integers(0, 3, 99), mask=rng.random((4, 99)) < 0.8,
        abstained=rng.random((4, 99)) < 0.2,
    )  # fmt: skip
    picked, direct = count(pack).pick(np.array([2, 0])), count(pack.pick([2, 0]))
    for entry in fields(direct):
        assert np.array_equal(getattr(picked, entry.name), getattr(direct, entry.name)), entry.name
