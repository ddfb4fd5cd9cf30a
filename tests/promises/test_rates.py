"""Rates per class, answer and column against counting by hand; what is too small says what it needs."""

import numpy as np
import pytest
from scipy.stats import beta

from comitia import Predictions, weigh
from comitia._votes import certified_losses, deployed_classes
from comitia.bounds import digital
from comitia.promises.order import drawn, key_of
from promises.problems import clinic


def limit(wrong: np.ndarray, delta: float) -> float:
    return float(beta.ppf(1 - delta, wrong.sum() + 1, len(wrong) - wrong.sum()))


@pytest.mark.parametrize("votes", [True, False])
def test_rates_are_those_of_the_certifying_samples(votes: bool) -> None:
    pack = clinic(votes=votes)
    vote = "majority" if votes else "average"
    found = weigh(pack, vote=vote, per=["class", "predicted", "site"], seed=3)
    order = np.random.default_rng(3).permutation(2000)[: found.split.certifying]
    kept = pack.take(np.sort(order))
    wrong, said = (f(kept, found.weights, vote) for f in (certified_losses, deployed_classes))
    groups = {
        "class": np.array(["well", "sick"])[kept.labels],
        "predicted": np.array(["well", "sick"])[said],
        "site": np.array(kept.strata["site"].names)[kept.strata["site"].codes],
    }
    delta = 0.05 / 3
    assert len(found.promises) + len(found.unpromised) == 7
    for promise in found.promises:
        here = wrong[groups[promise.name] == promise.group]
        share = 1 - (1 - delta) ** (1 / (3 if promise.name == "site" else 2))
        assert promise.samples == len(here)
        assert promise.delta == delta
        assert promise.risk == pytest.approx(limit(here, share), rel=1e-9)
        assert promise.risk >= limit(here, share)


def test_one_name_has_all_of_delta() -> None:
    found = weigh(clinic(), vote="average", method="uniform", per="class")
    assert found.chosen_on == "nothing"
    assert {one.delta for one in found.promises} == {0.05}
    assert sum(one.samples for one in found.promises) == 2000


def test_a_group_of_three_says_what_it_needs() -> None:
    sites = ["big"] * 397 + ["three"] * 3
    pack = clinic(400, strata={"site": sites})
    found = weigh(pack, vote="average", method="uniform", per="site")
    assert [one.group for one in found.promises] == ["big"]
    (row,) = found.unpromised
    assert (row.group, row.samples) == ("three", 3)
    assert row.why == (
        "3 certifying samples would promise 70.64% even without an error; 35 certifying samples of it without an error "
        "would promise 10%"
    )
    share = 1 - 0.95**0.5
    assert 1 - share ** (1 / 3) == pytest.approx(0.7063, abs=1e-4)
    assert 1 - share ** (1 / 35) <= 0.1 < 1 - share ** (1 / 34)


def test_a_class_that_never_occurs_or_is_never_answered_has_no_promise() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    votes = np.where(rng.random((3, 200)) < 0.1, 1 - labels, labels)
    pack = Predictions.from_arrays(votes=votes, labels=labels, classes=["a", "b", "c"])
    found = weigh(pack, method="uniform", per=["class", "predicted"])
    assert {(one.name, one.group) for one in found.unpromised} == {("class", "c"), ("predicted", "c")}
    assert all("no certifying sample is of it" in one.why for one in found.unpromised)
    assert {one.at_once for one in found.promises} == {3}
    assert {one.rate for one in found.promises} == {None}


def test_samples_without_an_answer_are_errors_of_their_class_and_no_answer_of_any() -> None:
    labels = np.arange(100) % 2
    silent = np.zeros((2, 100), bool)
    silent[:, :10] = True
    pack = Predictions.from_arrays(votes=np.stack([labels, labels]), labels=labels, abstained=silent)
    found = weigh(pack, method="uniform", per=["class", "predicted"])
    assert [(one.name, one.inputs["errors"], one.samples) for one in found.promises] == [
        ("class", 5, 50),
        ("class", 5, 50),
        ("predicted", 0, 45),
        ("predicted", 0, 45),
    ]


def test_dependent_samples_are_counted_by_group() -> None:
    """Of each class the mean over groups that have it of the error rate there, all at a share of delta."""
    groups = np.repeat(np.arange(120), 5)
    pack = clinic(600, groups=groups)
    found = weigh(pack, vote="average", method="uniform", per=["class", "site"], seed=7)
    wrong = certified_losses(pack, found.weights, "average")
    for promise in [one for one in found.promises if one.name == "class"]:
        label = ["well", "sick"].index(promise.group)
        rates = [
            np.mean(wrong[(groups == g) & (pack.labels == label)])
            for g in range(120)
            if ((groups == g) & (pack.labels == label)).any()
        ]
        values, counts = np.unique(rates, return_counts=True)
        order = drawn(values.tolist(), counts.tolist(), 7, key_of(pack.fingerprint()))
        assert promise.unit == "groups"
        assert promise.samples == len(rates)
        assert promise.risk == digital(order, 0.05 / 2 / 2)
        assert "averaged over new groups" in promise.promise


def test_samples_apart_certify_all_their_groups() -> None:
    apart = clinic(800, seed=5)
    found = weigh(clinic(500, seed=4), vote="average", certify=apart, per=["class", "site"])
    assert sum(one.samples for one in found.promises if one.name == "class") == 800
    assert found.chosen_on == "apart"
