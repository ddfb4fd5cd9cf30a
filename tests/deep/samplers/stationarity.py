"""Oracles: the exact stationary law of a sampler on a linear problem, and a check that a chain has it.

The laws are written as matrices acting on the whole state, not as the samplers' element-wise updates. A
parameter holds many chains, (chains, d), each with its own noise and minibatches: they are independent, so
the standard error across chains of per-chain averages is right whatever the correlation along a chain.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_lyapunov
from torch.nn.functional import embedding_bag
from torch.optim import Optimizer

Array = NDArray[np.float64]
Gradient = Callable[[torch.Tensor], torch.Tensor]
#: How many standard errors an estimate may be off: 1 in 150,000 for a normal one, and seeds are fixed.
LIMIT = 4.5
#: Sizes of the two parameter tensors ("layers") that the coordinates are cut into.
LAYERS = (1, 2)


@dataclass(frozen=True)
class Law:
    """Mean (d,) and covariance (d, d) of θ; `momentum` the covariance of m, where there is one."""

    mean: Array
    covariance: Array
    momentum: Array | None = None


@dataclass(frozen=True)
class Gaussian:
    """n·L(θ) = ½(θ-c)'A(θ-c) with exact gradients, prior N(0, s²): the posterior is normal."""

    precision: Array
    centre: Array
    scale: float
    samples: int = 40

    @property
    def total(self) -> Array:
        return self.precision + np.eye(len(self.centre)) / self.scale**2

    def posterior(self, temperature: float) -> Law:
        mean = np.linalg.solve(self.total, self.precision @ self.centre)
        return Law(mean, temperature * np.linalg.inv(self.total))

    def gradient(self) -> Gradient:
        precision, centre = torch.from_numpy(self.precision), torch.from_numpy(self.centre)
        return lambda theta: (theta - centre) @ precision / self.samples

    def sgld_law(self, lr: float, temperature: float, mass: Array) -> Law:
        """Σ = FΣF' + Q of θ-μ ← F(θ-μ) + noise."""
        inverse, size = np.diag(1 / mass), lr / self.samples
        move = np.eye(len(mass)) - size * inverse @ self.total
        return Law(self.posterior(1.0).mean, solve_discrete_lyapunov(move, 2 * size * temperature * inverse))

    def sghmc_law(self, lr: float, beta: float, temperature: float, mass: Array, factor: float = 1.0) -> Law:
        """Σ = FΣF' + Q of the joint state (θ-μ, m)."""
        d, h, gamma = (
            len(mass),
            factor * math.sqrt(lr / self.samples),
            (1 - beta) * math.sqrt(self.samples / lr),
        )
        identity, inverse = np.eye(d), np.diag(1 / mass)
        kick = np.block([[identity, np.zeros((d, d))], [-h * self.total, (1 - h * gamma) * identity]])
        drift = np.block([[identity, h * inverse], [np.zeros((d, d)), identity]])
        spread = np.zeros((2 * d, 2 * d))
        spread[d:, d:] = 2 * gamma * h * temperature * np.diag(mass)
        joint = solve_discrete_lyapunov(drift @ kick, drift @ spread @ drift.T)
        return Law(self.posterior(1.0).mean, joint[:d, :d], joint[d:, d:])


