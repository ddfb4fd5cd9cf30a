"""Names of classes: what votes and labels of any kind become, and what cannot be told."""

import datetime
import doctest

import numpy as np
import pytest

import comitia._classes
from comitia import InputError, Predictions
from comitia._classes import check_class_names, ordered

of = Predictions.from_arrays


def test_examples() -> None:
    assert doctest.testmod(comitia._classes).failed == 0


TEXTS = [["cat", "dog", "emu"], ["dog", "dog", "cat"]]


@pytest.mark.parametrize(
    "kind",
    [
        list,
        np.array,
        lambda rows: np.array(rows, object),
        lambda rows: np.array(rows, "S"),
        lambda rows: tuple(np.array(row, object) for row in rows),
    ],
)
def test_texts_of_any_type_become_numbers_in_the_order_of_the_alphabet(kind) -> None:
    found = of(votes=kind(TEXTS), labels=np.array(["emu", "dog", "cat"]))
    assert (found.class_names, found.declared) == (("cat", "dog", "emu"), True)
    assert found.votes().tolist() == [[0, 1, 2], [1, 1, 0]]
    assert found.labels.tolist() == [2, 1, 0]


def test_numbers_from_1_keep_their_names_and_no_class_0_is_invented() -> None:
    found = of(votes=[[1, 2, 3], [3, 3, 1]], labels=[1, 2, 1])
    assert (found.class_names, found.declared) == (("1", "2", "3"), True)
    assert found.votes().tolist() == [[0, 1, 2], [2, 2, 0]]
    assert found.labels.tolist() == [0, 1, 0]


def test_numbers_with_gaps_are_only_those_that_occur() -> None:
    found = of(votes=[[10, 9, 700]], labels=[9, 9, 10])
    assert (found.class_names, found.votes().tolist()) == (("9", "10", "700"), [[1, 0, 2]])
    assert found.labels.tolist() == [0, 0, 1]


def test_numbers_from_0_have_no_names_and_those_between_are_classes() -> None:
    found = of(votes=[[0, 1, 5]], labels=[0, 0, 1])
    assert (found.class_names, found.declared) == (tuple("012345"), False)


@pytest.mark.parametrize("kind", [bool, float])
def test_booleans_and_whole_floats_are_numbers(kind: type) -> None:
    found = of(votes=np.array([[1, 0], [1, 1]], kind), labels=np.array([1, 0], kind))
    assert (found.class_names, found.declared) == (("0", "1"), False)
    assert found.votes().tolist() == [[1, 0], [1, 1]]
    assert found.labels.tolist() == [1, 0]


def test_dates_are_classes_as_texts_only() -> None:
    days = ["2024-12-31", "2025-01-01"]
    assert of(votes=[days[::-1]], labels=days).class_names == tuple(days)
    objects = [[datetime.date(2024, 12, 31), datetime.date(2025, 1, 1)]]
    for bad, kind in ((np.array([days], "M8[D]"), r"datetime64\[D\]"), (objects, "object")):
        with pytest.raises(InputError, match=f"^votes: must hold numbers, got {kind}; convert it"):
            of(votes=bad)


def test_negative_numbers_are_classes_where_labels_say_so() -> None:
    assert of(votes=[[-1, 1, 1]], labels=[-1, 1, -1]).class_names == ("-1", "1")
    with pytest.raises(InputError, match="votes: -1 is no label; if it means that the member gave no answer"):
        of(votes=[[-1, 1, 1]], labels=[0, 1, 1])


@pytest.mark.parametrize("kind", [str, int])
def test_a_class_only_in_labels_or_only_in_votes_is_a_class(kind: type) -> None:
    votes, labels = [[kind(3), kind(5)], [kind(3), kind(3)]], [kind(5), kind(7)]
    found = of(votes=votes, labels=labels)
    assert found.class_names == ("3", "5", "7")
    assert found.votes().tolist() == [[0, 1], [0, 0]]
    assert found.labels.tolist() == [1, 2]


