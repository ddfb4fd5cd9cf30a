"""Which samples belong together: groups by name, in the order in which they occur; and ids, each once."""

import doctest

import numpy as np
import pytest

import comitia._samples
from comitia import InputError, Predictions
from comitia._samples import Groups, check_ids

NAMES = ["p7", "p1", "p7", "p3", "p1", "p7"]


def test_examples() -> None:
    assert doctest.testmod(comitia._samples).failed == 0


def groups(given, samples: int = 6) -> Groups:
    found = Groups.of("groups", given, samples)
    assert found is not None
    return found


def test_groups_are_numbered_as_they_occur() -> None:
    found = groups(NAMES)
    assert (found.names, found.codes.tolist()) == (("p7", "p1", "p3"), [0, 1, 0, 2, 1, 0])
    assert (found.count, found.samples) == (3, 6)
    assert found.sizes().tolist() == [NAMES.count(name) for name in NAMES]


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, str, "S", object])
def test_numbers_and_texts_of_any_type_say_the_same(kind) -> None:
    found = groups(np.array([7, 1, 7, 3, 1, 7]).astype(str if kind == "S" else kind).astype(kind))
    assert (found.names, found.codes.tolist()) == (("7", "1", "3"), [0, 1, 0, 2, 1, 0])


def test_a_part_counts_its_own_groups_and_sizes() -> None:
    part = groups(NAMES).take(np.array([3, 4, 5]))
    assert (part.count, part.sizes().tolist()) == (3, [1, 1, 1])
    assert part.canonical().tolist() == [0, 1, 2]
    assert groups(NAMES).take(np.array([0, 2])).count == 1


def test_equal_partitions_have_equal_canonical_codes() -> None:
    renamed = [{"p7": "a", "p1": "z", "p3": "m"}[name] for name in NAMES]
    assert groups(NAMES).canonical().tolist() == groups(renamed).canonical().tolist()
    other = ["p7", "p1", "p7", "p3", "p3", "p7"]
    assert groups(NAMES).canonical().tolist() != groups(other).canonical().tolist()


def test_groups_of_one_name_in_two_parts_are_one() -> None:
    joined = Groups.joined([groups(["a", "b"], 2), groups(["b", "c", "b"], 3)], "groups")
    assert joined is not None
    assert (joined.names, joined.codes.tolist(), joined.count) == (("a", "b", "c"), [0, 1, 1, 2, 1], 3)
    mixed = Groups.joined([groups([1, 2], 2), groups(["2", "1"], 2)], "groups")
    assert mixed is not None
    assert mixed.codes.tolist() == [0, 1, 1, 0]


def test_some_parts_with_and_some_without_groups_are_refused() -> None:
    assert Groups.joined([None, None], "folds") is None
    with pytest.raises(InputError, match="folds: some files have them and some have none; give all or none"):
        Groups.joined([groups(["a"], 1), None], "folds")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a"] * 5, "groups: must have shape (n,) = (6,), got (5,)"),
        ([["a"] * 6], "groups: must have shape (n,) = (6,), got (1, 6)"),
        (Groups.of("groups", ["a", "b"], 2), "groups: must have shape (n,) = (6,), got (2,)"),
        ([0.5] * 6, "groups: must be whole numbers or texts, got float64 with other numbers"),
        ([np.nan] * 6, "groups: must be whole numbers or texts, got float64 with other numbers"),
        (np.zeros(6, "M8[D]"), "groups: must be whole numbers or texts, got datetime64[D]"),
        (
            [*NAMES[:5], None],
            "groups: must be a whole number or a text for every sample, got None for sample 5",
        ),
        (
            np.array(["a", np.nan, *NAMES[:4]], object),
            "groups: must be a whole number or a text for every sample, got nan for sample 1",
        ),
    ],
)
def test_what_is_no_group_of_every_sample(given, message: str) -> None:
    with pytest.raises(InputError) as error:
        Predictions.from_arrays(votes=np.zeros((1, 6), int), groups=given)
    assert str(error.value) == message


def test_ids_are_texts_and_each_occurs_once() -> None:
    assert check_ids([3, 1], 2).tolist() == ["3", "1"]
    assert check_ids(None, 2) is None
    with pytest.raises(InputError, match=r"ids: 'a' occurs 2 times; a sample counts once .*given as groups"):
        check_ids(["a", "b", "a"], 3)
    with pytest.raises(InputError, match=r"ids: must have shape \(n,\) = \(2,\), got \(3,\)"):
        check_ids(["a", "b", "c"], 2)


def test_what_is_known_of_samples_follows_them() -> None:
    pack = Predictions.from_arrays(
        votes=np.zeros((2, 6), int), groups=NAMES, folds=np.arange(6) % 2, ids=list("uvwxyz")
    )
    part = pack.take([1, 4, 5])
    assert [part.groups.names[code] for code in part.groups.codes] == ["p1", "p1", "p7"]
    assert (part.folds.codes.tolist(), part.ids.tolist()) == ([1, 0, 1], ["v", "y", "z"])
    assert (pack.units, part.units, pack.pick([1]).units) == (3, 2, 3)
    with pytest.raises(ValueError, match="read-only"):
        part.groups.codes[0] = 1
