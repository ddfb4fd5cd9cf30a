"""The entropic solver against closed forms, a general solver, and itself by another path."""

import numpy as np
import pytest
from scipy.optimize import minimize

from comitia.weighting import entropic
from comitia.weighting.entropic import (
    System,
    conjugate_gradients,
    heavy_members,
    minimise_entropic,
    newton_step,
)
from weighting_cases import tandem_matrix


def value(rho, Q, b, kappa, prior):
    return sum(
        r * (sum(Q[i, j] * s for j, s in enumerate(rho)) + b[i] + kappa * np.log(r / prior[i]))
        for i, r in enumerate(rho)
    )


@pytest.mark.parametrize("kappa", [1e-3, 0.05, 2.0])
def test_against_slsqp(kappa):
    rng = np.random.default_rng(1)
    Q, b, prior = tandem_matrix(5, 200, 1), rng.uniform(-0.2, 0.2, 5), rng.dirichlet(np.full(5, 3.0))
    rho = np.exp(minimise_entropic(Q, b, kappa, np.log(prior)))
    solved = minimize(
        lambda r: value(r, Q, b, kappa, prior),
        prior,
        method="SLSQP",
        bounds=[(1e-12, 1)] * 5,
        constraints={"type": "eq", "fun": lambda r: r.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert value(rho, Q, b, kappa, prior) == pytest.approx(solved.fun, abs=1e-8)
    np.testing.assert_allclose(rho, solved.x, atol=1e-4)


def test_without_a_quadratic_it_is_the_gibbs_distribution():
    b, prior = np.array([0.3, -0.1, 0.2]), np.array([0.2, 0.3, 0.5])
    expected = prior * np.exp(-b / 0.07)
    rho = np.exp(minimise_entropic(np.zeros((3, 3)), b, 0.07, np.log(prior)))
    np.testing.assert_allclose(rho, expected / expected.sum(), rtol=1e-6)


def test_the_step_solves_the_system_it_states():
    """(Q D + k I + bend s s'D) d = nu - r and sum D d = 0, with no term zero."""
    rng = np.random.default_rng(4)
    Q, rho = tandem_matrix(6, 300, 2), rng.dirichlet(np.ones(6))
    residual, slope, k, bend = rng.standard_normal(6) * 0.01, rng.standard_normal(6), 0.02, -1e-3
    heavy = heavy_members(Q, np.log(rho))
    d = newton_step(System(np.log(rho), residual, k, slope, bend), heavy)
    left = Q @ (rho * d) + k * d + bend * slope * (slope @ (rho * d)) + residual
    np.testing.assert_allclose(left, left[0], atol=1e-12)
    assert rho @ d == pytest.approx(0, abs=1e-12)


def test_conjugate_gradients_give_the_dense_step(monkeypatch):
    monkeypatch.setattr(entropic, "CG_GOAL", 1e-12)
    rng = np.random.default_rng(5)
    Q, rho = tandem_matrix(8, 300, 3), rng.dirichlet(np.ones(8))
    system = System(np.log(rho), rng.standard_normal(8) * 0.01, 0.02, rng.standard_normal(8), -1e-3)
    np.testing.assert_allclose(
        entropic.newton_step_cg(system, Q),
        newton_step(system, heavy_members(Q, np.log(rho))),
        rtol=1e-6,
        atol=1e-9,
    )


def test_conjugate_gradients_stop_at_negative_curvature():
    side = np.array([1.0, 2.0])
    assert conjugate_gradients(lambda x: -x, side).tolist() == side.tolist()


def test_heavy_members_hold_all_but_the_light_mass():
    rho = np.full(500, 1e-7)
    rho[[3, 70, 400]] = [0.5, 0.3, 0.2 - 497e-7]
    heavy = heavy_members(np.eye(500), np.log(rho))
    assert heavy.members.tolist() == [3, 70, 400]
    assert heavy.rows.shape == (3, 500)


def test_too_many_heavy_members_are_none():
    assert heavy_members(np.eye(1000), np.full(1000, -np.log(1000))) is None


def test_an_indefinite_quadratic_descends_and_ends():
    Q = np.array([[0.0, 1.0], [1.0, 0.0]])
    prior = np.array([0.6, 0.4])
    rho = np.exp(minimise_entropic(Q, np.zeros(2), 0.05, np.log(prior)))
    assert value(rho, Q, np.zeros(2), 0.05, prior) < value(prior, Q, np.zeros(2), 0.05, prior)
