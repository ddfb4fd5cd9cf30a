"""`first-order`: the weights that minimise the first-order bound (lambda form). They collapse onto the best members."""

import numpy as np
from numpy.typing import NDArray

from comitia.bounds.relaxation import best_lambda
from comitia.bounds.terms import log_term
from comitia.weighting.entropic import normaliser
from comitia.weighting.evidence import Evidence, Weighting

# Alternating never raises the bound; it stops when it changed by less than this, relatively.
TOLERANCE, ROUNDS = 1e-13, 1000


def first_order(evidence: Evidence) -> Weighting:
    """Return weights that minimise 2 (G/(1-l/2) + (KL + ln(2 sqrt(n)/delta))/(l (1-l/2) n)) over rho and l.

    Alternates rho ∝ prior exp(-l n L) and l = 2/(sqrt(2 n G/(KL + c) + 1) + 1) (Thiemann et al. 2017), both exact.

    >>> from comitia._predictions import Predictions
    >>> first_order(Evidence(Predictions.from_arrays(votes=[[0, 0], [0, 1]], labels=[0, 1]))).weights.round(2)
    array([0.28, 0.72])
    """
    statistics = evidence.statistics
    n, risks = statistics.first_samples, statistics.first
    c = log_term(n, evidence.delta)
    with np.errstate(divide="ignore"):
        log_prior = np.log(evidence.pi)
    lam, value = 1.0, np.inf
    for _ in range(ROUNDS):
        weights, kl = gibbs_weights(risks, lam * n, log_prior)
        gibbs, b = float(weights @ risks), (kl + c) / n
        lam = best_lambda(gibbs, b)
        before, value = value, gibbs + b + np.sqrt(b * (b + 2.0 * gibbs))
        if before - value <= TOLERANCE * value:
            break
    return Weighting("first-order", weights, n, lam=lam, kl=kl, bound=2.0 * float(value))


def gibbs_weights(
    risks: NDArray[np.float64], scale: float, log_prior: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return (rho ∝ prior exp(-scale * risk), KL(rho||prior)).

    >>> gibbs_weights(np.array([0.0, 1.0]), float(np.log(3.0)), np.log([0.5, 0.5]))[0].round(2)
    array([0.75, 0.25])
    """
    logits = log_prior - scale * risks
    total = normaliser(logits)
    weights = np.exp(logits - total)
    kl = max(0.0, -scale * float(weights @ risks) - total)
    return np.asarray(weights / weights.sum()), kl
