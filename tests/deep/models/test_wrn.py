"""The wide network in its two forms: torch's defaults, and the Keras network that the authors trained."""

import pytest
import torch
from torch import nn

from comitia.deep.models import build
from comitia.recipes import names, read_recipe


def network(*, keras: bool, width: int = 4) -> nn.Module:
    torch.manual_seed(5)
    return build("wrn", classes=10, input_shape=(8, 8, 3), depth=10, width=width, keras=keras)


def norms(module: nn.Module) -> list[nn.BatchNorm2d]:
    return [layer for layer in module.modules() if isinstance(layer, nn.BatchNorm2d)]


@pytest.mark.parametrize("keras", [False, True])
def test_initial_values(keras: bool) -> None:
    module = network(keras=keras)
    scales = torch.cat([layer.weight.detach() for layer in norms(module)])
    dense = module.get_parameter("dense.weight").detach()
    if keras:
        # U(-.05, .05): mean 0, sd .05/sqrt(3) = .0289, nothing beyond; Glorot: sqrt(6/(256 + 10)) = .1502
        assert 0.049 < float(scales.abs().max()) <= 0.05
        assert abs(float(scales.mean())) < 0.004
        assert abs(float(scales.std()) - 0.0289) < 0.002
        assert 0.149 < float(dense.abs().max()) <= 0.1503
    else:
        assert torch.equal(scales, torch.ones_like(scales))
        assert float(dense.abs().max()) > 0.2  # He-normal, sd sqrt(2/256) = .088
    assert all(layer.eps == 1e-5 and not layer.bias.any() for layer in norms(module))


@pytest.mark.parametrize(("keras", "kept"), [(False, 0.9), (True, 0.1)])
def test_running_averages_keep_a_share_each_step(keras: bool, kept: float) -> None:
    module = network(keras=keras).train()
    first, batches = norms(module)[0], torch.randn(3, 16, 3, 8, 8)
    mean, variance = torch.zeros(16), torch.ones(16)
    for images in batches:
        module(images)
        seen = module.get_submodule("stem")(images).detach().transpose(0, 1).reshape(16, -1)
        mean = kept * mean + (1 - kept) * seen.mean(dim=1)
        variance = kept * variance + (1 - kept) * seen.var(dim=1)
    assert torch.allclose(first.running_mean, mean, atol=1e-5)
    assert torch.allclose(first.running_var, variance, atol=1e-5)


def test_the_convolutions_are_the_same_in_both_forms() -> None:
    one, other = network(keras=False), network(keras=True)
    kernels = [key for key, value in one.named_parameters() if value.dim() == 4]
    assert kernels
    assert all(torch.equal(one.get_parameter(key), other.get_parameter(key)) for key in kernels)


def test_built_in_recipes_train_what_the_authors_trained() -> None:
    wide = [name for name in names() if "wrn28_10" in name]
    assert len(wide) >= 10
    for name in wide:
        recipe = read_recipe(name)
        assert recipe.model_options()["keras"] is True, name
        assert recipe.training.l2_on == "kernels", name
