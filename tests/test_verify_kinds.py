"""verify with groups, abstentions, folds and samples apart: what is found again, and what a forger could change."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from comitia import METHODS, Ensemble, InputError, Predictions, verify, weigh
from panels import panel, some_groups

STATES = {"run": [1, 1, 1, 2, 2], "step": [1, 2, 3, 1, 2]}
NAMES = ["cat", "dog", "emu"]


def pack(**more: Any) -> Predictions:
    return Predictions.from_arrays(**{**panel(), "classes": NAMES}, **more)


GROUPED = pack(groups=some_groups())
TABLE = pack(folds=np.arange(120) % 4)
UNTOUCHED = Predictions.from_arrays(**{**panel(seed=4), "classes": NAMES})
#: What was weighed, and the samples apart.
KINDS: dict[str, tuple[Predictions, Predictions | None]] = {
    "abstaining": (pack(), None),
    "grouped": (GROUPED, None),
    "out-of-fold": (TABLE, None),
    "apart": (TABLE, UNTOUCHED),
}


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("method", METHODS)
def test_the_same_is_found_with_groups_and_abstentions(method: str, vote: str) -> None:
    given = Predictions.from_arrays(**panel(votes=False, classes=2), groups=some_groups(), **STATES)
    ensemble = weigh(given, method=method, vote=vote, seed=2)
    assert verify(Ensemble.from_json(json.dumps(ensemble.to_json())), given).holds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"method": "uniform"}, {"method": "greedy"}])
def test_every_kind_holds_up(kind: str, options: dict[str, Any]) -> None:
    samples, apart = KINDS[kind]
    ensemble = weigh(samples, certify=apart, **options)
    assert verify(Ensemble.from_json(json.dumps(ensemble.to_json())), samples, certify=apart).holds


def as_best(record: dict[str, Any]) -> None:
    """An estimate dressed up as a promise."""
    other = weigh(pack(), method="uniform").to_json()
    record["best"], record["certificates"], record["estimate"] = other["best"], other["certificates"], None


def set_at(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        assert record[path[-1]] != to
        record[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("kind", "change", "rows"),
    [
        ("abstaining", set_at("class_names", 1, to="gnu"), {"members"}),
        ("abstaining", set_at("class_names", to=["dog", "cat", "emu"]), {"members"}),
        ("abstaining", set_at("declared", to=False), {"members"}),
        ("abstaining", set_at("data", "abstained", to=1), {"data"}),
        ("grouped", set_at("data", "groups", to=120), {"data"}),
        ("grouped", set_at("best", "unit", to="samples"), {"best"}),
        ("grouped", set_at("best", "inputs", "sizes", 0, to=50), {"best"}),
        ("out-of-fold", set_at("estimate", to=0.01), {"estimate"}),
        ("out-of-fold", as_best, {"estimate"}),
        ("out-of-fold", set_at("data", "folds", to=5), {"data"}),
        ("apart", set_at("data", "certify_samples", to=1200), {"data"}),
        ("apart", set_at("data", "certify_sha256", to="0" * 64), {"data"}),
        ("apart", set_at("weighting", "chosen_on", to="nothing"), {"weights"}),
        ("apart", set_at("estimate", to=0.1), {"best"}),
    ],
)
def test_what_a_forger_changes_is_named(kind: str, change: Any, rows: set[str]) -> None:
    samples, apart = KINDS[kind]
    record = weigh(samples, certify=apart).to_json()
    change(record)
    found = verify(Ensemble.from_json(json.dumps(record), faults=False), samples, certify=apart)
    assert rows <= {row.name for row in found.rows if not row.holds}


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("abstaining", set_at("class_names", 1, to="cat"), "class_names must be two or more different names"),
        (
            "abstaining",
            set_at("class_names", to=["cat", "dog"]),
            "members, classes, samples and pair_samples",
        ),
        ("abstaining", set_at("data", "folds", to=4), "best: out-of-fold samples certify nothing"),
        (
            "abstaining",
            set_at("data", "groups", to=40),
            "certificates must be of groups where the data come in",
        ),
        (
            "grouped",
            set_at("data", "groups", to=None),
            "certificates must be of groups where the data come in",
        ),
        ("grouped", set_at("best", "unit", to="samples"), "certificate groups cannot rest on samples"),
        (
            "grouped",
            set_at("best", "inputs", "errors", 0, to=99),
            "the inputs of certificate groups do not fit",
        ),
        ("out-of-fold", as_best, "best: out-of-fold samples certify nothing, and all others do"),
        ("out-of-fold", set_at("estimate", to=1.5), "estimate: must be a share of errors"),
        ("out-of-fold", set_at("estimate", to=None), "estimate: must be a share of errors"),
        (
            "apart",
            set_at("estimate", to=0.1),
            "estimate: must be a share of errors, where nothing is promised",
        ),
        ("apart", set_at("data", "certify_sha256", to=None), "data: samples apart certify if and only if"),
        (
            "apart",
            set_at("weighting", "chosen_on", to="nothing"),
            "data: samples apart certify if and only if",
        ),
        (
            "apart",
            set_at("format", to="comitia-ensemble-1"),
            "written by another version of comitia (format com",
        ),
    ],
)
def test_a_file_that_contradicts_itself_is_not_read(kind: str, change: Any, message: str) -> None:
    samples, apart = KINDS[kind]
    record = weigh(samples, certify=apart).to_json()
    change(record)
    with pytest.raises(InputError) as error:
        Ensemble.from_json(json.dumps(record), "e.json")
    assert message in str(error.value)
    assert str(error.value).startswith("e.json: ")


CHANGED = {
    "groups": pack(groups=np.arange(120) // 3),
    "no groups": pack(),
    "labels": Predictions.from_arrays(
        **{**panel(), "classes": NAMES, "labels": (panel()["labels"] + 1) % 3}, groups=some_groups()
    ),
    "nobody declines": Predictions.from_arrays(
        **{**panel(), "classes": NAMES, "abstained": None}, groups=some_groups()
    ),
    "other names of classes": Predictions.from_arrays(
        **{**panel(), "classes": ["cat", "dog", "gnu"]}, groups=some_groups()
    ),
}


@pytest.mark.parametrize("change", CHANGED)
def test_other_data_are_noticed(change: str) -> None:
    found = verify(weigh(GROUPED), CHANGED[change])
    assert not found.rows[0].holds
    assert found.rows[0].name == "data"


def test_the_samples_apart_must_be_given_and_be_the_same() -> None:
    ensemble = weigh(TABLE, certify=UNTOUCHED)
    with pytest.raises(
        InputError, match="certify: the ensemble was weighed with samples apart that certify; give"
    ):
        verify(ensemble, TABLE)
    with pytest.raises(
        InputError, match="certify: the ensemble was weighed without samples apart that certify"
    ):
        verify(weigh(TABLE), TABLE, certify=UNTOUCHED)
    other = Predictions.from_arrays(**{**panel(seed=6), "classes": NAMES})
    assert not verify(ensemble, TABLE, certify=other).rows[0].holds
