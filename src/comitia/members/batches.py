"""One batch of inputs as a network takes it: a tensor, several, or several by name; on its device, as its floats."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

Inputs = tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]


def to_module(batch: Any, network: nn.Module, device: torch.device) -> Inputs:
    """Return the inputs by place and by name; floats have the type of the network's parameters.

    >>> given, named = to_module(np.zeros((2, 3)), nn.Linear(3, 4), torch.device("cpu"))
    >>> given[0].dtype, named
    (torch.float32, {})
    """
    floats = next((one.dtype for one in network.parameters() if one.is_floating_point()), torch.float32)
    if isinstance(batch, Mapping):
        return (), {name: _placed(one, floats, device) for name, one in batch.items()}
    listed = batch if isinstance(batch, tuple | list) else (batch,)
    return tuple(_placed(one, floats, device) for one in listed), {}


def _placed(values: Any, floats: torch.dtype, device: torch.device) -> torch.Tensor:
    tensor = (
        values
        if isinstance(values, torch.Tensor)
        else torch.from_numpy(np.require(values, requirements=["C", "W"]))
    )
    return tensor.to(device, floats) if tensor.is_floating_point() else tensor.to(device)
