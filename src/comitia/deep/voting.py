"""The vote of networks as torch computes it, in compiled and exported graphs too.

The same rules as for predictions in files (`comitia._votes`): probabilities are float32 as they are stored, weighted
sums are float64, of two classes the second alone is looked at, and the lowest class within `TIE` of the largest wins.
"""

from collections.abc import Mapping
from typing import Any

import torch

from comitia._errors import InputError
from comitia._votes import TIE

#: What the output of a member can be.
OUTPUTS = ("logits", "probabilities")


def tensor_of(output: Any) -> torch.Tensor:
    """Return the tensor in what a network returns: itself, `.logits`, `["logits"]`, or the first entry.

    >>> tensor_of({"logits": torch.zeros(2, 3)}).shape
    torch.Size([2, 3])
    """
    if isinstance(output, torch.Tensor):
        return output
    if isinstance(output, Mapping) and "logits" in output:
        return tensor_of(output["logits"])
    if hasattr(output, "logits"):
        return tensor_of(output.logits)
    if isinstance(output, tuple | list) and output:
        return tensor_of(output[0])
    raise InputError(
        f"members: must return a tensor of logits or probabilities, got {type(output).__name__}; wrap the network in "
        "a module that does"
    )


def probabilities_of(output: Any, kind: str = "logits") -> torch.Tensor:
    """Return probabilities (n, C) in float32; one number per sample is that of the second of two classes.

    >>> probabilities_of(torch.tensor([[0.0], [0.0]])).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    values = tensor_of(output).to(torch.float32)
    if values.dim() == 1:
        values = values[:, None]
    if values.dim() != 2:
        raise InputError(
            f"members: must return (n, C) {kind}, got a tensor of {values.dim()} dimensions; give one row per sample"
        )
    if values.shape[1] == 1:
        second = torch.sigmoid(values) if kind == "logits" else values
        return torch.cat([1.0 - second, second], dim=1)
    return torch.softmax(values, dim=1) if kind == "logits" else values


def shares_of(probs: torch.Tensor, vote: str) -> torch.Tensor:
    """Return what one member adds to each class, (n, C) in the widest float of the device: probabilities, or its vote.

    >>> shares_of(torch.tensor([[0.2, 0.5, 0.3]]), "majority").tolist()
    [[0.0, 1.0, 0.0]]
    """
    wide = widest(probs.device)
    if vote == "average":
        return _of_two(probs[:, 1].to(wide)) if probs.shape[1] == 2 else probs.to(wide)
    if probs.shape[1] == 2:
        return _of_two((probs[:, 1] > 0.5).to(wide))
    places = torch.arange(probs.shape[1], device=probs.device)
    return (probs.argmax(dim=1, keepdim=True) == places).to(wide)


def winners(totals: torch.Tensor) -> torch.Tensor:
    """Return, as (n,), the lowest class whose total (n, C) is within `TIE` of the largest.

    >>> winners(torch.tensor([[0.2, 0.4, 0.4]], dtype=torch.float64)).tolist()
    [1]
    """
    largest = totals.amax(dim=1, keepdim=True)
    return (totals >= largest - TIE).to(torch.int32).argmax(dim=1)


def widest(device: torch.device) -> torch.dtype:
    """Return the type in which weighted sums are computed: float64, on devices that have it.

    >>> widest(torch.device("cpu"))
    torch.float64
    """
    return torch.float32 if device.type == "mps" else torch.float64


def _of_two(second: torch.Tensor) -> torch.Tensor:
    return torch.stack([1.0 - second, second], dim=1)
