"""Counted parts: matched by name, refused where they are the same or of another kind."""

import doctest

import numpy as np
import pytest

import comitia.statistics.counted
from comitia import Counted, InputError, Predictions, count
from comitia.statistics import measure


def counted(votes, labels, **options):
    return count(Predictions.from_arrays(votes=votes, labels=labels, **options))


def test_examples():
    assert doctest.testmod(comitia.statistics.counted).failed == 0


def test_classes_are_matched_by_name():
    one = counted([["b", "a"], ["b", "b"]], ["b", "a"])
    two = counted([["c", "c"], ["b", "c"]], ["b", "c"])
    total = one + two
    assert (total.class_names, total.declared) == (("a", "b", "c"), True)
    assert total.answers.tolist() == [[1, 1, 2], [0, 3, 1]]
    assert total.label_counts.tolist() == [1, 2, 1]
    assert (two + one).class_names == ("a", "b", "c")


def test_the_first_part_gives_the_order_where_it_has_all_classes():
    one = counted([["b", "a"]], ["b", "a"], classes=["z", "b", "a"])
    assert (one + counted([["a", "a"]], ["a", "b"])).class_names == ("z", "b", "a")
    assert (counted([["a", "a"]], ["a", "b"]) + one).class_names == ("a", "b", "z")


def test_numbers_go_up_to_the_largest():
    one, two = counted([[0, 1]], [0, 0]), counted([[3, 5]], [5, 5])
    assert two.class_names == ("3", "5")
    for total in (one + two, two + one):
        assert (total.class_names, total.declared) == (("0", "1", "2", "3", "4", "5"), False)
        assert total.label_counts.tolist() == [2, 0, 0, 0, 0, 2]


@pytest.mark.parametrize("names", [["cat", "dog"], ["00", "1"], ["1", str(10**6)]])
def test_named_classes_and_mere_numbers_are_not_guessed_to_be_the_same(names):
    with pytest.raises(
        InputError, match=r"classes: some parts name them \(.*\) and some have numbers \('0', '1'\)"
    ):
        counted([[0, 1]], [0, 0]) + counted([[names[0], names[1]]], names, classes=names)


def test_members_are_matched_by_name_and_by_order_without_names():
    one = counted([[0, 1, 1], [0, 0, 0]], [0, 1, 1], names=["a", "b"])
    two = counted([[1, 1], [0, 1]], [0, 1], names=["b", "a"])
    assert (one + two).counts.errors.tolist() == [0, 3]
    assert (two + one).names == ("b", "a")
    bare = counted([[0, 0], [0, 1]], [0, 1])
    assert (one + bare).counts.errors.tolist() == [1, 2]
    assert (one + bare).names == ("a", "b")


def test_a_part_that_is_in_another_is_refused():
    parts = [counted([[i & 1, i >> 1], [1, 1]], [0, 1], names=["a", "b"]) for i in range(4)]
    two = parts[0] + parts[1]
    for again in (parts[1], parts[1] + parts[2], parts[1].pick([1, 0])):
        with pytest.raises(
            InputError, match=r"part 1: holds samples that are in part 0 too \(part [0-9a-f]{12}\)"
        ):
            two + again
    with pytest.raises(InputError, match="b: holds samples that are in a too"):
        Counted.total([two, parts[0]], ["a", "b"])
    assert (two + parts[2]).samples == 6


def test_ids_tell_samples_apart_that_got_the_same_answers():
    one, two = (counted([[0, 1]], [0, 1], ids=ids) for ids in (["s1", "s2"], ["s3", "s4"]))
    assert (one + two).samples == 4
    with pytest.raises(InputError, match="ids tell different samples apart that got the same answers"):
        counted([[0, 1]], [0, 1]) + counted([[0, 1]], [0, 1])


def test_only_counts_are_added_and_at_least_one():
    with pytest.raises(
        InputError, match="part 1: must be Counted, got Predictions; comitia.count makes them"
    ):
        Counted.total([counted([[0, 1]], [0, 1]), Predictions.from_arrays(votes=[[0, 1]], labels=[0, 1])])
    with pytest.raises(InputError, match="counts: at least one part is required, got none"):
        Counted.total([])


def test_nothing_can_be_written_into_counts():
    one = counted([[0, 1]], [0, 1])
    for array in one.arrays().values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7


@pytest.mark.parametrize("change", ["labels", "votes", "classes", "folds", "mask", "abstained"])
def test_the_checksum_changes_with_whatever_was_counted(change):
    plain = {"votes": [["a", "b", "b"], ["a", "a", "b"]], "labels": ["a", "b", "b"]}
    other = {
        "labels": ["a", "a", "b"],
        "votes": [["a", "b", "a"], ["a", "a", "b"]],
        "classes": ["a", "b", "c"],
        "folds": [1, 2, 2],
        "mask": [[True, True, False], [True] * 3],
        "abstained": [[True, False, False], [False] * 3],
    }[change]
    assert counted(**plain).fingerprint() != counted(**{**plain, change: other}).fingerprint()


def test_soft_losses_are_not_among_the_counts():
    with pytest.raises(InputError, match="loss: 'soft' needs probabilities, and counts are of votes"):
        measure(counted([[0, 1]], [0, 1]), "soft")


def test_a_pair_without_common_samples_may_have_some_in_another_part():
    apart = np.array([[True, False], [False, True]])
    one, two = (
        counted([[0, 1], [1, 1]], labels, mask=mask) for labels, mask in (([0, 1], apart), ([1, 0], ~apart))
    )
    three = counted([[0, 0], [0, 1]], [0, 0])
    with pytest.raises(InputError, match="'member 0' and 'member 1' have no hold-out sample in common"):
        measure(one + two)
    assert measure(one + two + three).pair_samples == 2
