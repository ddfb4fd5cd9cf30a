"""Samplers of the posterior p(θ) ∝ exp(-U(θ)/T) as `torch.optim` optimisers, their cycles and diagnostics.

| file | holds |
|---|---|
| `target` | what is sampled: U, its gradient, the settings that a group of parameters carries |
| `sgld` | Langevin dynamics, first order |
| `sghmc` | Hamiltonian dynamics with friction, symplectic Euler |
| `preconditioning` | the mass of each layer (or element) from the second moment of its gradients |
| `cycles` | step sizes, noise and samples as functions of the epoch (imports no torch) |
| `temperatures` | kinetic and configurational temperature of each layer, and a warning when they are off |
| `randomness` | normal draws from an explicit generator |

Why no library: `posteriors`, the well-kept one for torch, maps a log-posterior function and a record to a new
record, draws from torch's global generator and has no mass. Here the training loop fills `.grad` as for any
other optimiser, a run resumes byte-identically from tensors and plain numbers alone, and the mass is one
scalar per layer: none of its parts remains in use. blackjax is for JAX.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia.deep.samplers.cycles import Cycles as Cycles
    from comitia.deep.samplers.preconditioning import Preconditioner as Preconditioner
    from comitia.deep.samplers.sghmc import SGHMC as SGHMC
    from comitia.deep.samplers.sgld import SGLD as SGLD

_HOMES = {"Cycles": "cycles", "Preconditioner": "preconditioning", "SGHMC": "sghmc", "SGLD": "sgld"}
__all__ = ["SGHMC", "SGLD", "Cycles", "Preconditioner"]


def __getattr__(name: str) -> Any:
    # Planning the epochs of a chain needs no torch: it is imported when a sampler is.
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
