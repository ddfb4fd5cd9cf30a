import pytest
import torch
from torch.nn.functional import cross_entropy

from comitia.deep.models import build
from comitia.deep.optimisers import build as build_optimiser
from comitia.recipes import Recipe, plan, read_recipe

BOTTLENECK = ("model.name=resnet50", "model.options={}")  # as the head of the recipe says
# Recipe, what is set otherwise, shape of a sample, classes, parameters (trained ones): by hand from the layers' sizes.
FULL = [
    ("imdb-cnn_lstm-simple", (), (100,), 2, 2_560_000 + 41_024 + 37_800 + 71),
    ("cifar10-resnet20-simple", (), (32, 32, 3), 10, 273_066),
    ("cifar10-resnet110-simple", (), (32, 32, 3), 10, 1_734_666),
    ("cifar10-wrn28_10-simple", (), (32, 32, 3), 10, 36_479_194),
    ("cifar100-wrn28_10-csgld", (), (32, 32, 3), 100, 36_479_194 + 90 * 641),
    ("eyepacs-resnet50-simple", (), (512, 512, 3), 2, 480 + 37_632 + 144_928 + 576_576 + 130),
    ("eyepacs-resnet50-mc-dropout", (), (512, 512, 3), 2, 480 + 37_632 + 144_928 + 576_576 + 130),
    ("eyepacs-resnet50-bagging", BOTTLENECK, (512, 512, 3), 2, 23_508_032 + 2 * 2049),
]
COLUMNS = ("name", "changes", "shape", "classes", "parameters")


def full(recipe: Recipe, shape: tuple[int, ...], classes: int) -> torch.nn.Module:
    return build(recipe.model.name, classes=classes, input_shape=shape, **recipe.model_options())


@pytest.mark.parametrize(COLUMNS, FULL)
def test_number_of_parameters(
    name: str, changes: tuple[str, ...], shape: tuple[int, ...], classes: int, parameters: int
) -> None:
    with torch.device("meta"):  # sizes without the memory or the initial values
        network = full(read_recipe(name, changes), shape, classes)
    assert sum(value.numel() for value in network.parameters() if value.requires_grad) == parameters


def resnet_parameters(depth: int, classes: int) -> int:
    """Convolutions with bias, batch norm of two values a channel, 1×1 projections without norm, dense."""
    total = 3 * 3 * 3 * 16 + 16 + 32
    channels = 16
    for filters in (16, 32, 64):
        for block in range((depth - 2) // 6):
            total += 9 * channels * filters + filters + 9 * filters * filters + filters + 4 * filters
            if block == 0 and filters > 16:
                total += channels * filters + filters
            channels = filters
    return total + 64 * classes + classes


@pytest.mark.parametrize(
    ("depth", "classes", "rounded"), [(20, 10, 0.27e6), (110, 10, 1.7e6), (8, 10, 0.08e6), (50, 2, 0.76e6)]
)
def test_resnets_against_a_loop_and_the_papers_rounding(depth: int, classes: int, rounded: float) -> None:
    network = build("resnet", classes=classes, input_shape=(32, 32, 3), depth=depth)
    count = sum(value.numel() for value in network.parameters())
    assert count == resnet_parameters(depth, classes)
    assert abs(count - rounded) < 0.05 * rounded


def wide_parameters(depth: int, width: int, classes: int) -> int:
    """Convolutions without bias, batch norm before each but the stem and before the dense layer, 1×1 projections."""
    total, channels = 27 * 16, 16
    for filters in (16 * width, 32 * width, 64 * width):
        for block in range((depth - 4) // 6):
            total += 2 * channels + 9 * channels * filters + 2 * filters + 9 * filters**2
            total += 0 if block else channels * filters
            channels = filters
    return total + 2 * channels + channels * classes + classes


@pytest.mark.parametrize(("depth", "width", "classes"), [(28, 10, 100), (16, 2, 10)])
def test_wide_networks_against_a_loop(depth: int, width: int, classes: int) -> None:
    with torch.device("meta"):
        network = build("wrn", classes=classes, input_shape=(32, 32, 3), depth=depth, width=width, keras=True)
    assert sum(value.numel() for value in network.parameters()) == wide_parameters(depth, width, classes)


@pytest.mark.slow
@pytest.mark.parametrize(COLUMNS, FULL[2:])
def test_a_training_step_at_full_size(
    name: str, changes: tuple[str, ...], shape: tuple[int, ...], classes: int, parameters: int
) -> None:
    torch.manual_seed(0)
    recipe = read_recipe(name, changes)
    network = full(recipe, shape, classes).to(memory_format=torch.channels_last)
    before = [value.detach().clone() for value in network.parameters()]
    images = torch.randn(2, shape[2], *shape[:2]).to(memory_format=torch.channels_last)
    loss = cross_entropy(network(images), torch.tensor([0, 1]))
    loss.backward()
    assert torch.isfinite(loss)
    norms = [value.grad.norm() for value in network.parameters() if value.grad is not None]
    assert len(norms) == len(before)
    assert torch.isfinite(torch.stack(norms)).all()
    assert float(torch.stack(norms).sum()) > 0
    build_optimiser(network, plan(recipe, 1), samples=50_000).step()
    for old, new in zip(before, network.parameters()):
        assert torch.isfinite(new).all()
        assert old.dim() < 2 or not torch.equal(old, new)  # every kernel has moved
