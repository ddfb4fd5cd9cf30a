"""SGHMC has the stationary law that its formula implies, and that law tends to the posterior."""

import math
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch

from comitia._errors import InputError
from comitia.deep.samplers import SGHMC, Preconditioner
from comitia.deep.samplers.target import set_step_factor
from deep.samplers.stationarity import (
    Gaussian,
    Regression,
    advance,
    bias_of,
    chain_on,
    check,
    correlated,
    independent,
    layer_masses,
    refreshed_masses,
    regression,
    start,
    wrong_noises,
)

LR, BETA = 0.9, 0.75  # on 40 samples a time step of .15: the discretised law is not the posterior
CHAINS = 6_000


def sampler_of(
    target: Gaussian,
    temperature: float,
    *,
    kind: type[SGHMC] = SGHMC,
    lr: float = LR,
    beta: float = BETA,
    **more: Any,
) -> SGHMC:
    given = {"chains": CHAINS, "seed": 8, **more}
    return chain_on(kind, target, lr, temperature, momentum_decay=beta, **given)


@pytest.mark.parametrize("temperature", [1.0, 0.3])
@pytest.mark.parametrize("target", [independent(), correlated()], ids=["independent", "correlated"])
def test_has_the_exact_law_of_the_discretised_dynamics(target: Gaussian, temperature: float) -> None:
    law = target.sghmc_law(LR, BETA, temperature, np.ones(3))
    error = check(sampler_of(target, temperature), target.gradient(), law, settle=200, gap=30)
    assert error < 0.01


@pytest.mark.parametrize("by", ["layer", "element"])
def test_has_the_exact_law_with_a_mass(by: Any) -> None:
    target = correlated()
    sampler = sampler_of(target, 0.3, preconditioner=Preconditioner(by=by))
    mass = refreshed_masses(sampler, target.gradient(), by)
    check(sampler, target.gradient(), target.sghmc_law(LR, BETA, 0.3, mass), settle=200, gap=30)


def test_has_the_exact_law_at_a_part_of_the_time_step() -> None:
    target = correlated()
    sampler = sampler_of(target, 1.7)
    set_step_factor(sampler, 0.6)
    law = target.sghmc_law(LR, BETA, 1.7, np.ones(3), factor=0.6)
    check(sampler, target.gradient(), law, settle=300, gap=40)


@pytest.mark.parametrize("temperature, by", [(1.0, None), (0.3, None), (1.0, "layer"), (0.3, "layer")])
def test_matches_the_posterior_with_a_small_step(temperature: float, by: Any) -> None:
    target, lr, beta = correlated(), LR / 8, 0.85
    rule = None if by is None else Preconditioner(by=by)
    sampler = sampler_of(target, temperature, lr=lr, beta=beta, preconditioner=rule)
    advance(sampler, target.gradient(), 50)
    sampler.refresh_mass()
    exact = target.posterior(temperature)
    bias = bias_of(target.sghmc_law(lr, beta, temperature, layer_masses(sampler)), exact)
    assert bias < 0.01
    assert check(sampler, target.gradient(), exact, settle=200, gap=40, bias=bias) < 0.01


def test_the_law_tends_to_the_posterior_as_the_step_shrinks() -> None:
    target, mass = correlated(), np.array([1.0, 2.5, 2.5])
    exact = target.posterior(0.3).covariance
    factors = (0.1, 0.01, 0.001)
    laws = [target.sghmc_law(LR, BETA, 0.3, mass, factor=factor) for factor in factors]
    errors = [np.abs(law.covariance - exact).max() for law in laws]
    assert errors[1] < errors[0] / 9
    assert errors[2] < errors[1] / 9
    np.testing.assert_allclose(laws[2].momentum, 0.3 * np.diag(mass), atol=1e-3)


def regression_sampler(problem: Regression, lr: float, beta: float, chains: int) -> SGHMC:
    return chain_on(SGHMC, problem, lr, 0.6, momentum_decay=beta, chains=chains, seed=9)


def test_minibatches_widen_the_law_of_a_regression_as_computed() -> None:
    problem = regression(batch=6)
    law = problem.sghmc_law(0.02, 0.8, 0.6)
    assert bias_of(law, problem.posterior(0.6)) > 1
    error = check(regression_sampler(problem, 0.02, 0.8, 6000), problem.gradient(1), law, settle=150, gap=25)
    assert error < 0.01


def test_regression_with_minibatches_matches_the_posterior_with_a_small_step() -> None:
    problem, exact = regression(batch=24), regression(batch=24).posterior(0.6)
    bias = bias_of(problem.sghmc_law(7.5e-4, 0.94, 0.6), exact)
    assert 0.01 < bias < 0.04
    sampler = regression_sampler(problem, 7.5e-4, 0.94, 1500)
    assert check(sampler, problem.gradient(1), exact, settle=500, gap=90, readings=5, bias=bias) < 0.02


