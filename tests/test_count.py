"""Counts in place of predictions: what follows from them is what follows from the samples, to the last digit."""

import json
import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from comitia import Counted, Ensemble, InputError, Predictions, certify, count, verify, weigh
from comitia.bounds.row import NO_VOTES
from comitia.bounds.table import price
from comitia.weighting import METHODS, TABLE
from counting_cases import AS_COUNTED, KINDS, MEMBERS, NAMES, WEIGHED, apart, part, shards, whole

FROM_COUNTS = ("uniform", "best", "early-stopping", "first-order", "tandem", "cantelli", "disagreement")
COUNTED = ("holdout", "split", "occam")


@cache
def total(kind):
    return Counted.total(count(shard) for shard in shards(kind))


def record(ensemble, *left_out):
    found = ensemble.to_json()
    found["data"] = {key: value for key, value in found["data"].items() if key not in ("sha256", "counted")}
    return {key: value for key, value in found.items() if key not in left_out}


def suits(kind, method):
    return (method != "disagreement" or kind == "two classes") and (
        method != "early-stopping" or kind == "runs"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_counts_of_shards_are_those_of_the_whole(kind):
    summed, once = total(kind), count(whole(kind))
    assert summed.fingerprint() == once.fingerprint()
    assert (summed.names, summed.class_names, summed.declared) == (
        once.names,
        once.class_names,
        once.declared,
    )
    assert summed.fault() is once.fault() is None
    for name, array in once.arrays().items():
        assert np.array_equal(summed.arrays()[name], array), name
    assert len(summed.parts) == 8
    assert len(once.parts) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_with_samples_apart_everything_is_what_one_machine_finds(kind):
    for method in FROM_COUNTS:
        if suits(kind, method):
            found = weigh(total(kind), certify=apart(kind), method=method)
            expected = weigh(whole(kind), certify=apart(kind), method=method, vote="majority")
            assert record(found) == record(expected), method
            assert found.data.counted
            assert not expected.data.counted


@pytest.mark.parametrize("kind", KINDS)
def test_the_record_does_not_depend_on_the_shards(kind):
    for method in FROM_COUNTS:
        if suits(kind, method):
            found = weigh(total(kind), method=method)
            assert found.to_json() == weigh(count(whole(kind)), method=method).to_json(), method


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_from_counts_alone_are_those_of_the_samples(kind):
    found, expected = (
        weigh(total(kind)),
        weigh(whole(kind), certify_fraction=0 if "masked" not in kind else None, **AS_COUNTED),
    )
    assert found.weights.tolist() == expected.weights.tolist()
    risks = {c.name: c.risk for c in expected.certification.certificates if c.name not in COUNTED}
    assert {c.name: c.risk for c in found.certification.certificates} == risks
    assert (found.chosen_on, found.split) == ("all", expected.split)
    assert found.certification.compared == expected.certification.compared
    reasons = {row.name: row.why for row in found.certification.unavailable}
    if "masked" not in kind:
        assert {reasons[name] for name in COUNTED} == {NO_VOTES}
    assert found.statistics == expected.statistics
    assert found.member_risks == expected.member_risks


@pytest.mark.parametrize("kind", ["votes", "abstaining", "masked", "masked and abstaining"])
def test_the_errors_of_one_member_are_among_the_counts(kind):
    found = weigh(total(kind), method="best")
    expected = weigh(whole(kind), method="best", certify_fraction=None if "masked" in kind else 0)
    assert found.best == expected.best
    assert found.certification.certificates == expected.certification.certificates
    assert "best-member" in {c.name for c in found.certification.certificates}
    alone = np.eye(MEMBERS)[2]
    given = [weigh(pack, method="given", weights=alone) for pack in (total(kind), whole(kind))]
    assert given[0].best == given[1].best
    assert (given[0].best.name == "holdout") is ("masked" not in kind)


@pytest.mark.parametrize("asked", [{"method": "uniform"}, {"method": "given", "weights": np.ones(6) / 6}])
def test_weights_that_no_sample_chose_get_the_smallest_bound_and_pay_for_it(asked):
    found, expected = weigh(total("votes"), **asked), weigh(whole("votes"), **asked)
    assert (found.chosen_on, expected.best.name) == ("nothing", "holdout")
    # the price is fixed by the question: what only samples or groups of them can give is paid for too
    assert found.certification.compared == price("majority", shared=True, chosen_on="nothing") == 12
    assert found.best.name not in COUNTED
    shown = {row.name: row.why for row in found.certification.unavailable}
    assert shown["holdout"] == shown["occam"] == NO_VOTES
    assert shown.get("split") is None
    assert verify(found, total("votes")).holds


def test_unlabelled_samples_count_as_they_do_with_samples():
    more = part("two classes", slice(100, 300))
    unlabelled = Predictions.from_arrays(votes=more.votes(), names=more.names)
    asked = {"method": "disagreement", "unlabelled": unlabelled}
    found, expected = (
        weigh(pack("two classes"), **asked) for pack in (total, lambda kind: count(whole(kind)))
    )
    assert found.to_json() == expected.to_json()
    samples = weigh(whole("two classes"), certify_fraction=0, **asked)
    assert found.weights.tolist() == samples.weights.tolist()
    again = shards("two classes")[3]
    known = {"unlabelled": Predictions.from_arrays(votes=again.votes(), names=again.names)}
    with pytest.raises(InputError, match="unlabelled: these are the labelled samples again"):
        weigh(total("two classes"), **known)


def test_methods_that_look_at_samples_are_refused_and_the_others_named():
    assert {name for name, row in TABLE.items() if row.counts} == set(FROM_COUNTS)
    for method in set(METHODS) - set(FROM_COUNTS):
        with pytest.raises(InputError) as refused:
            weigh(total("votes"), method=method)
        assert str(refused.value) == (
            f"method: '{method}' needs what members said on each sample, which counts do not hold; use one of "
            "uniform, best, early-stopping, first-order, tandem, cantelli, disagreement"
        )


def test_a_method_of_ones_own_may_look_at_statistics():
    def inverse(evidence):
        shares = 1 / evidence.statistics.first
        return shares / shares.sum()

    found, expected = (
        weigh(total("votes"), method=inverse),
        weigh(whole("votes"), method=inverse, certify_fraction=0),
    )
    assert found.weights.tolist() == expected.weights.tolist()
    with pytest.raises(
        InputError, match="method: needs what members said on each sample, which counts do not hold"
    ):
        weigh(total("votes"), method=lambda evidence: evidence.sampled.votes())
    with pytest.raises(
        InputError, match="method: .* failed: AttributeError: 'Counted' object has no attribute"
    ):
        weigh(total("votes"), method=lambda evidence: evidence.predictions.votes())


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"vote": "average"}, "vote: 'average' needs probabilities, and counts are of votes; use 'majority'"),
        (
            {"certify_fraction": 0.5},
            "certify_fraction: must be 0 with counts, which cannot be split into samples",
        ),
        ({"certify_fraction": 0.5, "method": "uniform"}, "certify_fraction: must be 0 with counts"),
        ({"certify": count(apart("votes"))}, "certify: must be Predictions, got Counted"),
        (
            {"unlabelled": apart("votes")},
            "unlabelled: counts use it for the disagreement of two classes only, got 3",
        ),
    ],
)
def test_what_counts_cannot_give(asked, message):
    with pytest.raises(InputError, match=message):
        weigh(total("votes"), **asked)


