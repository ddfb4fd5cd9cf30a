"""Normal draws from an explicit generator, and its state as a tensor."""

from typing import Any

import torch

from comitia._errors import InputError


def generator_or_zero(generator: torch.Generator | None) -> torch.Generator:
    """The generator itself, or a new one of seed 0: torch's global one is never touched."""
    return torch.Generator().manual_seed(0) if generator is None else generator


def standard_normal(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Draws of N(0, 1) in the shape, precision and place of a tensor.

    They are made where the generator lives: one on the processor gives the same chain on every device.

    >>> from torch import Generator, zeros
    >>> standard_normal(zeros(2, 3), Generator().manual_seed(1)).shape
    torch.Size([2, 3])
    """
    drawn = torch.randn(like.shape, generator=generator, dtype=like.dtype, device=generator.device)
    return drawn.to(like.device)


def split_state(given: dict[str, Any], generator: torch.Generator) -> dict[str, Any]:
    """An optimiser's state without the generator's, which is put back into the generator.

    The tensors are copies, so that stepping on leaves the given ones as they were.
    """
    if "generator" not in given:
        raise InputError("state_dict: lacks 'generator'; give one that a sampler's state_dict() made")
    generator.set_state(given["generator"].cpu())
    kept = {key: value for key, value in given.items() if key != "generator"}
    kept["state"] = {index: _copied(state) for index, state in given["state"].items()}
    return kept


def _copied(state: dict[str, Any]) -> dict[str, Any]:
    return {name: v.clone() if isinstance(v, torch.Tensor) else v for name, v in state.items()}
