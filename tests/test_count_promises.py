"""Counts beside what needs single samples (promises, thresholds, pairs, gains): samples apart give it, else none."""

from functools import cache

import numpy as np
import pytest

from comitia import Counted, InputError, Predictions, certify, compare, count, drift, verify, weigh
from comitia._untouched import is_holdout
from comitia.bounds.row import NO_VOTES
from counting_cases import AS_COUNTED, NAMES, apart, drawn, part, shards, whole

LATER = slice(1000, 1300)
COSTS = [[0, 1], [5, 0]]


@cache
def total(kind="two classes"):
    return Counted.total(count(shard) for shard in shards(kind))


def unlabelled(kind):
    """Further samples: answers of the drawn kind, each on its own shuffled samples."""
    rng = np.random.default_rng(9)
    votes = rng.permuted(drawn(kind)["votes"], axis=1)
    return Predictions.from_arrays(votes=votes, names=NAMES)


def record(ensemble):
    found = ensemble.to_json()
    found["data"] = {key: value for key, value in found["data"].items() if key not in ("sha256", "counted")}
    return found


@pytest.mark.parametrize("method", ["tandem", "uniform"])
@pytest.mark.parametrize(
    "asked",
    [{"per": "class"}, {"per": "predicted"}, {"threshold": 0.3}, {"costs": COSTS}, {"target_risk": 0.3}],
)
def test_what_needs_single_samples_is_refused_in_one_line(asked, method):
    (argument,) = asked
    with pytest.raises(InputError, match=f"^{argument}: .*counts do not hold") as caught:
        weigh(total(), method=method, **asked)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"per": ("class", "predicted")},
        {"threshold": 0.3},
        {"costs": COSTS},
        {"threshold": 0.3, "per": "class"},
    ],
)
def test_samples_apart_promise_what_they_promise_beside_predictions(asked):
    found = weigh(total(), certify=apart("two classes"), **asked)
    assert record(found) == record(
        weigh(whole("two classes"), certify=apart("two classes"), **AS_COUNTED, **asked)
    )
    assert bool(found.promises) == bool({"per", "costs"} & set(asked))
    assert verify(found, total(), certify=apart("two classes")).holds


@pytest.mark.parametrize(
    "asked", [{"threshold": "cost=5:1"}, {"threshold": "sensitivity=.9"}, {"target_risk": 0.3}]
)
def test_what_samples_choose_counts_do_not(asked):
    (argument,) = asked
    with pytest.raises(InputError, match=f"^{argument}: .* chosen on what members said on each sample"):
        weigh(total(), certify=apart("two classes"), **asked)


def test_a_threshold_is_refused_where_weights_are_certified():
    for weights in (np.ones(6) / 6, np.eye(6)[0]):
        with pytest.raises(InputError, match="threshold: counts do not hold the vote's own errors"):
            certify(total(), weights, threshold=0.3)


def test_out_of_fold_counts_certify_nothing():
    found = count(Predictions.from_arrays(votes=[[0, 1, 1, 0]], labels=[0, 1, 0, 0], folds=[0, 0, 1, 1]))
    with pytest.raises(InputError, match="out-of-fold samples trained models"):
        certify(found, [1.0])


def test_counts_alone_have_no_gain_and_no_profile():
    for method in ("tandem", "uniform", "best"):
        found = weigh(total(), method=method)
        assert found.gain is found.profile is None
    beside = weigh(total(), certify=apart("two classes"))
    expected = weigh(whole("two classes"), certify=apart("two classes"), **AS_COUNTED)
    assert (beside.gain, beside.profile) == (expected.gain, expected.profile)
    assert None not in (beside.gain, beside.profile)


def test_unlabelled_samples_are_paired_with_samples_apart_only():
    extra = unlabelled("votes")
    found = weigh(total("votes"), certify=apart("votes"), unlabelled=extra)
    expected = weigh(whole("votes"), certify=apart("votes"), unlabelled=extra, **AS_COUNTED)
    risks = [{one.name: one.risk for one in each.certification.certificates} for each in (found, expected)]
    assert risks[0]["unlabelled"] == risks[1]["unlabelled"]
    # what chose the weights cannot be looked at, so the errors counted apart are the promise
    assert found.best.name == "holdout"
    assert verify(found, total("votes"), certify=apart("votes"), unlabelled=extra).holds
    alone = certify(total(), np.eye(6)[0], chosen_on="nothing", unlabelled=unlabelled("two classes"))
    assert ("unlabelled", NO_VOTES) in [(one.name, one.why) for one in alone.unavailable]


def test_the_most_frequent_class_is_told_from_counts():
    rng = np.random.default_rng(0)
    labels = (rng.random(300) < 0.1).astype(int)
    pack = Predictions.from_arrays(votes=rng.integers(0, 2, (3, 300)), labels=labels)
    told = [line for line in weigh(count(pack)).warnings if "most frequent class, '0'" in line]
    assert told == [line for line in weigh(pack, certify_fraction=0).warnings if "most frequent" in line]
    assert len(told) == 1


def test_what_was_counted_is_known_again_as_predictions():
    ensemble = weigh(total())
    assert is_holdout(ensemble, whole("two classes"))
    assert not is_holdout(ensemble, apart("two classes"))
    with pytest.raises(InputError, match="hold the samples that chose the weights"):
        compare(ensemble, "uniform", whole("two classes"))
    assert compare(ensemble, "uniform", apart("two classes")).result.samples == 340


def test_drift_is_measured_from_a_profile_of_samples_apart():
    new = part("two classes", LATER)
    beside, expected = (
        weigh(each, certify=apart("two classes"), **AS_COUNTED) for each in (total(), whole("two classes"))
    )
    assert drift(beside, new) == drift(expected, new)
    with pytest.raises(InputError, match="profile|reference"):
        drift(weigh(total()), new)
