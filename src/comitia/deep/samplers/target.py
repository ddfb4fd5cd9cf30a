"""What is sampled: p(θ) ∝ exp(-U(θ)/T), with U the negative log-likelihood of all data plus the prior's.

    U(θ) = n·L(θ) + ½‖θ‖²/s²,    ∇Ũ(θ) = n·∇L̃(θ) + θ/s²

L is the mean loss over n = `data_size` samples and L̃ that of a minibatch. The loss must be a negative
log-likelihood (cross-entropy) for the result to be a posterior. `.grad` holds ∇L̃: the gradient of the *mean*
loss of the minibatch, *without* prior or weight decay, which the sampler adds. T < 1 is a cold posterior: it
sharpens likelihood and prior alike (Wenzel et al. 2020, "How good is the Bayes posterior in deep neural
networks really?"); T = 0 is optimisation.

A penalty λ·‖w‖² added to the mean loss is the prior N(0, s²) of s = 1/√(2·n·λ). Each group of parameters may
have its own `prior_scale`.
"""

import math
from typing import Any

import torch
from torch.optim import Optimizer

from comitia._errors import InputError


def settings(
    *, lr: float, data_size: int, temperature: float, prior_scale: float, **more: float
) -> dict[str, Any]:
    """Return what a group of parameters carries, checked; `step_factor` is 1 until `set_step_factor` changes it.

    >>> settings(lr=0.1, data_size=50, temperature=1.0, prior_scale=2.0)["step_factor"]
    1.0
    """
    if not 0.0 < lr < math.inf:
        raise InputError(f"lr: must be a positive number, got {lr:g}")
    if data_size < 1:
        raise InputError(f"data_size: must be the number of training samples, at least 1, got {data_size}")
    if not prior_scale > 0.0:
        raise InputError(f"prior_scale: must be above 0 (infinity for no prior), got {prior_scale:g}")
    plain = {"lr": lr, "data_size": data_size, "prior_scale": prior_scale, "step_factor": 1.0}
    return {**plain, "temperature": checked_temperature(temperature), **more}


def checked_temperature(temperature: float) -> float:
    """Return the temperature, if it is a number of at least 0."""
    if not 0.0 <= temperature < math.inf:
        raise InputError(
            f"temperature: must be at least 0 (1 samples the posterior, less a colder one), "
            f"got {temperature:g}"
        )
    return temperature


def set_temperature(sampler: Optimizer, temperature: float) -> None:
    """Give all groups that temperature; 0 switches the noise off.

    >>> from torch import zeros
    >>> from comitia.deep.samplers import SGLD
    >>> sampler = SGLD([zeros(2)], 0.1, data_size=50)
    >>> set_temperature(sampler, 0.25)
    >>> sampler.param_groups[0]["temperature"]
    0.25
    """
    for group in sampler.param_groups:
        group["temperature"] = checked_temperature(temperature)


def set_step_factor(sampler: Optimizer, factor: float) -> None:
    """Give all groups that factor C in [0, 1]: SGLD moves by C·lr, SGHMC by the time step C·√(lr/n).

    >>> from torch import zeros
    >>> from comitia.deep.samplers import SGLD
    >>> sampler = SGLD([zeros(2)], 0.1, data_size=50)
    >>> set_step_factor(sampler, 0.5)
    >>> sampler.param_groups[0]["step_factor"]
    0.5
    """
    if not 0.0 <= factor <= 1.0:
        raise InputError(f"step factor: must lie in [0, 1], got {factor:g}")
    for group in sampler.param_groups:
        group["step_factor"] = factor


def mean_gradient(parameter: torch.Tensor, group: dict[str, Any]) -> torch.Tensor:
    """Return ∇Ũ(θ)/n = ∇L̃(θ) + θ/(n·s²), in a new tensor.

    >>> from torch import ones
    >>> parameter = ones(1); parameter.grad = ones(1)
    >>> mean_gradient(parameter, {"data_size": 50, "prior_scale": 0.2})
    tensor([1.5000])
    """
    assert parameter.grad is not None
    decay = 1.0 / (group["data_size"] * group["prior_scale"] ** 2)
    return torch.add(parameter.grad, parameter, alpha=decay)
