"""Samples that choose and samples that certify: nothing may be in both."""

from typing import Any

import numpy as np
import pytest

from comitia import InputError, Predictions, weigh
from comitia._sources import gather_sources
from panels import panel, some_groups

of = Predictions.from_arrays


def two(votes: bool = True, **more: dict[str, Any]) -> tuple[Predictions, Predictions]:
    """Two packs of different samples; `first` and `second` say more of each."""
    return (
        of(**panel(seed=1, votes=votes), **more.get("first", {})),
        of(**panel(seed=2, votes=votes), **more.get("second", {})),
    )


def test_statistics_and_certificates_are_of_the_samples_apart() -> None:
    table, untouched = two(first={"folds": np.arange(120) % 4})
    alone, together = gather_sources(table, None, None), gather_sources(table, None, untouched)
    assert (alone.measured, alone.estimated) == (table, True)
    assert (together.measured, together.estimated) == (untouched, False)


def test_members_and_classes_are_those_of_the_first() -> None:
    given, other = panel(seed=1), panel(seed=2)
    first = of(**{**given, "classes": list("abc")}, names=list("vwxyz"))
    moved = {**other, "votes": other["votes"][::-1], "abstained": other["abstained"][::-1]}
    words = np.array(list("abcd"))
    votes, labels = words[moved["votes"]], words[moved["labels"]]
    labels[0] = "d"  # a class that only the samples apart have
    second = of(**{**moved, "votes": votes, "labels": labels, "classes": None}, names=list("zyxwv"))
    found = gather_sources(first, None, second)
    assert found.apart.names == found.weighing.names == tuple("vwxyz")
    assert found.apart.class_names == found.weighing.class_names == tuple("abcd")
    silent = other["abstained"]
    assert np.array_equal(found.apart.votes()[~silent], other["votes"][~silent])
    assert found.apart.labels.tolist() == [3, *other["labels"][1:].tolist()]


FOLDS = {"folds": np.arange(120) % 4}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"first": {"ids": np.arange(120)}, "second": {"ids": np.arange(118, 238)}},
            "certify: 2 samples also choose the weights, such as '118'; give untouched ones",
        ),
        (
            {"second": FOLDS},
            "certify: samples of an out-of-fold table trained members; give samples that no fold has seen",
        ),
        (
            {"first": {"groups": some_groups() + 30}, "second": {"groups": some_groups()}},
            "certify: 10 groups also choose the weights, such as '30'; give groups that are untouched",
        ),
        (
            {"first": {"groups": some_groups()}},
            "certify: has no groups, and the samples that choose the weights have; say which",
        ),
    ],
)
def test_samples_that_are_not_apart(more: dict[str, Any], message: str) -> None:
    first, second = two(**more)
    with pytest.raises(InputError) as error:
        weigh(first, certify=second)
    assert str(error.value).startswith(message)


def test_different_ids_and_groups_are_apart() -> None:
    known = [{"ids": np.arange(120) + k, "groups": some_groups() + k} for k in (0, 120)]
    first, second = two(first=known[0], second=known[1])
    assert weigh(first, certify=second).best.name == "groups"
    first, second = two(second=known[1])
    assert weigh(first, certify=second).best.name == "groups"


@pytest.mark.parametrize("votes", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_the_same_samples_are_found_without_ids(votes: bool, named: bool) -> None:
    """As folds they choose, without them they would certify; the classes may be named on one side only."""
    given = panel(votes=votes)
    again = of(**{**given, "classes": list("abc")}) if named else of(**given)
    with pytest.raises(InputError, match="certify: 120 samples also choose the weights; give untouched ones"):
        gather_sources(of(**given, **FOLDS), None, again)


def test_a_part_of_the_same_probabilities_in_another_order_is_found() -> None:
    given, other = panel(votes=False, silent=0.0), panel(votes=False, silent=0.0, seed=5)
    mixed = {
        "probs": np.concatenate([other["probs"], given["probs"][:, 60:70][:, ::-1]], axis=1),
        "labels": np.concatenate([other["labels"], given["labels"][60:70][::-1]]),
    }
    with pytest.raises(InputError, match="certify: 10 samples also choose the weights; give untouched ones"):
        gather_sources(of(**given), None, of(**mixed))
    gather_sources(of(**given), None, of(**other))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"folds": np.zeros(120, int)},
            "folds: two or more are required, got 1; leave folds out if no sample",
        ),
        (
            {**FOLDS, "mask": np.arange(600).reshape(5, 120) > 0},
            "folds: every member must have predicted every",
        ),
    ],
)
def test_folds_that_are_none(more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        weigh(of(**panel(), **more))
    assert str(error.value).startswith(message)


def test_one_class_alone_is_no_task() -> None:
    with pytest.raises(InputError, match=r"classes: only one class occurs \('cat'\); name all of them"):
        weigh(of(votes=[["cat"] * 40] * 3, labels=["cat"] * 40))


def test_a_fraction_has_no_meaning_where_others_certify_or_nothing_does() -> None:
    first, second = two(first=FOLDS)
    with pytest.raises(
        InputError, match=r"certify_fraction: must be left out, other samples certify; got 0\.5"
    ):
        weigh(first, certify=second, certify_fraction=0.5)
    with pytest.raises(
        InputError, match="certify_fraction: must be left out, out-of-fold samples certify noth"
    ):
        weigh(first, certify_fraction=0.5)
