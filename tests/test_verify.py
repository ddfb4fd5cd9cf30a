"""What verify must notice: other data, forged weights, forged certificates, a forged story."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from comitia import Ensemble, Predictions, verify, weigh
from comitia._certificate import Certificate
from comitia._errors import InputError
from comitia.weighting import METHODS
from simulated import simulated

PACK = simulated(samples=600, classes=2)
STATES = simulated(samples=600, classes=2, run=[1, 1, 1, 2, 2, 2], step=[1, 2, 3, 1, 2, 3])


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("method", METHODS)
def test_what_weigh_says_holds_up(method: str, vote: str) -> None:
    ensemble = weigh(STATES, method=method, vote=vote)
    again = Ensemble.from_json(json.dumps(ensemble.to_json()))
    assert verify(again, STATES).holds


@pytest.mark.parametrize(
    "options", [{"certify_fraction": 0}, {"resolution": 9}, {"prior": [0.5] + [0.1] * 5}]
)
def test_options_hold_up_too(options: dict) -> None:
    assert verify(weigh(PACK, **options), PACK).holds


def test_masked_and_given_hold_up() -> None:
    masked = simulated(masked=True, votes=True)
    assert verify(weigh(masked), masked).holds
    assert verify(weigh(PACK, method="given", weights=np.full(6, 1 / 6)), PACK).holds


def forged(change: Callable[[dict[str, Any]], None], **options: Any) -> list[str]:
    """Names of the rows that do not hold after a change to the ensemble file."""
    record = weigh(PACK, **options).to_json()
    change(record)
    found = verify(Ensemble.from_json(json.dumps(record), faults=False), PACK)
    return [row.name for row in found.rows if not row.holds]


def lower(record: dict[str, Any]) -> None:
    record["certificates"][2]["risk"] -= 0.01


def lower_best(record: dict[str, Any]) -> None:
    record["best"]["risk"] -= 0.001


def move_weights(record: dict[str, Any]) -> None:
    weights = np.array(record["weighting"]["weights"])
    weights[5] += 0.1
    record["weighting"]["weights"] = (weights / weights.sum()).tolist()


def claim_fixed(record: dict[str, Any]) -> None:
    record["weighting"]["chosen_on"] = "nothing"


def claim_uniform(record: dict[str, Any]) -> None:
    record["weighting"]["method"] = "uniform"


def add_holdout(record: dict[str, Any]) -> None:
    record["certificates"].append({**record["best"], "name": "holdout", "samples": 600})


def test_a_lowered_certificate() -> None:
    assert forged(lower) == ["tandem-kl"]


def test_a_lowered_best() -> None:
    assert forged(lower_best) == ["best"]


def test_moved_weights_no_longer_follow_from_the_weighing_part() -> None:
    assert "weights" in forged(move_weights)


def test_weights_said_to_be_fixed() -> None:
    assert "weights" in forged(claim_fixed)


def test_weights_said_to_be_uniform() -> None:
    assert {"weights", "split"} <= set(forged(claim_uniform))


def test_a_certificate_that_is_not_valid() -> None:
    assert forged(add_holdout) == ["holdout"]


def permute_names(record: dict[str, Any]) -> None:
    record["names"] = record["names"][1:] + record["names"][:1]


def swap_steps(record: dict[str, Any]) -> None:
    record["run"], record["step"] = [1] * 6, [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("change", [permute_names, swap_steps])
def test_members_under_other_names(change: Callable[[dict[str, Any]], None]) -> None:
    assert forged(change) == ["members"]


def more_samples(record: dict[str, Any]) -> None:
    record["best"]["samples"] = 10**7


def fewer_compared(record: dict[str, Any]) -> None:
    record["best"]["compared"] = 2


@pytest.mark.parametrize("change", [more_samples, fewer_compared])
def test_another_price_or_more_samples(change: Callable[[dict[str, Any]], None]) -> None:
    assert forged(change, certify_fraction=0) == ["best"]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every plain value, every empty list included."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not inner or value in ([], {}):
        yield path
    for key, part in [*inner]:
        yield from leaves(part, (*path, key))


def edited(value: Any) -> Any:
    """Another value that a forger might set in its place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 0.9 or 0.1
    if isinstance(value, str):
        return value + " indeed"
    return ["nothing to worry about"] if value == [] else 1


