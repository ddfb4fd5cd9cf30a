"""The checksum: another one for anything that a certificate rests on, the same however the samples are sharded."""

from typing import Any

import numpy as np
import pytest

from comitia import Predictions
from panels import panel, some_groups

NAMES = ["cat", "dog", "emu"]


def facts(votes: bool = True) -> dict[str, Any]:
    more = {"groups": some_groups(), "folds": np.arange(120) % 4, "ids": [f"s{k}" for k in range(120)]}
    return {**panel(votes=votes), **more, "classes": NAMES}


def of(**arrays: Any) -> str:
    return Predictions.from_arrays(**arrays).fingerprint()


def moved(array: np.ndarray) -> np.ndarray:
    """The same array with one entry that another had."""
    copy = np.array(array)
    copy.flat[7] = copy.flat[np.flatnonzero(copy.ravel() != copy.flat[7])[0]]
    return copy


def silent_elsewhere(given: dict[str, Any]) -> np.ndarray:
    """One more sample on which the last member gives no answer; votes there are zero, as they read where none is."""
    copy = given["abstained"].copy()
    copy[-1, np.flatnonzero(~copy[-1])[0]] = True
    return copy


CHANGES = {
    "labels": lambda given: {"labels": moved(given["labels"])},
    "no labels": lambda given: {"labels": None},
    "votes": lambda given: {"votes": np.where(given["abstained"], 0, (given["votes"] + 1) % 3)},
    "abstentions": lambda given: {"abstained": silent_elsewhere(given)},
    "no abstentions": lambda given: {"abstained": None},
    "groups": lambda given: {"groups": moved(given["groups"])},
    "no groups": lambda given: {"groups": None},
    "folds": lambda given: {"folds": moved(given["folds"])},
    "no folds": lambda given: {"folds": None},
    "groups as folds": lambda given: {"groups": given["folds"], "folds": given["groups"]},
    "a class renamed": lambda given: {"classes": ["cat", "dog", "gnu"]},
    "classes in another order": lambda given: {"classes": ["dog", "cat", "emu"]},
    "a class more": lambda given: {"classes": [*NAMES, "gnu"]},
    "classes without names": lambda given: {"classes": 3},
    "a mask": lambda given: {"mask": np.arange(600).reshape(5, 120) != 599},
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_differs_shows(change: str) -> None:
    given = facts()
    given["votes"] = np.where(given["abstained"], 0, given["votes"])
    assert of(**{**given, **CHANGES[change](given)}) != of(**given)


def test_where_an_answer_of_class_0_and_none_differ() -> None:
    """Stored values are zero in both."""
    votes, labels, silent = np.zeros((2, 3), int), [0, 1, 1], np.zeros((2, 3), bool)
    silent[1, 2] = True
    assert of(votes=votes, labels=labels) != of(votes=votes, labels=labels, abstained=silent)


def test_groups_are_not_folds() -> None:
    given = panel()
    assert of(**given, groups=some_groups()) != of(**given, folds=some_groups())


SAME = {
    "names of groups": lambda given: {"groups": [f"patient {code}" for code in given["groups"]]},
    "names of folds": lambda given: {"folds": given["folds"] + 100},
    "ids": lambda given: {"ids": None},
    "what was not answered": lambda given: {
        "votes": np.where(given["abstained"], 2 - given["votes"], given["votes"])
    },
    "texts for numbers": lambda given: {
        "votes": np.array(NAMES)[given["votes"]],
        "labels": np.array(NAMES)[given["labels"]],
    },
}


@pytest.mark.parametrize("change", SAME)
def test_what_says_the_same_does_not_show(change: str) -> None:
    given = facts()
    assert of(**{**given, **SAME[change](given)}) == of(**given)


def cut(given: dict[str, Any], start: int, stop: int) -> dict[str, Any]:
    """The arrays on some samples."""
    whole = {key: given[key] for key in ("classes",) if key in given}
    for key, value in given.items():
        if key not in whole and value is not None:
            array = np.asarray(value)
            whole[key] = array[start:stop] if array.ndim == 1 else array[:, start:stop]
    return whole


SHARDS = [(0, 50), (50, 51), (51, 120)]


@pytest.mark.parametrize("votes", [True, False])
def test_shards_change_nothing(votes: bool) -> None:
    """The groups of one name lie in several shards; the second shard has one sample."""
    given = facts(votes)
    parts = [Predictions.from_arrays(**cut(given, *span)) for span in SHARDS]
    joined = Predictions.concatenate(parts)
    assert joined.fingerprint() == of(**given)
    assert (joined.units, joined.folds.count, joined.ids.tolist()) == (40, 4, given["ids"])


@pytest.mark.parametrize("kind", ["texts", "from 0", "from 1", "binary"])
def test_shards_without_names_of_classes_change_nothing(kind: str) -> None:
    """Which classes there are, and where they count from, is told by all shards together."""
    given = panel(votes=kind != "binary", classes=2 if kind == "binary" else 3, silent=0.0)
    given["abstained"] = np.zeros((5, 120), bool)
    given["abstained"][2, 100:] = True  # in the last shard only
    del given["classes"]
    if kind == "binary":
        given["probs"] = given["probs"][..., 1]
    if kind == "from 1":
        given["votes"], given["labels"] = given["votes"] + 1, given["labels"] + 1
    if kind == "texts":
        given["votes"], given["labels"] = np.array(NAMES)[given["votes"]], np.array(NAMES)[given["labels"]]
    parts = [Predictions.from_arrays(**cut(given, *span)) for span in SHARDS]
    assert Predictions.concatenate(parts).fingerprint() == of(**given)
    assert Predictions.concatenate(parts[::-1]).classes == Predictions.from_arrays(**given).classes
