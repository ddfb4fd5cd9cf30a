"""Stochastic gradient Hamiltonian Monte Carlo, symplectic Euler, with a mass per layer."""

import math
from typing import Any

import torch
from torch.optim.optimizer import ParamsT

from comitia._errors import InputError
from comitia.deep.samplers.chain import Chain
from comitia.deep.samplers.noise import standard_normal
from comitia.deep.samplers.preconditioning import observe, starting_state
from comitia.deep.samplers.target import mean_gradient


class SGHMC(Chain):
    """Chain of p(θ, m) ∝ exp(-(U(θ) + ½·m'M⁻¹m)/T), U = n·L + ½‖θ‖²/s², by underdamped Langevin dynamics.

        h = C·√(l/n),    γ = (1-β)·√(n/l)
        m ← (1 - hγ)·m - h·n·(∇L̃ + θ/(n·s²)) + √(2γhT)·M^½·ξ,    ξ ~ N(0, I)
        θ ← θ + h·M⁻¹·m

    Wenzel et al. 2020, "How good is the Bayes posterior in deep neural networks really?", algorithm 1, in the
    parameterisation of deep learning: `lr` l is the learning rate and `momentum_decay` β the momentum of SGD
    on the mean loss. At T = 0, C = 1 and M = 1 it *is* that SGD with weight decay 1/(n·s²). C = `step_factor`
    scales the time step h, not the friction γ; hence hγ = C·(1-β). Exact as h → 0.

    The momentum starts as a draw of N(0, T·M). `refresh_mass()` scales it by (M_new/M_old)^½, so that it
    keeps its law N(0, T·M). β, `momentum_decay`, lies in [0, 1); the other parameters are those of `Chain`.

    >>> parameter = torch.nn.Parameter(torch.zeros(3))
    >>> sampler = SGHMC([parameter], 0.1, data_size=50, generator=torch.Generator().manual_seed(1))
    >>> (parameter - 1).square().mean().backward()
    >>> sampler.step()
    >>> bool((parameter != 0).all())
    True
    """

    def __init__(self, params: ParamsT, lr: float, *, momentum_decay: float = 0.98, **shared: Any) -> None:
        if not 0.0 <= momentum_decay < 1.0:
            raise InputError(f"momentum_decay: must lie in [0, 1), got {momentum_decay:g}")
        super().__init__(params, lr, momentum_decay=momentum_decay, **shared)

    def noise_variance(self, group: dict[str, Any]) -> float:
        """Return 2γhT: the variance of what ξ adds to a momentum of mass 1."""
        return 2.0 * _friction(group) * _time_step(group) * float(group["temperature"])

    def move(self, parameter: torch.Tensor, group: dict[str, Any]) -> None:
        """Move a parameter that has a gradient by one step."""
        if parameter not in self.state:
            self.state[parameter] = self._start(parameter, group)
        state, h = self.state[parameter], _time_step(group)
        gradient = mean_gradient(parameter, group)
        observe(state, gradient, self.preconditioner)
        momentum, mass = state["momentum"], state["mass"]
        momentum.mul_(1.0 - h * _friction(group)).add_(gradient, alpha=-h * group["data_size"])
        if group["temperature"] > 0.0:
            noise = standard_normal(parameter, self.generator)
            momentum.addcmul_(noise, mass.sqrt(), value=math.sqrt(self.noise_variance(group)))
        parameter.addcdiv_(momentum, mass, value=h)

    def _start(self, parameter: torch.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state, momentum = starting_state(parameter, self.preconditioner), torch.zeros_like(parameter)
        if group["temperature"] > 0.0:  # the mass is 1 here
            drawn = standard_normal(parameter, self.generator)
            # It lies in memory as the parameter does, so that a momentum that was stored and read is summed alike.
            return {**state, "momentum": momentum.copy_(drawn * math.sqrt(group["temperature"]))}
        return {**state, "momentum": momentum}


def _time_step(group: dict[str, Any]) -> float:
    return float(group["step_factor"] * math.sqrt(group["lr"] / group["data_size"]))


def _friction(group: dict[str, Any]) -> float:
    return float((1.0 - group["momentum_decay"]) * math.sqrt(group["data_size"] / group["lr"]))
