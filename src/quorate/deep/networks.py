"""A network of a recipe on a device, and the settings under which training gives the same bytes twice."""

import os
import warnings
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn

from quorate.data.dataset import Dataset
from quorate.deep.models import build
from quorate.deep.seeds import number
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
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.benchmark = False
    warnings.filterwarnings("ignore", message=".*does not have a deterministic implementation")


def fresh_network(recipe: Recipe, data: Dataset, run: int, device: torch.device) -> nn.Module:
    """The network of a run at its initial values, which its seed decides; images channels-last."""
    torch.manual_seed(number(recipe.seed, run, 0, "initial"))
    network = build(
        recipe.model.name, classes=data.classes, input_shape=data.input_shape, **recipe.model_options()
    )
    layout = torch.channels_last if data.kind == "image" else torch.preserve_format
    return network.to(device=device, memory_format=layout)


def mixed_precision(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """The context in which a network computes: plain for "float32", else autocast to that type."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=PRECISIONS[precision])