@dataclass(frozen=True)
class Regression:
    """Bayesian linear regression y = x'θ + N(0, 1), L the mean of ½(y - x'θ)², minibatches with replacement."""

    inputs: Array
    outputs: Array
    scale: float
    batch: int

    @property
    def samples(self) -> int:
        return len(self.outputs)

    def posterior(self, temperature: float) -> Law:
        total = self.inputs.T @ self.inputs + np.eye(self.inputs.shape[1]) / self.scale**2
        return Law(np.linalg.solve(total, self.inputs.T @ self.outputs), temperature * np.linalg.inv(total))

    def gradient(self, seed: int) -> Gradient:
        """(mean of x x')θ - mean of x y over a minibatch of its own for each chain."""
        d, source = self.inputs.shape[1], torch.Generator().manual_seed(seed)
        squares = np.einsum("ni,nj->nij", self.inputs, self.inputs).reshape(-1, d * d)
        table = torch.from_numpy(np.hstack([squares, self.inputs * self.outputs[:, None]]))

        def draw(theta: torch.Tensor) -> torch.Tensor:
            picked = torch.randint(self.samples, (len(theta), self.batch), generator=source)
            means = embedding_bag(picked, table, mode="mean")  # (chains, d·d + d)
            return (means[:, : d * d].reshape(-1, d, d) @ theta[:, :, None])[:, :, 0] - means[:, d * d :]

        return draw

    def _forces(self) -> Array:
        """The gradient of one sample plus prior/n as matrices on (1, θ): (n, d, 1+d)."""
        d = self.inputs.shape[1]
        prior = np.hstack([np.zeros((d, 1)), np.eye(d) / (self.samples * self.scale**2)])
        rows = [
            np.hstack([-(x * y)[:, None], np.outer(x, x)]) + prior for x, y in zip(self.inputs, self.outputs)
        ]
        return np.array(rows)

    def sgld_law(self, lr: float, temperature: float) -> Law:
        d = self.inputs.shape[1]
        maps = np.array([np.eye(1 + d) for _ in range(self.samples)])
        maps[:, 1:] -= lr * self._forces()
        spread = np.zeros((1 + d, 1 + d))
        spread[1:, 1:] = 2 * lr * temperature / self.samples * np.eye(d)
        return self._stationary(maps, spread)

    def sghmc_law(self, lr: float, beta: float, temperature: float) -> Law:
        d, h, gamma = (
            self.inputs.shape[1],
            math.sqrt(lr / self.samples),
            (1 - beta) * math.sqrt(self.samples / lr),
        )
        kick = np.array([np.eye(1 + 2 * d) for _ in range(self.samples)])
        kick[:, 1 + d :, 1 + d :] *= 1 - h * gamma
        kick[:, 1 + d :, : 1 + d] -= h * self.samples * self._forces()
        drift = np.eye(1 + 2 * d)
        drift[1 : 1 + d, 1 + d :] = h * np.eye(d)
        spread = np.zeros_like(drift)
        spread[1 + d :, 1 + d :] = 2 * gamma * h * temperature * np.eye(d)
        return self._stationary(drift @ kick, drift @ spread @ drift.T)

    def _stationary(self, maps: Array, spread: Array) -> Law:
        """S = E[K S K'] + Q for the second moment S of x = (1, θ, ...), K the mean of `batch` random maps.

        E[K⊗K] = K̄⊗K̄ + (mean of K_i⊗K_i - K̄⊗K̄)/batch; the equation of S_00 is replaced by S_00 = 1.
        """
        size, d = maps.shape[1], self.inputs.shape[1]
        middle = np.kron(maps.mean(0), maps.mean(0))
        single = np.mean([np.kron(k, k) for k in maps], axis=0)
        system = np.eye(size**2) - middle - (single - middle) / self.batch
        system[0], right = np.eye(size**2)[0], spread.ravel().copy()
        right[0] = 1.0
        moment = np.linalg.solve(system, right).reshape(size, size)
        mean = moment[0, 1 : 1 + d]
        return Law(mean, moment[1 : 1 + d, 1 : 1 + d] - np.outer(mean, mean))


def bias_of(law: Law, exact: Law) -> float:
    """The largest error of a covariance in shares of the smallest variance."""
    return float(np.abs(law.covariance - exact.covariance).max() / exact.covariance.diagonal().min())


def start(dimension: int, chains: int) -> list[torch.nn.Parameter]:
    """Chains at 0, cut into layers of `LAYERS` (a lone layer for other dimensions)."""
    sizes = LAYERS if dimension == sum(LAYERS) else (dimension,)
    return [torch.nn.Parameter(torch.zeros(chains, size, dtype=torch.float64)) for size in sizes]


def chain_on(
    kind: type[Any], problem: Any, lr: float, temperature: float, *, chains: int, seed: int, **more: Any
) -> Any:
    """A sampler of that kind with that many parallel chains on a problem."""
    return kind(
        start(len(problem.posterior(1.0).mean), chains),
        lr,
        data_size=problem.samples,
        temperature=temperature,
        prior_scale=problem.scale,
        generator=torch.Generator().manual_seed(seed),
        **more,
    )


def refreshed_masses(sampler: Any, gradient: Gradient, by: str) -> Array:
    """The masses after some steps, which differ between layers (or elements); all chains are given the same."""
    advance(sampler, gradient, 60)
    sampler.refresh_mass()
    share_masses(sampler)
    mass = layer_masses(sampler)
    assert len(set(mass.round(3))) == (2 if by == "layer" else 3)
    assert mass.max() > 1.3
    return mass


