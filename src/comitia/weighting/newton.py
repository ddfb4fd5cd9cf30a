"""Newton's method for the tandem bound: a few steps, and a proof of how far from the minimum they ended."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia.weighting.entropic import (
    HALVINGS,
    Heavy,
    System,
    heavy_members,
    moved,
    newton_step,
    newton_step_cg,
    normaliser,
)

Array = NDArray[np.float64]

# Above this size the search starts among the SCOUTS most promising members, where a step costs next to nothing.
SMALL = 300
SCOUTS = 160
# More rounds of scouting than this have never paid: the remaining members are then part of the answer.
ROUNDS = 3
# The gap asked for is far below the 1e-8 promised: the last Newton step squares it anyway.
GAP_GOAL = 1e-11
SCOUT_GAP = 1e-6
STEPS = 60
# Between .2 and .5 the guess saves one or two steps; the whole way (1) overshoots.
GUESS = 0.25
# Steps taken on the heavy members' rows before T is used whole again, as long as each gains this much.
AHEAD, AHEAD_GAIN = 3, 0.1
# Of members that were not scouted, the start believes this much mass at most.
OUTSIDE = 0.1


@dataclass(frozen=True)
class Point:
    """Weights with all that F needs: q = T rho, A = rho'T rho, KL, F, lambda, and how far the minimum can be."""

    log_weights: Array
    product: Array
    tandem: float
    kl: float
    value: float
    lam: float
    gap: float


@dataclass(frozen=True)
class Problem:
    """F(rho) = A + B + sqrt(B^2 + 2AB), A = rho'T rho, B = (2 KL(rho||pi) + c)/n."""

    matrix: Array
    n: int
    log_term: float
    log_prior: Array

    def point(self, log_weights: Array, product: Array | None = None) -> Point:
        """Return everything about those weights, for one product with T (none if it is given)."""
        weights = np.exp(log_weights)
        q = self.matrix @ weights if product is None else product
        tandem = float(weights @ q)
        kl = max(0.0, float(weights @ (log_weights - self.log_prior)))
        b = (2.0 * kl + self.log_term) / self.n
        lam = 2.0 / (np.sqrt(2.0 * tandem / b + 1.0) + 1.0)
        value = tandem + b + np.sqrt(b * b + 2.0 * tandem * b)
        return Point(log_weights, q, tandem, kl, float(value), float(lam), self._gap(q, tandem, value, lam))

    def _gap(self, q: Array, tandem: float, value: float, lam: float) -> float:
        """F minus the least value of the bound at this lambda over all rho (T positive semi-definite).

        rho'T rho >= 2 rho'q - A for every rho, and the minimum of 2 rho'q + (2/(lambda n)) KL is a logsumexp.
        """
        scale = lam * self.n
        below = -tandem + (self.log_term - 2.0 * normaliser(self.log_prior - scale * q)) / scale
        return float(value - below / (1.0 - lam / 2.0))

    def among(self, members: NDArray[np.intp]) -> "Problem":
        """Return the same problem for weights on those members alone."""
        return Problem(
            np.ascontiguousarray(self.matrix[np.ix_(members, members)]),
            self.n,
            self.log_term,
            self.log_prior[members],
        )


def solve_newton(problem: Problem, start: Point) -> tuple[Point, int]:
    """Return the minimising point and the number of Newton steps, those of the scouting rounds included."""
    if problem.log_prior.size <= SMALL:
        ahead = problem.point(_guess(problem, start))
        return _descend(problem, ahead if ahead.value < start.value else start, GAP_GOAL)
    start, scouted = _scout(problem, start)
    point, steps = _descend(problem, start, GAP_GOAL)
    return point, steps + scouted


def _guess(problem: Problem, first: Point) -> Array:
    """Log-weights a part of the way from the prior to what its products with T imply."""
    guess = problem.log_prior - GUESS * first.lam * problem.n * first.product
    return guess - normaliser(guess)


