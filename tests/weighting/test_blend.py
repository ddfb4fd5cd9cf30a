"""`blend` against its formula by loops: fresh fits for every fold, tandem weights by a general-purpose solver."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.weighting import Evidence, choose
from comitia.weighting.places import places_from_end
from weighting_cases import predictions

STATES = {"run": [0, 0, 0, 1, 1, 1], "step": [5, 9, 7, 7, 5, 9]}


def tandem_by_bfgs(second, n, prior, delta=0.05):
    """The weights that minimise A + B + sqrt(B² + 2AB), as a softmax of free numbers."""

    def weights(free):
        shares = prior * np.exp(free - free.max())
        return shares / shares.sum()

    def bound(free):
        rho = weights(free)
        kl = sum(r * math.log(r / p) for r, p in zip(rho, prior) if r > 0)
        a, b = rho @ second @ rho, (2 * kl + math.log(2 * math.sqrt(n) / delta)) / n
        return a + b + math.sqrt(b * b + 2 * a * b)

    return weights(minimize(bound, np.zeros(len(prior)), options={"gtol": 1e-9}).x)


def answers(given, vote):
    """(M, n, C) what each member adds to each class."""
    if vote == "average":
        return next(given.blocks()).probs
    return np.eye(given.classes + 1)[given.votes()][:, :, : given.classes]


def margin(totals, label):
    return totals[label] - max(np.delete(totals, label))


def second_moments(given, vote, samples, units):
    """(M, M) the mean over groups of the mean of e_i·e_j within a group, of those samples."""
    shares = answers(given, vote)
    total = np.zeros((given.members, given.members))
    for j in samples:
        loss = np.array([(1 - margin(row, given.labels[j])) / 2 for row in shares[:, j]])
        total += np.outer(loss, loss) / (units == units[j]).sum()
    return total / len(set(units[samples].tolist()))


def fits(second, n, prior, steps):
    """The candidates in the words of the documents; steps None where each run has one state."""
    best = tandem_by_bfgs(second, n, prior)
    found = [prior, 0.5 * prior + 0.5 * best, best]
    if steps is None:
        return np.array(found)
    by_step = np.array([np.where(steps == s, prior, 0) / prior[steps == s].sum() for s in np.unique(steps)])
    count = len(by_step)
    last = np.array([0.5 / count] * (count - 1) + [0.5 + 0.5 / count])
    for over_steps in (np.full(count, 1 / count), last):
        w = tandem_by_bfgs(by_step @ second @ by_step.T, n, over_steps) @ by_step
        found += [w, 0.5 * w + 0.5 * best]
    return np.array([*found, *by_step])


def blended(given, vote, seed, prior=None, steps=None, units=None):
    """The mixture done again, sample by sample; `units` (n,) are the groups, numbered as they occur."""
    prior = np.full(given.members, 1 / given.members) if prior is None else np.asarray(prior)
    steps = None if steps is None else np.asarray(steps)
    units = np.arange(given.samples) if units is None else np.asarray(units)
    shares, score = answers(given, vote), 0.0
    for part in np.array_split(np.random.default_rng(seed).permutation(units.max() + 1), 5):
        held, rest = np.flatnonzero(np.isin(units, part)), np.flatnonzero(~np.isin(units, part))
        fitted = fits(second_moments(given, vote, rest, units), units.max() + 1 - len(part), prior, steps)
        for j in held:
            margins = np.array([margin(weights @ shares[:, j], given.labels[j]) for weights in fitted])
            score = score + ((margins <= 1e-9) + 1 / (1 + np.exp(margins / 0.3))) / (units == units[j]).sum()
    alpha = np.exp(-0.5 * score)
    every = second_moments(given, vote, np.arange(given.samples), units)
    return alpha @ fits(every, units.max() + 1, prior, steps) / alpha.sum()


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_the_mixture_is_that_of_the_formula(vote):
    given = predictions(5, 60, 3, seed=2)
    found = choose("blend", Evidence(given, vote=vote, random_state=3)).weights
    np.testing.assert_allclose(found, blended(given, vote, 3), atol=1e-5)
    assert np.ptp(found) > 0.01


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_runs_and_steps(vote):
    given = predictions(6, 50, 2, seed=4, **STATES)
    found = choose("blend", Evidence(given, vote=vote, random_state=1)).weights
    np.testing.assert_allclose(found, blended(given, vote, 1, steps=STATES["step"]), atol=1e-5)
    assert (
        np.abs(found - choose("blend", Evidence(predictions(6, 50, 2, seed=4), vote=vote)).weights).max()
        > 0.01
    )


def test_a_prior_takes_the_place_of_the_uniform_weights():
    prior = [0.4, 0.1, 0.1, 0.2, 0.1, 0.1]
    given = predictions(6, 50, 3, seed=5, **STATES)
    found = choose("blend", Evidence(given, prior=prior)).weights
    np.testing.assert_allclose(found, blended(given, "majority", 0, prior, STATES["step"]), atol=1e-5)


def test_members_of_prior_zero_take_no_part():
    given = predictions(6, 50, 3, seed=5, **STATES)
    found = choose("blend", Evidence(given, prior=[0.2, 0.2, 0, 0.2, 0.2, 0.2])).weights
    others = choose("blend", Evidence(given.pick([0, 1, 3, 4, 5]))).weights
    assert found[2] == 0
    np.testing.assert_allclose(np.delete(found, 2), others, atol=1e-9)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_groups_are_held_out_whole_and_count_as_one_draw(vote):
    units = np.repeat(np.arange(14), [1, 2, 3, 4, 5, 6, 7] * 2)
    given = predictions(4, 56, 3, seed=6, groups=units)
    found = choose("blend", Evidence(given, vote=vote, random_state=2)).weights
    np.testing.assert_allclose(found, blended(given, vote, 2, units=units), atol=1e-5)
    alone = choose("blend", Evidence(predictions(4, 56, 3, seed=6), vote=vote, random_state=2)).weights
    assert np.abs(found - alone).max() > 1e-3


def test_abstentions_add_to_no_class():
    """A vote that nobody answers is lost; the margin is of the weight of those who answer."""
    silent = np.random.default_rng(0).random((4, 60)) < 0.3
    silent[:, 0] = True
    given = predictions(4, 60, 3, seed=7, probs=False, abstained=silent)
    found = choose("blend", Evidence(given, random_state=4)).weights
    np.testing.assert_allclose(found, blended(given, "majority", 4), atol=1e-5)


def test_the_seed_draws_the_folds():
    given = predictions(5, 60, 3, seed=2)
    one, other = (choose("blend", Evidence(given, random_state=seed)).weights for seed in (0, 1))
    assert 1e-6 < np.abs(one - other).max() < 0.1


def test_places_are_counted_from_the_end_of_each_run():
    pack = Predictions.from_arrays(votes=[[0]] * 6, run=[3, 3, 3, 8, 8, 9], step=[30, 10, 20, 7, 4, 99])
    assert places_from_end(pack).tolist() == [0, 2, 1, 0, 1, 0]
    assert places_from_end(predictions(3, 5)).tolist() == [0, 0, 0]


def test_one_sample_compares_nothing():
    """All three candidates count alike: the prior's share is a half, that of tandem weights too."""
    given = predictions(4, 30, 3, seed=1).take([7])
    tandem = choose("tandem", Evidence(given)).weights
    np.testing.assert_allclose(choose("blend", Evidence(given)).weights, (0.25 + tandem) / 2, atol=1e-9)


def test_a_member_that_is_much_better_gets_most_of_the_weight():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 600)
    noise = rng.integers(0, 2, (6, 600))
    good = np.where(rng.random((1, 600)) < 0.02, 1 - labels, labels)
    given = Predictions.from_arrays(votes=np.concatenate([good, noise]), labels=labels)
    assert choose("blend", Evidence(given)).weights[0] > 0.7


def test_hold_outs_of_their_own_are_refused():
    mask = np.random.default_rng(0).random((5, 60)) < 0.7
    with pytest.raises(InputError, match="method: 'blend' scores members together"):
        choose("blend", Evidence(predictions(5, 60, 2, mask=mask)))
