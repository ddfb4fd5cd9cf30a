"""Batches of arrays through a module and back."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia.deep.voting import probabilities_of


def totals(module: nn.Module, batch: dict[str, NDArray[Any]], named: bool) -> NDArray[np.float64]:
    """Return what a module returns for a batch of inputs, given by name or by place, as float64.

    >>> totals(nn.Identity(), {"inputs": np.zeros((2, 3), np.float32)}, named=False).shape
    (2, 3)
    """
    weights = getattr(module, "weights", None)
    device = weights.device if isinstance(weights, torch.Tensor) else torch.device("cpu")
    given = {name: _tensor(one).to(device) for name, one in batch.items()}
    with torch.inference_mode():
        found = module(**given) if named else module(*given.values())
    return np.asarray(found.to(torch.float64).numpy(force=True))


def probabilities(network: nn.Module, batch: Any, outputs: str) -> NDArray[np.float32]:
    """Return the probabilities (n, C) of one network for a batch: an array, several in a tuple, or by name."""
    device = next((one.device for one in network.parameters()), torch.device("cpu"))
    with torch.inference_mode():
        if isinstance(batch, dict):
            found = network(**{name: _tensor(one).to(device) for name, one in batch.items()})
        else:
            given = batch if isinstance(batch, tuple) else (batch,)
            found = network(*(_tensor(one).to(device) for one in given))
        return np.asarray(probabilities_of(found, outputs).numpy(force=True))


def narrow(values: Any) -> torch.Tensor:
    """Return an array or tensor as a tensor, floats as float32.

    >>> narrow(np.zeros(2)).dtype, narrow(np.zeros(2, int)).dtype
    (torch.float32, torch.int64)
    """
    tensor = values if isinstance(values, torch.Tensor) else _tensor(values)
    return tensor.to(torch.float32) if tensor.is_floating_point() else tensor


def _tensor(values: Any) -> torch.Tensor:
    """Return an array as a tensor; one that cannot be written to, such as a mapped one, is copied."""
    return torch.from_numpy(np.require(values, requirements=["C", "W"]))
