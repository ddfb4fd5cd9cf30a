"""Temperature and step factor reach every group, and are checked."""

import pytest
import torch

from comitia._errors import InputError
from comitia.deep.samplers import SGHMC
from comitia.deep.samplers.target import mean_gradient, set_step_factor, set_temperature


def two_groups() -> SGHMC:
    groups = [{"params": [torch.zeros(2)], "prior_scale": 0.1}, {"params": [torch.zeros(3)]}]
    return SGHMC(groups, 0.1, data_size=20)


def test_settings_reach_every_group() -> None:
    sampler = two_groups()
    set_temperature(sampler, 0.2)
    set_step_factor(sampler, 0.7)
    kept = [(g["temperature"], g["step_factor"], g["prior_scale"]) for g in sampler.param_groups]
    assert kept == [(0.2, 0.7, 0.1), (0.2, 0.7, 1.0)]


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(InputError, match="temperature: must be at least 0 .*, got -1"):
        set_temperature(two_groups(), -1)
    with pytest.raises(InputError, match=r"step factor: must lie in \[0, 1\], got 1.5"):
        set_step_factor(two_groups(), 1.5)


def test_the_gradient_is_that_of_the_whole_energy() -> None:
    """∇U/n by autograd of U = n·L + ½‖θ‖²/s²."""
    theta = torch.tensor([0.4, -1.3], dtype=torch.float64, requires_grad=True)
    n, scale = 17, 0.6
    (n * theta.sin().sum() + theta.square().sum() / (2 * scale**2)).backward()
    expected, theta.grad = theta.grad, theta.detach().cos()
    with torch.no_grad():
        torch.testing.assert_close(n * mean_gradient(theta, {"data_size": n, "prior_scale": scale}), expected)
