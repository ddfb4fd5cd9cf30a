"""Stochastic gradient Hamiltonian Monte Carlo, symplectic Euler, with a mass per layer."""

import math
from typing import Any

import torch
from torch.optim.optimizer import ParamsT

from comitia._errors import InputError
from comitia.deep.samplers.chain import Chain, standard_normal
from comitia.deep.samplers.preconditioning import Preconditioner, observe, starting_state
from comitia.deep.samplers.target import mean_gradient, settings


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
    keeps its law N(0, T·M). `.grad` must hold the gradient of the minibatch's mean loss, without the prior (see
    `target`). A parameter without a gradient is left alone.

    Parameters
    ----------
    params
        Parameters, or groups of them; a group may have its own `prior_scale`.
    lr
        Learning rate l, above 0.
    data_size
        Number n of training samples.
    momentum_decay
        β in [0, 1).
    temperature
        T, at least 0.
    prior_scale
        Standard deviation s of the prior N(0, s²); infinity for none.
    preconditioner
        How M is made; None keeps M = 1. M changes only at `refresh_mass()`: see `preconditioning`.
    generator
        Source of all randomness; None makes a new one of seed 0, so give chains their own.

    >>> parameter = torch.nn.Parameter(torch.zeros(3))
    >>> sampler = SGHMC([parameter], 0.1, data_size=50, generator=torch.Generator().manual_seed(1))
    >>> (parameter - 1).square().mean().backward()
    >>> sampler.step()
    >>> bool((parameter != 0).all())
    True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        data_size: int,
        momentum_decay: float = 0.98,
        temperature: float = 1.0,
        prior_scale: float = 1.0,
        preconditioner: Preconditioner | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        if not 0.0 <= momentum_decay < 1.0:
            raise InputError(f"momentum_decay: must lie in [0, 1), got {momentum_decay:g}")
        shared = settings(
            lr=lr,
            data_size=data_size,
            temperature=temperature,
            prior_scale=prior_scale,
            momentum_decay=momentum_decay,
        )
        super().__init__(params, shared, preconditioner, generator)

    def noise_variance(self, group: dict[str, Any]) -> float:
        """2γhT: the variance of what ξ adds to a momentum of mass 1."""
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
