"""`auto` against its folds done again by loops, and evidence without some of its samples."""

import math

import numpy as np
import pytest

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._votes import certified_losses, ensemble_probabilities
from comitia.statistics import measure
from comitia.weighting import Evidence, choose
from comitia.weighting.auto import candidates_for, winner
from comitia.weighting.folds import less, restricted, with_statistics, without
from weighting_cases import predictions


def one_good_member(samples):
    """Five members that guess, and one that is nearly always right and never sure: only `best` and its like find it."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, samples)
    probs = np.where(rng.random((6, samples)) < 0.5, 0.01, 0.99)
    probs[2] = np.where(rng.random(samples) < 0.02, 1 - labels, labels) * 0.04 + 0.48
    return Predictions.from_arrays(
        probs=probs, labels=labels, run=[0, 0, 0, 1, 1, 1], step=[1, 2, 3, 1, 2, 3]
    )


@pytest.mark.parametrize("clear", [False, True])
def test_auto_takes_the_blend_or_a_candidate_that_is_clearly_better(clear):
    """The folds, fits and losses done again by loops over fresh evidence."""
    given = predictions(6, 120, 2, seed=11, run=[0, 0, 0, 1, 1, 1], step=[1, 2, 3, 1, 2, 3])
    given = one_good_member(120) if clear else given
    evidence = Evidence(given, vote="average", random_state=5)
    candidates = candidates_for(evidence)
    folds = np.array_split(np.random.default_rng(5).permutation(120), 5)
    lost, smooth = np.zeros((len(candidates), 120), dtype=bool), np.zeros(len(candidates))
    for k, candidate in enumerate(candidates):
        for held in folds:
            rest = np.array(sorted(set(range(120)) - set(held.tolist())))
            fit = candidate.weigh(Evidence(given.take(rest), vote="average", random_state=5)).weights
            lost[k, np.sort(held)] = certified_losses(given.take(np.sort(held)), fit, "average")
            for j in held:
                shares = ensemble_probabilities(given.take([j]), fit, "average")[0]
                margin = shares[given.labels[j]] - max(np.delete(shares, given.labels[j]))
                smooth[k] += 1 / (1 + math.exp(margin / 0.1)) / 120
    found = choose("auto", evidence)
    names = [candidate.name for candidate in candidates]
    better = [
        k for k, row in enumerate(lost) if lost[0].sum() - row.sum() > 2.6 * math.sqrt((row != lost[0]).sum())
    ]
    assert bool(better) == clear
    if clear:
        fewest = lost[min(better, key=lambda k: lost[k].sum())]
        near = [
            k for k in better if lost[k].sum() - fewest.sum() <= 0.5 * math.sqrt((lost[k] != fewest).sum())
        ]
    assert found.chosen == (names[min(near, key=lambda k: round(smooth[k], 9))] if clear else "blend")
    again = candidates[names.index(found.chosen)].weigh(evidence)
    np.testing.assert_allclose(found.weights, again.weights, atol=1e-9)


def test_the_first_wins_unless_another_is_clearly_better():
    """Thirty errors against four and five: those two are near-ties, and the smoother candidate wins.

    Thirty against nineteen others is a difference of 11, and 2.6 standard deviations are 18.
    """
    lost = np.zeros((4, 100), dtype=bool)
    lost[0, :30] = True
    lost[1, 40:44] = True
    lost[2, 50:55] = True
    lost[3, 60:79] = True
    assert winner(lost, np.array([0.1, 0.3, 0.2, 0.0])) == 2
    assert winner(lost, np.array([0.1, 0.2, 0.3, 0.0])) == 1
    assert winner(lost, np.array([0.1, 0.2, 0.2, 0.0])) == 1
    assert winner(lost[[0, 3]], np.array([0.1, 0.0])) == 0
    assert winner(lost[[3, 1]], np.array([0.1, 0.2])) == 1
    assert winner(lost[[1, 2]], np.array([0.2, 0.1])) == 0


def test_the_candidates_of_auto():
    plain = [c.name for c in candidates_for(Evidence(predictions(4, 50, 3, probs=False)))]
    assert plain == ["blend", "uniform", "best", "tandem", "first-order", "cantelli", "greedy"]
    runs = predictions(4, 50, 2, run=[0, 0, 1, 1], step=[1, 2, 1, 2])
    full = [c.name for c in candidates_for(Evidence(runs, vote="average"))]
    assert full == [
        "blend", "uniform-last", "uniform", "best", "tandem-last", "tandem", "tandem-hard",
        "first-order", "cantelli", "disagreement", "greedy", "likelihood",
    ]  # fmt: skip


def test_candidates_on_the_last_states_leave_the_others_out():
    runs = predictions(4, 80, 3, run=[0, 0, 1, 1], step=[1, 2, 2, 1])
    for candidate in candidates_for(Evidence(runs)):
        if candidate.name.endswith("-last"):
            weights = candidate.weigh(Evidence(runs)).weights
            assert weights[[0, 3]].tolist() == [0, 0]
            assert weights.sum() == pytest.approx(1)


def test_auto_prefers_the_last_states_where_the_early_ones_are_noise():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    good = np.where(rng.random((5, 400)) < 0.25, 1 - labels, labels)
    noise = rng.integers(0, 2, (20, 400))
    votes = np.concatenate([good, noise])
    run, step = np.tile(np.arange(5), 5), np.repeat([9, 1, 2, 3, 4], 5)
    given = Predictions.from_arrays(votes=votes, labels=labels, run=run, step=step)
    found = choose("auto", Evidence(given))
    assert found.weights[:5].sum() > 0.9


def test_auto_needs_two_samples():
    with pytest.raises(InputError, match="'auto' needs 2 samples or more"):
        choose("auto", Evidence(predictions(3, 1)))


@pytest.mark.parametrize("loss", ["hard", "soft"])
def test_statistics_of_the_rest_by_subtraction(loss):
    given = predictions(4, 100, 3, seed=1)
    held = np.arange(0, 100, 3)
    rest = np.setdiff1d(np.arange(100), held)
    ours, direct = (
        less(measure(given, loss), measure(given.take(held), loss)),
        measure(given.take(rest), loss),
    )
    np.testing.assert_allclose(ours.first, direct.first, rtol=1e-12)
    np.testing.assert_allclose(ours.second, direct.second, rtol=1e-12)
    assert (ours.first_samples, ours.pair_samples) == (len(rest), len(rest))
    if loss == "hard":
        assert np.array_equal(ours.second, direct.second)
        assert np.array_equal(ours.disagreement, direct.disagreement)


def test_evidence_without_samples_and_of_some_members():
    evidence = with_statistics(Evidence(predictions(4, 60, 3), vote="average", prior=[0.1, 0.2, 0.3, 0.4]))
    fewer = without(evidence, np.arange(10))
    assert fewer.predictions.samples == 50
    np.testing.assert_allclose(fewer.statistics.second, measure(fewer.predictions, "soft").second, rtol=1e-12)
    some = restricted(evidence, np.array([1, 3]))
    np.testing.assert_allclose(some.pi, [1 / 3, 2 / 3])
    np.testing.assert_allclose(some.statistics.first, measure(some.predictions, "soft").first, rtol=1e-12)
