"""How many independent members an ensemble is worth: members that err together count less than their number."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._simplex import as_weights
from comitia.statistics.moments import Statistics

# Variances of errors are multiples of 1/n², so what is smaller came from rounding.
ROUNDING = 1e-12


def error_covariances(measured: Statistics) -> NDArray[np.float64]:
    """Return, as (M, M), C_ij = T_ij − L_i·L_j, each pair on its common samples.

    >>> from comitia import Predictions
    >>> from comitia.statistics import measure
    >>> error_covariances(measure(Predictions.from_arrays(votes=[[0, 1, 1, 0]], labels=[0, 1, 0, 1])))
    array([[0.25]])
    """
    first = measured.first[:, None] if measured.pair_first is None else measured.pair_first
    return np.asarray(measured.second - first * first.T)


def error_correlations(measured: Statistics) -> NDArray[np.float64]:
    """Return, as (M, M), the correlations of the members' errors; NaN for a member whose errors do not vary.

    >>> from comitia import Predictions
    >>> from comitia.statistics import measure
    >>> two = Predictions.from_arrays(votes=[[0, 1, 1, 0], [0, 1, 0, 1]], labels=[0, 1, 0, 1])
    >>> error_correlations(measure(two.pick([0, 0]))).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    covariances = error_covariances(measured)
    spread = _spread(covariances)
    scale = np.outer(spread, spread)
    return np.divide(covariances, scale, out=np.full_like(covariances, np.nan), where=scale > 0)


def effective_members(measured: Statistics, weights: ArrayLike | None = None) -> float:
    """Return the number of members that would be as good if their errors were independent.

    n_eff = (Σ_i ρ_i σ_i)² / (ρᵀ C ρ), where C is the covariance matrix of the members' losses and σ_i² = C_ii. With
    equal weights and variances and a mean correlation r of pairs it is M / (1 + (M − 1)·r) (Kish's design effect):
    M if the errors are independent, 1 if all members are copies of one. Weights that differ count too: independent
    members of equal variance are worth 1/Σρ_i². Members whose errors cancel are worth more than M. A number about these
    samples, without a promise.

    Parameters
    ----------
    measured : of one loss, `comitia.statistics.measure`
    weights : (M,), uniform when None

    Returns
    -------
    The number; infinity where errors cancel exactly, NaN where no voting member's error varies.

    >>> from comitia import Predictions
    >>> from comitia.statistics import measure
    >>> one = Predictions.from_arrays(votes=[[0, 1, 1, 0]], labels=[0, 1, 0, 1])
    >>> round(effective_members(measure(one.pick([0, 0, 0]))), 6)
    1.0
    """
    members = len(measured.first)
    rho = as_weights(np.full(members, 1 / members) if weights is None else weights, members)
    covariances = error_covariances(measured)
    apart = float(rho @ _spread(covariances)) ** 2
    together = float(rho @ covariances @ rho)
    if apart <= ROUNDING:
        return float("nan")
    return float("inf") if together <= ROUNDING else apart / together


def _spread(covariances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, as (M,), the standard deviations; what is left of rounding is 0."""
    variances = covariances.diagonal()
    return np.sqrt(np.where(variances > ROUNDING, variances, 0.0))
