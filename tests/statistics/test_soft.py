"""Margin losses agree with their formula, and with what makes them valid."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comitia.statistics.soft
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._shards import CHUNK
from comitia.statistics import measure
from comitia.statistics.soft import margin_losses


def formula(row, label):
    return (1 - (row[label] - max(p for c, p in enumerate(row) if c != label))) / 2


def test_examples():
    assert doctest.testmod(comitia.statistics.soft).failed == 0


@given(st.integers(2, 6), st.integers(0, 2**32 - 1), st.sampled_from([np.float16, np.float32, np.float64]))
@settings(max_examples=40, deadline=None)
def test_losses_follow_the_formula(classes, seed, dtype):
    rng = np.random.default_rng(seed)
    probs, labels = rng.dirichlet(np.ones(classes), 20).astype(dtype), rng.integers(0, classes, 20)
    expected = [formula([float(p) for p in row], label) for row, label in zip(probs, labels)]
    assert margin_losses(probs, labels) == pytest.approx(expected, abs=1e-15)


def test_binary_is_the_case_of_two_classes():
    first, labels = np.array([0.1, 0.7, 0.5]), np.array([1, 0, 1])
    two = np.stack([1 - first, first], axis=1)
    assert margin_losses(first, labels) == pytest.approx(margin_losses(two, labels), abs=1e-15)


def test_stored_probabilities_are_not_changed():
    probs = np.random.default_rng(0).dirichlet([1, 1], 5)
    before = probs.copy()
    margin_losses(probs, np.zeros(5, int))
    assert np.array_equal(probs, before)


def class_major(probs):
    return np.ascontiguousarray(probs.transpose(0, 2, 1)).transpose(0, 2, 1)


def read_only(probs):
    locked = probs.copy()
    locked.flags.writeable = False
    return locked


LAYOUTS = {
    "as usual": np.copy,
    "Fortran order": np.asfortranarray,
    "class-major": class_major,
    "Fortran order a member": lambda probs: tuple(np.asfortranarray(rows) for rows in probs),
    "read-only": read_only,
    "read-only, class-major": lambda probs: tuple(read_only(np.asfortranarray(rows)) for rows in probs),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "samples, classes, why",
    [
        (40, 4, "many samples"),
        (1, 3, "one sample"),
        (CHUNK // 100 // 64 * 64 + 1, 100, "one in the last chunk"),
    ],
)
def test_however_probabilities_lie_in_memory(layout, samples, classes, why):
    rng = np.random.default_rng(2)
    probs, labels = rng.dirichlet(np.ones(classes), (3, samples)), rng.integers(0, classes, samples)
    given = LAYOUTS[layout](probs)
    found = measure(Predictions.from_arrays(probs=given, labels=labels), "soft")
    losses = np.array([[formula(probs[i, k], labels[k]) for k in range(samples)] for i in range(3)])
    assert found.first == pytest.approx(losses.mean(axis=1), rel=1e-12), why
    assert found.second == pytest.approx(losses @ losses.T / samples, rel=1e-12)
    assert np.array_equal(np.stack(list(given)), probs)


def test_a_read_only_map_of_class_major_files(tmp_path):
    probs, labels = np.random.default_rng(3).dirichlet([1, 1, 1], (2, 30)), np.arange(30) % 3
    for i in range(2):
        np.save(tmp_path / f"{i}.npy", np.asfortranarray(probs[i]))
    maps = tuple(np.load(tmp_path / f"{i}.npy", mmap_mode="r") for i in range(2))
    found = measure(Predictions.from_arrays(probs=maps, labels=labels), "soft")
    assert np.array_equal(
        found.second, measure(Predictions.from_arrays(probs=probs, labels=labels), "soft").second
    )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_an_average_that_errs_has_loss_of_a_half(seed):
    rng = np.random.default_rng(seed)
    probs, rho = rng.dirichlet([0.5] * 4, (5, 30)), rng.dirichlet(np.ones(5))
    labels = rng.integers(0, 4, 30)
    losses = np.stack([margin_losses(rows, labels) for rows in probs])
    average = np.tensordot(rho, probs, 1)
    errs = average.argmax(-1) != labels
    assert errs.any()
    assert (rho @ losses)[errs].min() >= 0.5 - 1e-12
    assert losses.min() >= 0
    assert losses.max() <= 1


@pytest.mark.parametrize("masked", [False, True])
def test_moments_agree_with_loops(masked, monkeypatch):
    rng = np.random.default_rng(5)
    probs, labels = rng.dirichlet([1, 1, 1], (3, 40)), rng.integers(0, 3, 40)
    mask = rng.random((3, 40)) < (0.6 if masked else 2)
    monkeypatch.setattr("comitia.statistics.soft.GATHERED", 21)
    found = measure(Predictions.from_arrays(probs=probs, labels=labels, mask=mask), "soft")
    e = [[formula(probs[i, k], labels[k]) for k in range(40)] for i in range(3)]
    for i in range(3):
        own = [k for k in range(40) if mask[i, k]]
        assert found.first[i] == pytest.approx(np.mean([e[i][k] for k in own]), rel=1e-13)
        for j in range(3):
            common = [k for k in own if mask[j, k]]
            assert found.second[i, j] == pytest.approx(
                np.mean([e[i][k] * e[j][k] for k in common]), rel=1e-13
            )
            if masked:
                assert found.pair_first[i, j] == pytest.approx(np.mean([e[i][k] for k in common]), rel=1e-13)
    assert found.shared is not masked
    assert found.pair_samples == min((mask[i] & mask[j]).sum() for i in range(3) for j in range(3))
    assert found.disagreement is None
    assert found.disagreement_of(np.ones(3) / 3) is None


def test_votes_have_no_margin():
    with pytest.raises(InputError, match="probs: the average vote needs probabilities"):
        measure(Predictions.from_arrays(votes=[[0, 1]], labels=[0, 1]), "soft")
