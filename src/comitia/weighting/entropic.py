"""Minimise a quadratic plus an entropy over the simplex: the one solver all weightings of second order share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

Array = NDArray[np.float64]
Members = NDArray[np.intp]

# Members outside the heavy set hold at most this mass: their coupling is left out of the linear system, which
# leaves an error of a few per cent of a step for the next one.
LIGHT_MASS = 1e-3
# Beyond this many heavy members conjugate gradients are quicker than a dense Cholesky.
DENSE_MEMBERS = 250
# Up to this size leaving members out of the system saves less than choosing them costs.
ALL_MEMBERS = 48
# A member may gain at most a factor e^CAP a step once it holds more than FREE_MASS / M.
CAP = 3.0
FREE_MASS = 1e-3
HALVINGS = 40
# Relative residual at which conjugate gradients stop: a Newton step is no better than its linearisation anyway.
CG_GOAL, CG_STEPS = 1e-2, 100


@dataclass(frozen=True)
class Heavy:
    """The members that hold nearly all weight, and their rows of the quadratic."""

    members: Members | slice
    rows: Array

    @property
    def block(self) -> Array:
        """The quadratic among them."""
        return self.rows[:, self.members]


@dataclass(frozen=True)
class System:
    """Where a Newton step starts: `residual` = half the gradient; `slope`, `bend` = a rank-one curvature.

    The step d of the log-weights solves (Q D + k I + bend slope slope' D) d = nu - residual with D = diag(weights)
    and sum(D d) = 0: the linearised optimality condition of rho'Q rho + 2 k KL(rho||pi), plus what a parameter
    adds that is re-optimised at every rho (lambda of the tandem bound).
    """

    log_weights: Array
    residual: Array
    k: float
    slope: Array
    bend: float


def normaliser(values: Array) -> float:
    """Return the logsumexp of the values.

    >>> normaliser(np.array([0.0, 0.0])) == np.log(2)
    np.True_
    """
    top = float(values.max())
    return top + float(np.log(np.exp(values - top).sum()))


def heavy_members(quadratic: Array, log_weights: Array) -> Heavy | None:
    """Return the fewest members that hold all but `LIGHT_MASS`; None where they are too many for a dense system."""
    if log_weights.size <= ALL_MEMBERS:
        return Heavy(slice(None), quadratic)
    weights = np.exp(log_weights)
    order = np.argsort(weights)[::-1]
    count = int(np.searchsorted(np.cumsum(weights[order]), 1.0 - LIGHT_MASS)) + 1
    if count > DENSE_MEMBERS:
        return None
    if 2 * count > weights.size:
        return Heavy(slice(None), quadratic)
    members = np.sort(order[:count])
    return Heavy(members, quadratic[members])


def newton_step(system: System, heavy: Heavy) -> Array:
    """Return the step of all log-weights, from a dense system among the heavy members."""
    root = np.exp(0.5 * system.log_weights[heavy.members])
    slope = system.slope[heavy.members]
    sides = np.stack([root, root * system.residual[heavy.members], root * slope], axis=1)
    flows = root[:, None] * _solve_dense(heavy.block, root, system.k, sides)
    nu, bent = _multipliers(flows, slope, system.bend)
    pulled = (flows @ np.array([nu, -1.0, -bent])) @ heavy.rows
    return np.asarray((nu - system.residual - bent * system.slope - pulled) / system.k)


def _multipliers(flows: Array, slope: Array, bend: float) -> tuple[float, float]:
    """(nu, bend slope'D d) of the step that keeps the total weight."""
    total, along = flows.sum(axis=0), slope @ flows
    scale = 1.0 + bend * along[2]
    determinant = total[0] * scale - bend * total[2] * along[0]
    # Not positive: F is not convex along the bend here, so step as if the parameter stood still.
    if bend == 0.0 or scale == 0.0 or determinant <= 1e-3 * total[0]:
        return float(total[1] / total[0]), 0.0
    nu = (total[1] * scale - bend * total[2] * along[1]) / determinant
    return float(nu), float(bend * (nu * along[0] - along[1]) / scale)


def _solve_dense(block: Array, root: Array, k: float, sides: Array) -> Array:
    """Solution of (D^1/2 Q D^1/2 + k I) X = sides by Cholesky; the diagonal grows until that is definite."""
    shift = k
    while True:
        matrix = block * root
        matrix *= root[:, None]
        matrix.flat[:: root.size + 1] += shift
        _, solution, failed = dposv(matrix.T, sides, lower=1, overwrite_a=1)
        if not failed:
            return np.asarray(solution)
        shift *= 4.0


def newton_step_cg(system: System, quadratic: Array) -> Array:
    """Return the same step by conjugate gradients: one product with Q per iteration, nothing of its size held."""
    root = np.exp(0.5 * system.log_weights)
    bent = root * system.slope
    bent -= root * (root @ bent)

    def image(x: Array) -> Array:
        y = root * (quadratic @ (root * x)) + system.k * x + system.bend * bent * (bent @ x)
        return np.asarray(y - root * (root @ y))

    side = -root * system.residual
    solution = conjugate_gradients(image, side - root * (root @ side))
    flow = root * solution
    force = -system.residual - quadratic @ flow - system.bend * (system.slope @ flow) * system.slope
    return np.asarray((force - root @ (root * force)) / system.k)


def conjugate_gradients(image: Callable[[Array], Array], side: Array) -> Array:
    """Return x with image(x) = side, to a relative `CG_GOAL`; stops early where the curvature is not positive."""
    solution, residual, direction = np.zeros_like(side), side, side
    size = float(side @ side)
    goal = CG_GOAL**2 * size
    for _ in range(CG_STEPS):
        if size <= goal:
            break
        along = image(direction)
        curvature = float(direction @ along)
        if curvature <= 0.0:
            return solution if solution.any() else side
        solution = solution + (size / curvature) * direction
        residual = residual - (size / curvature) * along
        fresh = float(residual @ residual)
        direction = residual + (fresh / size) * direction
        size = fresh
    return solution


def moved(log_weights: Array, step: Array, length: float) -> Array:
    """Return normalised log-weights after a part of the step.

    What has weight grows by e^CAP at most. What has none rises as far as the whole step asks, up to a mass that
    shrinks with `length`: half of a large step of a logarithm would be no step at all.
    """
    floor = np.log(FREE_MASS / log_weights.size)
    new = np.minimum(log_weights + length * step, np.maximum(log_weights + CAP, floor))
    if length < 1.0:
        new = np.maximum(new, np.minimum(log_weights + step, floor + 2.0 * np.log(length)))
    return np.asarray(new - normaliser(new))


def minimise_entropic(
    quadratic: Array,
    linear: Array,
    kappa: float,
    log_prior: Array,
    start: Array | None = None,
    *,
    tolerance: float = 1e-12,
    iterations: int = 60,
) -> Array:
    """Return log-weights that minimise rho'Q rho + b'rho + kappa KL(rho||pi) over the simplex.

    Newton in the log-weights with backtracking; it stops when the optimality gap of the convex problem,
    value + rho'Q rho + kappa logsumexp(ln pi - (2 Q rho + b)/kappa), is at most `tolerance`. Where Q is
    indefinite the gap means nothing and it stops when no step descends.

    Examples
    --------
    >>> flat = np.log(np.full(2, 0.5))
    >>> np.exp(minimise_entropic(np.zeros((2, 2)), np.array([0.0, np.log(3.0)]), 1.0, flat)).round(3)
    array([0.75, 0.25])
    """
    current = log_prior if start is None else start
    for _ in range(iterations):
        weights = np.exp(current)
        product = quadratic @ weights
        value = float(weights @ (product + linear + kappa * (current - log_prior)))
        dual = normaliser(log_prior - (2.0 * product + linear) / kappa)
        if abs(value + kappa * dual + float(weights @ product)) <= tolerance:
            break
        half = product + 0.5 * linear + 0.5 * kappa * (current - log_prior)
        step = any_step(System(current, half, 0.5 * kappa, np.zeros_like(half), 0.0), quadratic)
        following = _lower(quadratic, linear, kappa, log_prior, current, step, value)
        if following is None:
            break
        current = following
    return current


def any_step(system: System, quadratic: Array) -> Array:
    """Return the Newton step by whichever way is cheaper."""
    heavy = heavy_members(quadratic, system.log_weights)
    return newton_step_cg(system, quadratic) if heavy is None else newton_step(system, heavy)


def _lower(
    quadratic: Array, linear: Array, kappa: float, log_prior: Array, current: Array, step: Array, value: float
) -> Array | None:
    """The first point of a halving line search that lies below `value`; None where none does."""
    length = 1.0
    for _ in range(HALVINGS):
        new = moved(current, step, length)
        weights = np.exp(new)
        if float(weights @ (quadratic @ weights + linear + kappa * (new - log_prior))) < value:
            return new
        length *= 0.5
    return None
