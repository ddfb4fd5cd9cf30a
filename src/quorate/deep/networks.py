"""A network of a recipe on a device, and the settings under which training gives the same bytes twice."""

import os
import warnings
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import torch
from torch import nn

from quorate.data.dataset import Dataset
from quorate.deep.models import build
from quorate.deep.samples import Inputs
from quorate.deep.seeds import number
from quorate.deep.states import MEAN_IMAGE, read_state
from quorate.recipes.recipe import Recipe

PRECISIONS = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def choose_device(name: str = "auto") -> torch.device:
    """The device of that name; "auto" takes cuda, else mps, else the processor.

    >>> choose_device("cpu")
    device(type='cpu')
    """
    if name != "auto":
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def settle(threads: int) -> None:
    """Make this process compute the same bytes each time: that many threads, deterministic algorithms.

    The number of threads decides the order of sums, so it belongs to the result.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    # Filling fresh memory would cost a tenth of the time and is of use only to code that reads it unset.
    setattr(torch.utils.deterministic, "fill_uninitialized_memory", False)  # noqa: B010 (untyped in torch)
    torch.backends.cudnn.benchmark = False
    warnings.filterwarnings("ignore", message=".*does not have a deterministic implementation")


def fresh_network(recipe: Recipe, data: Dataset, run: int, device: torch.device) -> nn.Module:
    """The network of a run at its initial values, which its seed decides; images channels-last."""
    torch.manual_seed(number(recipe.seed, run, 0, "initial"))
    return _build(recipe, data.classes, data.input_shape, data.kind, device)


def check_network(recipe: Recipe, data: Dataset) -> None:
    """Raise `InputError` if the recipe's network cannot be built for the data."""
    _build(recipe, data.classes, data.input_shape, data.kind, torch.device("cpu"))


def load_network(recipe: Recipe, path: Path, device: torch.device) -> tuple[nn.Module, Inputs]:
    """The network in the state of a file, ready to predict, and how samples become its inputs."""
    tensors, about = read_state(path)
    mean = tensors.pop(MEAN_IMAGE, None)
    network = _build(recipe, about["classes"], tuple(about["input_shape"]), about["kind"], device)
    network.load_state_dict(tensors)
    mean = None if mean is None else mean.to(device)
    return network.eval(), Inputs(kind=about["kind"], mean=mean, device=device)


def wake_dropout(network: nn.Module) -> None:
    """Let dropout layers drop while everything else (batch norm) predicts."""
    for module in network.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.train()


def _build(
    recipe: Recipe, classes: int, shape: tuple[int, ...], kind: str, device: torch.device
) -> nn.Module:
    network = build(recipe.model.name, classes=classes, input_shape=shape, **recipe.model_options())
    if kind == "image":
        network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network.to(device)


def mixed_precision(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """The context in which a network computes: plain for "float32", else autocast to that type."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=PRECISIONS[precision])
