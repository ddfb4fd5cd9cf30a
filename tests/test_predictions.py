"""Predictions: what they say of themselves, how they are walked, taken, picked, joined and hashed."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comitia._predictions
import comitia._shards
from comitia._errors import InputError
from comitia._predictions import Predictions


def softmax(seed, members=4, samples=50, classes=3, dtype=np.float32):
    logits = np.random.default_rng(seed).normal(0, 2, (members, samples, classes))
    probs = np.exp(logits)
    return (probs / probs.sum(-1, keepdims=True)).astype(dtype)


def some(seed=0, kind="probs", masked=False, samples=50):
    rng = np.random.default_rng(seed)
    probs = softmax(seed, samples=samples)
    values = {"probs": probs, "binary": probs[..., 0], "votes": probs.argmax(-1)}[kind]
    mask = rng.random((4, samples)) < 0.6 if masked else None
    labels = rng.integers(0, 2, samples)
    return Predictions.from_arrays(
        **{"votes" if kind == "votes" else "probs": values},
        labels=labels,
        mask=mask,
        run=[1, 1, 2, 2],
        step=[5, 9, 9, 5],
    )


@pytest.mark.parametrize("module", [comitia._predictions, comitia._shards])
def test_examples(module):
    assert doctest.testmod(module).failed == 0


def test_what_predictions_say_of_themselves():
    predictions = some()
    assert (predictions.members, predictions.samples, predictions.classes) == (4, 50, 3)
    assert predictions.has_probs
    assert predictions.shared
    assert predictions.labels.dtype == np.int64
    assert predictions.names[1] == "run 1, step 9"
    assert predictions.last().tolist() == [1, 2]
    assert predictions.mask() is None


def test_names_are_numbers_where_runs_and_steps_repeat_or_lack():
    votes = [[0, 1], [1, 1]]
    assert Predictions.from_arrays(votes=votes, run=[3, 3]).names == ("member 0", "member 1")
    assert Predictions.from_arrays(votes=votes, run=[3, 4]).names == ("run 3", "run 4")
    assert Predictions.from_arrays(votes=votes).last().tolist() == [0, 1]


def test_numbers_are_no_names():
    votes = [[0, 1], [1, 1]]
    assert not Predictions.from_arrays(votes=votes).named
    assert not Predictions.from_arrays(votes=votes, run=[3, 3]).named
    assert not Predictions.from_arrays(votes=votes).pick([1]).named
    assert Predictions.from_arrays(votes=votes, run=[3, 4]).take([0]).named
    assert Predictions.from_arrays(votes=votes, names=["member 0", "member 1"]).named


def nameless(*picked):
    return Predictions.from_arrays(votes=np.zeros((5, 2), int)).pick(picked)


def called(*names):
    return Predictions.from_arrays(votes=np.zeros((len(names), 2), int), names=names)


@pytest.mark.parametrize(
    "here, names, by_order",
    [
        (called("a", "b"), ("b", "a"), False),
        (called("a", "b"), ("member 0", "member 1"), True),
        (called("member 0", "member 1"), ("a", "b"), True),
        (called("member 0", "b"), ("b", "member 0"), False),
        (nameless(0, 1), ("a", "b"), True),
        (nameless(0, 1), ("member 1", "member 0"), True),
        (nameless(2, 4), ("member 2", "member 4"), True),
        (nameless(2, 4), ("member 0", "member 1"), True),
    ],
)
def test_members_stand_by_order_where_one_side_has_numbers_only(here, names, by_order):
    assert here.stands_by_order(names) is by_order


@pytest.mark.parametrize("here", [nameless(1, 0, 2), called("member 1", "member 0", "member 2")])
def test_the_same_numbers_in_another_order_are_refused(here):
    with pytest.raises(
        InputError, match="names: expected 'member 0', got 'member 1'; numbered members are matched by order"
    ):
        here.stands_by_order(("member 0", "member 1", "member 2"))


def test_classes_of_votes_come_from_votes_and_labels():
    assert Predictions.from_arrays(votes=[[0, 0]], labels=[0, 4]).classes == 5
    assert Predictions.from_arrays(votes=[[0, 0]]).classes == 2
    assert Predictions.from_arrays(votes=[[0, 0]], classes=7).classes == 7


def test_an_all_true_mask_is_a_shared_hold_out():
    votes, labels = [[0, 1], [1, 1]], [0, 1]
    masked = Predictions.from_arrays(votes=votes, labels=labels, mask=np.ones((2, 2), bool))
    assert masked.shared
    assert masked.fingerprint() == Predictions.from_arrays(votes=votes, labels=labels).fingerprint()


@pytest.mark.parametrize("kind", ["probs", "binary", "votes"])
@pytest.mark.parametrize("masked", [False, True])
def test_blocks_walk_all_samples_in_order(kind, masked):
    predictions = some(kind=kind, masked=masked)
    blocks = list(predictions.blocks(7))
    assert [block.start for block in blocks] == list(range(0, 50, 7))
    assert np.array_equal(np.concatenate([block.votes for block in blocks], axis=1), predictions.votes())
    assert np.array_equal(np.concatenate([block.labels for block in blocks]), predictions.labels)
    if kind == "votes":
        assert blocks[0].probs is None
    else:
        probs = np.concatenate([block.probs for block in blocks], axis=1)
        kept = np.ones((4, 50), bool) if predictions.mask() is None else predictions.mask()
        assert probs.dtype == np.float64
        assert probs.sum(-1) == pytest.approx(kept.astype(float), abs=1e-6)
    if masked:
        assert np.array_equal(np.concatenate([block.mask for block in blocks], axis=1), predictions.mask())


def test_binary_probabilities_become_two_classes():
    block = next(Predictions.from_arrays(probs=[[0.25, 0.75]]).blocks())
    assert block.probs.tolist() == [[[0.75, 0.25], [0.25, 0.75]]]
    assert block.votes.tolist() == [[0, 1]]


def test_probabilities_never_exceed_one_inside():
    probs = np.array([[[1.0005, 0.0]]], dtype=np.float32)
    assert next(Predictions.from_arrays(probs=probs).blocks()).probs.max() == 1.0


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_take_and_pick_are_plain_indexing_of_any_sharding(data):
    whole = some(
        kind=data.draw(st.sampled_from(["probs", "binary", "votes"])), masked=data.draw(st.booleans())
    )
    cut = data.draw(st.integers(1, 49))
    joined = Predictions.concatenate([whole.take(np.arange(cut)), whole.take(np.arange(cut, 50))])
    samples = np.array(sorted(data.draw(st.sets(st.integers(0, 49), min_size=1))))
    members = np.array(data.draw(st.lists(st.integers(0, 3), min_size=1, unique=True)))
    part = joined.take(samples).pick(members)
    assert np.array_equal(part.votes(), whole.votes()[np.ix_(members, samples)])
    assert np.array_equal(part.labels, whole.labels[samples])
    assert part.names == tuple(whole.names[i] for i in members)
    assert part.run.tolist() == whole.run[members].tolist()
    if whole.mask() is not None:
        assert np.array_equal(part.mask(), whole.mask()[np.ix_(members, samples)])
    assert joined.fingerprint() == whole.fingerprint()
    assert part.fingerprint() == whole.pick(members).take(samples).fingerprint()


@pytest.mark.parametrize("masked", [False, True])
def test_taking_twice_is_taking_once(masked):
    whole = some(masked=masked)
    twice = whole.take(np.arange(10, 40)).take([0, 5, 29])
    assert twice.fingerprint() == whole.take([10, 15, 39]).fingerprint()


def test_fingerprint_sees_every_part():
    base = {"votes": np.array([[0, 1, 2], [1, 1, 0]]), "labels": np.array([0, 1, 2])}
    mask = np.array([[True, True, False], [True, True, True]])
    changes = [
        {},
        {"votes": np.array([[0, 1, 2], [1, 1, 1]])},
        {"votes": np.array([[1, 1, 0], [0, 1, 2]])},
        {"labels": np.array([0, 1, 1])},
        {"labels": None},
        {"mask": mask},
        {"mask": mask[:, [1, 2, 0]]},
    ]
    prints = [Predictions.from_arrays(**(base | change)).fingerprint() for change in changes]
    assert len(set(prints)) == len(prints)
    assert all(len(text) == 64 for text in prints)


def test_fingerprint_of_votes_does_not_depend_on_their_type():
    votes = np.array([[0, 1, 2], [1, 1, 0]])
    prints = {Predictions.from_arrays(votes=votes.astype(t)).fingerprint() for t in ("u1", "i8", ">i4", "f8")}
    assert len(prints) == 1


def test_one_array_a_member_is_the_same_as_one_array():
    probs = softmax(3)
    parts = Predictions.from_arrays(probs=tuple(probs))
    assert parts.fingerprint() == Predictions.from_arrays(probs=probs).fingerprint()


DIFFERENT = {
    "members": ({"votes": [[0, 1]]}, "differ in members: 2 and 1"),
    "kind": ({"probs": [[0.5, 0.1]] * 2}, "differ in kind: votes and binary"),
    "names": ({"votes": [[0, 1]] * 2, "names": ["a", "c"]}, "differ in names: b and c"),
    "run": ({"votes": [[0, 1]] * 2, "names": ["a", "b"], "run": [1, 2]}, "differ in run"),
    "labels": (
        {"votes": [[0, 1]] * 2, "names": ["a", "b"], "labels": None},
        "differ in labels: present and abs",
    ),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_shards_of_different_members_are_refused(case):
    other, message = DIFFERENT[case]
    first = Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1], names=["a", "b"])
    with pytest.raises(InputError, match=message):
        Predictions.concatenate([first, Predictions.from_arrays(**({"labels": [0, 1]} | other))])
    with pytest.raises(InputError, match="at least one"):
        Predictions.concatenate([])


def test_picking_nobody_or_a_stranger_is_refused():
    for members in ([], [4], [-1]):
        with pytest.raises(InputError, match="positions 0 to 3"):
            some().pick(members)


def test_arguments_are_not_changed():
    probs = softmax(1)
    before = probs.copy()
    predictions = Predictions.from_arrays(probs=probs, labels=np.zeros(50, int))
    list(predictions.blocks(9))
    predictions.votes()
    assert np.array_equal(probs, before)
