"""Parts put together, and classes and members found again by name: nothing is mistaken for something else."""

import doctest
from typing import Any

import numpy as np
import pytest

import comitia._joining
from comitia import InputError, Predictions
from comitia._joining import aligned, occurring, recoded, with_classes
from panels import panel

of = Predictions.from_arrays


def by_name(pack: Predictions) -> list[list[str | None]]:
    """What each member says, by name; None where it does not answer."""
    names = [*pack.class_names, None]
    return [[names[code] for code in row] for row in pack.votes().tolist()]


def truth(pack: Predictions) -> list[str]:
    return [pack.class_names[code] for code in pack.labels.tolist()]


def test_examples() -> None:
    assert doctest.testmod(comitia._joining).failed == 0


def both(one: dict[str, Any], other: dict[str, Any]) -> Predictions:
    return Predictions.concatenate([of(**one), of(**other)])


def test_shards_with_different_classes_have_all_of_them() -> None:
    found = both(
        {"votes": [["dog", "emu"]], "labels": ["emu", "emu"]},
        {"votes": [["cat", "?"]], "labels": ["dog", "ant"], "abstained": [[False, True]]},
    )
    assert (found.class_names, found.declared) == (("ant", "cat", "dog", "emu"), True)
    assert by_name(found) == [["dog", "emu", "cat", None]]
    assert truth(found) == ["emu", "emu", "dog", "ant"]


def test_the_order_of_the_first_shard_is_kept_where_it_names_all_classes() -> None:
    found = both(
        {"votes": [["a", "c"]], "labels": ["a", "a"], "classes": ["c", "b", "a"]},
        {"votes": [["b", "a"]], "labels": ["b", "b"]},
    )
    assert (found.class_names, by_name(found)) == (("c", "b", "a"), [["a", "c", "b", "a"]])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2, 3], [1, 1, 1]),  # a shard with one class only
        ([1, 2, 3], [2, 2, 2]),
        ([1, 2, 2], [2, 7, 7]),
        ([0, 1, 1], [1, 5, 5]),  # a shard without class 0
        ([0, 1, 2], [1, 2, 2]),
        ([-1, 1, 1], [0, 1, 1]),
    ],
)
def test_numbers_mean_in_shards_what_they_mean_together(one: list, other: list, turned: bool) -> None:
    one, other = (other, one) if turned else (one, other)
    whole = of(votes=[one + other], labels=one[::-1] + other[::-1])
    found = both({"votes": [one], "labels": one[::-1]}, {"votes": [other], "labels": other[::-1]})
    assert (found.class_names, found.declared) == (whole.class_names, whole.declared)
    assert by_name(found) == [[str(number) for number in one + other]]
    assert truth(found) == [str(number) for number in one[::-1] + other[::-1]]
    assert found.fingerprint() == whole.fingerprint()


def test_numbers_and_names_are_not_mixed() -> None:
    with pytest.raises(
        InputError, match="shards: some name their classes and some number them; name them in"
    ):
        both({"votes": [[0, 1]], "labels": [0, 1]}, {"votes": [["a", "b"]], "labels": ["a", "b"]})


def test_probabilities_of_other_classes_are_refused() -> None:
    probs = np.full((1, 2, 3), 1 / 3)
    with pytest.raises(InputError, match="differ in classes: a, b, c and a, b, d"):
        both({"probs": probs, "classes": list("abc")}, {"probs": probs, "classes": list("abd")})


def test_probabilities_in_another_order_of_the_classes_are_moved() -> None:
    probs = np.array([[[0.5, 0.3, 0.2]]], np.float32)
    found = both(
        {"probs": probs, "labels": ["a"], "classes": list("abc")},
        {"probs": probs, "labels": ["a"], "classes": list("cab")},
    )
    (block,) = Predictions.concatenate([found]).take([1]).blocks()
    assert block.probs[0, 0] == pytest.approx([0.3, 0.2, 0.5])
    assert found.labels.tolist() == [0, 0]
    assert found.shards[1].values[0].dtype == np.float32


@pytest.mark.parametrize("turned", [False, True])
def test_one_probability_of_two_beside_a_shard_with_abstentions(turned: bool) -> None:
    ones, labels = np.array([[0.2, 0.7], [0.4, 0.6]]), [0, 1]
    parts = [
        of(probs=ones, labels=labels),
        of(probs=ones, labels=labels, abstained=[[True, False], [False] * 2]),
    ]
    found = Predictions.concatenate(parts[::-1] if turned else parts)
    rows = [0, 1, 2, 3] if not turned else [2, 3, 0, 1]
    assert found.votes()[:, rows].tolist() == [[0, 1, 2, 1], [0, 1, 0, 1]]


def test_members_that_never_answer_in_one_shard_do_in_another() -> None:
    found = both(
        {"votes": [[0, 1], [1, 1]], "labels": [0, 1], "abstained": [[True, True], [False, False]]},
        {"votes": [[0, 1], [1, 1]], "labels": [0, 1]},
    )
    assert found.votes().tolist() == [[2, 2, 0, 1], [1, 1, 1, 1]]