def at(record: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        record = record[key]
    return record


# What no data can tell, and a gap so small that its edit is float noise.
UNCHECKED = {("weighting", "gap"), *(("versions", key) for key in ("comitia", "python", "numpy", "scipy"))}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "given", "weights": [0.3, 0.2, 0.2, 0.1, 0.1, 0.1]},
        {"certify_fraction": 0, "prior": [0.5] + [0.1] * 5},
    ],
)
def test_every_statement_is_checked_but_versions_and_a_seed_without_effect(options: dict) -> None:
    """Each value of the file is edited, one at a time: verify says no, or the file is no ensemble any more."""
    pack = simulated(samples=300, classes=2, run=[1, 1, 1, 2, 2, 2], step=[1, 2, 3, 1, 2, 3])
    ensemble = weigh(pack, **options)
    record, passed = ensemble.to_json(), set()
    for path in leaves(record):
        copy = json.loads(json.dumps(record))
        at(copy, path[:-1])[path[-1]] = edited(at(record, path))
        try:
            if verify(Ensemble.from_json(json.dumps(copy), faults=False), pack).holds:
                passed.add(path)
        except InputError:
            continue
    assert passed - UNCHECKED <= ({("split", "seed")} if not ensemble.split.certifying else set())


GONE = object()


@pytest.mark.parametrize(
    ("path", "value", "name", "what"),
    [
        (("best", "promise"), "the vote errs on at most 0.1% of new samples", "best", "promise"),
        (("best", "risk"), 0.9, "best", "promise"),
        (("statistics", "gibbs"), 0.001, "record", "statistics.gibbs"),
        (("member_risks", 0), 0.0, "record", "member_risks"),
        (("best", "vacuous"), 0, "best", "vacuous"),
        (("warnings",), [], "record", "warnings"),
        (("approved",), True, "record", "approved is unknown"),
        (("pair_samples_min",), GONE, "record", "pair_samples_min is missing"),
        (("certificates", 3, "promise"), GONE, "tandem-lambda", "promise is missing"),
        (("certificates", 4), GONE, "record", "moment is missing"),
        (("weighting", "lambda"), 0.1, "weights", "lambda"),
    ],
)
def test_the_row_says_what_is_other(path: tuple[Any, ...], value: Any, name: str, what: str) -> None:
    record = weigh(PACK, delta=1e-40, certify_fraction=0).to_json()
    assert record["warnings"]
    part = at(record, path[:-1])
    if value is GONE:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    failed = [
        row
        for row in verify(Ensemble.from_json(json.dumps(record), faults=False), PACK).rows
        if not row.holds
    ]
    assert [row.name for row in failed] == [name]
    assert failed[0].found.endswith(f"other: {what}")


def test_a_certificate_that_stands_there_twice() -> None:
    def change(record: dict[str, Any]) -> None:
        record["certificates"].insert(0, {**record["certificates"][0], "promise": "no errors at all"})

    assert forged(change) == ["first-order-kl", "record"]


def test_a_looser_certificate_holds_with_the_promise_that_belongs_to_it() -> None:
    record = weigh(PACK).to_json()
    risk = record["best"]["risk"] + 0.05
    looser = Certificate("split", record["vote"], risk, 0.05, record["best"]["samples"])
    record["best"] |= {"risk": risk, "promise": looser.promise}
    assert verify(Ensemble.from_json(json.dumps(record), faults=False), PACK).holds


def test_what_another_machine_may_find_a_little_otherwise_holds() -> None:
    record = weigh(PACK, method="tandem").to_json()
    for key in ("lambda", "kl", "bound"):
        record["weighting"][key] *= 1 + 1e-6
    record["weighting"]["gap"] += 1e-9
    record["statistics"]["tandem"] += 1e-12
    assert verify(Ensemble.from_json(json.dumps(record), faults=False), PACK).holds


