"""The main job: what is chosen on which samples, and certified as it is deployed."""

import json

import numpy as np
import pytest

from comitia import Ensemble, Predictions, bounds, certify, weigh
from comitia._errors import InputError
from comitia._split import default_fraction, default_weighing, split_samples
from comitia._weigh import OUT_OF_FOLD
from comitia.weighting import METHODS, Evidence, choose
from panels import lost, panel, some_groups
from simulated import simulated

STATES = {"run": [1, 1, 1, 2, 2, 2], "step": [1, 2, 3, 1, 2, 3]}


def test_the_weighing_part_alone_chooses_the_weights() -> None:
    pack = simulated(samples=1000)
    ensemble = weigh(pack, method="tandem", certify_fraction=0.5, seed=3, vote="majority")
    weighing, certifying = split_samples(1000, 0.5, 3)
    alone = choose("tandem", Evidence(pack.take(weighing)))
    assert ensemble.weights == pytest.approx(alone.weights, abs=1e-5)
    assert ensemble.split.certifying == len(certifying) == ensemble.best.samples
    assert ensemble.weighting.samples == len(weighing)


def test_labels_of_the_certifying_part_do_not_move_the_weights() -> None:
    pack = simulated(samples=1000, **STATES)
    _, certifying = split_samples(1000, 0.5, 0)
    labels = pack.labels.copy()
    labels[certifying] = (labels[certifying] + 1) % 3
    probs = np.concatenate([block.probs for block in pack.blocks()], axis=1)
    spoilt = Predictions.from_arrays(probs=probs, labels=labels, **STATES)
    for method in METHODS:
        if method not in ("uniform", "disagreement"):
            a = weigh(pack, method=method, certify_fraction=0.5)
            b = weigh(spoilt, method=method, certify_fraction=0.5)
            assert np.array_equal(a.weights, b.weights), method
            assert b.best.risk > a.best.risk


def test_uniform_weights_are_certified_on_all_samples() -> None:
    ensemble = weigh(simulated(), method="uniform")
    assert ensemble.chosen_on == "nothing"
    assert ensemble.best.name == "holdout"
    assert ensemble.best.samples == 400


def test_given_weights_are_certified_as_they_are() -> None:
    weights = [0.5, 0.3, 0.2, 0, 0, 0]
    ensemble = weigh(simulated(), method="given", weights=weights)
    assert ensemble.weights == pytest.approx(weights)
    assert ensemble.best.name == "holdout"


@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_a_fraction_has_no_effect_on_uniform_weights(fraction: float) -> None:
    plain = weigh(simulated(), method="uniform")
    assert weigh(simulated(), method="uniform", certify_fraction=fraction).to_json() == plain.to_json()


@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_a_fraction_of_given_weights_is_an_error(fraction: float) -> None:
    """Neither can be done: which samples chose them, none, some or all, is not known here."""
    with pytest.raises(InputError) as error:
        weigh(simulated(), method="given", weights=np.full(6, 1 / 6), certify_fraction=fraction)
    assert str(error.value).startswith(
        f"certify_fraction: must be left out with given weights, got {fraction:g}"
    )


def test_all_samples_choose_and_only_what_allows_that_is_given() -> None:
    ensemble = weigh(simulated(), method="tandem", certify_fraction=0)
    assert {c.name for c in ensemble.certification.certificates}.isdisjoint({"split", "holdout", "occam"})
    assert ensemble.certification.compared > 1


def test_a_resolution_makes_occam_possible() -> None:
    ensemble = weigh(simulated(), method="tandem", certify_fraction=0, resolution=10)
    assert ensemble.weights * 10 == pytest.approx(np.rint(ensemble.weights * 10))
    assert "occam" in {c.name for c in ensemble.certification.certificates}


def test_per_member_holdouts_are_not_split() -> None:
    ensemble = weigh(simulated(masked=True, votes=True))
    assert ensemble.chosen_on == "all"
    with pytest.raises(InputError, match="certify_fraction: each member has its own hold-out samples"):
        weigh(simulated(masked=True, votes=True), certify_fraction=0.5)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("method", [m for m in METHODS if m != "disagreement"])
def test_every_method_with_both_votes(method: str, vote: str) -> None:
    ensemble = weigh(simulated(**STATES), method=method, vote=vote)
    assert ensemble.weights.sum() == pytest.approx(1)
    assert all(c.vote == vote for c in ensemble.certification.certificates)
    assert 0 < ensemble.best.risk < 1


def test_the_same_seed_gives_the_same_ensemble_and_another_one_another() -> None:
    pack = simulated()
    assert weigh(pack, seed=1).to_json() == weigh(pack, seed=1).to_json()
    assert weigh(pack, seed=1).weights.tolist() != weigh(pack, seed=2).weights.tolist()


@pytest.mark.parametrize("n", [20, 21, 100, 1999, 5000, 10**6])
def test_the_default_split_is_the_documented_function(n: int) -> None:
    """.7 n^(3/4) samples choose, by integers: k is the whole number next to it where (k ± ½)^4 encloses .7^4 n³."""
    weighing, certifying = split_samples(n, default_fraction(n), seed=0)
    k = len(weighing)
    assert k + len(certifying) == n
    assert (2 * k - 1) ** 4 * 10**4 <= 16 * 7**4 * n**3 <= (2 * k + 1) ** 4 * 10**4
    assert default_weighing(n) == k


