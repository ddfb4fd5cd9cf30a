"""What verify must notice: other data, forged weights, forged certificates, a forged story."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from quorate import Ensemble, Predictions, verify, weigh
from quorate.errors import InputError
from quorate.weighting import METHODS
from simulated import simulated

PACK = simulated(samples=600, classes=2)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("method", METHODS)
def test_what_weigh_says_holds_up(method: str, vote: str) -> None:
    ensemble = weigh(PACK, method=method, vote=vote)
    again = Ensemble.from_json(json.dumps(ensemble.to_json()))
    assert verify(again, PACK).holds


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
    found = verify(Ensemble.from_json(json.dumps(record)), PACK)
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


def better_statistics(record: dict[str, Any]) -> None:
    record["statistics"]["gibbs"] = 0.001


def better_members(record: dict[str, Any]) -> None:
    record["member_risks"][0] = 0.0


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (more_samples, "best"),
        (fewer_compared, "best"),
        (better_statistics, "numbers"),
        (better_members, "numbers"),
    ],
)
def test_other_numbers(change: Callable[[dict[str, Any]], None], row: str) -> None:
    assert forged(change, certify_fraction=0) == [row]


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
    found = verify(Ensemble.from_json(json.dumps(forgery)), pack)
    assert not next(row for row in found.rows if row.name == "weights").holds


def test_what_must_be_taken_on_trust_is_said() -> None:
    prior = [0.5] + [0.1] * 5
    assert "the prior was fixed before looking" in verify(weigh(PACK, prior=prior), PACK).trusted
    given = verify(weigh(PACK, method="given", weights=np.full(6, 1 / 6)), PACK)
    assert "the weights were fixed without these samples" in given.trusted


def test_unlabelled_samples_belong_to_the_statement() -> None:
    extra = simulated(samples=900, classes=2, seed=8, labels=False)
    ensemble = weigh(PACK, method="disagreement", unlabelled=extra)
    assert verify(ensemble, PACK, unlabelled=extra).holds
    with pytest.raises(InputError, match="give them with --unlabelled"):
        verify(ensemble, PACK)
    other = simulated(samples=900, classes=2, seed=9, labels=False)
    assert not verify(ensemble, PACK, unlabelled=other).rows[0].holds


def test_other_data() -> None:
    found = verify(weigh(PACK), simulated(samples=600, classes=2, seed=5))
    assert not found.rows[0].holds


def test_other_members() -> None:
    with pytest.raises(InputError, match="the ensemble has 6 members, the predictions 5"):
        verify(weigh(PACK), PACK.pick([0, 1, 2, 3, 4]))
