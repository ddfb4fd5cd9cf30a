"""The number of effective members: known cases, and numpy's own covariances."""

import math
from itertools import product

import numpy as np
import pytest

from comitia import InputError, Predictions
from comitia.statistics import effective_members, error_correlations, measure


def of(errors, mask=None):
    """The statistics of members of two classes with those errors, (M, n) of 0 and 1."""
    votes = np.asarray(errors)
    return measure(Predictions.from_arrays(votes=votes, labels=np.zeros(votes.shape[1], int), mask=mask))


INDEPENDENT = np.array(list(product([0, 1], repeat=4))).T  # every pattern of four members once


def test_independent_members_count_fully():
    assert effective_members(of(INDEPENDENT)) == pytest.approx(4)
    rho = np.array([0.4, 0.3, 0.2, 0.1])
    assert effective_members(of(INDEPENDENT), rho) == pytest.approx(1 / (rho**2).sum())


def test_copies_count_once_whatever_their_weights():
    copies = of(np.repeat([[0, 1, 1, 0, 0]], 3, axis=0))
    assert effective_members(copies) == pytest.approx(1)
    assert effective_members(copies, [0.7, 0.2, 0.1]) == pytest.approx(1)


def test_each_of_two_independent_members_twice():
    assert effective_members(of(INDEPENDENT[[0, 0, 1, 1]])) == pytest.approx(2)


def test_the_formula_against_numpy():
    rng = np.random.default_rng(1)
    errors = (rng.random((5, 200)) < np.linspace(0.1, 0.5, 5)[:, None]) ^ (rng.random(200) < 0.1)
    rho = rng.dirichlet(np.ones(5))
    c = np.cov(errors, bias=True)
    expected = (rho @ np.sqrt(np.diag(c))) ** 2 / (rho @ c @ rho)
    assert effective_members(of(errors.astype(int)), rho) == pytest.approx(expected)
    np.testing.assert_allclose(error_correlations(of(errors.astype(int))), np.corrcoef(errors), atol=1e-12)


def test_the_mean_correlation_of_members_alike():
    rng = np.random.default_rng(2)
    shared, own = rng.random(100_000) < 0.3, rng.random((6, 100_000)) < 0.3
    errors = np.where(rng.random((6, 100_000)) < 0.6, shared, own)
    r = 0.6**2
    assert effective_members(of(errors.astype(int))) == pytest.approx(6 / (1 + 5 * r), rel=0.02)


def test_pairs_are_compared_on_their_common_samples():
    errors = np.array([[0, 1, 0, 1, 1, 1], [0, 1, 1, 0, 0, 1]])
    mask = np.array([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 1]], bool)
    common = errors[:, :4]
    c12 = (common[0] * common[1]).mean() - common[0].mean() * common[1].mean()
    v1, v2 = errors[0, :5].var(), errors[1, [0, 1, 2, 3, 5]].var()
    expected = (math.sqrt(v1) + math.sqrt(v2)) ** 2 / (v1 + v2 + 2 * c12)
    assert effective_members(of(errors, mask)) == pytest.approx(expected)


def test_members_whose_errors_do_not_vary():
    assert math.isnan(effective_members(of([[0, 0, 0], [1, 1, 1]])))
    assert effective_members(of([[0, 0, 0, 0], [0, 1, 0, 1]])) == pytest.approx(1)
    assert np.isnan(error_correlations(of([[0, 0, 0, 0], [0, 1, 0, 1]]))).tolist() == [
        [True, True],
        [True, False],
    ]


def test_errors_that_cancel():
    assert effective_members(of([[0, 1, 0, 1], [1, 0, 1, 0]])) == math.inf
    assert effective_members(of([[0, 1, 0, 0], [1, 0, 0, 0]])) > 2


def test_weights_must_be_on_the_simplex():
    with pytest.raises(InputError, match=r"^weights: "):
        effective_members(of(INDEPENDENT), [1, 1, 1, 1.0])
