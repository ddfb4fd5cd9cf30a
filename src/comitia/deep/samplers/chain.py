"""What the samplers share: a generator of their own, masses, and a state of tensors and plain numbers alone."""

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import ParamsT

from comitia._errors import InputError
from comitia.deep.samplers.preconditioning import Preconditioner, masses
from comitia.deep.samplers.target import settings


class Chain(Optimizer):
    """An optimiser whose steps are a Markov chain of p(θ) ∝ exp(-U(θ)/T); `move` makes the step of one parameter.

    `.grad` must hold the gradient of the minibatch's mean loss, without the prior (see `target`). A parameter
    without a gradient is left alone.

    Parameters
    ----------
    params
        Parameters, or groups of them; a group may have its own `prior_scale`.
    lr
        Learning rate l, above 0.
    data_size
        Number n of training samples.
    temperature
        T, at least 0.
    prior_scale
        Standard deviation s of the prior N(0, s²); infinity for none.
    preconditioner
        How M is made; None keeps M = 1. M changes only at `refresh_mass()`: see `preconditioning`.
    generator
        Source of all randomness; None makes a new one of seed 0, so give chains their own.
    more
        Further settings of a group of parameters.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        data_size: int,
        temperature: float = 1.0,
        prior_scale: float = 1.0,
        preconditioner: Preconditioner | None = None,
        generator: torch.Generator | None = None,
        **more: float,
    ) -> None:
        self.preconditioner = preconditioner
        # Never torch's global generator, which other code draws from.
        self.generator = torch.Generator().manual_seed(0) if generator is None else generator
        scales = {"temperature": temperature, "prior_scale": prior_scale}
        super().__init__(params, settings(lr=lr, data_size=data_size, **scales, **more))

    def move(self, parameter: torch.Tensor, group: dict[str, Any]) -> None:
        """Move a parameter that has a gradient by one step."""
        raise NotImplementedError

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Move all parameters by one step and return the closure's loss, if there is one."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self.move(parameter, group)
        return loss

    @torch.no_grad()
    def refresh_mass(self) -> None:
        """Set all masses from the gradients observed so far; a momentum m keeps its law N(0, T·M)."""
        states = list(self.state.values())
        for state, mass in zip(states, masses(states, self.preconditioner)):
            if "momentum" in state:
                state["momentum"].mul_((mass / state["mass"]).sqrt())
            state["mass"] = mass

    def state_dict(self) -> dict[str, Any]:
        """Return momenta, masses, second moments, settings and the generator's state: tensors and plain numbers."""
        return {**super().state_dict(), "generator": self.generator.get_state()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on exactly where `state_dict()` was taken, given the same parameters and preconditioner."""
        super().load_state_dict(_split_state(state_dict, self.generator))


def _split_state(given: dict[str, Any], generator: torch.Generator) -> dict[str, Any]:
    """Put the generator's state back into the generator and return the rest of an optimiser's state.

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
