"""Votes against loops, and the certified loss against the deployed rule."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._votes import (
    average,
    certified_losses,
    deployed_classes,
    ensemble_probabilities,
    majority,
    vote_totals,
)
from weighting_cases import predictions


def loop_totals(columns, weights):
    """Totals of one sample, class by class: columns[i] is the class-value row of member i."""
    return [sum(w * row[c] for w, row in zip(weights, columns, strict=True)) for c in range(len(columns[0]))]


def loop_winner(totals):
    for label, total in enumerate(totals):
        if total >= max(totals) - 1e-9:
            return label
    raise AssertionError


def loop_loss(totals, label):
    return not all(totals[label] - total > 1e-9 for c, total in enumerate(totals) if c != label)


@settings(max_examples=40, deadline=None)
@given(members=st.integers(1, 7), classes=st.integers(2, 5), seed=st.integers(0, 10**6), whole=st.booleans())
def test_both_votes_against_loops(members, classes, seed, whole):
    given = predictions(members, 30, classes, seed)
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, members) + (np.arange(members) == 0)
    rho = counts / counts.sum() if whole else rng.dirichlet(np.ones(members))
    votes, probs = given.votes(), next(iter(given.blocks())).probs
    for vote, values in (("majority", np.eye(classes)[votes]), ("average", probs)):
        totals = [loop_totals(values[:, j], rho) for j in range(30)]
        classes_of = [loop_winner(row) for row in totals]
        losses = [loop_loss(row, label) for row, label in zip(totals, given.labels, strict=True)]
        assert deployed_classes(given, rho, vote).tolist() == classes_of
        assert certified_losses(given, rho, vote).tolist() == losses
        np.testing.assert_allclose(ensemble_probabilities(given, rho, vote), totals, atol=1e-12)
        wrong = np.array(classes_of) != given.labels
        assert (certified_losses(given, rho, vote) >= wrong).all()
    assert majority(votes, rho, classes).tolist() == deployed_classes(given, rho, "majority").tolist()
    assert average(probs, rho).tolist() == deployed_classes(given, rho, "average").tolist()


def test_a_tie_goes_to_the_lowest_class_and_is_a_certified_loss():
    two = Predictions.from_arrays(votes=[[0, 2], [1, 1]], labels=[0, 1])
    assert deployed_classes(two, [0.5, 0.5]).tolist() == [0, 1]
    assert certified_losses(two, [0.5, 0.5]).tolist() == [True, True]


def test_totals_that_differ_by_rounding_alone_are_tied():
    tenth = [0.1, 0.2, 0.3, 0.4]
    four = Predictions.from_arrays(votes=[[1], [1], [0], [2]], labels=[0])
    assert 0.1 + 0.2 > 0.3
    assert deployed_classes(four, tenth, "majority").tolist() == [2]
    three = Predictions.from_arrays(votes=[[1], [1], [0]], labels=[0])
    assert deployed_classes(three, np.array([0.1, 0.2, 0.3]) / 0.6).tolist() == [0]


def test_a_tie_between_two_wrong_classes_is_no_certified_loss_of_the_right_one():
    five = Predictions.from_arrays(votes=[[2], [2], [2], [0], [1]], labels=[2])
    assert certified_losses(five, np.full(5, 0.2)).tolist() == [False]


def test_binary_probabilities_of_one_class():
    probs = np.array([[0.2, 0.9, 0.6], [0.4, 0.3, 0.4]])
    assert average(probs, [0.5, 0.5]).tolist() == [0, 1, 0]


def test_members_without_weight_are_not_read():
    class Forbidden(np.ndarray):
        def __getitem__(self, _key):
            raise AssertionError("read")

    given = predictions(3, 40)
    shard = given.shards[0]
    poisoned = (*(np.asarray(v) for v in shard.values[:2]), np.asarray(shard.values[2]).view(Forbidden))
    locked = replace(given, shards=(replace(shard, values=poisoned),))
    assert certified_losses(locked, [0.5, 0.5, 0.0], "average").shape == (40,)
    with pytest.raises(AssertionError, match="read"):
        certified_losses(locked, [0.4, 0.5, 0.1], "average")


@pytest.mark.parametrize(
    ("change", "weights", "vote", "message"),
    [
        ({}, [0.5, 0.5], "median", "vote: 'median' is not one of majority, average"),
        ({"probs": False}, [0.5, 0.5], "average", "vote: 'average' needs probabilities"),
        (
            {"mask": np.eye(2, 300, dtype=bool)},
            [0.5, 0.5],
            "majority",
            "mask: members have hold-out samples of their own",
        ),
    ],
)
def test_votes_that_cannot_be_taken(change, weights, vote, message):
    with pytest.raises(InputError, match=message):
        certified_losses(predictions(2, 300, **change), weights, vote)


def test_losses_need_labels():
    with pytest.raises(InputError, match="labels: losses cannot be measured without them"):
        certified_losses(Predictions.from_arrays(votes=[[0, 1]]), [1.0])


@pytest.mark.parametrize("classes", [31, 32, 33, 40, 10_000])
@pytest.mark.parametrize("rows", [None, 1, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint64, np.float64])
def test_totals_of_many_classes_against_a_loop(classes, rows, dtype):
    rng = np.random.default_rng(classes)
    votes = rng.integers(0, min(classes, 256), (6, 20)).astype(dtype)
    votes[:, 19] = min(classes, 256) - 1
    weights = rng.dirichlet(np.ones(6), rows)
    expected = np.zeros((len(np.atleast_2d(weights)), 20, classes))
    for k, row in enumerate(np.atleast_2d(weights)):
        for i in range(6):
            for j in range(20):
                expected[k, j, int(votes[i, j])] += row[i]
    found = vote_totals(votes, weights, classes)
    assert found.shape == ((20, classes) if rows is None else (rows, 20, classes))
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-15)


def test_ties_are_decided_alike_for_few_and_many_classes():
    rng = np.random.default_rng(0)
    votes, rho = rng.integers(0, 4, (10, 500)), np.full(10, 0.1)
    few, many = (Predictions.from_arrays(votes=votes, labels=votes[0], classes=c) for c in (4, 1000))
    assert np.array_equal(deployed_classes(few, rho), deployed_classes(many, rho))
    assert np.array_equal(certified_losses(few, rho), certified_losses(many, rho))


@pytest.mark.parametrize("votes, odd", [([[0, 3]], 3), ([[0, -1]], -1)])
def test_votes_for_unknown_classes_are_refused(votes, odd):
    with pytest.raises(InputError, match=f"votes: must be classes 0 to 2, got {odd}; give the number of all"):
        majority(np.array(votes), [1.0], 3)
