"""The mass M of each layer or element, from the running second moment of its gradients.

    v ← α·v + (1-α)·g²,    σ = √(floor + v/(1-α^k)),    g = ∇Ũ/n,  k observations

- by layer: v takes the mean of g² over the layer (a parameter tensor), and M = σ/min σ over all layers, so
  that the least steep layer has mass 1 and no layer moves by more than without a mass (Wenzel et al. 2020,
  layerwise preconditioning).
- by element: M = σ, not normalised, as RMSprop (Li et al. 2016, "Preconditioned stochastic gradient Langevin
  dynamics"): the step size is then of RMSprop's size. The smallest σ of millions of elements would be that of
  one that never saw a gradient, hence no norm to divide by.

A mass that depends on θ needs the correction term Γ = ∇·M^-1 in the drift; Li et al. drop it in practice and
accept a biased stationary distribution. Here M is *frozen*: gradients are observed all the time, but M changes only at
`refresh_mass()`. Between two refreshes it is a constant, Γ = 0, and the dynamics are those of the posterior.
Refreshing for ever would bring the bias back: do it at the start of a cycle, not at every step. Until the
first refresh M is 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from comitia._errors import InputError, require_choice


@dataclass(frozen=True, kw_only=True)
class Preconditioner:
    """How masses are made: `by` layer or element, the memory `decay` α of the second moment, its `floor`.

    >>> Preconditioner(by="layer").decay
    0.99
    """

    by: Literal["layer", "element"] = "layer"
    decay: float = 0.99
    floor: float = 1e-7

    def __post_init__(self) -> None:
        require_choice("preconditioner.by", self.by, ("layer", "element"))
        if not 0.0 <= self.decay < 1.0:
            raise InputError(f"preconditioner.decay: must lie in [0, 1), got {self.decay:g}")
        if not self.floor > 0.0:
            raise InputError(f"preconditioner.floor: must be above 0, got {self.floor:g}")


def starting_state(parameter: torch.Tensor, preconditioner: Preconditioner | None) -> dict[str, Any]:
    """Return mass 1 and, with a preconditioner, an empty second moment."""
    state: dict[str, Any] = {"mass": torch.ones((), dtype=parameter.dtype, device=parameter.device)}
    if preconditioner is None:
        return state
    empty = torch.zeros_like if preconditioner.by == "element" else _zero
    return {**state, "second_moment": empty(parameter), "observations": 0}


def _zero(parameter: torch.Tensor) -> torch.Tensor:
    return torch.zeros((), dtype=parameter.dtype, device=parameter.device)


def observe(state: dict[str, Any], gradient: torch.Tensor, preconditioner: Preconditioner | None) -> None:
    """Add a gradient to the running second moment of its parameter's state.

    >>> from torch import tensor
    >>> rule = Preconditioner(decay=0.5)
    >>> state = starting_state(tensor([0.0, 0.0]), rule)
    >>> observe(state, tensor([1.0, 3.0]), rule)
    >>> state["second_moment"]
    tensor(2.5000)
    """
    if preconditioner is None:
        return
    square = gradient.square() if preconditioner.by == "element" else _mean_square(gradient)
    state["second_moment"].mul_(preconditioner.decay).add_(square, alpha=1.0 - preconditioner.decay)
    state["observations"] += 1


def _mean_square(gradient: torch.Tensor) -> torch.Tensor:
    flat = gradient.reshape(-1)  # a dot product: the squares of a large layer are not stored
    return torch.dot(flat, flat) / flat.numel()


def masses(states: Sequence[dict[str, Any]], preconditioner: Preconditioner | None) -> list[torch.Tensor]:
    """Return the masses that the observed gradients give, one per parameter; all 1 without a preconditioner.

    >>> from torch import tensor
    >>> rule = Preconditioner(floor=1e-12)
    >>> states = [starting_state(tensor([0.0]), rule) for _ in range(2)]
    >>> observe(states[0], tensor([2.0]), rule); observe(states[1], tensor([6.0]), rule)
    >>> masses(states, rule)
    [tensor(1.), tensor(3.)]
    """
    if preconditioner is None:
        return [state["mass"] for state in states]
    roots = [_root(state, preconditioner) for state in states]
    if preconditioner.by == "element" or not roots:
        return roots
    least = min(float(root) for root in roots)
    return [root / least for root in roots]


def _root(state: dict[str, Any], preconditioner: Preconditioner) -> torch.Tensor:
    seen = (
        -math.expm1(state["observations"] * math.log(preconditioner.decay)) if preconditioner.decay else 1.0
    )
    root: torch.Tensor = (state["second_moment"] / seen + preconditioner.floor).sqrt()
    return root
