"""States of networks and optimisers as `.safetensors`: written whole or not at all, known by their sha256."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, save
from torch import nn
from torch.optim import Optimizer

from comitia.files.atomic import write_bytes

Tensors = dict[str, torch.Tensor]
# The mean image that the network's inputs are free of lies beside its parameters under this name.
MEAN_IMAGE = "comitia.mean_image"


def write_state(path: Path, tensors: Mapping[str, torch.Tensor], about: Mapping[str, Any]) -> str:
    """Write the tensors, and plain values `about` them, and return the sha256 of the file."""
    plain = {key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()}
    # One key alone: safetensors keeps metadata in a hash map whose order, and so the bytes, would vary.
    content = save(plain, metadata={"comitia": json.dumps(dict(about), sort_keys=True)})
    write_bytes(path, content)
    return sha256(content).hexdigest()


def read_state(path: Path) -> tuple[Tensors, dict[str, Any]]:
    """Return the tensors of a file, and the plain values about them."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    about: dict[str, Any] = json.loads(header.get("__metadata__", {}).get("comitia", "{}"))
    return load(content), about


def module_tensors(module: nn.Module) -> Tensors:
    """Return the parameters and buffers of a network, by name."""
    return {key: tensor.detach() for key, tensor in module.state_dict().items()}


def optimiser_tensors(optimiser: Optimizer) -> tuple[Tensors, dict[str, float]]:
    """Return what the optimiser remembers: tensors and plain numbers, by `position.name` of the parameter."""
    tensors: Tensors = {}
    numbers: dict[str, float] = {}
    for position, entries in optimiser.state_dict()["state"].items():
        for name, value in entries.items():
            if isinstance(value, torch.Tensor):
                tensors[f"{position}.{name}"] = value
            elif value is not None:
                numbers[f"{position}.{name}"] = value
    return tensors, numbers


def restore_optimiser(optimiser: Optimizer, tensors: Tensors, numbers: Mapping[str, float]) -> None:
    """Give the optimiser back what `optimiser_tensors` took from one like it."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, Any]] = {}
    for key, value in {**tensors, **numbers}.items():
        position, _, name = key.partition(".")
        parameter = parameters[int(position)]
        if isinstance(value, torch.Tensor) and value.shape == parameter.shape:
            # A fused step reads memory in one order: that of the parameter, which may be channels-last.
            value = torch.empty_like(parameter, dtype=value.dtype).copy_(value)
        state.setdefault(int(position), {})[name] = value
    # All else stays as it is: groups, and the generator of a sampler, which each epoch seeds again.
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
