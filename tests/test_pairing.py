"""The certificate `unlabelled`: pairs against loops, when it is given and designated, and what a file of it says."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from comitia import Ensemble, Predictions, certify, verify, weigh
from comitia._errors import InputError
from comitia._pairing import assignment
from comitia.bounds import digital_paired
from simulated import simulated

WEIGHTS = np.array([0.31, 0.23, 0.19, 0.13, 0.09, 0.05])


def doubtful(samples: int, seed: int, *, labels: bool = True) -> Predictions:
    """Members that err on a fifth of the samples, mostly where they are in doubt."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, samples)
    hard = rng.beta(0.4, 0.8, (1, samples, 1))
    logits = 3 * (1 - hard) * np.eye(3)[truth] + rng.normal(size=(6, samples, 3)) * 0.7
    logits = logits + hard * rng.normal(size=(1, samples, 3))
    probs = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    return Predictions.from_arrays(probs=probs, labels=truth if labels else None)


PACK, EXTRA = doubtful(900, 1), doubtful(6000, 2, labels=False)


def scores_and_losses(pack, weights, vote):
    """(n,) doubt and (n,) loss of the vote, sample by sample; no loss without labels."""
    scores, losses = [], []
    for j in range(pack.samples):
        if vote == "average":
            totals = sum(w * p for w, p in zip(weights, next(pack.take([j]).blocks()).probs[:, 0]))
        else:
            totals = np.array([weights[pack.votes()[:, j] == c].sum() for c in range(pack.classes)])
        scores.append(round((1 - max(totals)) * 2**20) / 2**20)
        if pack.labels is not None:
            y = pack.labels[j]
            losses.append(totals[y] <= max(np.delete(totals, y)) + 1e-9)
    return np.array(scores), np.array(losses)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_the_certificate_is_the_digital_bound_of_the_pairs(vote: str) -> None:
    pack, extra = PACK.take(np.arange(150)), EXTRA.take(np.arange(310))
    kept = np.arange(20, 120)
    found = certify(pack, WEIGHTS, vote=vote, chosen_on="part", certifying=kept, unlabelled=extra, seed=5)
    given = next(c for c in found.certificates if c.name == "unlabelled")
    scores, losses = scores_and_losses(pack, WEIGHTS, vote)
    rng = np.random.default_rng([5, 1])
    order, others = rng.permutation(100), rng.permutation(310)[:300].reshape(100, 3)
    further, _ = scores_and_losses(extra, WEIGHTS, vote)
    assert given.risk == digital_paired(losses[20:120][order], scores[20:120][order], further[others], 0.05)
    assert given.inputs["kappa"] == 3
    assert given.inputs["errors"] == losses[20:120].sum()
    weighing = np.r_[0:20, 120:150]
    assert given.inputs["foreseen_errors"] == pytest.approx(100 * losses[weighing].mean())
    r2 = np.corrcoef(losses[weighing], scores[weighing])[0, 1] ** 2
    assert given.inputs["foreseen_r2"] == pytest.approx(max(0, 1 - (1 - r2) * 49 / 48))


