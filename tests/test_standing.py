"""What `weigh` says beyond the risk: gain over equal weights and profile, where samples had no part in the weights."""

import json

import numpy as np
import pytest

from comitia import Ensemble, InputError, verify, weigh
from simulated import simulated

PACK = simulated(samples=600)


@pytest.mark.parametrize(
    "options, gain, profile",
    [
        ({}, True, True),
        ({"vote": "average"}, True, True),
        ({"method": "uniform"}, False, True),
        ({"method": "given", "weights": [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]}, True, True),
        ({"certify_fraction": 0}, False, False),
    ],
)
def test_where_they_are_known(options: dict, gain: bool, profile: bool) -> None:
    found = weigh(PACK, **options)
    assert (found.gain is not None, found.profile is not None) == (gain, profile)
    assert verify(Ensemble.from_json(json.dumps(found.to_json())), PACK).holds


def test_masked_and_out_of_fold_predictions_have_neither() -> None:
    for pack in (simulated(masked=True), simulated(folds=np.arange(400) % 4)):
        found = weigh(pack)
        assert found.gain is None
        assert found.profile is None


def test_samples_apart_are_those_that_count() -> None:
    found = weigh(PACK, certify=simulated(samples=300, seed=5))
    assert found.gain is not None
    assert found.gain.samples == found.profile.samples == 300


def test_groups_are_what_is_counted() -> None:
    found = weigh(simulated(samples=600, groups=np.repeat(np.arange(100), 6)))
    assert found.gain is not None
    assert (found.gain.unit, found.profile.unit) == ("groups", "groups")
    assert found.gain.samples == found.profile.samples == found.best.samples


def change_gain(record: dict) -> None:
    record["gain"]["gain_at_least"] -= 0.001


def change_profile(record: dict) -> None:
    cells = record["profile"]["unsure"]
    fullest = int(np.argmax(cells))
    cells[fullest] -= 1
    cells[fullest - 1] += 1


def drop_gain(record: dict) -> None:
    del record["gain"]


@pytest.mark.parametrize("change", [change_gain, change_profile, drop_gain])
def test_verify_notices_what_was_changed(change) -> None:
    record = weigh(PACK).to_json()
    change(record)
    found = verify(Ensemble.from_json(json.dumps(record)), PACK)
    assert [row.name for row in found.rows if not row.holds] == ["record"]


def test_a_file_that_contradicts_itself_is_refused() -> None:
    record = weigh(PACK).to_json()
    record["gain"]["better"] += 1
    with pytest.raises(InputError, match=r"gain: discordant must be better \+ worse"):
        Ensemble.from_json(json.dumps(record))
    record = weigh(PACK).to_json()
    record["profile"]["unsure"][0] += 1
    with pytest.raises(InputError, match="profile must count each of"):
        Ensemble.from_json(json.dumps(record))
