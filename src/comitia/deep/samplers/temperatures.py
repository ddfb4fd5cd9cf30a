"""Does the chain have the temperature it should? Kinetic and configurational temperature of each layer.

For a layer of d parameters of a chain of p(θ, m) ∝ exp(-(U(θ) + ½·m'M⁻¹m)/T), both have expectation T:

    T_K = m'M⁻¹m/d,    T_C = ⟨θ, ∇U(θ)⟩/d

(Wenzel et al. 2020, in their diagnostics; T_C by integration by parts). d·T_K/T is χ² with d degrees of freedom, which
gives an interval. T_C has no known distribution: its interval comes from the spread of batch means over
successive readings. T_K above T says that the minibatch's noise or the step is too large; T_C off says the
same, or that the chain is not yet stationary. T_C right is necessary, not sufficient, for convergence.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import chi2
from scipy.stats import t as student
from torch.optim import Optimizer

from comitia.deep.samplers.target import mean_gradient

#: What a layer may be off beyond its interval. The interval of a large layer is narrower than the error of a
#: correct sampler: symplectic Euler itself has T_K = T/(1 - (1-β)/2) on a flat target, 5% at β = .9.
TOLERANCE = 0.1


@dataclass(frozen=True)
class Reading:
    """The temperatures of one layer at one step; `kinetic` is None for a sampler without momenta."""

    name: str
    size: int
    kinetic: float | None
    configurational: float


@dataclass(frozen=True)
class LayerTemperature:
    """The temperatures of one layer averaged over readings, beside the T that they should be.

    `kinetic_interval` is that of a single reading: readings are correlated, and an average is not wider.
    `configurational_error` is the half-width of an interval; infinite with fewer than 4 readings.
    """

    name: str
    size: int
    expected: float
    kinetic: float | None
    kinetic_interval: tuple[float, float]
    configurational: float
    configurational_error: float

    def kinetic_off(self, tolerance: float = TOLERANCE) -> bool:
        """Whether T_K lies outside its interval widened by tolerance·T."""
        low, high = self.kinetic_interval
        slack = tolerance * self.expected
        return self.kinetic is not None and not low - slack <= self.kinetic <= high + slack

    def configurational_off(self, tolerance: float = TOLERANCE) -> bool:
        """Whether T_C differs from T by more than its error and tolerance·T together."""
        slack = self.configurational_error + tolerance * self.expected
        return not abs(self.configurational - self.expected) <= slack


@torch.no_grad()
def read(sampler: Optimizer, named: Iterable[tuple[str, torch.Tensor]]) -> tuple[Reading, ...]:
    """Return the temperatures of every named parameter that has a gradient.

    To be called after `backward()` and before `step()`: T_C needs the gradient at the present θ, of a
    minibatch that did not move θ there.

    >>> from comitia.deep.samplers import SGLD
    >>> parameter = torch.ones(2); parameter.grad = torch.tensor([0.0, 0.02])
    >>> read(SGLD([parameter], 0.1, data_size=100), [("bias", parameter)])
    (Reading(name='bias', size=2, kinetic=None, configurational=2.0),)
    """
    groups = {id(p): group for group in sampler.param_groups for p in group["params"]}
    readings = []
    for name, parameter in named:
        if parameter.grad is None or id(parameter) not in groups:
            continue
        group = groups[id(parameter)]
        force = mean_gradient(parameter, group) * group["data_size"]
        configurational = float((parameter * force).sum(dtype=torch.float64)) / parameter.numel()
        kinetic = _kinetic(sampler, parameter)
        readings.append(Reading(name, parameter.numel(), kinetic, configurational))
    return tuple(readings)


def _kinetic(sampler: Optimizer, parameter: torch.Tensor) -> float | None:
    state = sampler.state.get(parameter, {})
    if "momentum" not in state:
        return None
    return float((state["momentum"].square() / state["mass"]).sum(dtype=torch.float64)) / parameter.numel()


def kinetic_interval(size: int, temperature: float, confidence: float = 0.99) -> tuple[float, float]:
    """Return the interval that holds T_K of a layer of that size with that probability: T·χ²_d/d.

    >>> low, high = kinetic_interval(100, 1.0)
    >>> round(low, 3), round(high, 3)
    (0.673, 1.402)
    """
    tail = (1.0 - confidence) / 2.0
    low, high = chi2.ppf([tail, 1.0 - tail], size)
    return float(temperature * low / size), float(temperature * high / size)


def summarise(
    readings: Sequence[tuple[Reading, ...]], *, temperature: float, confidence: float = 0.99
) -> tuple[LayerTemperature, ...]:
    """Return the temperatures of each layer over successive readings, with intervals.

    >>> steps = [(Reading("bias", 100, 1.1, c),) for c in (0.9, 1.2, 0.8, 1.1)]
    >>> [round(layer.configurational, 3) for layer in summarise(steps, temperature=1.0)]
    [1.0]
    """
    return tuple(_summarised(layer, temperature, confidence) for layer in zip(*readings, strict=True))


def _summarised(layer: tuple[Reading, ...], temperature: float, confidence: float) -> LayerTemperature:
    first = layer[0]
    momenta = [reading.kinetic for reading in layer if reading.kinetic is not None]
    positions = np.array([reading.configurational for reading in layer])
    return LayerTemperature(
        name=first.name,
        size=first.size,
        expected=temperature,
        kinetic=float(np.mean(momenta)) if momenta else None,
        kinetic_interval=kinetic_interval(first.size, temperature, confidence),
        configurational=float(positions.mean()),
        configurational_error=_half_width(positions, confidence),
    )


def _half_width(series: NDArray[np.float64], confidence: float) -> float:
    """Student's interval from √K batches of successive readings, which are less correlated than readings."""
    batches = math.isqrt(len(series)) if len(series) >= 4 else 0
    if batches < 2:
        return math.inf
    means = np.array([part.mean() for part in np.array_split(series, batches)])
    quantile = float(student.ppf(0.5 + confidence / 2.0, batches - 1))
    return quantile * float(means.std(ddof=1)) / math.sqrt(batches)


