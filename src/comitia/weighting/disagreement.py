r"""`disagreement`: the weights that minimise the tandem bound written by disagreement. Two classes only.

.. math::
    4\Big(\frac{G}{1-\lambda/2} + \frac{KL + c}{\lambda(1-\lambda/2)n}\Big)
    - 2\Big((1-\gamma/2) D - \frac{2KL + c'}{\gamma m}\Big)

Source: Masegosa et al. (2020), Theorem 9. D needs no labels, so further samples without labels sharpen it. With two
classes 1/2 - D_ij is half the mean product of the members' votes as ±1, so -D is convex on the simplex.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._threads import single_blas
from comitia.bounds.relaxation import best_lambda
from comitia.bounds.terms import log_term
from comitia.statistics.unlabelled import matched, pooled_disagreement
from comitia.weighting.entropic import minimise_entropic
from comitia.weighting.evidence import Evidence, Weighting

Array = NDArray[np.float64]

TOLERANCE, ROUNDS = 1e-11, 500


@dataclass(frozen=True)
class Terms:
    """Risks on n labelled samples, disagreements on m samples, and ln(4 sqrt(.)/delta) of each."""

    risks: Array
    n: int
    differ: Array
    m: int
    delta: float
    log_prior: Array

    def parameters(self, log_weights: Array) -> tuple[float, float, float, float]:
        """Return (bound, lambda, gamma, KL) at those weights, lambda and gamma the best ones."""
        weights = np.exp(log_weights)
        kl = max(0.0, float(weights @ (log_weights - self.log_prior)))
        gibbs, apart = float(weights @ self.risks), float(weights @ self.differ @ weights)
        b = (kl + log_term(self.n, self.delta, 2)) / self.n
        b_apart = (2.0 * kl + log_term(self.m, self.delta, 2)) / self.m
        lam = best_lambda(gibbs, b)
        gamma = 2.0 if b_apart >= 2.0 * apart else float(np.sqrt(2.0 * b_apart / apart))
        upper = gibbs / (1.0 - lam / 2.0) + b / (lam * (1.0 - lam / 2.0))
        return 4.0 * upper - 2.0 * ((1.0 - gamma / 2.0) * apart - b_apart / gamma), lam, gamma, kl

    def minimise(self, lam: float, gamma: float, start: Array) -> Array:
        """Return log-weights that minimise the bound at that lambda and gamma."""
        share = 1.0 - lam / 2.0
        kappa = 4.0 / (lam * share * self.n) + 4.0 / (gamma * self.m)
        linear = 4.0 / share * self.risks
        # 1/2 - D in place of -D: the same on the simplex, and positive semi-definite on all of space.
        quadratic = 2.0 * (1.0 - gamma / 2.0) * (0.5 - self.differ)
        return minimise_entropic(quadratic, linear, kappa, self.log_prior, start)


def disagreement(evidence: Evidence) -> Weighting:
    """Return weights that minimise 4 G_u - 2 D_l; the disagreement counts the unlabelled samples too.

    >>> from comitia._predictions import Predictions
    >>> two = Predictions.from_arrays(votes=[[0, 0, 1, 1], [0, 1, 0, 1]], labels=[0, 1, 1, 1])
    >>> disagreement(Evidence(two)).weights.round(2)
    array([0.5, 0.5])
    """
    if evidence.predictions.classes != 2:
        raise InputError(
            f"method: 'disagreement' rests on two classes, these predictions have {evidence.predictions.classes}; "
            "use tandem"
        )
    pi = evidence.pi
    inside = np.flatnonzero(pi > 0)
    hard = evidence.hard
    extra = evidence.unlabelled
    differ, m = pooled_disagreement(hard, None if extra is None else matched(extra, evidence.predictions))
    terms = Terms(
        hard.first[inside],
        hard.first_samples,
        differ[np.ix_(inside, inside)],
        m,
        evidence.delta,
        np.log(pi[inside]),
    )
    log_weights, bound, lam, kl = _alternate(terms)
    weights = np.zeros(pi.size)
    weights[inside] = np.exp(log_weights)
    weights /= weights.sum()
    return Weighting("disagreement", weights, hard.first_samples, lam=lam, kl=kl, bound=bound)


@single_blas
def _alternate(terms: Terms) -> tuple[Array, float, float, float]:
    log_weights = terms.log_prior
    bound, lam, gamma, kl = terms.parameters(log_weights)
    for _ in range(ROUNDS):
        after = terms.minimise(lam, gamma, log_weights)
        found = terms.parameters(after)
        if bound - found[0] <= TOLERANCE:
            break
        log_weights, (bound, lam, gamma, kl) = after, found
    return log_weights, bound, lam, kl