def test_groups_are_what_the_default_split_counts() -> None:
    ensemble = weigh(simulated(samples=400, groups=np.arange(400) // 4))
    assert (ensemble.split.weighing, ensemble.split.certifying) == (4 * 22, 4 * 78)
    assert ensemble.split.fraction == pytest.approx(0.78)


def test_too_few_samples_are_not_split() -> None:
    assert weigh(simulated(samples=19)).chosen_on == "all"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "tandm"}, "method: 'tandm' is not one of uniform"),
        ({"delta": 1.5}, "delta: must lie strictly between 0 and 1, got 1.5"),
        ({"vote": "median"}, "vote: 'median' is not one of majority, average"),
        ({"certify_fraction": 1.0}, "certify_fraction: must be at least 0 and below 1, got 1"),
        ({"certify_fraction": -0.1}, "certify_fraction: must be at least 0 and below 1, got -0.1"),
        ({"certify_fraction": 1e-4}, "certify_fraction: 0.0001 of 400 samples leaves nothing on one side"),
        ({"resolution": 0}, "resolution: must be from 1 to 100, got 0"),
        ({"method": "given"}, "weights: required for method 'given'; give them"),
        (
            {"weights": [1, 0, 0, 0, 0, 0], "method": "blend"},
            "weights: take the place of a method; leave one of the two out",
        ),
        ({"prior": [0.5, 0.5]}, "prior: must be 6 numbers, one per member, got shape (2,)"),
    ],
)
def test_impossible_wishes(options: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        weigh(simulated(), **options)
    assert str(error.value).startswith(message)


FOLDS = {"folds": np.arange(120) % 4}


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_out_of_fold_samples_choose_and_promise_nothing(vote: str) -> None:
    found = weigh(Predictions.from_arrays(**panel(votes=False), **FOLDS), vote=vote)
    record = found.to_json()
    assert (found.best, record["best"], record["certificates"]) == (None, None, [])
    assert record["estimate"] == found.estimate > 0
    assert (record["data"]["folds"], found.chosen_on) == (4, "all")
    assert {row.why for row in found.certification.unavailable} == {OUT_OF_FOLD}
    assert {row.name for row in found.certification.unavailable} >= {"holdout", "split", "tandem-kl"}
    with pytest.raises(InputError, match="nothing is promised here, there is only an estimate"):
        _ = found.promised
    read = Ensemble.from_json(json.dumps(record))
    assert (read.best, read.estimate, read.to_json()) == (None, found.estimate, record)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("more", [{}, FOLDS])
def test_samples_apart_certify_all_of_them_at_once(vote: str, more: dict) -> None:
    given, apart = panel(votes=False, seed=1), panel(votes=False, seed=2, samples=90)
    found = weigh(
        Predictions.from_arrays(**given, **more), certify=Predictions.from_arrays(**apart), vote=vote
    )
    errors = sum(lost(apart, found.weights, vote))
    best = found.best
    assert (best.name, best.samples, best.inputs["errors"]) == ("holdout", 90, errors)
    assert best.risk == pytest.approx(bounds.clopper_pearson(errors, 90, 0.05), rel=1e-11)
    assert (found.certification.compared, found.chosen_on, found.estimate) == (1, "apart", None)
    alone = weigh(Predictions.from_arrays(**given), certify_fraction=0, vote=vote)
    assert found.weights == pytest.approx(alone.weights, abs=1e-12)
    data = found.to_json()["data"]
    assert (data["samples"], data["certify_samples"], data["abstained"]) == (
        120,
        90,
        apart["abstained"].sum(),
    )
    assert "no sample that certifies had a part in the weights" in found.assumption(best)


def test_the_record_says_what_there_is_of_classes_groups_and_silence() -> None:
    given = {**panel(), "classes": ["cat", "dog", "emu"]}
    found = weigh(Predictions.from_arrays(**given, groups=some_groups()))
    record = found.to_json()
    assert (record["classes"], record["class_names"], record["declared"]) == (3, ["cat", "dog", "emu"], True)
    assert (record["data"]["groups"], record["data"]["abstained"]) == (40, int(given["abstained"].sum()))
    assert (record["best"]["name"], record["best"]["unit"]) == ("groups", "groups")
    assert "of the samples of a new group, on average" in record["best"]["promise"]
    assert "or nobody answers, counts as an error" in record["best"]["assumption"]
    assert Ensemble.from_json(json.dumps(record)).to_json() == record


def test_given_weights_are_an_assumption_of_all_that_count_errors_of_groups() -> None:
    pack = Predictions.from_arrays(**panel(), groups=some_groups())
    for method, weights in (("given", np.full(5, 0.2)), ("uniform", None)):
        found = weigh(pack, method=method, weights=weights)
        assumed = {
            c.name
            for c in found.certification.certificates
            if "the weights were fixed without these samples" in found.assumption(c)
        }
        assert assumed == ({"groups", "groups-any"} if method == "given" else set())


def test_a_member_that_never_answers_is_warned_of() -> None:
    given = panel()
    given["abstained"][3] = True
    found = weigh(Predictions.from_arrays(**given))
    assert "member 'member 3' answers no sample; drop it" in found.warnings
    assert found.member_risks[3] == 0.5


def test_the_vote_follows_what_the_members_gave() -> None:
    assert weigh(simulated()).vote == weigh(simulated()).best.vote == "average"
    assert weigh(simulated(votes=True)).vote == "majority"
    assert weigh(simulated(), certify=simulated(seed=1, votes=True)).vote == "majority"
    assert weigh(simulated(), vote="majority").vote == "majority"
    weights = np.full(6, 1 / 6)
    assert certify(simulated(), weights).promised.vote == "average"
    assert certify(simulated(votes=True), weights).promised.vote == "majority"


def test_the_method_where_none_is_asked_for() -> None:
    assert weigh(simulated()).weighting.method == "blend"
    assert weigh(simulated(masked=True)).weighting.method == "tandem"
    assert weigh(simulated(), weights=np.full(6, 1 / 6)).weighting.method == "given"
