"""How samples are divided: every sample once, groups whole, the same for the same seed."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comitia._split
from comitia._samples import Groups
from comitia._split import random_folds, split_samples


def test_examples() -> None:
    assert doctest.testmod(comitia._split).failed == 0


def partition(parts, samples: int) -> None:
    """Every sample is in one part, sorted."""
    assert sorted(k for part in parts for k in part.tolist()) == list(range(samples))
    assert all(part.tolist() == sorted(part.tolist()) for part in parts)


CASES = st.tuples(st.integers(2, 40), st.integers(1, 12), st.integers(0, 50))


@given(CASES, st.floats(0, 0.99))
@settings(max_examples=60, deadline=None)
def test_a_split_keeps_groups_whole_and_that_share_of_them(case, fraction: float) -> None:
    samples, count, seed = case
    names = np.random.default_rng(seed).integers(0, count, samples)
    parts = split_samples(samples, fraction, seed, Groups.of("groups", names, samples))
    partition(parts, samples)
    weighing, certifying = (set(names[part].tolist()) for part in parts)
    assert not weighing & certifying
    assert len(certifying) == round(fraction * len(set(names.tolist())))


@given(CASES, st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_folds_keep_groups_whole_and_have_equal_numbers_of_them(case, folds: int) -> None:
    samples, count, seed = case
    names = np.random.default_rng(seed).integers(0, count, samples)
    parts = random_folds(samples, folds, seed, Groups.of("groups", names, samples))
    partition(parts, samples)
    inside = [set(names[part].tolist()) for part in parts]
    assert sum(map(len, inside)) == len(set(names.tolist()))
    assert len(parts) == min(folds, len(set(names.tolist())))
    assert max(map(len, inside)) - min(map(len, inside)) <= 1


def test_names_of_groups_that_do_not_occur_count_nothing() -> None:
    """Groups of a part know the names of all; the share is of those that are there."""
    part = Groups.of("groups", np.arange(100) // 2, 100).take(np.arange(20))
    assert len(split_samples(20, 0.5, 0, part)[1]) == 10
    assert [len(held) for held in random_folds(20, 5, 0, part)] == [4] * 5


def test_groups_of_one_sample_each_are_divided_as_samples_are() -> None:
    single = Groups.of("groups", np.arange(30)[::-1], 30)
    for seed in range(3):
        for one, other in zip(split_samples(30, 0.4, seed), split_samples(30, 0.4, seed, single)):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize("divide", [split_samples, random_folds])
def test_the_seed_decides(divide) -> None:
    groups, share = Groups.of("groups", np.arange(60) // 3, 60), 0.5 if divide is split_samples else 4
    first, again, other = ([part.tolist() for part in divide(60, share, s, groups)] for s in (1, 1, 2))
    assert first == again != other
