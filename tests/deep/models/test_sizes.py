import pytest
import torch
from torch.nn.functional import cross_entropy

from comitia.deep.models import build
from comitia.recipes import read_recipe

# Recipe, shape of a sample, classes, parameters (trained ones): by hand from the layers' sizes.
FULL = [
    ("imdb-cnn_lstm-simple", (100,), 2, 2_560_000 + 41_024 + 37_800 + 71),
    ("cifar10-resnet20-simple", (32, 32, 3), 10, 273_066),
    ("cifar10-resnet110-simple", (32, 32, 3), 10, 1_734_666),
    ("cifar10-wrn28_10-simple", (32, 32, 3), 10, 36_479_194),
    ("eyepacs-resnet50-simple", (512, 512, 3), 2, 23_508_032 + 2 * 2049),
]


def full(name: str, shape: tuple[int, ...], classes: int) -> torch.nn.Module:
    recipe = read_recipe(name)
    return build(recipe.model.name, classes=classes, input_shape=shape, **recipe.model_options())


@pytest.mark.parametrize(("name", "shape", "classes", "parameters"), FULL)
def test_number_of_parameters(name: str, shape: tuple[int, ...], classes: int, parameters: int) -> None:
    with torch.device("meta"):  # sizes without the memory or the initial values
        network = full(name, shape, classes)
    assert sum(value.numel() for value in network.parameters() if value.requires_grad) == parameters


def resnet_parameters(depth: int) -> int:
    """Convolutions with bias, batch norm of two values a channel, 1×1 projections without norm, dense."""
    total = 3 * 3 * 3 * 16 + 16 + 32
    channels = 16
    for filters in (16, 32, 64):
        for block in range((depth - 2) // 6):
            total += 9 * channels * filters + filters + 9 * filters * filters + filters + 4 * filters
            if block == 0 and filters > 16:
                total += channels * filters + filters
            channels = filters
    return total + 64 * 10 + 10


@pytest.mark.parametrize(("depth", "rounded"), [(20, 0.27e6), (110, 1.7e6), (8, 0.08e6)])
def test_resnets_against_a_loop_and_the_papers_rounding(depth: int, rounded: float) -> None:
    network = build("resnet", classes=10, input_shape=(32, 32, 3), depth=depth)
    count = sum(value.numel() for value in network.parameters())
    assert count == resnet_parameters(depth)
    assert abs(count - rounded) < 0.05 * rounded


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shape", "classes", "parameters"), FULL[2:])
def test_forward_and_backward_at_full_size(
    name: str, shape: tuple[int, ...], classes: int, parameters: int
) -> None:
    torch.manual_seed(0)
    network = full(name, shape, classes).to(memory_format=torch.channels_last)
    images = torch.randn(2, shape[2], *shape[:2]).to(memory_format=torch.channels_last)
    loss = cross_entropy(network(images), torch.tensor([0, 1]))
    loss.backward()
    assert torch.isfinite(loss)
    norms = [value.grad.norm() for value in network.parameters() if value.grad is not None]
    assert len(norms) == len(list(network.parameters()))
    assert torch.isfinite(torch.stack(norms)).all()
    assert float(torch.stack(norms).sum()) > 0
