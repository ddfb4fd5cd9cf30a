r"""Weights for a mean of real predictions.

.. math:: E(f_\rho - y)^2 = \rho^\top S \rho, \qquad S_{ij} = E[(f_i - y)(f_j - y)]

is exact, with no factor in front. `tandem` minimises it with the divergence term of the lambda form,

.. math:: \frac{\rho^\top \hat S \rho / s}{1-\lambda/2}
    + \frac{2 KL(\rho\|\pi) + \ln(2\sqrt n/\delta)}{\lambda(1-\lambda/2) n},

over rho and lambda, by the Newton steps of `comitia.weighting.minimise_tandem`: S is a Gram matrix. Its scale s is the
mean squared error of the best member, so that neither the units of the target nor one bad member matter. It is an
objective, not a bound: the certificate is computed on samples that had no part in it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._errors import require_choice
from comitia._simplex import as_prior, prune
from comitia._threads import single_blas
from comitia.bounds.terms import log_term
from comitia.regression.predictions import RealPredictions
from comitia.weighting.evidence import Weighting
from comitia.weighting.newton import Problem, solve_newton

Array = NDArray[np.float64]

# A member without any error would make the scale 0; below this share of the worst one it is not a scale.
SMALLEST = 1e-12


@dataclass(frozen=True, eq=False)
class Products:
    """S (M, M), the mean products of two members' errors, and how many samples or groups it is the mean of."""

    matrix: Array
    units: int


def products(predictions: RealPredictions) -> Products:
    """Return the mean products of errors; with groups, the mean over groups of the means within each.

    >>> products(RealPredictions.from_arrays([[1.0, 3.0], [2.0, 2.0]], [0.0, 0.0])).matrix
    array([[5., 4.],
           [4., 4.]])
    """
    errors = predictions.errors
    if predictions.groups is None:
        return Products(errors @ errors.T / errors.shape[1], predictions.samples)
    codes = predictions.groups.canonical()
    sizes = np.bincount(codes)
    weighted = errors / (len(sizes) * sizes[codes])
    return Products(weighted @ errors.T, len(sizes))


def uniform(predictions: RealPredictions, delta: float, prior: tuple[float, ...] | None) -> Weighting:
    """Return the same weight for every member; no sample is looked at."""
    return Weighting("uniform", np.full(predictions.members, 1.0 / predictions.members), samples=0)


def best(predictions: RealPredictions, delta: float, prior: tuple[float, ...] | None) -> Weighting:
    """Return all weight on the member with the smallest mean squared error, the first of equals."""
    found = products(predictions)
    weights = np.zeros(predictions.members)
    weights[np.diagonal(found.matrix).argmin()] = 1.0
    return Weighting("best", weights, found.units)


@single_blas
def tandem(predictions: RealPredictions, delta: float, prior: tuple[float, ...] | None) -> Weighting:
    """Return the weights that minimise the objective above, those below 1e-6 set to zero.

    >>> two = RealPredictions.from_arrays([[1.0, 1.0, -1.0], [-1.0, 1.0, 1.0]], [0.0, 0.0, 0.0])
    >>> tandem(two, 0.05, None).weights.round(2)
    array([0.5, 0.5])
    """
    found, pi = products(predictions), as_prior(prior, predictions.members)
    inside = np.flatnonzero(pi > 0)
    squares = np.diagonal(found.matrix)
    scale = max(float(squares[inside].min()), SMALLEST * float(squares[inside].max())) or 1.0
    matrix = np.ascontiguousarray(found.matrix[np.ix_(inside, inside)] / scale)
    problem = Problem(matrix, found.units, log_term(found.units, delta), np.log(pi[inside]))
    point, _ = solve_newton(problem, problem.point(problem.log_prior))
    weights = np.zeros(predictions.members)
    weights[inside] = np.exp(point.log_weights)
    return Weighting("tandem", prune(weights / weights.sum()), found.units, lam=point.lam, kl=point.kl)


@dataclass(frozen=True)
class Method:
    """A way to choose weights; `blind`: it looks at no sample; `exact`: it involves no solver."""

    weigh: Callable[[RealPredictions, float, tuple[float, ...] | None], Weighting]
    blind: bool = False
    exact: bool = False


TABLE = {
    "tandem": Method(tandem),
    "uniform": Method(uniform, blind=True, exact=True),
    "best": Method(best, exact=True),
}
METHODS = tuple(TABLE)


def require_method(name: object) -> str:
    """Return the name, if it is of a method for real values."""
    return require_choice("method", str(name), (*METHODS, "given"))


def is_blind(method: str) -> bool:
    """Return whether no sample chooses the weights."""
    return method == "given" or TABLE[method].blind


def weighted_mean(predictions: RealPredictions, weights: Array) -> Array:
    """Return, as (n,), the mean of the predictions of the members that have weight: what is deployed and certified.

    >>> pair = RealPredictions.from_arrays([[1.0, 2.0], [3.0, 6.0]])
    >>> weighted_mean(pair, np.array([0.5, 0.5]))
    array([2., 4.])
    """
    active = np.flatnonzero(weights)
    # a sum over members in their order, which no library reorders
    total = np.zeros(predictions.samples)
    for i in active.tolist():
        total += weights[i] * predictions.values[i]
    return total