def test_ids_of_shards_are_different_or_not_kept() -> None:
    one, other = ({"votes": [[0, 1]], "ids": ids} for ids in (["a", "b"], ["c", "b"]))
    with pytest.raises(InputError, match="ids: 'b' occurs 2 times"):
        both(one, other)
    assert both(one, {"votes": [[0, 1]]}).ids is None


@pytest.mark.parametrize("votes", [True, False])
@pytest.mark.parametrize("order", ["cab", "bac", "cabd"])
def test_recoding_changes_numbers_and_nothing_else(votes: bool, order: str) -> None:
    given = {**panel(votes=votes), "classes": list("abc"), "mask": np.arange(600).reshape(5, 120) % 7 > 0}
    pack = of(**given, run=range(5), step=[1] * 5, groups=np.arange(120) // 2, ids=np.arange(120))
    found = recoded(pack, tuple(order))
    assert found.class_names == tuple(order)
    seen = pack.mask() & ~pack.abstained()
    one, other = (np.array(by_name(part))[seen].tolist() for part in (pack, found))
    assert one == other
    assert truth(found) == truth(pack)
    assert np.array_equal(found.mask(), pack.mask())
    assert np.array_equal(found.abstained(), pack.abstained())
    assert found.groups.codes.tolist() == pack.groups.codes.tolist()
    assert (found.names, found.ids.tolist()) == (pack.names, pack.ids.tolist())
    back = recoded(found.take(np.arange(120)), tuple(order))
    assert back.fingerprint() == found.fingerprint()


def test_recoding_refuses_to_lose_a_class_that_occurs() -> None:
    pack = of(votes=[["a", "b"]], classes=["a", "b", "c"])
    assert by_name(recoded(pack, ("b", "a"))) == [["a", "b"]]
    with pytest.raises(InputError, match="classes: 'b' occurs and is not among them; name all classes"):
        recoded(pack, ("c", "a"))


def test_what_occurs_is_voted_for_or_a_label() -> None:
    hidden = np.array([[False, True, False]])
    for more in ({"mask": ~hidden}, {"abstained": hidden}):
        pack = of(votes=[[1, 0, 1]], labels=[3, 3, 1], classes=5, **more)
        assert occurring(pack) == ("1", "3")
    assert occurring(of(probs=[[0.1, 0.2]])) == ("0", "1")


@pytest.mark.parametrize(
    ("new", "known", "declared", "names"),
    [
        ([[1]], ("1", "2"), True, ["1"]),  # a single sample of an ensemble that counts from 1
        ([[2]], ("1", "2"), True, ["2"]),
        ([[0]], ("1", "2"), True, ["0"]),  # new, and not taken for another
        ([[1, 2]], ("0", "1"), False, ["1", "2"]),
        ([[2, 1]], ("2", "1"), True, ["2", "1"]),
        ([[1, 0]], ("cat", "dog"), True, ["dog", "cat"]),  # numbers for names: by order
        ([["no", "yes"]], ("0", "1"), False, ["0", "1"]),
        ([["yes"]], ("no", "yes"), True, ["yes"]),
        ([["emu", "dog"]], ("cat", "dog"), True, ["emu", "dog"]),
    ],
)
def test_votes_are_found_by_name(new: list, known: tuple, declared: bool, names: list) -> None:
    found = with_classes(of(votes=new), known, declared)
    assert by_name(found) == [names]
    assert found.class_names[: len(known)] == known
    assert set(found.class_names[len(known) :]) == set(names) - set(known)


def test_columns_without_names_are_taken_by_order() -> None:
    probs = [[[0.5, 0.3, 0.2]]]
    for labels in (None, [0]):
        found = with_classes(of(probs=probs, labels=labels), ("1", "2", "3"), True)
        assert (found.class_names, by_name(found)) == (("1", "2", "3"), [["1"]])
    with pytest.raises(InputError, match="labels: cannot be told to count from 0 or from 1"):
        with_classes(of(probs=probs, labels=[1]), ("1", "2", "3"), True)
    assert truth(with_classes(of(probs=probs, labels=[1]), ("a", "b", "c"), True)) == ["b"]
    with pytest.raises(InputError, match="classes: must be a, b, c, got a, b, d; give probabilities of all"):
        with_classes(of(probs=probs, classes=list("abd")), ("a", "b", "c"), True)


def test_members_are_found_by_name_and_classes_too() -> None:
    known = of(votes=[["a", "b"], ["b", "b"]], labels=["a", "b"], names=["x", "y"])
    found = aligned(of(votes=[["c"], ["b"]], names=["y", "x"]), known, "certify")
    assert (found.names, found.class_names, by_name(found)) == (("x", "y"), ("a", "b", "c"), [["b"], ["c"]])
    with pytest.raises(InputError, match="certify: must hold the same members by name, 'z' is not among"):
        aligned(of(votes=[["c"], ["b"]], names=["y", "z"]), known, "certify")
    with pytest.raises(InputError, match="certify: must hold the same 2 members, got 1"):
        aligned(of(votes=[["c"]]), known, "certify")
