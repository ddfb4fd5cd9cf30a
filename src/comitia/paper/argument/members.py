"""Members that are trained independently: each a local optimum of the same training errors, from its own start."""

from dataclasses import dataclass

import numpy as np

from comitia.bounds import tandem_kl
from comitia.paper.argument.problem import Floats, Indices, Problem
from comitia.weighting import minimise_tandem


def search(problem: Problem, errors: Indices, members: int, rng: np.random.Generator) -> Indices:
    """Return the hypotheses that independent local searches end at.

    Each starts at a hypothesis drawn uniformly. It exchanges one bit for another, the exchange with the fewest
    training errors (one of them at random if several have as few), for as long as that means fewer errors than before.
    All searches see the same training data.

    >>> from comitia.paper.argument.problem import make_problem
    >>> problem = make_problem((1.5, 0.0))
    >>> found = search(problem, (1000 * problem.risks).astype(int), 5, np.random.default_rng(0))
    >>> {problem.subsets[i] for i in found}
    {(0, 1, 2)}
    """
    return np.array([_descend(problem, errors, rng) for _ in range(members)], dtype=np.int64)


def _descend(problem: Problem, errors: Indices, rng: np.random.Generator) -> int:
    at = int(rng.integers(len(errors)))
    while True:
        near = rng.permutation(problem.neighbours[at])
        best = int(near[errors[near].argmin()])
        if errors[best] >= errors[at]:
            return at
        at = best


def basins(problem: Problem, errors: Indices) -> Floats:
    """Return the probability that a search ends at each hypothesis, exactly.

    A search only moves to fewer errors, so the ends of a hypothesis follow from those of hypotheses with fewer.
    """
    ends = np.zeros((len(errors), len(errors)))
    for at in np.argsort(errors, kind="stable"):
        near = problem.neighbours[at]
        best = near[errors[near] == errors[near].min()]
        ends[at] = ends[best].mean(axis=0) if errors[best[0]] < errors[at] else np.eye(len(errors))[at]
    found: Floats = ends.mean(axis=0)
    return found


def shares(problem: Problem, members: Indices, weights: Floats | None = None) -> Floats:
    """Return the share of each hypothesis among the members, or its weight; several members may be one hypothesis."""
    given = np.full(len(members), 1 / len(members)) if weights is None else weights
    found: Floats = np.bincount(members, weights=given, minlength=len(problem.risks)).astype(np.float64)
    return found


@dataclass(frozen=True, eq=False)
class Weighed:
    """Tandem weights of the members, and the bound on the risk of their majority vote (tandem-kl)."""

    weights: Floats
    bound: float


def weigh_tandem(
    problem: Problem, members: Indices, inputs: Indices, labels: Indices, delta: float
) -> Weighed:
    """Return the weights that minimise the tandem bound on hold-out samples, and the bound in its kl form.

    The samples must be independent of the members. The bound holds for the weights that the samples chose.
    """
    wrong = (problem.votes[members][:, inputs] != labels).astype(np.float64)
    tandem = wrong @ wrong.T / len(labels)
    found = minimise_tandem(tandem, len(labels), delta)
    risk = float(found.weights @ tandem @ found.weights)
    return Weighed(found.weights, tandem_kl(risk, found.kl, len(labels), delta))
