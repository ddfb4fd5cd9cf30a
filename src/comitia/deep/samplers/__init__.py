"""Samplers of the posterior p(θ) ∝ exp(-U(θ)/T) as `torch.optim` optimisers, and their diagnostics.

| file | holds |
|---|---|
| `target` | what is sampled: U, its gradient, the settings that a group of parameters carries |
| `sgld` | Langevin dynamics, first order |
| `sghmc` | Hamiltonian dynamics with friction, symplectic Euler |
| `preconditioning` | the mass of each layer (or element) from the second moment of its gradients |
| `temperatures` | kinetic and configurational temperature of each layer, and a warning when they are off |
| `chain` | what both share: the generator, refreshing masses, the state to resume from |

Why no library: `posteriors`, the well-kept one for torch, maps a log-posterior function and a record to a new
record, draws from torch's global generator and has no mass. Here the training loop fills `.grad` as for any
other optimiser, a run resumes byte-identically from tensors and plain numbers alone, and the mass is one
scalar per layer: none of its parts remains in use. blackjax is for JAX. Step sizes, noise and samples as functions of
the epoch are in `recipes.cycles`, which needs no torch.
"""

from comitia.deep.samplers.preconditioning import Preconditioner
from comitia.deep.samplers.sghmc import SGHMC
from comitia.deep.samplers.sgld import SGLD

__all__ = ["SGHMC", "SGLD", "Preconditioner"]
