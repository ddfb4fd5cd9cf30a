"""Further promises of `weigh`: which samples choose and certify, what a threshold leaves valid, what is refused."""

import json

import numpy as np
import pytest

from comitia import Ensemble, InputError, Predictions, certify, predict, verify, weigh
from comitia._votes import certified_losses
from comitia.bounds import clopper_pearson, digital
from comitia.promises.order import drawn, key_of
from comitia.promises.threshold import threshold_on
from promises.problems import COSTS, clinic

ALL = {"per": ["class", "predicted", "site"], "target_risk": 0.05, "costs": COSTS}
WAYS = {
    "split": {},
    "uniform": {"method": "uniform"},
    "given": {"method": "given", "weights": [0.4, 0.3, 0.1, 0.1, 0.1]},
    "chosen threshold": {"threshold": "cost=5:1"},
    "fixed threshold, uniform": {"method": "uniform", "threshold": 0.3},
    "greedy": {"method": "greedy", "certify_fraction": 0.6, "seed": 5},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("votes", [True, False])
def test_what_is_written_reads_back_and_verifies(way: str, votes: bool) -> None:
    pack = clinic(votes=votes)
    found = weigh(pack, vote="majority" if votes else "average", **{**ALL, "target_risk": 0.1}, **WAYS[way])
    read = Ensemble.from_json(json.dumps(found.to_json()))
    assert (read.promises, read.unpromised) == (found.promises, found.unpromised)
    assert (read.asked, read.decision) == (found.asked, found.decision)
    rows = verify(read, pack)
    assert rows.holds, [row for row in rows.rows if not row.holds]
    # a rule that samples choose needs some to choose it, whatever the weights are
    assert found.chosen_on == "part"


def test_no_sample_chooses_a_fixed_threshold() -> None:
    found = weigh(clinic(), vote="average", method="uniform", threshold=0.3, per="class")
    assert found.chosen_on == "nothing"
    assert found.best.name == "holdout"
    assert found.decision.threshold == 0.3


def test_a_threshold_leaves_what_counts_errors() -> None:
    pack = clinic()
    found = weigh(pack, vote="average", threshold="sensitivity=.95", seed=2)
    kept = np.sort(np.random.default_rng(2).permutation(2000)[: found.split.certifying])
    rest = np.setdiff1d(np.arange(2000), kept)
    assert [c.name for c in found.certification.certificates] == ["split"]
    limit = found.decision.threshold
    assert limit == threshold_on(pack.take(rest), found.weights, "average", "sensitivity=.95")
    errors = int(certified_losses(pack.take(kept), found.weights, "average", limit).sum())
    assert found.best.risk == clopper_pearson(errors, len(kept), 0.05)
    why = {row.name: row.why for row in found.certification.unavailable}
    assert "this one has a threshold" in why["tandem-kl"]
    assert "may have chosen the threshold" in why["occam"]
    assert f"the vote answers 'sick' where its share is above {limit:.6g}" in found.assumption(found.best)


def test_a_fixed_threshold_on_untouched_samples_keeps_occam() -> None:
    found = certify(clinic(votes=True), [0.2] * 5, chosen_on="nothing", threshold=0.3)
    assert {c.name for c in found.certificates} == {"holdout", "occam"}


def test_groups_certify_the_vote_with_its_threshold() -> None:
    pack = clinic(groups=np.arange(2000) // 4)
    found = weigh(pack, vote="average", threshold=0.25, per="class")
    assert {c.name for c in found.certification.certificates} == {"groups", "groups-any"}
    assert verify(found, pack).holds


def test_predict_uses_the_threshold() -> None:
    pack, new = clinic(), clinic(500, seed=3)
    found = weigh(pack, vote="average", method="uniform", threshold=0.2)
    mean = np.mean([block.probs[:, :, 1] for block in new.blocks()], axis=1)[0]
    predicted = predict(found, new)
    assert np.array_equal(predicted.classes, (mean > 0.2).astype(int))
    assert predicted.declined is None


def test_the_cost_is_the_digital_bound_of_what_samples_cost() -> None:
    pack = clinic()
    found = weigh(pack, vote="average", method="uniform", costs=COSTS, seed=4)
    (promise,) = found.promises
    mean = np.mean([block.probs[:, :, 1] for block in pack.blocks(4000)], axis=1)[0]
    said = (mean > 0.5).astype(int)
    costs = np.array([[0.0, 1.0], [5.0, 0.0]])[pack.labels, said]
    values, counts = np.unique(costs, return_counts=True)
    order = drawn(values.tolist(), counts.tolist(), 4, key_of(pack.fingerprint()))
    assert promise.risk == digital(order, 0.05, upper=5.0)
    assert promise.inputs["counts"] == counts.tolist()
    assert costs.mean() < promise.risk < costs.mean() * 1.4


def test_costs_of_groups_are_averaged_within_them() -> None:
    groups = np.arange(2000) // 8
    pack = clinic(groups=groups)
    found = weigh(pack, vote="average", method="uniform", costs=COSTS)
    (promise,) = found.promises
    assert (promise.unit, promise.samples) == ("groups", 250)
    assert "a sample of a new group, on average" in promise.promise
    alone = weigh(clinic(), vote="average", method="uniform", costs=COSTS).promises[0]
    ones = np.repeat(promise.inputs["values"], promise.inputs["counts"])
    others = np.repeat(alone.inputs["values"], alone.inputs["counts"])
    assert np.mean(ones) == pytest.approx(np.mean(others))


def test_samples_apart_certify_a_rule_that_others_choose() -> None:
    chose, apart = clinic(600, seed=1), clinic(1500, seed=2)
    found = weigh(chose, certify=apart, vote="average", threshold="cost=3:1", **ALL)
    assert found.decision.threshold == threshold_on(chose, found.weights, "average", "cost=3:1")
    assert {one.samples for one in found.promises if one.kind in ("selective", "costs")} == {1500}
    assert verify(found, chose, certify=apart).holds


def test_out_of_fold_samples_choose_a_threshold_and_estimate_with_it() -> None:
    folds = np.arange(2000) % 5
    pack = clinic(folds=folds)
    found = weigh(pack, vote="average", method="uniform", threshold="cost=4:1")
    wrong = 0
    for fold in range(5):
        limit = threshold_on(pack.take(np.flatnonzero(folds != fold)), found.weights, "average", "cost=4:1")
        held = pack.take(np.flatnonzero(folds == fold))
        wrong += certified_losses(held, found.weights, "average", limit).sum()
    assert found.estimate == wrong / 2000
    assert found.best is None
    assert verify(found, pack).holds


MASK = np.random.default_rng(0).random((5, 2000)) < 0.7


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        (
            {},
            {"per": "sit"},
            "per: 'sit' is neither class nor predicted nor one of the predictions' strata (did you",
        ),
        ({}, {"per": ["class", "class"]}, "per: 'class' is given twice"),
        ({}, {"per": [3]}, "per: must be class, predicted or the name of a column, got 3"),
        (
            {},
            {"per": "class", "certify_fraction": 0},
            "per: all samples choose, so none is left to count errors on",
        ),
        ({}, {"costs": COSTS, "certify_fraction": 0}, "costs: all samples choose"),
        ({}, {"threshold": 0.3, "certify_fraction": 0}, "threshold: all samples choose"),
        (
            {"folds": np.arange(2000) % 5},
            {"per": "class"},
            "per: out-of-fold samples certify nothing; certify= takes",
        ),
        (
            {"folds": np.arange(2000) % 5},
            {"per": "class", "threshold": 0.3},
            "per: out-of-fold samples certify",
        ),
        (
            {"folds": np.arange(2000) % 5},
            {"target_risk": 0.1},
            "target_risk: out-of-fold samples certify nothing",
        ),
        ({"mask": MASK}, {"per": "class"}, "per: each member has its own hold-out samples"),
        ({"mask": MASK}, {"threshold": 0.4}, "threshold: each member has its own hold-out samples"),
        (
            {},
            {"costs": [[0, 1, 2], [1, 0, 2], [1, 1, 0]]},
            "costs: must have a row and a column for each of 2",
        ),
    ],
)
def test_what_is_refused(changes: dict, options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        weigh(clinic(**changes), vote="average", **options)
    assert str(caught.value).startswith(message)


def test_three_classes_have_no_threshold() -> None:
    pack = Predictions.from_arrays(votes=[[0, 1, 2] * 20], labels=[0, 1, 2] * 20)
    with pytest.raises(InputError, match="threshold: is for two classes, these predictions have 3"):
        weigh(pack, threshold="cost=1:1")


def test_all_samples_that_chose_a_threshold_certify_nothing() -> None:
    with pytest.raises(
        InputError, match="threshold: errors of the vote with it must be counted on samples that"
    ):
        certify(clinic(), [0.2] * 5, vote="average", threshold=0.3)