def advance(sampler: Optimizer, gradient: Gradient, steps: int) -> torch.Tensor:
    """θ of all chains (chains, d) after that many steps."""
    layers = sampler.param_groups[0]["params"]
    for _ in range(steps):
        whole = gradient(torch.cat([layer.detach() for layer in layers], dim=1))
        for layer, part in zip(layers, whole.split([layer.shape[1] for layer in layers], dim=1)):
            layer.grad = part.contiguous()
        sampler.step()
    return torch.cat([layer.detach() for layer in layers], dim=1)


def check(
    sampler: Optimizer,
    gradient: Gradient,
    law: Law,
    *,
    settle: int,
    gap: int,
    readings: int = 8,
    bias: float = 0.0,
) -> float:
    """The largest relative standard error of a variance; an AssertionError if the chains have another law.

    After `settle` steps, θ is read every `gap` steps. `bias` is a share of a variance by which the law asked
    for is known to differ from that of the discretised chain (its mean: of a standard deviation).
    """
    advance(sampler, gradient, settle)
    mean, variance = torch.from_numpy(law.mean), torch.from_numpy(law.covariance)
    sums = [torch.zeros(()), torch.zeros(())]
    for _ in range(readings):
        off = advance(sampler, gradient, gap) - mean
        sums = [sums[0] + off / readings, sums[1] + torch.einsum("ci,cj->cij", off, off) / readings]
    spread = variance.diagonal().sqrt()
    _require("mean", sums[0], torch.zeros_like(mean), bias * spread)
    return _require("covariance", sums[1], variance, bias * torch.outer(spread, spread))


def _require(what: str, draws: torch.Tensor, expected: torch.Tensor, slack: torch.Tensor) -> float:
    found, error = draws.mean(0), draws.std(0) / math.sqrt(len(draws))
    worst = float((((found - expected).abs() - slack) / error).max())
    assert worst <= LIMIT, f"{what}: {worst:.1f} standard errors off\n{found}\ninstead of\n{expected}"
    return float((error.diagonal() / expected.diagonal()).max()) if found.ndim == 2 else 0.0


def layer_masses(sampler: Optimizer) -> Array:
    """The mass of each coordinate (d,), from one mass a layer or one an element."""
    layers = sampler.param_groups[0]["params"]
    parts = [sampler.state[layer]["mass"].expand(layer.shape[1]).numpy() for layer in layers]
    return np.concatenate(parts)


def share_masses(sampler: Optimizer) -> None:
    """One mass for all chains, the smallest 1, so that there is one law: masses of elements differ by chain."""
    states = list(sampler.state.values())
    parts = [state["mass"].mean(0) if state["mass"].ndim else state["mass"] for state in states]
    least = min(float(part.min()) for part in parts)
    for state, part in zip(states, parts):
        state["mass"] = part / least


def correlated() -> Gaussian:
    """Three correlated coordinates: nothing in it is 0 or 1."""
    precision = np.array([[6.0, 1.2, 0.5], [1.2, 2.0, -0.4], [0.5, -0.4, 0.9]])
    return Gaussian(precision, np.array([1.0, -2.0, 0.5]), scale=0.7)


def independent() -> Gaussian:
    """Three coordinates of different widths."""
    return Gaussian(np.diag([0.4, 1.5, 4.0]), np.array([-0.5, 2.0, 1.5]), scale=1.6)


def regression(batch: int) -> Regression:
    """30 samples of two correlated inputs."""
    source = np.random.default_rng(3)
    inputs = source.normal(size=(30, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    outputs = inputs @ np.array([1.5, -0.7]) + source.normal(size=30)
    return Regression(inputs, outputs, scale=0.4, batch=batch)


def wrong_noises(kind: type[Any]) -> list[type[Any]]:
    """Samplers of that kind whose noise has the wrong variance: half of it, 6% too much, times the temperature."""

    def made(name: str, scale: Callable[[dict[str, Any]], float]) -> type[Any]:
        def noise_variance(self: Any, group: dict[str, Any]) -> float:
            return float(kind.noise_variance(self, group)) * scale(group)

        return type(name, (kind,), {"noise_variance": noise_variance})

    return [
        made("HalfNoise", lambda group: 0.5),
        made("AlmostNoise", lambda group: 1.06),
        made("SquaredTemperature", lambda group: float(group["temperature"])),
    ]
