"""`minimise_tandem`: the weights that minimise the tandem bound, and how far from the minimum they can be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError, require_choice, require_open_unit
from comitia._simplex import as_prior
from comitia._threads import single_blas
from comitia.bounds.terms import log_term
from comitia.weighting.irprop import solve_irprop
from comitia.weighting.newton import Point, Problem, solve_newton

OPTIMISERS = {"newton": solve_newton, "irprop": solve_irprop}


@dataclass(frozen=True, eq=False)
class Minimum:
    """Weights that minimise the tandem bound in its lambda form.

    `bound` = 4 F at `lam`; `gap`: no weights have a bound below `bound - gap` at this lambda, a proof only where
    `convex` (a tandem matrix from one hold-out that all members share is positive semi-definite).
    """

    weights: NDArray[np.float64]
    bound: float
    lam: float
    kl: float
    gap: float
    iterations: int
    convex: bool = True


@single_blas
def minimise_tandem(
    T: ArrayLike,
    n: int,
    delta: float = 0.05,
    prior: ArrayLike | None = None,
    optimiser: str = "newton",
    *,
    shared: bool = True,
) -> Minimum:
    """Return weights rho that minimise 4 (rho'T rho/(1-l/2) + (2 KL(rho||prior) + ln(2 sqrt(n)/delta))/(l (1-l/2) n)).

    The minimum over l is F = A + B + sqrt(B^2 + 2AB), A = rho'T rho, B = (2 KL + ln(2 sqrt(n)/delta))/n.

    Parameters
    ----------
    T : (M, M) symmetric tandem losses in [0, 1]
    n : samples behind every entry (the smallest pair overlap where members have hold-outs of their own)
    delta : failure probability of the bound
    prior : (M,) on the simplex, uniform when None; a member of prior zero gets weight zero
    optimiser : "newton", or "irprop" as in the paper
    shared : whether one hold-out is behind all of T; the gap is a proof only then

    Examples
    --------
    >>> found = minimise_tandem([[0.10, 0.02], [0.02, 0.08]], 1000)
    >>> found.weights.round(3), round(found.bound, 4), found.gap < 1e-8
    (array([0.433, 0.567]), 0.361, True)
    """
    solve = OPTIMISERS[require_choice("optimiser", optimiser, OPTIMISERS)]
    matrix = _matrix(T)
    pi = as_prior(prior, matrix.shape[0])
    inside = np.flatnonzero(pi > 0)
    if inside.size < pi.size:
        matrix = matrix[np.ix_(inside, inside)]
    problem = Problem(matrix, _samples(n), log_term(n, require_open_unit("delta", delta)), np.log(pi[inside]))
    point, steps = solve(problem, _start(problem))
    weights = np.zeros(pi.size)
    weights[inside] = np.exp(point.log_weights)
    weights /= weights.sum()
    gap = max(0.0, 4.0 * point.gap)
    return Minimum(weights, 4.0 * point.value, point.lam, point.kl, gap, steps, shared)


def _samples(n: int) -> int:
    if not float(n).is_integer() or n < 1:
        raise InputError(f"n: must be a whole number of samples, at least 1, got {n}")
    return int(n)


def _matrix(given: ArrayLike) -> NDArray[np.float64]:
    """T as float64 (the one copy, if it was not), checked without temporary matrices."""
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise InputError(f"T: must be a square matrix of tandem losses, got shape {matrix.shape}")
    for offset in {1, 2, 3, 5, 8, matrix.shape[0] // 2, matrix.shape[0] - 1}:
        # A few diagonals find every matrix that is not symmetric by design, without a second copy of T.
        with np.errstate(invalid="ignore"):
            apart = np.abs(np.diagonal(matrix, offset) - np.diagonal(matrix, -offset))
        if apart.max(initial=0.0) > 1e-9:
            raise InputError("T: must be symmetric (loss of i and j together); take (T + T') / 2")
    return matrix


def _start(problem: Problem) -> Point:
    """The prior; its product with T shows a NaN, an infinity, a count or a percentage anywhere in T."""
    with np.errstate(invalid="ignore"):
        product = problem.matrix @ np.exp(problem.log_prior)
    if not (product.min() >= 0.0 and np.isfinite(product).all() and np.diagonal(problem.matrix).max() <= 1.0):
        raise InputError("T: tandem losses must be finite and lie in [0, 1]; divide counts by n")
    return problem.point(problem.log_prior, product)
