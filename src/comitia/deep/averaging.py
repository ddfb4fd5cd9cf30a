"""Moments of the weights of a network along its training: their mean, variances and last deviations."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from comitia.deep.states import Tensors


@dataclass
class Moments:
    """Mean θ̄, variances Σ and the last deviations D of weights θ_1, ..., θ_n that were added one by one.

    Σ = mean(θ_i²) - θ̄², element by element, and the columns of D are the last K = `rank` of θ_i - θ̄_i, where θ̄_i is
    the mean of the first i: the SWA-Gaussian of Maddox et al. 2019, "A simple baseline for Bayesian uncertainty in
    deep learning". The first column is left out, since it is zero.

    `spread` is n·Σ, summed up as the products of the deviations from the means before and after (Welford 1962), since
    the difference of two means of squares loses all digits of a small variance. The tensors lie on the processor,
    whatever the device of the network, because K of them may not fit beside it.

    >>> moments = Moments(rank=2)
    >>> for value in (1.0, 3.0, 8.0):
    ...     moments.add({"w": torch.tensor([value])})
    >>> float(moments.mean["w"]), float(moments.variances()["w"]), [float(d["w"]) for d in moments.deviations]
    (4.0, 8.66666..., [1.0, 4.0])
    """

    rank: int = 0
    count: int = 0
    mean: Tensors = field(default_factory=dict)
    spread: Tensors = field(default_factory=dict)
    deviations: list[Tensors] = field(default_factory=list)

    def add(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Take the weights of one more epoch into account."""
        self.count += 1
        latest: Tensors = {}
        for name, tensor in weights.items():
            # Contiguous always: a network in channels-last may add up in another order than after it was resumed.
            value = tensor.detach().cpu().contiguous()
            before = value - self.mean.get(name, torch.zeros_like(value))
            self.mean[name] = self.mean.get(name, torch.zeros_like(value)) + before / self.count
            latest[name] = value - self.mean[name]
            self.spread[name] = self.spread.get(name, torch.zeros_like(value)) + before * latest[name]
        if self.rank and self.count > 1:
            self.deviations = [*self.deviations, latest][-self.rank :]

    def variances(self) -> Tensors:
        """Return Σ by the names of the parameters."""
        return {name: total / self.count for name, total in self.spread.items()}

    def draw(self, random: np.random.Generator, *, scale: float = 1.0) -> Tensors:
        """Return weights θ̄ + s/√2·(Σ^½·z₁ + D·z₂/√(K-1)) with z₁, z₂ ~ N(0, I) and s = `scale`.

        Their covariance is s²·½(Σ + DD'/(K-1)). Without deviations it is s²·Σ (SWAG-Diagonal): θ̄ + s·Σ^½·z₁.
        """
        columns = len(self.deviations)
        factors = [z / math.sqrt(columns - 1) for z in random.standard_normal(columns)] if columns else []
        drawn: Tensors = {}
        for name, variance in sorted(self.variances().items()):  # a resume file keeps no order
            noise = torch.from_numpy(random.standard_normal(tuple(variance.shape))).to(variance.dtype)
            shift = variance.sqrt() * noise
            for factor, deviation in zip(factors, self.deviations, strict=True):
                shift = shift + deviation[name] * factor
            drawn[name] = self.mean[name] + shift * (scale / math.sqrt(2.0) if columns else scale)
        return drawn

    def tensors(self) -> Tensors:
        """Return all that is needed to go on, but the count, by `kind.name`."""
        kinds = {"mean": self.mean, "spread": self.spread}
        kinds |= {f"deviation-{place:04d}": one for place, one in enumerate(self.deviations)}
        return {f"{kind}.{name}": value for kind, held in kinds.items() for name, value in held.items()}

    def restore(self, tensors: Mapping[str, torch.Tensor], count: int) -> None:
        """Take over what `tensors` returned."""
        kinds: dict[str, Tensors] = {"mean": {}, "spread": {}}
        for key in sorted(tensors):
            kind, _, name = key.partition(".")
            kinds.setdefault(kind, {})[name] = tensors[key]
        self.mean, self.spread, self.count = kinds.pop("mean"), kinds.pop("spread"), count
        self.deviations = [kinds[kind] for kind in sorted(kinds)]


def weights_of(network: nn.Module) -> Tensors:
    """Return the parameters of a network by name; buffers, such as statistics of batch norm, are none."""
    return {name: parameter.detach() for name, parameter in network.named_parameters()}


@torch.no_grad()
def set_weights(network: nn.Module, weights: Mapping[str, torch.Tensor]) -> None:
    """Give the parameters of a network these values."""
    for name, parameter in network.named_parameters():
        parameter.copy_(weights[name])
