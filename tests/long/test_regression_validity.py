"""Promises of a weighted mean on problems whose true errors are known: broken no more often than delta allows.

The members predict with errors of many kinds. True values are integrals or sums over all outcomes, not simulations. Two
tests do what must not be done, and must be seen to fail.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import cumulative_simpson

from comitia import RealPredictions, weigh
from comitia.bounds import betting_kernel, error_quantile
from comitia.regression.limits import WIDER

# imported, so that the compiled loop is used where numba is installed
assert betting_kernel

DELTA, PROBLEMS = 0.1, 2000
# Three standard errors above delta.
ALLOWED = PROBLEMS * DELTA + 3 * np.sqrt(PROBLEMS * DELTA * (1 - DELTA))
MEMBERS = 3


@dataclass(frozen=True)
class Kind:
    """Errors of a weighted mean: a common part drawn by `draw` times `scale(rho)`, so that its law is known.

    All members err by the same draw times a factor of their own, so the mean errs by the draw times sum rho_i a_i.
    """

    draw: Callable[[np.random.Generator, int], np.ndarray]
    survival: Callable[[float], float]  # P(|draw| > x)
    points: tuple[tuple[float, float], ...] = ()  # (|value|, probability), of a discrete law


FACTORS = np.array([0.6, 1.0, -0.5])


def discrete(values: list[float], chances: list[float]) -> Kind:
    sizes = tuple((abs(v), p) for v, p in zip(values, chances))
    return Kind(
        lambda rng, n: rng.choice(values, n, p=chances), lambda x: sum(p for v, p in sizes if v > x), sizes
    )


KINDS = {
    "normal": (Kind(lambda rng, n: rng.normal(size=n), lambda x: 2 * stats.norm.sf(x)), 300),
    "uniform": (Kind(lambda rng, n: rng.uniform(-1, 1, n), lambda x: max(0.0, 1 - x)), 200),
    "Cauchy": (Kind(lambda rng, n: rng.standard_cauchy(n), lambda x: 2 * stats.cauchy.sf(x)), 300),
    "t with 2.1 degrees": (
        Kind(lambda rng, n: rng.standard_t(2.1, n), lambda x: 2 * stats.t.sf(x, 2.1)),
        300,
    ),
    "Pareto": (Kind(lambda rng, n: rng.pareto(1.2, n), lambda x: (1 + x) ** -1.2), 250),
    # an error a hundred times as large, so rare that most hold-outs have none
    "rare and far": (discrete([0.1, -0.2, 20.0], [0.7, 0.298, 0.002]), 300),
    # errors just above what most samples show
    "rare and near": (discrete([0.1, 1.0], [0.99, 0.01]), 200),
    "one value": (discrete([1.0, -1.0], [0.5, 0.5]), 60),
}
LIMITS = {"chosen": {}, "clip": {"clip": 1.5}}


def drawn(kind: Kind, n: int, rng: np.random.Generator) -> RealPredictions:
    """Members that err by the same draw times factors, the third the other way."""
    targets = rng.normal(size=n)
    return RealPredictions.from_arrays(targets + FACTORS[:, None] * kind.draw(rng, n), targets)


@cache
def tail_integrals(name: str, power: int) -> tuple[np.ndarray, np.ndarray]:
    """Integrals of power x^(power-1) P(|draw| > x) from 0 to each point of a fine grid, by Simpson's rule in log x."""
    kind, logs = KINDS[name][0], np.linspace(np.log(1e-7), np.log(1e9), 40_001)
    x = np.exp(logs)
    heights = power * x**power * np.array([kind.survival(v) for v in x])
    return logs, cumulative_simpson(heights, x=logs, initial=0.0)


def true_mean(name: str, scale: float, limit: float, power: int) -> float:
    """E[min(scale |draw|, limit)^power]: the integral of the tail, or the sum over all values."""
    kind = KINDS[name][0]
    if kind.points or scale == 0:
        return sum(p * min(scale * v, limit) ** power for v, p in kind.points)
    return float(scale**power * np.interp(np.log(limit / scale), *tail_integrals(name, power)))


def test_the_true_means_are_those_of_closed_forms() -> None:
    assert true_mean("uniform", 2.0, 10.0, 2) == pytest.approx(4 / 3, rel=1e-6)
    assert true_mean("normal", 2.0, 100.0, 2) == pytest.approx(4.0, rel=1e-6)
    assert true_mean("Pareto", 1.0, 1e6, 1) == pytest.approx((1 - (1 + 1e6) ** -0.2) / 0.2, rel=1e-5)
    assert true_mean("Cauchy", 1.0, 3.0, 1) == pytest.approx(
        (2 / np.pi) * (0.5 * np.log(10) + 3 * np.arctan(1 / 3)), rel=1e-5
    )


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("name", KINDS)
def test_mean_errors_and_quantiles_are_above_their_promises_no_more_often_than_delta(
    name: str, limit: str
) -> None:
    (kind, n), rng = KINDS[name], np.random.default_rng(len(name))
    missed = {"mean squared error": 0, "mean absolute error": 0, "quantile": 0}
    for problem in range(PROBLEMS):
        found = weigh(drawn(kind, n, rng), delta=DELTA, seed=problem, quantile=0.8, **LIMITS[limit])
        scale = abs(float(found.weights @ FACTORS))
        assert found.limit is not None
        assert len(found.certificates) == 3
        for certificate in found.certificates:
            if certificate.measure == "quantile":
                # the share of new errors above the value must be at most .2
                beyond = kind.survival(certificate.risk / scale * (1 + 1e-12)) if scale else 0.0
                missed["quantile"] += beyond > 0.2 + 1e-9
                continue
            power = 2 if certificate.measure == "mean squared error" else 1
            truth = true_mean(name, scale, found.limit.value, power)
            missed[certificate.measure] += certificate.risk < truth * (1 - 1e-5)
    assert all(count <= ALLOWED for count in missed.values()), missed


