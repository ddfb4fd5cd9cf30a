"""Samples that choose weights, samples apart that certify them, out-of-fold samples: what may be promised of which."""

from dataclasses import replace

import numpy as np
import pytest

from comitia import Predictions, certify, verify, weigh
from comitia._certify import Certification
from comitia._errors import InputError


def pack(seed: int, samples: int = 300, **more: object) -> Predictions:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, samples)
    votes = np.where(rng.random((4, samples)) < 0.2, 1 - labels, labels)
    return Predictions.from_arrays(votes=votes, labels=labels, **more)


FOLDED = {"folds": np.arange(300) % 5}
TENS = np.arange(300) // 10


def test_samples_apart_certify_and_all_others_choose() -> None:
    found = weigh(pack(0), certify=pack(1, 500))
    assert (found.best.name, found.best.samples, found.chosen_on) == ("holdout", 500, "apart")
    assert found.weights.tolist() == weigh(pack(0), certify_fraction=0).weights.tolist()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (pack(0), "certify: 300 samples also choose the weights"),
        (pack(1, **FOLDED), "certify: samples of an out-of-fold table trained members"),
    ],
)
def test_samples_that_may_not_certify(other: Predictions, message: str) -> None:
    with pytest.raises(InputError, match=message):
        weigh(pack(0), certify=other)


def test_ids_in_common_are_refused() -> None:
    ids = [f"x{i}" for i in range(600)]
    with pytest.raises(InputError, match="certify: 1 samples also choose the weights, such as 'x299'"):
        weigh(pack(0, ids=ids[:300]), certify=pack(1, ids=ids[299:599]))


def test_groups_in_common_are_refused() -> None:
    """A patient with scans on both sides: what certifies depends on what chose."""
    with pytest.raises(InputError, match="certify: 1 groups also choose the weights, such as '29'"):
        weigh(pack(0, groups=TENS), certify=pack(1, groups=TENS + 29))
    assert weigh(pack(0, groups=TENS), certify=pack(1, groups=TENS + 30)).best.name == "groups"


def test_groups_on_one_side_alone() -> None:
    with pytest.raises(
        InputError, match="certify: has no groups, and the samples that choose the weights have"
    ):
        weigh(pack(0, groups=TENS), certify=pack(1))
    assert weigh(pack(0), certify=pack(1, groups=TENS)).best.name == "groups"


@pytest.mark.parametrize("method", ["uniform", "tandem", "best", "auto"])
@pytest.mark.parametrize("vote", ["majority", "average"])
def test_out_of_fold_samples_promise_nothing(method: str, vote: str) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    shares = np.clip(labels + rng.uniform(-0.7, 0.7, (4, 300)), 0, 1)
    table = Predictions.from_arrays(probs=shares, labels=labels, **FOLDED)
    found = weigh(table, method=method, vote=vote)
    record = found.to_json()
    assert record["best"] is None
    assert record["certificates"] == []
    assert 0 < record["estimate"] < 0.4
    assert verify(found, table).holds


def test_out_of_fold_samples_cannot_be_certified_on() -> None:
    with pytest.raises(
        InputError, match="out-of-fold samples trained models of other folds and certify nothing"
    ):
        certify(pack(0, **FOLDED), [0.25] * 4, chosen_on="nothing")


def test_groups_torn_by_folds_are_told() -> None:
    torn = weigh(pack(0, groups=TENS, **FOLDED)).warnings
    assert any(line.startswith("30 of 30 groups have samples in several folds") for line in torn)
    whole = weigh(pack(0, groups=TENS, folds=TENS % 5)).warnings
    assert not any("several folds" in line for line in whole)


@pytest.mark.parametrize("given", [[None, "a"] * 150, [float("nan"), "a"] * 150])
def test_a_group_that_is_missing_is_no_group(given: list[object]) -> None:
    with pytest.raises(InputError, match="groups: must be a whole number or a text for every sample"):
        pack(0, groups=np.array(given, dtype=object))


def test_an_estimate_turned_into_a_promise_does_not_hold() -> None:
    table, split = pack(0, **FOLDED), weigh(pack(0))
    found = weigh(table)
    for forged in (
        replace(found, certification=split.certification, estimate=None),
        replace(found, certification=Certification((), split.best, 1, found.certification.unavailable)),
        replace(found, estimate=found.estimate / 2),
    ):
        assert not verify(forged, table).holds
    # the same votes without their folds are other data
    assert not verify(split, table).holds


@pytest.mark.parametrize("dropped", ["groups", "abstained", "classes"])
def test_other_facts_of_the_same_votes_are_other_data(dropped: str) -> None:
    facts = {
        "groups": TENS,
        "abstained": np.random.default_rng(9).random((4, 300)) < 0.1,
        "classes": ["well", "ill"],
    }
    full = pack(0, **facts)
    found = weigh(full)
    assert verify(found, full).holds
    less = {**facts, dropped: None} if dropped != "classes" else {**facts, "classes": ["ill", "well"]}
    rows = verify(found, pack(0, **less)).rows
    assert not next(row for row in rows if row.name == "data").holds


def test_what_is_taken_on_trust_is_what_was_assumed() -> None:
    plain, table, grouped = pack(0), pack(0, **FOLDED), pack(0, groups=TENS)
    assert (
        verify(weigh(plain), plain).trusted[0]
        == "the samples are independent draws that had no part in training"
    )
    assert verify(weigh(grouped), grouped).trusted[0].startswith("the groups are independent draws")
    alone = verify(weigh(table), table).trusted[0]
    assert alone == "no sample trained the models that predicted it, though it trained others"
    apart = verify(weigh(table, certify=pack(1)), table, certify=pack(1)).trusted[0]
    assert apart == f"{alone}; the samples that certify are independent draws that had no part in training"


def test_shards_of_which_one_has_abstentions() -> None:
    """One probability of two classes cannot say "no answer", so a shard with abstentions holds two."""
    shares, labels = np.array([[0.9, 0.2, 0.6], [0.8, 0.4, 0.1]]), [1, 0, 1]
    one = Predictions.from_arrays(probs=shares, labels=labels)
    other = Predictions.from_arrays(
        probs=shares, labels=labels, abstained=[[True, False, False], [False] * 3]
    )
    both = Predictions.concatenate([one, other])
    assert both.votes().tolist() == [[1, 0, 1, 2, 0, 1], [1, 0, 0, 1, 0, 0]]
    assert (both.class_names, both.declared, both.names) == (("0", "1"), False, one.names)