def test_no_sample_is_paired_twice_and_labels_decide_nothing() -> None:
    for labelled, unlabelled in ((7, 7), (10, 39), (100, 1000)):
        order, others = assignment(labelled, unlabelled, seed=3)
        assert sorted(order.tolist()) == list(range(labelled))
        assert others.shape == (labelled, unlabelled // labelled)
        assert len(set(others.ravel().tolist())) == others.size
    assert not np.array_equal(assignment(50, 90, 0)[0], assignment(50, 90, 1)[0])


def test_the_promise_names_both_draws() -> None:
    ensemble = weigh(PACK, unlabelled=EXTRA, vote="average")
    assert ensemble.best.name == "unlabelled"
    n = ensemble.split.certifying
    drawn = f"over the draw of {n:,} hold-out samples and {n * (6000 // n):,} unlabelled ones"
    assert drawn in ensemble.best.promise
    assert "the unlabelled samples are further independent draws" in ensemble.best.assumption
    assert ensemble.certification.compared == 1
    assert {c.name for c in ensemble.certification.certificates} >= {"split", "unlabelled"}


def test_fixed_weights_foresee_nothing_and_holdout_is_designated() -> None:
    ensemble = weigh(PACK, method="uniform", unlabelled=EXTRA)
    assert ensemble.best.name == "holdout"
    given = next(c for c in ensemble.certification.certificates if c.name == "unlabelled")
    assert given.samples == 900
    assert given.inputs["foreseen_r2"] is None


def test_samples_apart_foresee() -> None:
    apart = doubtful(800, 3)
    ensemble = weigh(PACK, certify=apart, unlabelled=EXTRA, vote="average")
    assert ensemble.best.name == "unlabelled"
    assert ensemble.best.inputs["n"] == 800
    assert verify(ensemble, PACK, certify=apart, unlabelled=EXTRA).holds
    with pytest.raises(InputError, match="unlabelled: 50 samples are also labelled"):
        weigh(PACK, certify=apart, unlabelled=replace(PACK.take(np.arange(50)), labels=None))


REASONS = {
    "chose": ({"method": "disagreement"}, "may have had a part in the choice of the weights"),
    "outside": ({"method": lambda evidence: np.full(6, 1 / 6)}, "may have had a part in the choice of the"),
    "all": ({"certify_fraction": 0}, "all samples chose the weights"),
    "few": ({"certify_fraction": 0.5}, "as many unlabelled samples as certifying ones, got 200 for 450"),
    "votes": ({"vote": "average"}, "the average vote needs probabilities, the unlabelled samples have votes"),
}


@pytest.mark.parametrize("case", REASONS)
def test_why_it_is_not_given(case: str) -> None:
    asked, why = REASONS[case]
    pack = simulated(samples=900, classes=2, seed=1)
    extra = simulated(
        samples=200 if case == "few" else 2000, classes=2, seed=2, labels=False, votes=case == "votes"
    )
    found = weigh(pack, unlabelled=extra, **asked).certification
    assert "unlabelled" not in {c.name for c in found.certificates}
    assert why in next(row.why for row in found.unavailable if row.name == "unlabelled")


def test_unlabelled_samples_of_each_member_alone() -> None:
    extra = simulated(samples=2000, classes=2, seed=2, votes=True, masked=True)
    found = weigh(simulated(samples=400, classes=2, seed=1, votes=True), unlabelled=extra).certification
    why = next(row.why for row in found.unavailable if row.name == "unlabelled")
    assert why.startswith("each member has its own unlabelled samples")


def test_without_unlabelled_samples_nothing_is_said() -> None:
    found = weigh(PACK).certification
    assert "unlabelled" not in {row.name for row in (*found.certificates, *found.unavailable)}


def test_members_that_abstain() -> None:
    silent = np.random.default_rng(0).random((6, 900)) < 0.2
    silent[:, 3] = True
    pack = simulated(samples=900, seed=1, votes=True)
    shy = Predictions.from_arrays(votes=pack.votes(), labels=pack.labels, abstained=silent)
    ensemble = weigh(shy, unlabelled=simulated(samples=5000, seed=2, votes=True, labels=False))
    assert verify(ensemble, shy, unlabelled=simulated(samples=5000, seed=2, votes=True, labels=False)).holds
    assert "unlabelled" in {c.name for c in ensemble.certification.certificates}


def test_the_file_is_small_and_holds_up() -> None:
    ensemble = weigh(PACK, unlabelled=EXTRA, vote="average")
    text = json.dumps(ensemble.to_json())
    assert len(text) < 20_000
    assert verify(Ensemble.from_json(text), PACK, unlabelled=EXTRA).holds


def forged(key: str, value: float) -> dict:
    record = weigh(PACK, unlabelled=EXTRA, vote="average").to_json()
    for found in (record["best"], *(c for c in record["certificates"] if c["name"] == "unlabelled")):
        if key == "risk":
            found["risk"] += value
        else:
            found["inputs"][key] = value
    return record


@pytest.mark.parametrize(
    ("key", "value"), [("risk", -0.001), ("kappa", 9), ("adjusted", 0.05), ("errors", 3)]
)
def test_verify_computes_it_again(key: str, value: float) -> None:
    found = verify(Ensemble.from_json(json.dumps(forged(key, value)), faults=False), PACK, unlabelled=EXTRA)
    assert {row.name for row in found.rows if not row.holds} >= {"unlabelled", "best"}


def test_a_risk_below_its_own_numbers_is_refused_when_read() -> None:
    with pytest.raises(InputError, match="certificate unlabelled states .* it was edited"):
        Ensemble.from_json(json.dumps(forged("risk", -0.5 * weigh(PACK, unlabelled=EXTRA).best.risk)))


def test_a_designation_against_the_rule_is_refused_when_read() -> None:
    for key, value in product(("foreseen_r2", "foreseen_errors"), (0.0,)):
        with pytest.raises(
            InputError, match="best: 'unlabelled' is not what the rule for unlabelled samples"
        ):
            Ensemble.from_json(json.dumps(forged(key, value)))
    record = weigh(PACK, unlabelled=EXTRA, vote="average").to_json()
    split = next(c for c in record["certificates"] if c["name"] == "split")
    with pytest.raises(InputError, match="best: 'split' is not what the rule for unlabelled samples"):
        Ensemble.from_json(json.dumps({**record, "best": {**split, "compared": 1}}))
