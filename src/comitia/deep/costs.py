"""What a network costs: its parameters, multiply-adds per sample, and seconds per sample, measured."""

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from comitia._errors import InputError

# A multiplication and an addition are two operations to torch's counter.
OPERATIONS = 2
REPEATS = 5


@dataclass(frozen=True)
class Cost:
    """What one network costs: its parameters, and per sample the multiply-adds and the seconds of a forward pass."""

    parameters: int
    multiply_adds: float
    seconds: float


def member_costs(
    members: Mapping[str, nn.Module] | Iterable[tuple[str, nn.Module]], inputs: Any, *, repeats: int = REPEATS
) -> dict[str, dict[str, float]]:
    """Return by name what each member costs, as `comitia.weigh` takes it as `member_costs`.

    Pairs of name and network may come from a generator, so that one network is in memory at a time.
    `comitia.deep.write_member_costs` writes the result as a CSV for ``comitia weigh --member-costs``.

    >>> costs = member_costs({"small": nn.Linear(4, 3), "large": nn.Linear(4, 30)}, torch.zeros(8, 4))
    >>> costs["small"]["parameters"], costs["large"]["multiply_adds"]
    (15, 120.0)
    """
    pairs = members.items() if isinstance(members, Mapping) else members
    found: dict[str, dict[str, float]] = {}
    for name, network in pairs:
        if name in found:
            raise InputError(f"members: duplicate name '{name}'; give each a name of its own")
        found[name] = dict(vars(measure_cost(network, inputs, repeats=repeats)))
    return found


def measure_cost(network: nn.Module, inputs: Any, *, repeats: int = REPEATS) -> Cost:
    """Return what a forward pass of the network in `eval` mode costs, per sample of those inputs.

    Multiply-adds are those of matrix products, convolutions and attention, as torch counts them; whatever else a
    network does is in the seconds alone. Seconds are the median of `repeats` passes after one that is not counted, so
    they depend on the machine, its load and the size of the batch.

    Parameters
    ----------
    network : as it is deployed, on its device.
    inputs : a batch as the network takes it: a tensor, a tuple of tensors, or a mapping to keyword arguments.
    repeats : passes that are timed.

    >>> measure_cost(nn.Conv2d(3, 8, 3, padding=1, bias=False), torch.zeros(2, 3, 10, 10)).multiply_adds
    21600.0
    """
    if repeats < 1:
        raise InputError(f"repeats: must be at least 1, got {repeats}")
    samples = _samples(inputs)
    with _evaluating(network), torch.inference_mode():
        with _plain_kernels(), FlopCounterMode(display=False) as counter:
            _call(network, inputs)
        seconds = median(_timed(network, inputs) for _ in range(repeats))
    parameters = sum(parameter.numel() for parameter in network.parameters())
    return Cost(parameters, counter.get_total_flops() / OPERATIONS / samples, seconds / samples)


@contextmanager
def _plain_kernels() -> Iterator[None]:
    """Let recurrent layers be the matrix products that the counter knows: in oneDNN they are one operation."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # of settings for other processors, which this puts back too
        with torch.backends.mkldnn.flags(enabled=False):
            yield


@contextmanager
def _evaluating(network: nn.Module) -> Iterator[None]:
    """Let every part of the network be in `eval` mode for a while."""
    training = [part for part in network.modules() if part.training]
    network.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _call(network: nn.Module, inputs: Any) -> Any:
    if isinstance(inputs, Mapping):
        return network(**inputs)
    return network(*inputs) if isinstance(inputs, tuple | list) else network(inputs)


def _timed(network: nn.Module, inputs: Any) -> float:
    _wait(inputs)
    began = time.perf_counter()
    _call(network, inputs)
    _wait(inputs)
    return time.perf_counter() - began


def _tensors(inputs: Any) -> list[torch.Tensor]:
    values = inputs.values() if isinstance(inputs, Mapping) else inputs
    given = [inputs] if isinstance(inputs, torch.Tensor) else list(values)
    return [value for value in given if isinstance(value, torch.Tensor) and value.dim()]


def _samples(inputs: Any) -> int:
    sizes = {len(tensor) for tensor in _tensors(inputs)}
    if len(sizes) != 1 or not min(sizes):
        raise InputError(f"inputs: must be a batch of at least one sample, got sizes {sorted(sizes)}")
    return int(min(sizes))


def _wait(inputs: Any) -> None:
    """Wait until the device has done what it was given: accelerators work on while Python goes on."""
    for kind in {tensor.device.type for tensor in _tensors(inputs)}:
        if kind == "cuda":
            torch.cuda.synchronize()
        elif kind == "mps":
            torch.mps.synchronize()
