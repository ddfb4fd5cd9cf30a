import json

import numpy as np
import pytest

from comitia import Predictions, weigh
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import predict
from comitia._votes import majority
from panels import panel, totals_of
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
    weighed = weigh(pack.pick(picked), method="given", weights=weights, vote="majority")
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


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_those_who_answer_are_added_up_and_nobody_is_no_answer(vote: str) -> None:
    given, weights = panel(votes=vote == "majority"), np.array([0.3, 0.1, 0.25, 0.2, 0.15])
    pack = Predictions.from_arrays(**{**given, "classes": ["cat", "dog", "emu"]})
    found = predict(weigh(pack, method="given", weights=weights, vote=vote), pack)
    wrong = 0
    for sample, label in enumerate(given["labels"].tolist()):
        totals = totals_of(given, weights, sample, vote)
        assert found.shares[sample] == pytest.approx(totals, abs=1e-12)
        silent = given["abstained"][:, sample].all()
        code = -1 if silent else next(c for c in range(3) if totals[c] >= max(totals) - 1e-9)
        assert found.classes[sample] == code
        assert found.answers[sample] == (None if silent else ("cat", "dog", "emu")[code])
        wrong += code != label
    assert found.answers[:4] == [None] * 4
    assert found.error == wrong / 120
    assert found.to_json()["classes"] == found.answers


def named(votes: list, labels: list | None = None, **more: object) -> Predictions:
    return Predictions.from_arrays(votes=votes, labels=labels, **more)


CLASSES = ["cat", "dog", "emu"] * 20


def test_classes_are_found_by_name_in_any_order_and_number() -> None:
    ensemble = weigh(named([CLASSES] * 3, CLASSES), method="uniform")
    stored = Ensemble.from_json(json.dumps(ensemble.to_json()))
    assert (stored.class_names, stored.declared) == (("cat", "dog", "emu"), True)
    for one in (ensemble, stored):
        assert predict(one, named([["emu", "dog"]] * 3)).answers == ["emu", "dog"]
        assert predict(one, named([["dog"]] * 3)).answers == ["dog"]
        assert predict(one, named([["ant", "emu"]] * 3)).answers == ["ant", "emu"]
        turned = named([[0, 2]] * 3, classes=["emu", "dog", "cat"])
        found = predict(one, turned)
        assert (found.answers, found.class_names) == (["emu", "cat"], ("cat", "dog", "emu"))
        assert found.shares.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_probabilities_are_moved_to_the_classes_of_the_ensemble() -> None:
    probs, labels = np.tile([[0.5, 0.3, 0.2]], (2, 60, 1)), np.array(CLASSES)
    pack = Predictions.from_arrays(probs=probs, labels=labels)
    ensemble = weigh(pack, method="uniform", vote="average")
    new = Predictions.from_arrays(probs=probs[:, :1], classes=["emu", "cat", "dog"])
    found = predict(ensemble, new)
    assert found.shares[0] == pytest.approx([0.3, 0.2, 0.5])
    assert found.answers == ["emu"]
    other = Predictions.from_arrays(probs=probs[:, :1], classes=["emu", "cat", "ant"])
    with pytest.raises(InputError, match="classes: must be cat, dog, emu, got emu, cat, ant"):
        predict(ensemble, other)


@pytest.mark.parametrize("vote", [1, 2])
def test_one_sample_of_an_ensemble_that_counts_from_1(vote: int) -> None:
    """Alone, a file of ones looks as if it counted from 0."""
    ensemble = weigh(named([[1, 2] * 30] * 3, [1, 2] * 30), method="uniform")
    found = predict(ensemble, named([[vote]] * 3, [vote]))
    assert (found.answers, found.error, found.class_names) == ([str(vote)], 0.0, ("1", "2"))


def test_one_sample_on_which_a_member_declines() -> None:
    ensemble = weigh(named([[0, 1] * 30] * 3, [0, 1] * 30), method="uniform")
    silent = np.array([[True], [False], [True]])
    assert predict(ensemble, named([[0], [1], [0]], abstained=silent)).answers == [1]
    assert predict(ensemble, named([[0], [1], [0]], abstained=np.ones((3, 1), bool))).answers == [None]


def test_ids_go_with_the_answers() -> None:
    ensemble = weigh(named([CLASSES] * 3, CLASSES), method="uniform")
    found = predict(ensemble, named([["emu", "dog"]] * 3, ids=["x", "y"]))
    assert dict(zip(found.ids.tolist(), found.answers)) == {"x": "emu", "y": "dog"}


def test_numbers_are_names_and_never_positions() -> None:
    """Weighed with classes 1, 2, 3: of the votes 0, 1, 2 the first is a class that the ensemble does not know."""
    one = Predictions.from_arrays(votes=[[1, 2, 3, 1]], labels=[1, 2, 3, 1])
    ensemble = weigh(one, method="uniform")
    found = predict(ensemble, Predictions.from_arrays(votes=[[0, 1, 2]]))
    assert (found.answers, found.unknown) == (["0", "1", "2"], ("0",))
    assert predict(ensemble, Predictions.from_arrays(votes=[[3, 1]])).answers == ["3", "1"]
    columns = Predictions.from_arrays(probs=[[[0.1, 0.2, 0.7]]])
    assert predict(ensemble, columns).answers == ["3"]


def test_other_precision_than_was_certified_is_told() -> None:
    rng = np.random.default_rng(5)
    labels, probs = rng.integers(0, 3, 90), rng.dirichlet(np.ones(3), (4, 90))
    packs = [Predictions.from_arrays(probs=probs.astype(kind), labels=labels) for kind in ("f2", "f4", "f8")]
    half = weigh(packs[0])
    assert "rounded to float16" in half.assumption(half.promised)
    assert predict(half, packs[0]).warnings == ()
    assert "certified on float16 probabilities and these are float32" in predict(half, packs[1]).warnings[0]
    assert (
        "certified on float64 probabilities and these are float16"
        in predict(weigh(packs[2]), packs[0]).warnings[0]
    )
    assert predict(weigh(packs[2]), packs[1]).warnings == ()
    assert "float16" not in weigh(packs[1]).assumption(half.promised)
