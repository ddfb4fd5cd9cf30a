"""Votes that files have in common: long runs are told, and different samples that look alike are not."""

import doctest

import numpy as np
import pytest

import comitia._runs
from comitia import Predictions, weigh
from comitia._errors import InputError
from comitia._runs import common_run
from comitia.files import read_predictions, write_predictions


def drawn(rng, samples, members=5, classes=2, error=0.2):
    labels = rng.integers(0, classes, samples)
    wrong = rng.random((members, samples)) < error
    return np.where(wrong, rng.integers(0, classes, (members, samples)), labels), labels


def part(votes, labels, places=slice(None), **more):
    return Predictions.from_arrays(
        votes=votes[:, places], labels=labels[places], classes=int(labels.max()) + 1, **more
    )


def test_examples() -> None:
    assert doctest.testmod(comitia._runs).failed == 0


@pytest.mark.parametrize("classes", [2, 10])
@pytest.mark.parametrize("members", [2, 30])
def test_a_run_is_found_wherever_it_lies(members, classes) -> None:
    rng = np.random.default_rng(members)
    votes, labels = drawn(rng, 6000, members, classes)
    whole = range(6000)
    one = part(votes, labels, [*whole[:2000]])
    other = part(votes, labels, [*whole[3000:4000], *whole[500:1800], *whole[4000:5000]])
    fresh = part(votes, labels, [*whole[5000:6000]])
    assert common_run([one, fresh, other]) == (0, 2, 1300)
    assert common_run([other, fresh, one]) == (0, 2, 1300)
    assert common_run([fresh, other]) is None


@pytest.mark.parametrize("error", [0.02, 0.2, 0.6])
@pytest.mark.parametrize("order", ["drawn", "by label", "alternating", "in groups"])
def test_other_samples_of_the_same_kind_are_no_copies(error, order) -> None:
    """Sorted labels, few members that hardly err, neighbours that are alike: no run of another draw looks the same."""
    rng = np.random.default_rng(7)
    for members in (1, 3, 12):
        parts = []
        for _ in range(6):
            votes, labels = drawn(rng, 3000, members, error=error)
            place = {
                "drawn": np.arange(3000),
                "by label": np.argsort(labels, kind="stable"),
                "alternating": np.argsort(np.argsort(labels, kind="stable") % 1500, kind="stable"),
                "in groups": np.repeat(np.arange(100), 30),
            }[order]
            parts.append(part(votes[:, place], labels[place]))
        assert common_run(parts) is None


def test_members_are_compared_by_name() -> None:
    votes, labels = drawn(np.random.default_rng(3), 2000)
    one = part(votes, labels, slice(0, 1200), names=list("abcde"))
    other = part(votes[::-1], labels, slice(600, 2000), names=list("edcba"))
    assert common_run([one, other]) == (0, 1, 600)


def test_files_of_votes_that_overlap_are_refused(tmp_path) -> None:
    votes, labels = drawn(np.random.default_rng(4), 2000)
    for name, places in {"a": slice(0, 1200), "b": slice(900, 2000)}.items():
        write_predictions(tmp_path / f"{name}.npz", part(votes, labels, places))
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    with pytest.raises(InputError, match=r"b.npz: 300 of its samples, in the same order, are in .*a.npz too"):
        read_predictions(paths)


def test_files_of_votes_with_different_ids_are_different_samples(tmp_path) -> None:
    votes, labels = drawn(np.random.default_rng(4), 2000)
    for name, start in {"a": 0, "b": 900}.items():
        ids = [f"{name}{k}" for k in range(1100)]
        write_predictions(tmp_path / f"{name}.npz", part(votes, labels, slice(start, start + 1100), ids=ids))
    assert read_predictions([tmp_path / "a.npz", tmp_path / "b.npz"]).samples == 2200


def test_votes_that_certify_and_choose_are_refused() -> None:
    votes, labels = drawn(np.random.default_rng(5), 2000)
    with pytest.raises(InputError, match="certify: 300 samples also choose the weights"):
        weigh(part(votes, labels, slice(0, 1200)), certify=part(votes, labels, slice(900, 2000)))
    assert weigh(part(votes, labels, slice(0, 1200)), certify=part(votes, labels, slice(1200, 2000))).best
