r"""A problem small enough for exact sums: bits in three groups, and hypotheses that each see three bits.

An input x has three bits (-1 or 1) per source, all inputs equally likely. Source g says m_g(x), the majority of its
three bits, and

.. math::
    P(y = 1 \mid x) = \sigma\Big(\sum_g a_g m_g(x)\Big), \qquad \sigma(z) = \frac{1}{1 + e^{-z}}

A hypothesis S is a set of any three bits and says h_S(x), their majority. Its likelihood is
:math:`p(y \mid x, S, b) = \sigma(b\, y\, h_S(x))` with a slope b > 0 from a grid. The truth is of this form, so the
model is well specified, if one a_g alone differs from zero and is in the grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
BITS = 3  # of a source, and of a hypothesis: an odd number, so that a majority never ties
#: The slopes of the likelihood, from nearly a coin to 5% of errors.
SLOPES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)


@dataclass(frozen=True, eq=False)
class Problem:
    """All inputs, the truth on them, and all hypotheses with their exact risks.

    Attributes
    ----------
    evidence : a_g, one number per source
    subsets : the bits of each hypothesis
    votes : (hypotheses, inputs), -1 or 1
    positive : (inputs,), P(y = 1 | x)
    risks : (hypotheses,), the exact risk of each
    neighbours : (hypotheses, swaps), the hypotheses that differ in one bit
    """

    evidence: tuple[float, ...]
    subsets: tuple[tuple[int, ...], ...]
    votes: Floats
    positive: Floats
    risks: Floats
    neighbours: Indices

    @property
    def best_single(self) -> float:
        """The smallest risk of a hypothesis."""
        return float(self.risks.min())

    @property
    def best_possible(self) -> float:
        """The smallest risk of any classifier."""
        return float(np.minimum(self.positive, 1 - self.positive).mean())

    def risk(self, scores: Floats) -> float:
        """Return the exact risk of predicting the sign of the scores; a fair coin decides a score of zero.

        >>> problem = make_problem((1.5,))
        >>> round(problem.risk(problem.votes[0]), 4), round(problem.best_possible, 4)
        (0.1824, 0.1824)
        """
        wrong = np.where(scores > 0, 1 - self.positive, np.where(scores < 0, self.positive, 0.5))
        return float(wrong.mean())

    def disagreement(self, weights: Floats) -> float:
        """Return the probability that two hypotheses drawn by these weights differ on an input.

        h h' is -1 where they differ and 1 elsewhere, so it is (1 - E[(sum_S w_S h_S(x))^2])/2.
        """
        return max(float((1 - ((weights @ self.votes) ** 2).mean()) / 2), 0.0)

    def draw(self, samples: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return that many inputs, as columns of `votes`, and their labels, -1 or 1."""
        inputs = rng.integers(len(self.positive), size=samples)
        return inputs, np.where(rng.random(samples) < self.positive[inputs], 1, -1)

    def errors(self, inputs: Indices, labels: Indices) -> Indices:
        """Return how many of these samples each hypothesis gets wrong, exactly."""
        sums = np.bincount(inputs, weights=labels, minlength=len(self.positive))  # of labels, by input
        return np.rint((len(labels) - self.votes @ sums) / 2).astype(np.int64)


def make_problem(evidence: Sequence[float]) -> Problem:
    """Return the problem whose sources have this evidence.

    >>> problem = make_problem((2.0, 1.9, 1.8))
    >>> problem.votes.shape, problem.subsets[0]
    ((84, 512), (0, 1, 2))
    >>> round(problem.best_single, 4), round(problem.best_possible, 4)
    (0.272, 0.0993)
    """
    if not 1 <= len(evidence) <= 4:
        raise InputError(f"evidence: must be of 1 to 4 sources, got {len(evidence)}")
    bits = BITS * len(evidence)
    inputs = np.array(list(product((-1, 1), repeat=bits)))
    subsets = tuple(combinations(range(bits), BITS))
    votes = np.array([np.sign(inputs[:, subset].sum(axis=1)) for subset in subsets], dtype=np.float64)
    sources = [subsets.index(tuple(range(g * BITS, (g + 1) * BITS))) for g in range(len(evidence))]
    positive = 1 / (1 + np.exp(-np.asarray(evidence, dtype=np.float64) @ votes[sources]))
    risks = np.where(votes > 0, 1 - positive, positive).mean(axis=1)
    return Problem(tuple(map(float, evidence)), subsets, votes, positive, risks, _neighbours(subsets))


def _neighbours(subsets: Sequence[tuple[int, ...]]) -> Indices:
    """Return, for each subset, those that share all bits but one."""
    near = [[j for j, t in enumerate(subsets) if len(set(s) & set(t)) == BITS - 1] for s in subsets]
    return np.array(near, dtype=np.int64).reshape(len(subsets), -1)
