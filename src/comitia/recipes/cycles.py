"""Cyclic step sizes, noise and samples, as pure functions of the epoch t = 0, 1, ..."""

import math
from dataclasses import dataclass

from comitia._errors import InputError


@dataclass(frozen=True, kw_only=True)
class Cycles:
    """`burn_in` epochs at the full step, then cosine cycles of `cycle` epochs.

    A state after each of the last `samples_per_cycle` epochs of a cycle is a sample; noise is on in the last
    `noise_epochs` of each cycle (0: always, burn-in included). Zhang et al. 2020, "Cyclical stochastic
    gradient MCMC for Bayesian deep learning": a cycle explores without noise, then samples with it. Wenzel
    et al. 2020: noise always, one sample at the end of each cycle.

    >>> cycles = Cycles(burn_in=2, cycle=4, samples_per_cycle=2)
    >>> cycles.sampled_epochs(10)
    (4, 5, 8, 9)
    """

    cycle: int
    burn_in: int = 0
    samples_per_cycle: int = 1
    noise_epochs: int = 0

    def __post_init__(self) -> None:
        if self.cycle < 1:
            raise InputError(f"cycle: must be at least 1 epoch, got {self.cycle}")
        if self.burn_in < 0:
            raise InputError(f"burn_in: must be at least 0 epochs, got {self.burn_in}")
        if not 0 <= self.noise_epochs <= self.cycle:
            raise InputError(f"noise_epochs: must be 0 to {self.cycle} (the cycle), got {self.noise_epochs}")
        longest = self.noise_epochs or self.cycle
        if not 1 <= self.samples_per_cycle <= longest:
            raise InputError(
                f"samples_per_cycle: must be 1 to {longest} (a state without noise is not a sample), got "
                f"{self.samples_per_cycle}"
            )

    def factor(self, epoch: float) -> float:
        """Return 1 in the burn-in, then (cos(π·(t mod c)/c) + 1)/2; the epoch may be fractional.

        >>> [round(Cycles(burn_in=2, cycle=4).factor(t), 3) for t in (1, 2, 4, 5.5, 6)]
        [1.0, 1.0, 0.5, 0.038, 1.0]
        """
        if epoch < self.burn_in:
            return 1.0
        return 0.5 * (math.cos(math.pi * ((epoch - self.burn_in) % self.cycle) / self.cycle) + 1.0)

    def is_sampling(self, epoch: int) -> bool:
        """Whether the state after that epoch (0, 1, ...) is a sample.

        >>> [Cycles(burn_in=1, cycle=2).is_sampling(t) for t in range(5)]
        [False, False, True, False, True]
        """
        return self._in_last(epoch, self.samples_per_cycle)

    def noise_on(self, epoch: float) -> bool:
        """Whether noise is added in that epoch.

        >>> [Cycles(cycle=3, noise_epochs=1).noise_on(t) for t in range(6)]
        [False, False, True, False, False, True]
        """
        return self.noise_epochs == 0 or self._in_last(math.floor(epoch), self.noise_epochs)

    def refreshes(self, epoch: int) -> bool:
        """Whether masses are set again before that epoch: when a cycle begins, and as often in the burn-in.

        >>> [t for t in range(300) if Cycles(burn_in=150, cycle=50).refreshes(t)]
        [50, 100, 150, 200, 250]
        """
        return epoch > 0 and (epoch - self.burn_in) % self.cycle == 0

    def sampled_epochs(self, epochs: int) -> tuple[int, ...]:
        """Return the epochs after which a chain of that many saves a sample; raise an `InputError` if there is none."""
        found = tuple(epoch for epoch in range(epochs) if self.is_sampling(epoch))
        if not found:
            first = self.burn_in + self.cycle - self.samples_per_cycle + 1
            raise InputError(
                f"epochs: no sample falls into {epochs} epochs, the first is due after {first} epochs "
                f"(burn_in {self.burn_in}, cycle {self.cycle}); train longer or shorten burn_in or cycle"
            )
        return found

    def _in_last(self, epoch: int, count: int) -> bool:
        return epoch >= self.burn_in and (epoch - self.burn_in) % self.cycle >= self.cycle - count
