"""Stochastic gradient Langevin dynamics."""

import math
from typing import Any

import torch

from comitia.deep.samplers.chain import Chain
from comitia.deep.samplers.noise import standard_normal
from comitia.deep.samplers.preconditioning import observe, starting_state
from comitia.deep.samplers.target import mean_gradient


class SGLD(Chain):
    """Chain of p(θ) ∝ exp(-U(θ)/T), U = n·L + ½‖θ‖²/s², by Langevin dynamics.

        θ ← θ - l·M⁻¹·(∇L̃ + θ/(n·s²)) + √(2·l·T/n)·M^-½·ξ,    ξ ~ N(0, I),  l = step_factor·lr

    Welling and Teh 2011, "Bayesian learning via stochastic gradient Langevin dynamics", with their step size
    ε = 2l/n. So `lr` is the learning rate of SGD on the mean loss, and T = 0 is that SGD with weight decay
    1/(n·s²). Exact as l → 0: both the discretisation and the minibatch's noise vanish relative to ξ.

    Its parameters are those of `Chain`.

    >>> parameter = torch.nn.Parameter(torch.zeros(3))
    >>> sampler = SGLD([parameter], 0.1, data_size=50, generator=torch.Generator().manual_seed(1))
    >>> (parameter - 1).square().mean().backward()
    >>> sampler.step()
    >>> bool((parameter != 0).all())
    True
    """

    def noise_variance(self, group: dict[str, Any]) -> float:
        """Return 2·l·T/n: the variance of what ξ adds to a parameter of mass 1."""
        rate = group["step_factor"] * group["lr"]
        return float(2.0 * rate * group["temperature"] / group["data_size"])

    def move(self, parameter: torch.Tensor, group: dict[str, Any]) -> None:
        """Move a parameter that has a gradient by one step."""
        if parameter not in self.state:
            self.state[parameter] = starting_state(parameter, self.preconditioner)
        state = self.state[parameter]
        gradient = mean_gradient(parameter, group)
        observe(state, gradient, self.preconditioner)
        parameter.addcdiv_(gradient, state["mass"], value=-group["step_factor"] * group["lr"])
        if group["temperature"] > 0.0:
            noise = standard_normal(parameter, self.generator)
            parameter.addcdiv_(noise, state["mass"].sqrt(), value=math.sqrt(self.noise_variance(group)))
