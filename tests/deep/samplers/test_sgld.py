"""SGLD has the stationary law that its formula implies, and that law tends to the posterior."""

from typing import Any

import numpy as np
import pytest
import torch

from comitia._errors import InputError
from comitia.deep.samplers import SGLD, Preconditioner
from deep.samplers.stationarity import (
    Gaussian,
    Regression,
    advance,
    bias_of,
    chain_on,
    check,
    correlated,
    independent,
    refreshed_masses,
    regression,
    start,
    wrong_noises,
)

LR = 2.0  # on 40 samples a step of .05: the discretised law is visibly wider than the posterior
CHAINS = 6_000


def sampler_of(
    target: Gaussian, temperature: float, *, kind: type[SGLD] = SGLD, lr: float = LR, **more: Any
) -> SGLD:
    given = {"chains": CHAINS, "seed": 5, **more}
    return chain_on(kind, target, lr, temperature, **given)


@pytest.mark.parametrize("temperature", [1.0, 0.3])
@pytest.mark.parametrize("target", [independent(), correlated()], ids=["independent", "correlated"])
def test_has_the_exact_law_of_the_discretised_dynamics(target: Gaussian, temperature: float) -> None:
    law = target.sgld_law(LR, temperature, np.ones(3))
    error = check(sampler_of(target, temperature), target.gradient(), law, settle=150, gap=20)
    assert error < 0.01


@pytest.mark.parametrize("by", ["layer", "element"])
def test_has_the_exact_law_with_a_mass(by: Any) -> None:
    target = correlated()
    sampler = sampler_of(target, 0.3, preconditioner=Preconditioner(by=by))
    mass = refreshed_masses(sampler, target.gradient(), by)
    check(sampler, target.gradient(), target.sgld_law(LR, 0.3, mass), settle=150, gap=20)


@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_matches_the_posterior_with_a_small_step(temperature: float) -> None:
    target, lr = correlated(), LR / 10
    exact = target.posterior(temperature)
    bias = bias_of(target.sgld_law(lr, temperature, np.ones(3)), exact)
    assert 0.005 < bias < 0.02
    sampler = sampler_of(target, temperature, lr=lr)
    assert check(sampler, target.gradient(), exact, settle=500, gap=60, bias=bias) < 0.01


def test_the_law_tends_to_the_posterior_in_proportion_to_the_step() -> None:
    target, mass = correlated(), np.array([1.0, 2.5, 2.5])
    exact = target.posterior(0.3).covariance
    errors = [np.abs(target.sgld_law(lr, 0.3, mass).covariance - exact).max() for lr in (0.2, 0.02, 0.002)]
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(10, rel=0.05)


def regression_sampler(problem: Regression, lr: float, chains: int) -> SGLD:
    return chain_on(SGLD, problem, lr, 0.6, chains=chains, seed=6)


def test_minibatches_widen_the_law_of_a_regression_as_computed() -> None:
    problem = regression(batch=6)
    law = problem.sgld_law(0.1, 0.6)
    assert bias_of(law, problem.posterior(0.6)) > 1
    error = check(regression_sampler(problem, 0.1, 6000), problem.gradient(1), law, settle=120, gap=20)
    assert error < 0.01


def test_regression_with_minibatches_matches_the_posterior_with_a_small_step() -> None:
    problem, exact = regression(batch=24), regression(batch=24).posterior(0.6)
    bias = bias_of(problem.sgld_law(0.01, 0.6), exact)
    assert 0.01 < bias < 0.035
    sampler = regression_sampler(problem, 0.01, 1500)
    assert check(sampler, problem.gradient(1), exact, settle=800, gap=130, readings=5, bias=bias) < 0.02


@pytest.mark.parametrize("wrong", wrong_noises(SGLD))
def test_a_wrong_noise_scale_is_found(wrong: type[SGLD]) -> None:
    target = correlated()
    law = target.sgld_law(LR, 0.3, np.ones(3))
    with pytest.raises(AssertionError, match="covariance: .* standard errors off"):
        check(sampler_of(target, 0.3, kind=wrong), target.gradient(), law, settle=150, gap=20)


def test_a_missing_prior_is_found() -> None:
    target = correlated()
    sampler = sampler_of(target, 0.3)
    sampler.param_groups[0]["prior_scale"] = float("inf")
    with pytest.raises(AssertionError, match="mean: .* standard errors off"):
        check(sampler, target.gradient(), target.sgld_law(LR, 0.3, np.ones(3)), settle=150, gap=20)


def test_without_temperature_it_is_sgd_with_weight_decay() -> None:
    target = correlated()
    ours = sampler_of(target, 0.0, chains=4)
    theirs = torch.optim.SGD(start(3, 4), LR, weight_decay=1 / (target.samples * target.scale**2))
    expected = advance(theirs, target.gradient(), 12)
    torch.testing.assert_close(advance(ours, target.gradient(), 12), expected, rtol=1e-12, atol=1e-12)


def test_the_step_factor_multiplies_the_rate() -> None:
    target = correlated()
    slow, half = sampler_of(target, 0.3, lr=LR / 2, chains=4), sampler_of(target, 0.3, chains=4)
    half.param_groups[0]["step_factor"] = 0.5
    assert torch.equal(advance(slow, target.gradient(), 5), advance(half, target.gradient(), 5))


def test_parameters_without_a_gradient_are_left_alone() -> None:
    parameter = torch.nn.Parameter(torch.ones(3))
    sampler = SGLD([parameter], 0.1, data_size=10)
    sampler.step()
    assert torch.equal(parameter, torch.ones(3))
    assert not sampler.state


@pytest.mark.parametrize(
    "change, message",
    [
        ({"temperature": -0.1}, "temperature: must be at least 0"),
        ({"temperature": float("nan")}, "temperature: must be at least 0"),
        ({"prior_scale": 0.0}, "prior_scale: must be above 0"),
        ({"data_size": 0}, "data_size: must be the number of training samples"),
        ({"lr": 0.0}, "lr: must be a positive number, got 0"),
    ],
)
def test_wrong_settings_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SGLD([torch.zeros(1)], **{"lr": 0.1, "data_size": 10, **change})
