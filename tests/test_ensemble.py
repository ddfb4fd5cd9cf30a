import json
import re
from dataclasses import replace

import numpy as np
import pytest

from comitia import Ensemble, weigh
from comitia._certificate import SAMPLING
from comitia._errors import InputError
from simulated import simulated


@pytest.mark.parametrize("options", [{}, {"method": "auto"}, {"certify_fraction": 0, "resolution": 7}])
def test_json_and_back(options: dict) -> None:
    ensemble = weigh(simulated(run=[1, 1, 1, 2, 2, 2], step=[1, 2, 3, 1, 2, 3]), **options)
    again = Ensemble.from_json(json.dumps(ensemble.to_json()))
    assert again.to_json() == ensemble.to_json()
    assert np.array_equal(again.weights, ensemble.weights)


def test_the_json_holds_what_outside_programs_read() -> None:
    record = weigh(simulated()).to_json()
    assert record["members"] == 6
    assert record["samples"] == record["pair_samples_min"] == 400
    assert set(record["weighting"]) >= {"method", "weights", "lambda", "kl", "gap", "samples"}
    assert set(record["statistics"]) >= {"gibbs", "tandem", "disagreement"}
    for certificate in record["certificates"]:
        assert set(certificate) >= {"name", "vote", "risk", "delta", "samples", "vacuous"}
    assert set(record["best"]) >= {"name", "vote", "risk", "delta"}


def test_the_file_is_kept_as_it_was_read_and_not_by_a_changed_copy() -> None:
    ensemble = weigh(simulated())
    record = {**ensemble.to_json(), "warnings": ["made up"]}
    read = Ensemble.from_json(json.dumps(record))
    assert read.record["warnings"] == ["made up"]
    record["samples"] = 10**6
    assert Ensemble.from_json(json.dumps(record), faults=False).to_json()["samples"] == 400
    assert replace(read, delta=0.1).record == replace(read, delta=0.1).to_json()
    assert ensemble.record == ensemble.to_json()


def test_only_the_holdout_certificate_of_given_weights_rests_on_how_they_came_about() -> None:
    """PAC-Bayes bounds and occam hold for all weights, and uniform ones are fixed by what they are."""
    given = weigh(simulated(), method="given", weights=np.full(6, 1 / 6)).to_json()
    stated = f"{SAMPLING}, and the weights were fixed without these samples"
    assert given["best"]["assumption"] == stated
    found = {row["name"]: row["assumption"] for row in given["certificates"]}
    assert found.pop("holdout") == stated
    assert {"tandem-kl", "occam"} <= found.keys()
    assert set(found.values()) == {SAMPLING}
    assert weigh(simulated(), method="uniform").to_json()["best"]["assumption"] == SAMPLING


def _without(key: str) -> str:
    record = weigh(simulated()).to_json()
    del record[key]
    return json.dumps(record)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file: not readable as JSON"),
        ("[1, 2]", "file: not an ensemble that comitia weigh wrote"),
        ('{"format": "comitia-ensemble-2"}', "file: names: missing; it has no default"),
        ('{"a": NaN}', "file: not readable as JSON (NaN is not a number)"),
    ],
)
def test_files_that_are_not_ensembles(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        Ensemble.from_json(text, source="file")
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("key", ["names", "certificates", "best", "data", "split", "vote", "class_names"])
def test_a_missing_part_is_named(key: str) -> None:
    with pytest.raises(InputError, match=f"ensemble: {key}: missing; it has no default"):
        Ensemble.from_json(_without(key))


def test_weights_that_do_not_sum_to_one_are_damage() -> None:
    record = weigh(simulated()).to_json()
    record["weighting"]["weights"][0] += 0.1
    with pytest.raises(InputError, match="weighting: weights must be at least 0 and sum to 1"):
        Ensemble.from_json(json.dumps(record))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("split", "seed"), "a", "split.seed: must be a whole number, got 'a'"),
        (("split", "seed"), -1, "split: the fraction must be in"),
        (("split", "seed"), 1.5, "split.seed: must be a whole number, got 1.5"),
        (("split", "fraction"), "a", "split.fraction: must be a number"),
        (("split", "fraction"), None, "split.fraction: must be a number, got None"),
        (("weighting", "resolution"), "4", "weighting.resolution: must be a whole number"),
        (("weighting", "resolution"), 4.5, "weighting.resolution: must be a whole number"),
        (("weighting", "chosen_on"), "luck", "weighting: chosen_on must be one of nothing, part, all"),
        (("weighting", "weights"), [0.5, 0.5], "weights must have one number for each of 6 members, got 2"),
        (("best", "risk"), "a", "best.risk: must be a number"),
        (("best", "risk"), None, "best.risk: must be a number"),
        (("best", "risk"), 0.001, "best: certificate split states 0.001, but its inputs give"),
        (("best", "name"), "wishful", "best: unknown certificate 'wishful'"),
        (("best", "name"), "holdout", "best: 'holdout' is not among the certificates"),
        (("best", "delta"), 0, "best: certificate split is impossible"),
        (("best", "delta"), 0.06, "certificates must be of the ensemble's own delta and vote"),
        (("delta",), 0.06, "certificates must be of the ensemble's own delta and vote"),
        (("best", "inputs"), {"errors": 1}, "the inputs of certificate split do not fit its formula"),
        (("best", "samples"), 9, "certificate split rests on 337 samples, not 9"),
        (("best", "compared"), 8, "price of choosing among 8 kinds of certificate was not paid"),
        (("names",), ["a", "a", "b", "c", "d", "e"], "names: duplicate name"),
        (("member_risks",), [0.1, 0.1, 0.1, 0.1, 0.1, 1.2], "member_risks must lie between 0 and 1"),
        (("vote",), "median", "certificates must be of the ensemble's own delta and vote"),
    ],
)
def test_values_that_cannot_be(path: tuple[str, ...], value: object, message: str) -> None:
    record = weigh(simulated()).to_json()
    part = record
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(InputError, match=re.escape(message)):
        Ensemble.from_json(json.dumps(record))
