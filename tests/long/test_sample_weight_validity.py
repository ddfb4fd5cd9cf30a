"""The digital bound of weighted losses, weights fixed beforehand and bounded: no more failures than delta allows.

A problem is a few kinds of samples, each with a probability, a weight and a chance of a loss, so that E[w·loss] is a
sum. Three tests at the end do what must not be done, and must be seen to fail.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from comitia.bounds import clopper_pearson, digital
from long.populations import DELTA, PROBLEMS, allowed

KINDS = 8


@dataclass(frozen=True, eq=False)
class Weighted:
    """Kinds of samples: their frequency, weight (`most` or less) and chance of a loss, which has one size."""

    frequency: np.ndarray
    weight: np.ndarray
    chance: np.ndarray
    most: float
    size: float = 1.0

    @property
    def risk(self) -> float:
        """E[w·loss]."""
        return float(self.frequency @ (self.weight * self.chance)) * self.size

    def draw(self, rng: np.random.Generator, samples: int) -> tuple[np.ndarray, np.ndarray]:
        """Return weights and losses of that many samples."""
        kind = rng.choice(KINDS, samples, p=self.frequency)
        return self.weight[kind], self.size * (rng.random(samples) < self.chance[kind])


def any_weights(rng: np.random.Generator) -> Weighted:
    """Weights and chances of a loss that have nothing to do with each other."""
    return Weighted(rng.dirichlet(np.ones(KINDS)), 3 * rng.random(KINDS), rng.beta(0.5, 2, KINDS), 3.0)


def harder_where_heavier(rng: np.random.Generator) -> Weighted:
    """Rare samples weigh ten times as much as others, and are lost more often."""
    frequency = rng.dirichlet(np.geomspace(0.3, 30, KINDS))
    weight = np.geomspace(10, 0.1, KINDS)
    return Weighted(frequency, weight, 0.6 * weight / 10, 10.0)


def mostly_zero(rng: np.random.Generator) -> Weighted:
    """Weights that leave out most samples: a part of the population is asked about."""
    chance = rng.beta(1, 4, KINDS)
    return Weighted(rng.dirichlet(np.ones(KINDS)), (np.arange(KINDS) < 2).astype(float), chance, 1.0)


def shifted(rng: np.random.Generator) -> Weighted:
    """Deployment has other shares q of the kinds; w = q/p is known, below 16, and E[w·loss] is deployment's risk."""
    frequency = 0.5 * rng.dirichlet(np.ones(KINDS)) + 0.5 / KINDS
    ratio = rng.dirichlet(np.ones(KINDS)) / frequency
    return Weighted(frequency, ratio, rng.beta(1, 5, KINDS), 2.0 * KINDS)


def costs(rng: np.random.Generator) -> Weighted:
    """Errors that cost up to 200 per class, or save something."""
    weight = rng.choice([-20.0, 1.0, 10.0, 200.0], KINDS)
    return Weighted(rng.dirichlet(np.ones(KINDS)), weight, rng.beta(0.5, 3, KINDS), 200.0)


def partial_losses(rng: np.random.Generator) -> Weighted:
    """Losses of .4 or nothing: nowhere near what the bound must allow for."""
    return Weighted(rng.dirichlet(np.ones(KINDS)), 2 * rng.random(KINDS), rng.random(KINDS), 2.0, size=0.4)


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("samples", [80, 400])
@pytest.mark.parametrize(
    "make", [any_weights, harder_where_heavier, mostly_zero, shifted, costs, partial_losses]
)
def test_the_weighted_risk_is_above_the_bound_no_more_often_than_delta(
    make: Callable[[np.random.Generator], Weighted], samples: int
) -> None:
    missed = 0
    for number in range(PROBLEMS):
        rng = np.random.default_rng([21, number])
        problem = make(rng)
        weights, losses = problem.draw(rng, samples)
        missed += digital(weights * losses, DELTA, upper=problem.most) < problem.risk
    assert missed <= allowed(PROBLEMS), f"{missed} of {PROBLEMS}"


@pytest.mark.timeout(3000)
def test_weighted_losses_averaged_within_groups() -> None:
    """Groups of 1 to 20 samples of one kind that are lost together; the mean over groups of the mean of w·loss."""
    missed = 0
    for number in range(PROBLEMS):
        rng = np.random.default_rng([22, number])
        problem = any_weights(rng)
        group = np.repeat(np.arange(80), rng.integers(1, 21, 80))
        kind = rng.choice(KINDS, 80, p=problem.frequency)
        losses = rng.random(80) < problem.chance[kind]
        sizes = np.bincount(group)
        means = np.bincount(group, (problem.weight[kind] * losses)[group]) / sizes
        missed += digital(means, DELTA, upper=problem.most) < problem.risk
    assert missed <= allowed(PROBLEMS), f"{missed} of {PROBLEMS}"


def rare_and_heavy() -> Weighted:
    """One sample of a hundred weighs fifty times as much as the others and is lost every other time."""
    frequency = np.array([0.01, *np.full(KINDS - 1, 0.99 / (KINDS - 1))])
    return Weighted(
        frequency, np.where(frequency < 0.05, 50.0, 1.0), np.where(frequency < 0.05, 0.5, 0.1), 50.0
    )


def test_the_largest_value_seen_instead_of_the_largest_possible_is_seen_to_fail() -> None:
    wrong = right = 0
    problem = rare_and_heavy()
    for number in range(500):
        weights, losses = problem.draw(np.random.default_rng([23, number]), 60)
        values = weights * losses
        wrong += digital(values, DELTA, upper=max(values.max(), 1.0)) < problem.risk
        right += digital(values, DELTA, upper=problem.most) < problem.risk
    assert wrong > 3 * DELTA * 500, wrong
    assert right <= allowed(500), right


def test_leaving_the_weights_out_is_seen_to_fail() -> None:
    """Samples of one distribution say little about the risk under another."""
    wrong = right = 0
    for number in range(500):
        rng = np.random.default_rng([24, number])
        frequency, wanted = np.geomspace(1, 20, KINDS), np.geomspace(20, 1, KINDS)
        frequency, wanted = frequency / frequency.sum(), wanted / wanted.sum()
        problem = Weighted(frequency, wanted / frequency, np.linspace(0.3, 0.02, KINDS), 20.0)
        weights, losses = problem.draw(rng, 400)
        wrong += clopper_pearson(int(losses.sum()), 400, DELTA) < problem.risk
        right += digital(weights * losses, DELTA, upper=problem.most) < problem.risk
    assert wrong > 0.9 * 500, wrong
    assert right <= allowed(500), right


def test_weights_chosen_after_the_losses_are_seen_to_fail() -> None:
    """Of ten weightings, each with E[w] = 1 on every kind, the one with the smallest weighted loss here."""
    wrong = 0
    for number in range(500):
        rng = np.random.default_rng([25, number])
        losses = rng.random(200) < 0.3
        values = [digital(2 * (rng.random(200) < 0.5) * losses, DELTA, upper=2.0) for _ in range(10)]
        wrong += min(values) < 0.3
    assert wrong > 3 * DELTA * 500, wrong