def test_no_fraction_and_fraction_0_are_the_same():
    assert weigh(total("votes"), certify_fraction=0).to_json() == weigh(total("votes")).to_json()


def test_samples_that_were_counted_do_not_certify():
    again = shards("text classes")[4]
    moved = Predictions.from_arrays(
        votes=np.array(again.class_names)[again.votes()], labels=np.array(again.class_names)[again.labels],
        names=again.names, classes=["eel", "dog", "cat"],
    )  # fmt: skip
    for certify_on in (
        again,
        moved,
        Predictions.concatenate([part("text classes", slice(960, 1000)), shards("text classes")[0]]),
    ):
        with pytest.raises(InputError, match=r"certify: \d+ samples were counted to choose the weights"):
            weigh(total("text classes"), certify=certify_on)


def test_grouped_samples_are_not_counted():
    grouped = Predictions.from_arrays(votes=[[0, 1, 1]], labels=[0, 1, 0], groups=["a", "a", "b"])
    with pytest.raises(
        InputError, match="groups: samples of a group count one over its size, and the rest of a group"
    ):
        count(grouped)


def test_labels_are_needed_and_shards_differ():
    with pytest.raises(InputError, match="labels: losses cannot be measured without them"):
        count(Predictions.from_arrays(votes=[[0, 1]]))
    twice = Predictions.concatenate([whole("votes"), whole("votes")])
    with pytest.raises(InputError, match="two of their shards hold the same samples"):
        count(twice)
    with pytest.raises(InputError, match="predictions: must be Predictions, got list"):
        count([1])
    with pytest.raises(
        InputError, match="predictions: must be Predictions, got list; read_predictions and read_counts"
    ):
        weigh([1])


