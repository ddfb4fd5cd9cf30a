"""The digital bounds on values whose mean is known: above the bound no more often than delta allows.

Three tests do what must not be done, and must be seen to fail.
"""

from collections.abc import Callable

import numpy as np
import pytest

from comitia.bounds import betting_kernel, digital, digital_paired

# imported, so that the compiled loop is used where numba is installed
assert betting_kernel

DELTA = 0.1
PROBLEMS = 2000
# Three standard errors above delta.
ALLOWED = PROBLEMS * DELTA + 3 * np.sqrt(PROBLEMS * DELTA * (1 - DELTA))

Draw = Callable[[np.random.Generator, int], np.ndarray]


def zeros_and_ones(p: float) -> tuple[float, Draw]:
    return p, lambda rng, n: (rng.random(n) < p).astype(float)


def two_points(low: float, high: float, p: float) -> tuple[float, Draw]:
    return low + p * (high - low), lambda rng, n: np.where(rng.random(n) < p, high, low)


def beta(a: float, b: float) -> tuple[float, Draw]:
    return a / (a + b), lambda rng, n: rng.beta(a, b, n)


def ties(values: list[float], chances: list[float]) -> tuple[float, Draw]:
    return float(np.dot(values, chances)), lambda rng, n: rng.choice(values, n, p=chances)


# mean, how to draw values, how many
DISTRIBUTIONS: dict[str, tuple[tuple[float, Draw], int]] = {
    "rare ones": (zeros_and_ones(0.01), 300),
    "about three ones": (zeros_and_ones(0.006), 500),
    "some ones": (zeros_and_ones(0.07), 500),
    "common ones": (zeros_and_ones(0.5), 400),
    "mostly ones": (zeros_and_ones(0.95), 300),
    "two points": (two_points(0.2, 0.6, 0.3), 300),
    "two points, one rare and far": (two_points(0.02, 1.0, 0.008), 400),
    "two points, one below zero": (two_points(-2.0, 1.0, 0.8), 300),
    "uniform": ((0.5, lambda rng, n: rng.random(n)), 300),
    "beta, most near zero": (beta(0.1, 2.0), 400),
    "beta, one hump": (beta(8.0, 3.0), 200),
    "beta, both ends": (beta(0.3, 0.3), 300),
    "ties": (ties([0.0, 0.1, 0.5, 1.0], [0.6, 0.25, 0.1, 0.05]), 300),
    "ties, many zeros": (ties([0.0, 0.25, 1.0], [0.96, 0.03, 0.01]), 500),
    "tiny mean": ((1e-5 / 3, lambda rng, n: 1e-5 * rng.beta(0.5, 1.0, n)), 200),
}


def misses(mean: float, draw: Draw, n: int, bound: Callable[[np.ndarray], float], problems: int) -> int:
    rng = np.random.default_rng(n)
    return sum(bound(draw(rng, n)) < mean for _ in range(problems))


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_mean_is_above_the_bound_no_more_often_than_delta(name: str) -> None:
    (mean, draw), n = DISTRIBUTIONS[name]
    found = misses(mean, draw, n, lambda values: digital(values, DELTA), PROBLEMS)
    assert found <= ALLOWED, f"{found} of {PROBLEMS}"


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("fidelity", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kappa", [1, 10])
def test_the_risk_is_above_the_paired_bound_no_more_often_than_delta(fidelity: float, kappa: int) -> None:
    """Scores of Beta(.3, 2.7), mean .1; the chance of a loss is the score, .1, or half of each."""
    rng, found = np.random.default_rng(kappa), 0
    for _ in range(PROBLEMS):
        scores = rng.beta(0.3, 2.7, (400, kappa + 1))
        losses = rng.random(400) < fidelity * scores[:, 0] + (1 - fidelity) * 0.1
        found += digital_paired(losses, scores[:, 0], scores[:, 1:], DELTA) < 0.1
    assert found <= ALLOWED, f"{found} of {PROBLEMS}"


@pytest.mark.timeout(3000)
def test_a_larger_delta_than_is_claimed_is_seen_to_violate() -> None:
    (mean, draw), n = DISTRIBUTIONS["common ones"]
    assert misses(mean, draw, n, lambda values: digital(values, 2 * DELTA), PROBLEMS) > ALLOWED


@pytest.mark.timeout(3000)
def test_the_best_of_several_orders_is_seen_to_violate() -> None:
    orders = np.random.default_rng(5)

    def best_of_ten(values: np.ndarray) -> float:
        return min(digital(orders.permutation(values), DELTA) for _ in range(10))

    (mean, draw), n = DISTRIBUTIONS["some ones"]
    assert misses(mean, draw, n, best_of_ten, 500) > ALLOWED * 500 / PROBLEMS


@pytest.mark.timeout(3000)
def test_unlabelled_samples_from_elsewhere_are_seen_to_violate() -> None:
    rng, found = np.random.default_rng(6), 0
    for _ in range(500):
        scores, others = rng.beta(0.3, 2.7, 400), rng.beta(0.3, 4.0, (400, 5))
        losses = rng.random(400) < scores
        found += digital_paired(losses, scores, others, DELTA) < 0.1
    assert found > ALLOWED * 500 / PROBLEMS