def test_what_is_masked_or_not_answered_names_no_class() -> None:
    votes = [["cat", "?", "dog"], ["n/a", "dog", "cat"]]
    hidden = np.array([[False, True, False], [True, False, False]])
    truth = ["cat", "dog", "dog"]
    for more in ({"mask": ~hidden}, {"abstained": hidden}):
        found = of(votes=votes, labels=truth, **more)
        assert found.class_names == ("cat", "dog")
    assert found.votes().tolist() == [[0, 2, 1], [2, 1, 0]]
    numbers = of(votes=[[1, 0, 2], [0, 2, 1]], labels=[1, 2, 2], abstained=hidden)
    assert (numbers.class_names, numbers.labels.tolist()) == (("1", "2"), [0, 1, 1])


@pytest.mark.parametrize(
    ("width", "labels", "names", "codes"),
    [
        (2, ["no", "yes"], ("no", "yes"), [0, 1]),
        (2, [1, 2], ("1", "2"), [0, 1]),
        (2, [-1, 1], ("-1", "1"), [0, 1]),
        (3, [1, 3], ("1", "2", "3"), [0, 2]),
        (3, [1, 2], ("0", "1", "2"), [1, 2]),
        (2, [True, False], ("0", "1"), [1, 0]),
    ],
)
def test_labels_beside_probabilities(width: int, labels: list, names: tuple, codes: list) -> None:
    probs = np.full((1, 2, width), 1 / width)
    found = of(probs=probs, labels=labels)
    assert (found.class_names, found.labels.tolist()) == (names, codes)
    if width == 2:
        assert of(probs=probs[..., 1], labels=labels).class_names == names


def test_names_that_are_given_number_texts_in_their_own_order() -> None:
    found = of(votes=[["dog", "cat"]], labels=["cat", "cat"], classes=["emu", "dog", "cat"])
    assert found.class_names == ("emu", "dog", "cat")
    assert (found.votes().tolist(), found.labels.tolist()) == ([[1, 2]], [2, 2])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"votes": [["a", "b"]], "labels": [1, 2]},
            "votes: are texts and the labels numbers; give both in one",
        ),
        (
            {"votes": [[1, 2]], "labels": ["a", "b"]},
            "votes: are numbers and the labels texts; give both in one",
        ),
        ({"votes": [["a", "x"]], "classes": ["a", "b"]}, "votes: 'x' is not one of the classes 'a', 'b'"),
        (
            {"votes": [["a", "b"]], "labels": ["a", "z"], "classes": list("abcdef")},
            "labels: 'z' is not one of the classes 'a', 'b', 'c', 'd', 'e', … (6 in all)",
        ),
        (
            {"votes": [[0, 1]], "classes": ["a", "a"]},
            "classes: duplicate name 'a'; every class needs its own",
        ),
        ({"votes": [[0, 0]], "classes": ["a"]}, "classes: must name 2 to 65,536 classes, got 1"),
        ({"votes": [[0, 2]], "classes": ["a", "b"]}, "votes: class 2 is out of range, there are 2 classes"),
        (
            {"probs": [[[0.2, 0.3, 0.5]] * 2], "labels": ["a", "b"]},
            "labels: hold 2 classes and the probabilities 3, so which is which cannot be told; name all classes",
        ),
        (
            {"probs": [[0.2, 0.3]], "classes": list("abc")},
            "classes: must name the 2 classes of the probabilities",
        ),
    ],
)
def test_what_cannot_be_told_is_one_line(arrays: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        of(**arrays)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_numbers_are_ordered_as_numbers_and_texts_as_texts() -> None:
    assert ordered(["10", "9", "-1", "9"]) == ("-1", "9", "10")
    assert ordered(["10", "9", "b"]) == ("10", "9", "b")
    assert check_class_names(np.array([3, 1])) == ("3", "1")