@pytest.mark.parametrize("wrong", wrong_noises(SGHMC))
def test_a_wrong_noise_scale_is_found(wrong: type[SGHMC]) -> None:
    target = correlated()
    law = target.sghmc_law(LR, BETA, 0.3, np.ones(3))
    with pytest.raises(AssertionError, match="covariance: .* standard errors off"):
        check(sampler_of(target, 0.3, kind=wrong), target.gradient(), law, settle=200, gap=30)


class ForgetfulNoise(SGHMC):
    """√(2γhT)·ξ instead of √(2γhT)·M^½·ξ, where all masses are 2.5."""

    def noise_variance(self, group: dict[str, Any]) -> float:
        return super().noise_variance(group) / 2.5


def test_noise_that_forgets_the_mass_is_found() -> None:
    target = correlated()
    law = target.sghmc_law(LR, BETA, 0.3, np.full(3, 2.5))
    for kind, right in ((SGHMC, True), (ForgetfulNoise, False)):
        sampler = sampler_of(target, 0.3, kind=kind)
        advance(sampler, target.gradient(), 1)
        for state in sampler.state.values():
            state["mass"] = torch.tensor(2.5, dtype=torch.float64)
        with nullcontext() if right else pytest.raises(AssertionError, match="standard errors off"):
            check(sampler, target.gradient(), law, settle=200, gap=30)


def test_a_missing_prior_is_found() -> None:
    target = correlated()
    sampler = sampler_of(target, 0.3)
    sampler.param_groups[0]["prior_scale"] = float("inf")
    with pytest.raises(AssertionError, match="mean: .* standard errors off"):
        check(sampler, target.gradient(), target.sghmc_law(LR, BETA, 0.3, np.ones(3)), settle=200, gap=30)


def test_steps_are_the_formula_number_by_number() -> None:
    """At T, β, s, M and C that all matter, with the same draws: the first is the momentum's."""
    n, lr, beta, temperature, scale, mass, factor = 20, 0.1, 0.7, 0.4, 0.5, 2.5, 0.6
    parameter = torch.nn.Parameter(torch.tensor([0.8], dtype=torch.float64))
    generator, same = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    settings: dict[str, Any] = {"temperature": temperature, "prior_scale": scale, "generator": generator}
    sampler = SGHMC([parameter], lr, data_size=n, momentum_decay=beta, **settings)
    draws = [torch.randn(1, generator=same, dtype=torch.float64).item() for _ in range(4)]
    theta, m, gamma = 0.8, math.sqrt(temperature) * draws[0], (1 - beta) * math.sqrt(n / lr)
    for step, xi in enumerate(draws[1:]):
        h = math.sqrt(lr / n) * (factor if step else 1.0)
        weight = mass if step else 1.0
        gradient = math.sin(theta)
        m = (1 - h * gamma) * m - h * (n * gradient + theta / scale**2)
        m += math.sqrt(2 * gamma * h * temperature * weight) * xi
        theta += h * m / weight
        parameter.grad = parameter.detach().sin()
        sampler.step()
        assert parameter.item() == pytest.approx(theta, rel=1e-12)
        assert sampler.state[parameter]["momentum"].item() == pytest.approx(m, rel=1e-12)
        sampler.state[parameter]["mass"] = torch.tensor(mass, dtype=torch.float64)
        set_step_factor(sampler, factor)


def test_without_temperature_it_is_sgd_with_momentum() -> None:
    target = correlated()
    ours = sampler_of(target, 0.0, chains=4)
    decay = 1 / (target.samples * target.scale**2)
    theirs = torch.optim.SGD(start(3, 4), LR, momentum=BETA, weight_decay=decay)
    expected = advance(theirs, target.gradient(), 12)
    torch.testing.assert_close(advance(ours, target.gradient(), 12), expected, rtol=1e-12, atol=1e-12)


def test_the_momentum_starts_at_its_law() -> None:
    """After a step of length 0 the momentum is still the first draw."""
    target = correlated()
    sampler = sampler_of(target, 0.3)
    set_step_factor(sampler, 0.0)
    advance(sampler, target.gradient(), 1)
    drawn = torch.cat([state["momentum"] for state in sampler.state.values()], dim=1)
    assert float(drawn.square().mean()) == pytest.approx(0.3, rel=4.5 * (2 / drawn.numel()) ** 0.5)


def test_refreshing_keeps_the_kinetic_energy() -> None:
    target = correlated()
    sampler = sampler_of(target, 0.3, chains=50, preconditioner=Preconditioner())
    advance(sampler, target.gradient(), 20)
    before = [(s["momentum"].square() / s["mass"]).sum() for s in sampler.state.values()]
    sampler.refresh_mass()
    after = [(s["momentum"].square() / s["mass"]).sum() for s in sampler.state.values()]
    assert max(float(state["mass"]) for state in sampler.state.values()) > 1.1
    torch.testing.assert_close(after, before)


def test_a_momentum_decay_of_one_is_refused() -> None:
    with pytest.raises(InputError, match=r"momentum_decay: must lie in \[0, 1\), got 1"):
        SGHMC([torch.zeros(1)], 0.1, data_size=10, momentum_decay=1.0)