def test_another_candidate_than_auto_chose() -> None:
    def change(record: dict[str, Any]) -> None:
        record["weighting"]["chosen"] = "wishful"

    assert forged(change, method="auto") == ["weights"]


def test_a_delta_is_not_rounded() -> None:
    record = weigh(PACK, delta=1e-10).to_json()
    record["certificates"][0]["delta"] = 1e-12
    found = verify(Ensemble.from_json(json.dumps(record), faults=False), PACK)
    assert [row.name for row in found.rows if not row.holds] == ["first-order-kl"]


def test_ties_turned_within_the_tolerance_of_the_weights() -> None:
    """Weights moved by less than a solver's tolerance, so that every tie on the hold-out comes out right."""
    rng = np.random.default_rng(0)
    pack = Predictions.from_arrays(votes=rng.integers(0, 2, (40, 300)), labels=rng.integers(0, 2, 300))
    honest = weigh(pack, method="uniform")
    wrong = pack.votes() != pack.labels
    ties = wrong.mean(axis=0) == 0.5
    moved = honest.weights - 9e-6 * np.sign(wrong[:, ties].sum(axis=1) - ties.sum() / 2)
    forgery = weigh(pack, method="given", weights=moved / moved.sum()).to_json()
    forgery["weighting"]["method"] = "uniform"
    found = verify(Ensemble.from_json(json.dumps(forgery), faults=False), pack)
    assert not next(row for row in found.rows if row.name == "weights").holds


def test_what_must_be_taken_on_trust_is_said() -> None:
    prior = [0.5] + [0.1] * 5
    assert "the prior was fixed before looking" in verify(weigh(PACK, prior=prior), PACK).trusted
    given = verify(weigh(PACK, method="given", weights=np.full(6, 1 / 6)), PACK)
    assert "the weights were fixed without these samples" in given.trusted
    unused = "the seed is the one that was used (no split rests on it)"
    assert unused in given.trusted
    assert unused not in verify(weigh(PACK), PACK).trusted


def test_unlabelled_samples_belong_to_the_statement() -> None:
    extra = simulated(samples=900, classes=2, seed=8, labels=False)
    ensemble = weigh(PACK, method="disagreement", unlabelled=extra)
    assert verify(ensemble, PACK, unlabelled=extra).holds
    with pytest.raises(InputError, match="give them as unlabelled"):
        verify(ensemble, PACK)
    other = simulated(samples=900, classes=2, seed=9, labels=False)
    assert not verify(ensemble, PACK, unlabelled=other).rows[0].holds


def test_other_data() -> None:
    found = verify(weigh(PACK), simulated(samples=600, classes=2, seed=5))
    assert not found.rows[0].holds


def test_other_members() -> None:
    with pytest.raises(InputError, match="the ensemble has 6 members, the predictions 5"):
        verify(weigh(PACK), PACK.pick([0, 1, 2, 3, 4]))


@pytest.mark.parametrize(
    ("path", "value"), [(("split", "seed"), -3), (("split", "fraction"), 7.0), (("delta",), 3.0)]
)
def test_a_file_that_nothing_can_be_computed_from_does_not_hold(path: tuple[str, ...], value: float) -> None:
    record = weigh(PACK).to_json()
    at(record, path[:-1])[path[-1]] = value
    found = verify(Ensemble.from_json(json.dumps(record), faults=False), PACK)
    assert not found.holds
    assert [row.name for row in found.rows] == ["file"]


def test_a_file_of_an_earlier_version_is_one_clear_line() -> None:
    record = json.loads(json.dumps(weigh(PACK).to_json()))
    del record["data"]["precision"]
    record["versions"]["comitia"] = "0.1\x1b[2J"
    with pytest.raises(
        InputError, match="written by an earlier comitia .*; weigh the predictions again"
    ) as told:
        verify(Ensemble.from_json(json.dumps(record)), PACK)
    assert "\x1b" not in str(told.value)
