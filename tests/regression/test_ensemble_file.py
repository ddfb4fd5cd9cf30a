"""The file of an ensemble for real targets: read as it was written, every forged number refused or found out."""

import copy
import json

import numpy as np
import pytest

from comitia import InputError, RealEnsemble, RealPredictions, predict, verify, weigh
from real_drawn import drawn

PACK = drawn(90)
CASES = {
    "split": ({"quantile": 0.9}, PACK, None),
    "clip": ({"clip": 3.0}, PACK, None),
    "known": ({"largest_error": 15.0}, PACK, None),
    "uniform": ({"method": "uniform", "clip": 3.0}, PACK, None),
    "best": ({"method": "best"}, PACK, None),
    "given": ({"weights": [0.25, 0.25, 0.5, 0], "clip": 2.0}, PACK, None),
    "all": ({"certify_fraction": 0, "largest_error": 15.0}, PACK, None),
    "nothing": ({"certify_fraction": 0}, PACK, None),
    "groups": ({}, drawn(90, groups=np.repeat(np.arange(45), 2)), None),
    "prior": ({"prior": [0.4, 0.3, 0.2, 0.1]}, PACK, None),
    "apart": ({}, PACK, drawn(60, seed=8)),
    "folds": ({}, drawn(90, out_of_fold=True), drawn(60, seed=8)),
    "folds alone": ({"method": "uniform", "clip": 3.0}, drawn(90, out_of_fold=True), None),
}


def weighed(case):
    settings, pack, apart = CASES[case]
    return weigh(pack, certify=apart, **settings)


@pytest.mark.parametrize("case", CASES)
def test_it_is_read_as_it_was_written_and_everything_is_found_again(case):
    _, pack, apart = CASES[case]
    text = json.dumps(weighed(case).to_json(), allow_nan=False)
    read = RealEnsemble.from_json(text)
    assert json.dumps(read.to_json()) == text
    found = verify(read, pack, certify=apart)
    assert found.holds, found


def paths(plain, above=()):
    """Every number, text and truth value of a record, by its path."""
    for key, value in plain.items() if isinstance(plain, dict) else enumerate(plain):
        if isinstance(value, dict | list):
            yield from paths(value, (*above, key))
        else:
            yield (*above, key)


def other(value, key):
    """Another value of the same kind: numbers shrink by a thousandth, which is how promises are forged."""
    if isinstance(value, bool):
        return not value
    if key == "fraction":
        return value * 0.9 or 0.1  # by less the split may stay the same
    if isinstance(value, int):
        return value + 1
    return (
        value * 0.999
        if isinstance(value, float) and value
        else 0.001
        if value in (None, 0.0)
        else f"{value}x"
    )


@pytest.mark.parametrize("case", ["split", "all", "apart", "groups", "given"])
def test_every_single_change_is_refused_or_found_out(case):
    _, pack, apart = CASES[case]
    record = weighed(case).to_json()
    for path in paths(record):
        if path[0] == "versions":
            continue  # with what it was made, which no data can tell
        if path == ("split", "seed") and case in ("all", "given", "apart"):
            continue  # no split rests on it: it is on the list of what is taken on trust
        forged = copy.deepcopy(record)
        place = forged
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = other(place[path[-1]], path[-1])
        if case == "given" and path[:2] == ("weighting", "weights"):
            continue  # taken on trust, but what follows from them is not
        try:
            read = RealEnsemble.from_json(json.dumps(forged), faults=False)
            holds = verify(read, pack, certify=apart).holds
        except InputError:
            continue
        assert not holds, path


def test_a_smaller_promise_is_refused_on_reading():
    record = weighed("split").to_json()
    for place in (record["best"], record["certificates"][0]):
        place["risk"] = place["inputs"]["mean"] / 2
    with pytest.raises(InputError, match="it was edited"):
        RealEnsemble.from_json(json.dumps(record))


def test_tiny_units_are_no_hiding_place():
    small = RealPredictions.from_arrays(1e-9 * PACK.values, 1e-9 * PACK.targets, PACK.names)
    record = weigh(small).to_json()
    assert verify(RealEnsemble.from_json(json.dumps(record)), small).holds
    for place in (record["best"], record["certificates"][0]):
        place["risk"] *= 0.999
    assert not verify(RealEnsemble.from_json(json.dumps(record), faults=False), small).holds


def test_other_data_are_found_out():
    read = weighed("split")
    assert not verify(read, drawn(90, seed=3)).holds
    with pytest.raises(InputError, match="4 members, the predictions 2"):
        verify(read, PACK.pick([0, 1]))
    with pytest.raises(InputError, match="certify: the ensemble was weighed without"):
        verify(read, PACK, certify=drawn(60, seed=8))
    with pytest.raises(InputError, match="give them as certify"):
        verify(weighed("apart"), PACK)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"names": ["a", "a", "c", "d"]}, "duplicate name"),
        ({"member_errors": [1.0]}, "member_errors must have one number"),
        ({"compared": 3}, "designated"),
        ({"chosen_on": "all"}, "split"),
        ({"best": None}, "estimate"),
        ({"format": "comitia-ensemble-2"}, "not an ensemble for real targets"),
        ({"delta": 0.1}, "own delta"),
    ],
)
def test_files_that_contradict_themselves(change, message):
    with pytest.raises(InputError, match=message):
        RealEnsemble.from_json(json.dumps({**weighed("split").to_json(), **change}))


def test_predicting_takes_members_by_name_or_by_order():
    found = weigh(PACK, weights=[0.5, 0.0, 0.25, 0.25], clip=3.0)
    expected = 0.5 * PACK.values[0] + 0.25 * PACK.values[2] + 0.25 * PACK.values[3]
    by_name = predict(found, PACK.pick([3, 2, 0]))
    np.testing.assert_allclose(by_name.values, expected, rtol=1e-12)
    assert by_name.dropped == 1
    assert by_name.members == ("a", "c", "d")
    assert by_name.mse == pytest.approx(((expected - PACK.targets) ** 2).mean(), rel=1e-12)
    nameless = RealPredictions.from_arrays(PACK.values)
    np.testing.assert_allclose(predict(found, nameless).values, expected, rtol=1e-12)
    assert predict(found, nameless).mse is None
    with pytest.raises(InputError, match="'a' is missing"):
        predict(found, PACK.pick([1, 2, 3]))
    with pytest.raises(InputError, match="without names"):
        predict(found, RealPredictions.from_arrays(PACK.values[:3]))
