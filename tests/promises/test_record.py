"""The record of a promise: its sentence, and that a number which its inputs do not give is found."""

from dataclasses import replace

import pytest

from comitia import weigh
from comitia._records import from_plain
from comitia.promises import Promise
from comitia.promises.formulas import rate_limit
from comitia.promises.table import KINDS
from promises.problems import COSTS, clinic


@pytest.fixture(scope="module")
def given() -> dict[str, Promise]:
    found = weigh(clinic(), vote="average", per=["class", "predicted", "site"], target_risk=0.04, costs=COSTS)
    return {f"{one.name} {one.group or ''}".strip(): one for one in found.promises}


def test_every_kind_is_given_and_sound(given: dict[str, Promise]) -> None:
    assert {one.kind for one in given.values()} == set(KINDS)
    for promise in given.values():
        assert promise.fault() is None
        assert from_plain(Promise, promise.to_json(), strict=False) == promise


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "class sick",
            ["98.3333%", "all 2 at once", "of class 'sick'", "false-negative rate", "sensitivity at least"],
        ),
        (
            "class well",
            ["of class 'well'", "false-positive rate", "'well' being negative; specificity at least"],
        ),
        ("predicted sick", ["that it answers 'sick'", "precision at least"]),
        ("site north", ["all 3 at once", "where site is 'north'"]),
        ("selective", ["95%", "at most 4.00% of the new samples that it answers", "declines", "at least"]),
        ("costs", ["costs at most", "for a new sample, in expectation"]),
    ],
)
def test_sentences(given: dict[str, Promise], name: str, words: list[str]) -> None:
    promise = given[name].promise
    assert not [word for word in words if word not in promise]
    assert "asked for before looking" in given[name].assumption
    assert given[name].void.startswith("void if the weights, the vote or its threshold are changed, or if ")


@pytest.mark.parametrize("name", ["class sick", "predicted well", "site south", "selective", "costs"])
def test_a_smaller_risk_is_found_and_a_larger_one_is_allowed(given: dict[str, Promise], name: str) -> None:
    promise = given[name]
    assert "it was edited" in str(replace(promise, risk=promise.risk * 0.99).fault())
    assert replace(promise, risk=promise.risk * 1.01).fault() is None


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("class sick", {"kind": "sum"}, "unknown kind"),
        ("class sick", {"kind": "selective"}, "cannot be of kind"),
        ("class sick", {"kind": "column"}, "cannot be of kind"),
        ("class sick", {"group": None}, "a group is required"),
        ("class sick", {"rate": "hit rate"}, "a group is required"),
        ("class sick", {"delta": 1.5}, "is impossible"),
        ("class sick", {"samples": 7}, "rests on"),
        ("class sick", {"vote": "none"}, "is impossible"),
        ("class sick", {"threshold": 0.5}, "declines nothing"),
        ("costs", {"group": "sick"}, "a group is required"),
        ("selective", {"unit": "groups"}, "does not hold for groups"),
        ("selective", {"threshold": 0.1}, "threshold and coverage are not those of its inputs"),
        ("selective", {"coverage": 0.99}, "threshold and coverage are not those of its inputs"),
        ("selective", {"coverage_at_least": 0.99}, "states a coverage above"),
        ("selective", {"coverage_at_least": None}, "states a coverage above"),
    ],
)
def test_what_cannot_be(given: dict[str, Promise], name: str, change: dict, message: str) -> None:
    assert message in str(replace(given[name], **change).fault())


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("class sick", {"errors": -1}),
        ("class sick", {"errors": True}),
        ("class sick", {"errors": "none"}),
        ("class sick", {"at_once": 0}),
        ("class sick", {"more": 1}),
        ("costs", {"values": [0.0, "x"]}),
        ("costs", {"counts": [1]}),
        ("costs", {"order": "not hexadecimal"}),
        ("costs", {"largest": 0}),
        ("selective", {"start": -1}),
        ("selective", {"chosen": 10**6}),
        ("selective", {"thresholds": "none"}),
        ("selective", {"accepted": [1]}),
    ],
)
def test_inputs_that_do_not_fit(given: dict[str, Promise], name: str, change: dict) -> None:
    promise = given[name]
    assert "do not fit its formula" in str(replace(promise, inputs={**promise.inputs, **change}).fault())


def test_fewer_groups_at_once_would_promise_more(given: dict[str, Promise]) -> None:
    """The number of groups is in the formula, so that it cannot be lowered without the risk being found."""
    promise = given["site north"]
    alone = {**promise.inputs, "at_once": 1}
    assert rate_limit(**alone, delta=promise.delta) < promise.risk
    more = replace(promise, inputs={**promise.inputs, "at_once": 30})
    assert "it was edited" in str(more.fault())


def test_nothing_is_promised_that_was_not_asked_for() -> None:
    assert weigh(clinic(), vote="average").promises == ()
