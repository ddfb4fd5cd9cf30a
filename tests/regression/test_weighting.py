"""Weights against brute force, and the exact identity of the squared error of the mean."""

import numpy as np
import pytest
from scipy.optimize import minimize

from comitia import InputError, RealPredictions
from comitia.bounds import log_term
from comitia.regression.weighting import best, products, tandem, uniform, weighted_mean
from real_drawn import drawn


@pytest.mark.parametrize("groups", [None, "some"])
def test_the_squared_error_of_the_mean_is_the_quadratic_form(groups):
    codes = None if groups is None else np.random.default_rng(5).integers(0, 40, 600)
    pack, rng = drawn(groups=codes), np.random.default_rng(3)
    for _ in range(20):
        rho = rng.dirichlet(np.ones(4))
        # brute force: sample by sample
        squares = []
        for t in range(pack.samples):
            mean = sum(rho[i] * pack.values[i, t] for i in range(4))
            squares.append((mean - pack.targets[t]) ** 2)
        if codes is None:
            expected = sum(squares) / len(squares)
        else:
            expected = np.mean(
                [np.mean([s for s, g in zip(squares, codes) if g == k]) for k in set(codes.tolist())]
            )
        found = products(pack)
        assert rho @ found.matrix @ rho == pytest.approx(expected, rel=1e-12)
        assert found.units == (600 if codes is None else 40)


def objective(rho, matrix, n, scale, delta=0.05):
    """The best over lambda on a grid, which is refined around its minimum."""
    kl = sum(r * np.log(r * len(rho)) for r in rho if r > 0)
    product, price = rho @ matrix @ rho / scale, 2 * kl + log_term(n, delta)
    lams = np.linspace(0.001, 1.999, 4001)
    return min(product / (1 - lams / 2) + price / (lams * (1 - lams / 2) * n))


@pytest.mark.parametrize("samples, seed", [(30, 1), (600, 0), (20000, 2)])
def test_tandem_is_the_minimum_of_its_objective(samples, seed):
    pack = drawn(samples, seed)
    found = products(pack)
    scale = np.diagonal(found.matrix).min()
    ours = objective(tandem(pack, 0.05, None).weights, found.matrix, samples, scale)
    for start in np.random.default_rng(0).dirichlet(np.ones(4), 3):
        other = minimize(
            lambda z: objective(np.exp(z) / np.exp(z).sum(), found.matrix, samples, scale),
            np.log(start),
            method="Nelder-Mead",
            options={"maxiter": 4000, "xatol": 1e-9, "fatol": 1e-13},
        )
        assert ours <= other.fun + 1e-6


def test_members_whose_errors_cancel_are_joined():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=2000)
    pack = RealPredictions.from_arrays(
        [noise, -noise + 0.1 * rng.normal(size=2000), 0.6 * rng.normal(size=2000)], np.zeros(2000)
    )
    weights = tandem(pack, 0.05, None).weights
    assert weights[0] == pytest.approx(weights[1], abs=0.02)
    assert weights[2] < 0.1  # the best member alone, and of no use beside two that cancel


def test_units_and_offsets_do_not_matter():
    pack = drawn()
    moved = RealPredictions.from_arrays(1e-6 * pack.values + 7, 1e-6 * pack.targets + 7)
    np.testing.assert_allclose(tandem(pack, 0.05, None).weights, tandem(moved, 0.05, None).weights, atol=1e-6)


def test_one_wild_member_gets_no_weight_and_leaves_the_others_as_they_were():
    pack = drawn(2000)
    wild = RealPredictions.from_arrays(np.vstack([pack.values, 1e6 + 0 * pack.targets]), pack.targets)
    weights = tandem(wild, 0.05, None).weights
    assert weights[4] == 0
    np.testing.assert_allclose(weights[:4], tandem(pack, 0.05, None).weights, atol=0.02)


def test_a_perfect_member_and_equal_members():
    perfect = RealPredictions.from_arrays([[1.0, 2.0, 3.0] * 20, [2.0, 2.0, 2.0] * 20], [1.0, 2.0, 3.0] * 20)
    assert tandem(perfect, 0.05, None).weights.tolist() == [1.0, 0.0]
    same = RealPredictions.from_arrays(np.zeros((3, 50)), np.zeros(50))
    np.testing.assert_allclose(tandem(same, 0.05, None).weights, 1 / 3)


def test_a_prior_of_zero_is_a_weight_of_zero():
    weights = tandem(drawn(), 0.05, (0.0, 0.5, 0.25, 0.25)).weights
    assert weights[0] == 0
    assert weights.sum() == pytest.approx(1)


def test_best_and_uniform():
    assert best(drawn(), 0.05, None).weights.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert uniform(drawn(), 0.05, None).weights.tolist() == [0.25] * 4


def test_the_mean_looks_only_at_members_that_have_weight():
    pack = drawn()
    rho = np.array([0.5, 0.0, 0.5, 0.0])
    expected = np.array([(a + c) / 2 for a, c in zip(pack.values[0], pack.values[2])])
    np.testing.assert_allclose(weighted_mean(pack, rho), expected, rtol=1e-15)


def test_targets_are_needed():
    with pytest.raises(InputError, match="targets: required"):
        tandem(RealPredictions.from_arrays([[1.0, 2.0]]), 0.05, None)
