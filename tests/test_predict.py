import json

import numpy as np
import pytest

from comitia import Predictions, weigh
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import predict
from comitia._votes import majority
from simulated import simulated


def test_members_without_weight_are_not_needed() -> None:
    pack = simulated(names=list("abcdef"))
    ensemble = weigh(pack, method="given", weights=[0, 0.5, 0, 0.2, 0, 0.3])
    whole = predict(ensemble, pack)
    part = predict(ensemble, pack.pick([5, 1, 3]))
    assert np.array_equal(whole.classes, part.classes)
    assert part.members == ("b", "d", "f")
    assert part.dropped == 3


def test_the_average_by_hand() -> None:
    pack = simulated()
    weights = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.1])
    found = predict(weigh(pack, method="given", weights=weights, vote="average"), pack)
    probs = np.concatenate([block.probs for block in pack.blocks()], axis=1)
    shares = np.einsum("m,mnc->nc", weights, probs)
    assert found.shares == pytest.approx(shares)
    assert np.array_equal(found.classes, shares.argmax(axis=1))
    assert found.error == np.mean(shares.argmax(axis=1) != pack.labels)


def test_a_tie_goes_to_the_lowest_class() -> None:
    pack = Predictions.from_arrays(votes=[[2, 1], [1, 2], [0, 0]], labels=[1, 2])
    ensemble = weigh(pack, method="given", weights=[0.5, 0.5, 0.0])
    assert predict(ensemble, pack).classes.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (simulated(names=list("abcdeg")), "members missing from the files: 'f'; give"),
        (simulated(members=5), "the files hold 5 members without names, the ensemble has 6"),
        (simulated(names=list("abcdef"), classes=4), "the ensemble knows 3 classes, the files 4"),
        (
            simulated(names=list("abcdef"), votes=True),
            "this ensemble averages probabilities; the files hold votes",
        ),
    ],
)
def test_files_that_do_not_fit(predictions: Predictions, message: str) -> None:
    ensemble = weigh(simulated(names=list("abcdef")), method="uniform", vote="average")
    with pytest.raises(InputError) as error:
        predict(ensemble, predictions)
    assert str(error.value).startswith(message)


def test_order_serves_where_the_new_files_have_no_names() -> None:
    named, unnamed = simulated(names=list("abcdef")), simulated()
    ensemble = weigh(named, method="uniform")
    assert np.array_equal(predict(ensemble, unnamed).classes, predict(ensemble, named).classes)


@pytest.mark.parametrize(
    ("picked", "weights"),
    [([0, 2, 4], [0.3, 0.7, 0.0]), ([2, 1, 0], [0.7, 0.3, 0.0]), ([4, 0, 2], [0.0, 0.7, 0.3])],
)
def test_members_without_names_are_taken_by_order(picked: list[int], weights: list[float]) -> None:
    """The new file numbers its members from 0, whatever numbers the weighed ones had."""
    pack = simulated()
    weighed = weigh(pack.pick(picked), method="given", weights=weights)
    stored = Ensemble.from_json(json.dumps(weighed.to_json()))
    new = Predictions.from_arrays(votes=pack.votes()[picked], labels=pack.labels)
    assert new.names == ("member 0", "member 1", "member 2")
    expected = majority(pack.votes()[picked], weights, 3)
    for ensemble in (weighed, stored):
        assert np.array_equal(predict(ensemble, new).classes, expected)
        assert np.array_equal(predict(ensemble, pack.pick(picked)).classes, expected)


def test_order_serves_where_the_ensemble_has_no_names() -> None:
    ensemble = weigh(simulated(), method="given", weights=[0, 0.5, 0, 0.2, 0, 0.3])
    found = predict(ensemble, simulated(names=list("abcdef")))
    assert np.array_equal(found.classes, predict(ensemble, simulated()).classes)


def test_runs_and_steps_are_names() -> None:
    pack = simulated(run=[1, 1, 2, 2, 3, 3], step=[5, 9, 5, 9, 5, 9])
    ensemble = weigh(pack, method="given", weights=[0, 0.5, 0, 0.2, 0, 0.3])
    part = predict(ensemble, pack.pick([5, 1, 3]))
    assert np.array_equal(part.classes, predict(ensemble, pack).classes)
    assert part.members == ("run 1, step 9", "run 2, step 9", "run 3, step 9")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            simulated().pick([1, 3, 5]),
            "the files hold 3 members without names, the ensemble has 6; give all of them in order, or name them",
        ),
        (
            simulated(names=list("abcdef")).pick([1, 3, 5]),
            "the files hold 3 members, the ensemble has 6 without names; give all of them in order, or weigh them",
        ),
        (
            simulated().pick([5, 4, 3, 2, 1, 0]),
            "names: expected 'member 0', got 'member 5'; numbered members are matched by order",
        ),
    ],
)
def test_numbers_do_not_find_a_member(files: Predictions, message: str) -> None:
    ensemble = weigh(simulated(), method="given", weights=[0, 0.5, 0, 0.2, 0, 0.3])
    with pytest.raises(InputError) as error:
        predict(ensemble, files)
    assert str(error.value).startswith(message)


def test_numbers_that_may_be_names_or_positions_are_not_guessed() -> None:
    """Weighed with classes 1, 2, 3: are the votes 0, 1, 2 their positions, or is 0 a new class?"""
    one = Predictions.from_arrays(votes=[[1, 2, 3, 1]], labels=[1, 2, 3, 1])
    ensemble = weigh(one, method="uniform")
    with pytest.raises(InputError, match="whether these are names or positions cannot be told"):
        predict(ensemble, Predictions.from_arrays(votes=[[0, 1, 2]]))
    assert predict(ensemble, Predictions.from_arrays(votes=[[3, 1]])).answers == ["3", "1"]
    columns = Predictions.from_arrays(probs=[[[0.1, 0.2, 0.7]]])
    assert predict(ensemble, columns).answers == ["3"]
