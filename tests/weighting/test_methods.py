"""Each method against an oracle of its own."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from comitia import bounds, weigh
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._votes import certified_losses
from comitia.statistics import measure
from comitia.weighting import Evidence, choose
from weighting_cases import predictions


def softmax(u):
    return np.exp(u - u.max()) / np.exp(u - u.max()).sum()


def kl(rho, prior):
    return float(sum(r * math.log(r / p) for r, p in zip(rho, prior, strict=True) if r > 0))


def descend(objective, members, starts=4):
    """The lowest value a general solver finds in softmax coordinates."""
    rng = np.random.default_rng(0)
    return min(
        minimize(
            lambda u: objective(softmax(u)), rng.standard_normal(members) * s, method="BFGS", tol=1e-10
        ).fun
        for s in (0.0, 0.5, 1.0, 2.0)[:starts]
    )


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_best_errs_least(vote):
    given = predictions(8, 200, 3, seed=2)
    found = choose("best", Evidence(given, vote=vote))
    risks = [(given.votes()[i] != given.labels).mean() for i in range(8)]
    assert found.weights.argmax() == int(np.argmin(risks))
    assert sorted(found.weights.tolist()) == [0.0] * 7 + [1.0]


def test_best_of_equals_is_the_first():
    same = Predictions.from_arrays(votes=[[1, 1, 0], [0, 0, 0], [0, 1, 1]], labels=[0, 0, 0])
    assert choose("best", Evidence(same)).weights.tolist() == [0, 1, 0]
    tied = Predictions.from_arrays(votes=[[1, 1, 0], [0, 0, 1], [1, 0, 0]], labels=[0, 0, 0])
    assert choose("best", Evidence(tied)).weights.tolist() == [0, 1, 0]


def earliest_best(risks, run, step):
    """One state per run by a loop: the fewest errors, then the earliest step."""
    chosen = [0.0] * len(run)
    for one in set(run):
        states = [i for i in range(len(run)) if run[i] == one]
        chosen[min(states, key=lambda i: (risks[i], step[i]))] = 1 / len(set(run))
    return chosen


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("seed", range(4))
def test_early_stopping_takes_the_best_state_of_each_run(seed, vote):
    rng = np.random.default_rng(seed)
    run, step = [7, 3, 3, 7, 5, 7, 3, 7], [2, 9, 4, 1, 6, 8, 1, 3]
    # few samples, so that states of a run often err equally often
    given = predictions(8, 12, 3, seed=seed, run=run, step=step, mask=rng.random((8, 12)) < 0.8)
    found = choose("early-stopping", Evidence(given, vote=vote))
    mask, wrong = given.mask(), given.votes() != given.labels
    risks = [wrong[i, mask[i]].sum() / mask[i].sum() for i in range(8)]
    assert found.weights.tolist() == pytest.approx(earliest_best(risks, run, step))
    assert found.counts.sum() == 3
    assert found.samples == mask.sum(axis=1).min()


def test_early_stopping_of_equals_is_the_earliest_step():
    votes = [[0, 1], [0, 1], [1, 0], [0, 0], [1, 1]]
    given = Predictions.from_arrays(votes=votes, labels=[0, 0], run=[1, 1, 1, 2, 2], step=[3, 2, 4, 1, 2])
    assert choose("early-stopping", Evidence(given)).counts.tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({}, "have no run and step; give run and step of each member, or use best"),
        ({"run": [1, 1, 2]}, "have no step; give step of each member, or use best"),
        ({"run": [1, 2, 3], "step": [1, 2, 3]}, "every run has a single one here; give several states"),
    ],
)
def test_early_stopping_needs_states_to_choose_from(states, message):
    given = Predictions.from_arrays(votes=[[0], [1], [1]], labels=[0], **states)
    with pytest.raises(InputError, match=f"^method: 'early-stopping' chooses one state per run.*{message}"):
        choose("early-stopping", Evidence(given))


def test_early_stopping_can_be_paid_for_by_its_counts():
    given = predictions(6, 400, 2, seed=4, run=[1, 1, 1, 2, 2, 2], step=[1, 2, 3] * 2)
    found = weigh(given, method="early-stopping", certify_fraction=0)
    (occam,) = [c for c in found.certification.certificates if c.name == "occam"]
    assert occam.inputs["counts"] == found.weighting.counts.tolist()
    assert sum(occam.inputs["counts"]) == 2


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_first_order_minimises_its_bound(vote):
    given = predictions(4, 150, 3, seed=5)
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    found = choose("first-order", Evidence(given, vote=vote, delta=0.1, prior=prior))
    s = measure(given, "hard" if vote == "majority" else "soft")
    lowest = descend(lambda r: bounds.first_order_lambda(s.gibbs(r), kl(r, prior), 150, 0.1), 4)
    assert found.bound == pytest.approx(lowest, abs=1e-8)
    here = bounds.first_order_lambda(s.gibbs(found.weights), kl(found.weights, prior), 150, 0.1, found.lam)
    assert found.bound == pytest.approx(here, abs=1e-12)
    assert found.kl == pytest.approx(kl(found.weights, prior), abs=1e-12)


def test_tandem_uses_the_loss_of_the_vote():
    given = predictions(5, 200, 3, seed=6)
    for vote, loss in (("majority", "hard"), ("average", "soft")):
        found = choose("tandem", Evidence(given, vote=vote))
        s = measure(given, loss)
        here = bounds.tandem_lambda(
            s.tandem(found.weights), kl(found.weights, np.full(5, 0.2)), 200, 0.05, found.lam
        )
        assert found.bound == pytest.approx(here, abs=1e-10)
        assert found.gap <= 1e-8


def relaxed_cantelli(s, rho, prior, delta):
    """The relaxed bound at its best (lambda, gamma, mu), by brute force over mu."""
    k = kl(rho, prior)
    n, m = s.pair_samples, s.first_samples
    b, c = (2 * k + math.log(4 * math.sqrt(n) / delta)) / n, (k + math.log(4 * math.sqrt(m) / delta)) / m
    t, g = s.tandem(rho), s.gibbs(rho)
    second = t + b + math.sqrt(b * b + 2 * t * b)
    low, high = max(0.0, g - math.sqrt(2 * g * c)), g + c + math.sqrt(c * c + 2 * g * c)
    mus = np.concatenate([-np.geomspace(1e-4, 20, 400), np.linspace(0, 0.499, 400)])
    return float(np.min((second - 2 * mus * np.where(mus >= 0, low, high) + mus**2) / (0.5 - mus) ** 2))


@pytest.mark.parametrize(("seed", "skill"), [(1, 0.0), (2, 1.5)])
def test_cantelli_minimises_its_bound(seed, skill):
    rng = np.random.default_rng(seed)
    wrong = rng.random((4, 3000)) < np.array([0.05, 0.06, 0.05, 0.1])[:, None] * (
        1 + skill * rng.random(3000)
    )
    given = Predictions.from_arrays(votes=wrong.astype(int), labels=np.zeros(3000, dtype=int))
    prior = np.array([0.3, 0.3, 0.2, 0.2])
    found = choose("cantelli", Evidence(given, prior=prior))
    s = measure(given)
    assert found.bound == pytest.approx(relaxed_cantelli(s, found.weights, prior, 0.05), rel=1e-3)
    rng = np.random.default_rng(0)
    tried = [rng.dirichlet(np.full(4, a)) for a in (1, 5, 30) for _ in range(150)]
    assert found.bound <= min(relaxed_cantelli(s, r, prior, 0.05) for r in tried) + 1e-6
    certified = bounds.cantelli(s.gibbs(found.weights), s.tandem(found.weights), found.kl, 3000, 3000, 0.05)
    assert certified <= found.bound + 1e-9


def relaxed_disagreement(risks, differ, rho, prior, n, m, delta):
    k = kl(rho, prior)
    g, d = float(rho @ risks), float(rho @ differ @ rho)
    b, c = (k + math.log(4 * math.sqrt(n) / delta)) / n, (2 * k + math.log(4 * math.sqrt(m) / delta)) / m
    return 4 * (g + b + math.sqrt(b * b + 2 * g * b)) - 2 * max(d - math.sqrt(2 * d * c), -c / 2)


@pytest.mark.parametrize("extra", [0, 5000])
def test_disagreement_minimises_its_bound(extra):
    whole = predictions(4, 600 + extra, 2, seed=8)
    given = whole.take(np.arange(600))
    unlabelled = whole.take(np.arange(600, 600 + extra)) if extra else None
    if unlabelled is not None:
        unlabelled = Predictions.from_arrays(votes=unlabelled.votes())
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    found = choose("disagreement", Evidence(given, prior=prior, unlabelled=unlabelled))
    votes = whole.votes()
    differ = np.array([[(a != b).mean() for b in votes] for a in votes])
    risks = (given.votes() != given.labels).mean(1)

    def objective(r):
        return relaxed_disagreement(risks, differ, r, prior, 600, 600 + extra, 0.05)

    assert found.bound == pytest.approx(objective(found.weights), abs=1e-9)
    assert found.bound == pytest.approx(descend(objective, 4), abs=1e-7)


def test_disagreement_wants_the_same_members_unlabelled():
    with pytest.raises(InputError, match="unlabelled: must hold the same 4 members, got 3"):
        choose("disagreement", Evidence(predictions(4, 50, 2), unlabelled=predictions(3, 50, 2)))


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_greedy_is_no_worse_than_its_start_and_its_count_is_right(vote):
    given = predictions(7, 150, 3, seed=4)
    found = choose("greedy", Evidence(given, vote=vote))
    losses = certified_losses(given, found.weights, vote).sum()
    singles = [certified_losses(given, np.eye(7)[i], vote).sum() for i in range(7)]
    assert losses <= min(singles)
    order = np.argsort(singles, kind="stable")
    tops = [certified_losses(given, np.bincount(order[:k], minlength=7) / k, vote).sum() for k in range(1, 8)]
    assert losses <= min(tops) + 1
    assert 1 <= found.counts.sum() <= 50


def test_greedy_finds_three_that_complement_one_another():
    """Each errs on a third, together never; a fourth is as good alone and no help."""
    wrong = np.zeros((4, 90), dtype=int)
    for i in range(3):
        wrong[i, 30 * i : 30 * i + 30] = 1
    wrong[3, 15:45] = 1
    given = Predictions.from_arrays(votes=wrong, labels=np.zeros(90, dtype=int))
    found = choose("greedy", Evidence(given))
    assert certified_losses(given, found.weights).sum() == 0
    assert found.counts[:3].min() > 0


def test_greedy_beats_brute_force_over_small_multisets_by_little():
    given = predictions(4, 120, 3, seed=9)
    found = choose("greedy", Evidence(given, vote="average"))
    least = min(
        certified_losses(given, np.bincount(m, minlength=4) / len(m), "average").sum()
        for k in (1, 2, 3, 4)
        for m in itertools.combinations_with_replacement(range(4), k)
    )
    assert certified_losses(given, found.weights, "average").sum() <= least + 1


def test_greedy_on_a_part_of_the_samples(monkeypatch):
    import sys

    monkeypatch.setattr(sys.modules["comitia.weighting.greedy"], "VALUES", 6 * 3 * 60)
    evidence = Evidence(predictions(6, 400, 3, seed=3), random_state=1)
    found, again = choose("greedy", evidence), choose("greedy", evidence)
    assert np.array_equal(found.counts, again.counts)


def test_likelihood_is_the_product_of_probabilities():
    given = predictions(4, 12, 3, seed=2)
    probs = next(iter(given.blocks())).probs
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    products = [prior[i] * math.prod(probs[i, j, y] for j, y in enumerate(given.labels)) for i in range(4)]
    found = choose("likelihood", Evidence(given, prior=prior))
    np.testing.assert_allclose(found.weights, np.array(products) / sum(products), rtol=1e-10)


def test_likelihood_survives_zero_probabilities_and_many_samples():
    probs = np.array([np.tile([1.0, 0.0], 3000), np.full(6000, 0.6)])
    found = choose(
        "likelihood", Evidence(Predictions.from_arrays(probs=probs, labels=np.ones(6000, dtype=int)))
    )
    np.testing.assert_allclose(found.weights, [0, 1])