def warning(layers: Sequence[LayerTemperature], *, tolerance: float = TOLERANCE) -> str | None:
    """Return one line that names the layers whose temperature is off, or None; nothing is off at T = 0.

    >>> layer = LayerTemperature("bias", 100, 1.0, 1.8, (0.67, 1.4), 1.05, 0.2)
    >>> warning([layer])
    'temperatures off in 1 of 1 layers: bias T_K = 1.8 instead of 0.67 to 1.4; lower lr or enlarge the batch'
    """
    checked = [layer for layer in layers if layer.expected > 0.0]
    texts = {layer.name: _complaints(layer, tolerance) for layer in checked}
    off = [f"{name} {' and '.join(found)}" for name, found in texts.items() if found]
    if not off:
        return None
    listed = ", ".join(off[:3]) + (f" and {len(off) - 3} more" if len(off) > 3 else "")
    hot = any(_is_hot(layer) for layer in checked if texts[layer.name])
    advice = "lower lr or enlarge the batch" if hot else "not stationary yet, a longer chain may be"
    return f"temperatures off in {len(off)} of {len(layers)} layers: {listed}; {advice}"


def _is_hot(layer: LayerTemperature) -> bool:
    """Whether one of the temperatures is above T by more than its interval, or no number at all."""
    cold = layer.configurational <= layer.expected + layer.configurational_error
    return not (cold and (layer.kinetic is None or layer.kinetic <= layer.kinetic_interval[1]))


def _complaints(layer: LayerTemperature, tolerance: float) -> list[str]:
    found = []
    if layer.kinetic_off(tolerance):
        low, high = layer.kinetic_interval
        found.append(f"T_K = {layer.kinetic:.3g} instead of {low:.3g} to {high:.3g}")
    if layer.configurational_off(tolerance):
        error = layer.configurational_error
        found.append(f"T_C = {layer.configurational:.3g} ± {error:.2g} instead of {layer.expected:.3g}")
    return found
