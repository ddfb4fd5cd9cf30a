"""The paper's optimiser of the tandem bound: iRprop+ on the weights at a fixed lambda, in turn with the best lambda.

C. Igel, M. Hüsken, Empirical evaluation of the improved Rprop learning algorithms, Neurocomputing 50, 2003.
"""

import numpy as np
from numpy.typing import NDArray

from comitia.weighting.entropic import normaliser
from comitia.weighting.newton import Point, Problem

Array = NDArray[np.float64]

# The factors and limits of the paper that proposes iRprop+.
GROW, SHRINK = 1.2, 0.5
FIRST_STEP, SMALLEST_STEP, LARGEST_STEP = 0.1, 1e-9, 50.0
# It stops when the bound has changed by less than a relative TOLERANCE over PATIENCE steps.
TOLERANCE, PATIENCE, MOST_STEPS = 1e-9, 10, 5000


def solve_irprop(problem: Problem, start: Point, *, every_step: bool = False) -> tuple[Point, int]:
    """Return the best point met and the number of steps. The weights are the softmax of what iRprop+ moves.

    Alternating minimisation: lambda is set again when the steps at one lambda have settled. Setting it again after
    every step (`every_step`) takes a third of the steps; the benchmark measures both.
    """
    point = best = start
    logits, lam = start.log_weights, start.lam
    sizes = np.full(logits.size, FIRST_STEP)
    before, moves = np.zeros(logits.size), np.zeros(logits.size)
    values, settled = [point.value], np.inf
    for taken in range(1, MOST_STEPS + 1):
        worse = len(values) > 1 and values[-1] > values[-2]
        moves, sizes, before = _step(_slope(problem, point, lam), before, sizes, moves, worse)
        logits = logits + moves
        point = problem.point(logits - normaliser(logits))
        best = point if point.value < best.value else best
        lam = point.lam if every_step else lam
        values.append(_at(problem, point, lam))
        if len(values) <= PATIENCE or not _settled(values):
            continue
        if every_step or settled - best.value <= TOLERANCE * best.value:
            return best, taken
        settled, lam, values = best.value, point.lam, []
    return best, MOST_STEPS


def _settled(values: list[float]) -> bool:
    recent = values[-PATIENCE - 1 :]
    return max(recent) - min(recent) <= TOLERANCE * abs(recent[-1])


def _at(problem: Problem, point: Point, lam: float) -> float:
    """The bound (a fourth of it) at that lambda."""
    b = (2.0 * point.kl + problem.log_term) / problem.n
    return (point.tandem + b / lam) / (1.0 - lam / 2.0)


def _slope(problem: Problem, point: Point, lam: float) -> Array:
    """Gradient in the logits at fixed lambda, up to a factor.

    rho_i (g_i - rho'g) with g = T rho + (ln rho - ln pi)/(lambda n).
    """
    weights = np.exp(point.log_weights)
    g = point.product + (point.log_weights - problem.log_prior) / (lam * problem.n)
    return np.asarray(weights * (g - weights @ g))


def _step(slope: Array, before: Array, sizes: Array, moves: Array, worse: bool) -> tuple[Array, Array, Array]:
    """(moves, step sizes, slopes to remember) of one iRprop+ step."""
    agreement = slope * before
    sizes = np.where(agreement > 0, np.minimum(sizes * GROW, LARGEST_STEP), sizes)
    sizes = np.where(agreement < 0, np.maximum(sizes * SHRINK, SMALLEST_STEP), sizes)
    # Where the sign turned: take the last move back if the bound grew, and do not adapt the next time.
    turned = np.where(worse, -moves, 0.0)
    fresh = np.where(agreement < 0, turned, -np.sign(slope) * sizes)
    return fresh, sizes, np.where(agreement < 0, 0.0, slope)