def folded(where):
    plain = part("votes", where)
    return replace_folds(plain, np.arange(where.start, where.stop) * 5 // WEIGHED)


def replace_folds(plain, folds):
    return Predictions.from_arrays(votes=plain.votes(), labels=plain.labels, names=plain.names, folds=folds)


def test_out_of_fold_counts_choose_weights_and_promise_nothing():
    halves = [count(folded(slice(*ends))) for ends in ((0, 300), (300, WEIGHED))]
    counted = halves[0] + halves[1]
    assert [half.folds for half in halves] == [("0", "1"), ("1", "2", "3", "4")]
    assert counted.folds == ("0", "1", "2", "3", "4")
    for method in ("tandem", "uniform"):
        with pytest.raises(
            InputError, match="folds: out-of-fold samples promise nothing, and counts of them give no"
        ):
            weigh(counted, method=method)
    found = weigh(counted, certify=apart("votes"))
    expected = weigh(folded(slice(0, WEIGHED)), certify=apart("votes"), **AS_COUNTED)
    assert record(found) == record(expected)
    assert found.data.folds == 5
    assert verify(found, counted, certify=apart("votes")).holds
    with pytest.raises(InputError, match="folds: two or more are required, got 1"):
        weigh(count(folded(slice(0, 100))), certify=apart("votes"))
    with pytest.raises(InputError, match="part 1: some parts are out-of-fold and some are not"):
        halves[0] + count(part("votes", slice(300, 400)))


@pytest.mark.parametrize("kind", ["votes", "masked and abstaining", "text classes"])
def test_everything_is_verified_from_counts(kind):
    alone, with_samples = weigh(total(kind)), weigh(total(kind), certify=apart(kind))
    assert verify(alone, count(whole(kind))).holds
    assert verify(with_samples, total(kind), certify=apart(kind)).holds
    less = verify(alone, Counted.total(count(shard) for shard in shards(kind)[:7]))
    assert not less.holds
    assert not next(row for row in less.rows if row.name == "data").holds
    with pytest.raises(InputError, match="the ensemble was weighed from counts, got predictions"):
        verify(alone, whole(kind))
    with pytest.raises(InputError, match="the ensemble was weighed from predictions, got counts"):
        verify(weigh(whole(kind)), total(kind))
    with pytest.raises(InputError, match="certify: the ensemble was weighed with samples apart that certify"):
        verify(with_samples, total(kind))


def test_weights_that_exist_are_certified_from_counts():
    weights = weigh(whole("votes"), certify_fraction=0).weights
    found, expected = (certify(pack, weights) for pack in (total("votes"), whole("votes")))
    assert found.certificates == tuple(c for c in expected.certificates if c.name not in COUNTED)
    with pytest.raises(InputError, match="certifying: counts cannot be split into samples"):
        certify(total("votes"), weights, chosen_on="part", certifying=[0, 1])


def test_warnings_that_counts_can_tell():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    votes = np.stack(
        [labels, np.zeros(400, int), 1 - labels, np.where(rng.random(400) < 0.8, labels, 1 - labels)]
    )
    mask = np.ones((4, 400), bool)
    mask[3, :30] = False
    pack = Predictions.from_arrays(
        votes=votes, labels=labels, mask=mask, names=["true", "flat", "bad", "good"]
    )
    found = weigh(count(pack), method="uniform")
    assert found.warnings == weigh(pack, method="uniform").warnings
    assert len(found.warnings) >= 5


def test_counts_travel_between_processes():
    copy = pickle.loads(pickle.dumps(total("masked")))
    assert copy.fingerprint() == total("masked").fingerprint()
    assert weigh(copy).to_json() == weigh(total("masked")).to_json()


def test_members_by_other_names_are_refused():
    odd = part("votes", slice(0, 50))
    one = count(Predictions.from_arrays(votes=odd.votes(), labels=odd.labels, names=[*NAMES[:5], "gil"]))
    with pytest.raises(
        InputError, match="part 1: must hold the same members by name, 'gil' is not among the known"
    ):
        count(part("votes", slice(50, 90))) + one
    with pytest.raises(InputError, match="part 1: must hold the same 6 members, got 5"):
        count(part("votes", slice(50, 90))) + count(odd.pick(range(5)))
    moved = replace(count(part("runs", slice(0, 50))), step=np.array([0, 1, 0, 1, 1, 0]))
    with pytest.raises(InputError, match="part 1: step of the members differs from part 0"):
        count(part("runs", slice(50, 90))) + moved


def test_a_record_that_counts_cannot_have_is_refused():
    for key, value in (("vote", "average"), ("chosen_on", "part")):
        record = json.loads(json.dumps(weigh(total("votes")).to_json()))
        (record if key == "vote" else record["weighting"])[key] = value
        with pytest.raises(InputError, match="data: counts are of votes and cannot be split"):
            Ensemble.from_json(json.dumps(record))


def test_a_member_may_be_silent_in_one_part():
    votes, labels = np.array([[0, 1, 1], [0, 0, 1]]), np.array([0, 1, 1])
    silent = np.array([[True] * 3, [False] * 3])
    parts = [
        count(Predictions.from_arrays(votes=votes, labels=labels, abstained=silent)),
        count(Predictions.from_arrays(votes=1 - votes, labels=labels)),
    ]
    assert [part.fault() for part in (*parts, parts[0] + parts[1])] == [None] * 3
    assert (parts[0] + parts[1]).answers.sum(axis=1).tolist() == [3, 6]