def _scout(problem: Problem, first: Point) -> tuple[Point, int]:
    """A start for all members: the minimum among the promising ones, and what it implies for the rest."""
    promise = problem.log_prior - problem.n * first.lam * first.product
    members, steps = _most(promise, SCOUTS), 0
    start = _guess(problem, first)[members]
    for _ in range(ROUNDS):
        part = problem.among(members)
        local, more = _descend(part, part.point(start - normaliser(start)), SCOUT_GAP)
        steps += more
        implied, outside = _implied(problem, members, local)
        if outside <= OUTSIDE or 2 * members.size > implied.size:
            break
        rest = implied.copy()
        rest[members] = -np.inf
        members = np.sort(np.concatenate([members, _most(rest, SCOUTS)]))
        start = implied[members]
    found = problem.point(implied)
    return (found if found.value < first.value else first), steps


def _most(promise: Array, count: int) -> NDArray[np.intp]:
    return np.sort(np.argpartition(-promise, count)[:count])


def _implied(problem: Problem, members: NDArray[np.intp], local: Point) -> tuple[Array, float]:
    """Log-weights of all members, ln pi - lambda n q for those outside, and the mass they ask for there."""
    q = np.exp(local.log_weights) @ problem.matrix[members]
    wanted = problem.log_prior - local.lam * problem.n * q
    wanted -= normaliser(wanted[members])
    inside = np.zeros(wanted.size, dtype=bool)
    inside[members] = True
    outside = normaliser(wanted[~inside])
    wanted[~inside] -= max(0.0, outside - np.log(OUTSIDE))
    wanted[members] = local.log_weights
    return wanted - normaliser(wanted), float(np.exp(min(outside, 50.0)))


def _descend(problem: Problem, point: Point, goal: float) -> tuple[Point, int]:
    """Newton steps with backtracking on F until the gap is below the goal or no step descends."""
    for taken in range(STEPS):
        if abs(point.gap) <= goal:
            return point, taken
        following = _advance(problem, point)
        if following is None:
            return point, taken
        point = following
    return point, STEPS


def _advance(problem: Problem, point: Point) -> Point | None:
    """The next point, lower than this one; None where no step descends."""
    heavy = heavy_members(problem.matrix, point.log_weights)
    if heavy is None:
        return _backtrack(problem, point, newton_step_cg(_system(problem, point), problem.matrix))
    if isinstance(heavy.members, slice):
        return _backtrack(problem, point, newton_step(_system(problem, point), heavy))
    candidate = _ahead(problem, point, heavy)
    if candidate.value < point.value:
        return candidate
    return _backtrack(problem, point, newton_step(_system(problem, point), heavy))


def _ahead(problem: Problem, point: Point, heavy: Heavy) -> Point:
    """The point some steps ahead that move T rho by the rows of the heavy members alone: one product with T in all."""
    rest = point.product - np.exp(point.log_weights[heavy.members]) @ heavy.rows
    guess = point
    for _ in range(AHEAD):
        new = moved(guess.log_weights, newton_step(_system(problem, guess), heavy), 1.0)
        before, guess = guess, problem.point(new, rest + np.exp(new[heavy.members]) @ heavy.rows)
        if abs(guess.gap) <= GAP_GOAL or abs(guess.gap) > AHEAD_GAIN * abs(before.gap):
            break
    return problem.point(guess.log_weights)


def _backtrack(problem: Problem, point: Point, step: Array) -> Point | None:
    """The full step where it descends, else a shorter one."""
    length = 1.0
    for _ in range(HALVINGS):
        candidate = problem.point(moved(point.log_weights, step, length))
        if candidate.value < point.value:
            return candidate
        length *= 0.5
    return None


def _system(problem: Problem, point: Point) -> System:
    """The linearised condition T rho + k (ln rho - ln pi) = nu, k = 1/(lambda n), lambda following rho.

    k = (r + 1)/(2n) with r = sqrt(2A/B + 1), so dk = (dA/B - A dB/B^2)/(2 n r); along the simplex near the
    minimum dA = -2k s'D d and dB = (2/n) s'D d with s = ln rho - ln pi.
    """
    k = 1.0 / (point.lam * problem.n)
    slope = point.log_weights - problem.log_prior
    b = (2.0 * point.kl + problem.log_term) / problem.n
    r = np.sqrt(2.0 * point.tandem / b + 1.0)
    bend = -(k / b + point.tandem / (problem.n * b * b)) / (problem.n * r)
    return System(point.log_weights, point.product + k * slope, k, slope, float(bend))