def bounded(rng: np.random.Generator, n: int) -> RealPredictions:
    """Three members whose errors lie in [-1, 1] and cancel in part."""
    targets, common = rng.normal(size=n), rng.uniform(-0.4, 0.4, n)
    errors = np.stack([common + 0.6 * (rng.random(n) < p) * s for p, s in ((0.2, 1), (0.3, -1), (0.25, 1))])
    return RealPredictions.from_arrays(targets + errors, targets)


def bounded_products() -> np.ndarray:
    """E[e_i e_j] of `bounded`: errors are independent given the common part, which has mean 0."""
    means = 0.6 * np.array([0.2, -0.3, 0.25])
    found = 0.16 / 3 + np.outer(means, means)
    found[np.diag_indices(3)] = 0.16 / 3 + 0.36 * np.array([0.2, 0.3, 0.25])
    return found


@pytest.mark.timeout(3000)
def test_all_samples_choose_and_the_largest_error_is_known() -> None:
    """The tandem and the first-order bound, and the smaller of both at delta/2, at weights chosen on all samples."""
    rng, products = np.random.default_rng(4), bounded_products()
    missed = {"tandem": 0, "first-order": 0, "best": 0}
    for problem in range(PROBLEMS):
        found = weigh(bounded(rng, 200), delta=DELTA, seed=problem, certify_fraction=0, largest_error=1.0)
        truth = found.weights @ products @ found.weights
        for certificate in found.certificates:
            missed[certificate.name] += certificate.risk < truth
        missed["best"] += found.promised.risk < truth
    assert all(count <= ALLOWED for count in missed.values()), missed


@pytest.mark.timeout(3000)
def test_the_largest_error_is_known_and_a_part_certifies() -> None:
    rng, products, missed = np.random.default_rng(5), bounded_products(), 0
    for problem in range(PROBLEMS):
        found = weigh(bounded(rng, 150), delta=DELTA, seed=problem, largest_error=1.0)
        missed += found.promised.risk < found.weights @ products @ found.weights
    assert missed <= ALLOWED, missed


@pytest.mark.timeout(3000)
def test_groups_whose_samples_err_together() -> None:
    """The mean error within a new group: a group is hard, and all its samples err by the same 1, or easy, and by .1."""
    rng, missed, naive = np.random.default_rng(6), 0, 0
    truth = 0.15 * 1.0 + 0.85 * 0.01
    for problem in range(PROBLEMS):
        groups = np.repeat(np.arange(100), rng.integers(1, 12, 100))
        errors = np.where(rng.random(100) < 0.15, 1.0, 0.1)[groups]
        targets = rng.normal(size=len(groups))
        arrays = np.stack([targets + errors, targets - errors]), targets
        settings = {"method": "best", "delta": DELTA, "seed": problem, "clip": 2.0}
        missed += weigh(RealPredictions.from_arrays(*arrays, groups=groups), **settings).promised.risk < truth
        naive += weigh(RealPredictions.from_arrays(*arrays), **settings).promised.risk < truth
    assert missed <= ALLOWED, missed
    # without groups samples count as independent, and the promise is broken far more often
    assert naive > 1.5 * ALLOWED, naive


@pytest.mark.timeout(3000)
def test_a_quantile_on_the_samples_that_chose_the_member_is_broken() -> None:
    """What must not be done: the best of 50 equal members by its own quantile."""
    rng, missed = np.random.default_rng(7), 0
    for _ in range(500):
        sizes = np.abs(rng.normal(size=(50, 100)))
        best = min(error_quantile(row, 0.8, DELTA) for row in sizes)
        missed += 2 * stats.norm.sf(best) > 0.2
    assert missed > 0.5 * 500, missed


@pytest.mark.timeout(3000)
def test_a_limit_from_the_samples_that_certify_is_broken() -> None:
    """What must not be done: to take the largest error seen for the largest possible, and to promise the true mean."""
    kind, n = KINDS["rare and far"]
    rng, missed = np.random.default_rng(8), 0
    truth = true_mean("rare and far", 1.0, np.inf, 2)
    for problem in range(500):
        errors = kind.draw(rng, n)
        pack = RealPredictions.from_arrays(errors[None, :], np.zeros(n))
        limit = WIDER * float(np.abs(errors).max())
        missed += (
            weigh(pack, weights=[1.0], delta=DELTA, seed=problem, largest_error=limit).promised.risk < truth
        )
    assert missed > 0.4 * 500, missed
