"""Scores against loops and scikit-learn, and against the votes that are deployed."""

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from comitia._predictions import Predictions
from comitia._votes import average, majority
from comitia.evaluation.scores import BINS, diversity, score


def _pack(classes: int, members: int = 4, samples: int = 333) -> tuple[Predictions, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(classes)
    labels = rng.integers(0, classes, samples)
    probs = rng.dirichlet(np.full(classes, 0.7), (members, samples))
    probs[:, np.arange(samples), labels] += 0.4
    probs /= probs.sum(axis=-1, keepdims=True)
    return Predictions.from_arrays(probs=probs, labels=labels), probs, labels


def _weights(ensembles: int, members: int) -> np.ndarray:
    return np.random.default_rng(9).dirichlet(np.ones(members), ensembles)


@pytest.mark.parametrize("classes", [2, 5])
def test_probabilistic_scores_are_those_of_loops(classes: int) -> None:
    pack, probs, labels = _pack(classes)
    weights = _weights(3, 4)
    found = score(pack, weights, "average")
    for e, rho in enumerate(weights):
        mean = sum(w * p for w, p in zip(rho, probs))
        truth = np.eye(classes)[labels]
        assert found.nll is not None
        assert found.brier is not None
        assert found.ece is not None
        assert found.nll[e] == pytest.approx(log_loss(labels, mean, labels=range(classes)))
        assert found.brier[e] == pytest.approx(np.mean([np.sum((p - t) ** 2) for p, t in zip(mean, truth)]))
        assert found.ece[e] == pytest.approx(_ece(mean, labels))
        if classes == 2:
            assert found.auroc is not None
            assert found.auroc[e] == pytest.approx(roc_auc_score(labels, mean[:, 1]))
    assert (found.auroc is None) == (classes > 2)


def _ece(mean: np.ndarray, labels: np.ndarray) -> float:
    total = 0.0
    for k in range(BINS):
        inside = [i for i, p in enumerate(mean) if k / BINS <= p.max() < (k + 1) / BINS]
        if inside:
            right = np.mean([mean[i].argmax() == labels[i] for i in inside])
            total += len(inside) / len(labels) * abs(right - np.mean([mean[i].max() for i in inside]))
    return total


@pytest.mark.parametrize("classes", [2, 5])
def test_classes_are_those_of_the_deployed_votes(classes: int) -> None:
    pack, probs, labels = _pack(classes)
    weights = np.vstack([_weights(3, 4), np.full(4, 0.25)])  # uniform weights tie often
    by_average, by_majority = score(pack, weights, "average"), score(pack, weights, "majority")
    for e, rho in enumerate(weights):
        assert np.array_equal(by_average.correct[e], average(probs, rho) == labels)
        assert np.array_equal(by_majority.correct[e], majority(probs.argmax(-1), rho, classes) == labels)


def test_majority_has_no_probabilistic_score() -> None:
    found = score(_pack(2)[0], _weights(2, 4), "majority")
    assert (found.nll, found.brier, found.ece, found.auroc) == (None, None, None, None)


def test_auroc_counts_ties_one_half_and_needs_both_classes() -> None:
    tied = Predictions.from_arrays(probs=[[0.3, 0.3, 0.9, 0.1]], labels=[0, 1, 1, 0])
    found = score(tied, np.ones((1, 1)), "average").auroc
    assert found is not None
    assert found[0] == pytest.approx((4 - 0.5) / 4)
    one = Predictions.from_arrays(probs=[[0.3, 0.9]], labels=[1, 1])
    assert score(one, np.ones((1, 1)), "average").auroc is None


def test_a_confident_error_stays_finite() -> None:
    sure = Predictions.from_arrays(probs=[[1.0, 0.0]], labels=[0, 0])
    found = score(sure, np.ones((1, 1)), "average").nll
    assert found is not None
    assert found[0] == pytest.approx(-np.log(1e-12) / 2)


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    pack, _, _ = _pack(5)
    whole = score(pack, _weights(3, 4), "average")
    monkeypatch.setattr("comitia.evaluation.scores.PRODUCT", 3 * 5 * 7)
    parts = score(pack, _weights(3, 4), "average")
    assert np.array_equal(whole.correct, parts.correct)
    assert whole.ece is not None
    assert parts.ece is not None
    assert whole.ece == pytest.approx(parts.ece)


def test_confidence_at_the_edge_of_a_bin_belongs_to_the_bin_above() -> None:
    """15 members that vote with certainty: confidences are k/15, the edges themselves, in any order of the sum."""
    rng = np.random.default_rng(0)
    votes = (rng.random((15, 400)) < rng.random(400)).astype(int)
    labels = rng.integers(0, 2, 400)
    pack = Predictions.from_arrays(probs=votes.astype(float), labels=labels)
    found = score(pack, np.full((1, 15), 1 / 15), "average").ece
    wins = np.maximum(votes.sum(axis=0), 15 - votes.sum(axis=0))  # of 15: the exact bin, 15 in the last
    right = (votes.sum(axis=0) > 7) == labels
    bins = np.minimum(wins, 14)
    wanted = sum(abs(right[bins == b].sum() - (wins[bins == b] / 15).sum()) for b in range(15)) / 400
    assert found is not None
    assert found[0] == pytest.approx(wanted)


@pytest.mark.parametrize("classes", [2, 9, 40, 64, 65, 150])
def test_diversity_counts_the_classes_that_get_a_vote(classes: int) -> None:
    rng = np.random.default_rng(classes)
    votes = rng.integers(0, classes, (6, 70))
    votes[:, 0] = classes - 1
    pack = Predictions.from_arrays(votes=votes, labels=rng.permutation(np.resize(np.arange(classes), 70)))
    chosen = np.array([[True] * 6, [False] * 5 + [True], [True, False] * 3, [True] * 6])
    given = pack.classes
    wanted = [np.mean([len(set(votes[own, i])) / given for i in range(70)]) for own in chosen]
    assert diversity(pack, chosen) == pytest.approx(wanted)
