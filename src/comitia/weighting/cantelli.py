r"""`cantelli`: the weights that minimise the Chebyshev-Cantelli bound (Wu et al. 2021), in relaxed forms.

.. math::
    \frac{T_u - 2\mu G_* + \mu^2}{(1/2-\mu)^2}, \qquad
    T_u = \frac{T}{1-\lambda/2} + \frac{2KL + c}{\lambda(1-\lambda/2)n}

with G_* = (1 - gamma/2) G - (KL + c')/(gamma n') for mu >= 0 and, for mu < 0, the upper form of T_u with KL
once. The lower form: kl(G||g) >= (G-g)^2/(2G) for g < G, so kl <= b gives g >= G - sqrt(2 G b), and
sqrt(2 G b) <= gamma G/2 + b/gamma for every gamma > 0. For fixed (mu, lambda, gamma) it is a quadratic plus an
entropy; for fixed rho the best (lambda, gamma) and mu have closed forms: it alternates, from several mu.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._threads import single_blas
from comitia.bounds.relaxation import best_lambda, relaxed
from comitia.bounds.terms import log_term
from comitia.statistics import Statistics
from comitia.weighting.entropic import minimise_entropic
from comitia.weighting.evidence import Evidence, Weighting
from comitia.weighting.minimum import minimise_tandem

Array = NDArray[np.float64]

# The bound has a kink at mu = 0 (G_* changes sides), so the search starts on both sides of it.
STARTS = (-0.3, 0.0, 0.2)
TOLERANCE, ROUNDS = 1e-8, 200
# Beyond this gamma the lower form drops G altogether.
MOST_GAMMA = 2.0


@dataclass(frozen=True)
class State:
    """Log-weights with the parameters that suit them and the bound they give."""

    log_weights: Array
    mu: float
    lam: float
    gamma: float
    kl: float
    bound: float


def cantelli(evidence: Evidence) -> Weighting:
    """Return weights that minimise the Cantelli bound, with the loss of the deployed vote.

    >>> from comitia._predictions import Predictions
    >>> two = Predictions.from_arrays(votes=[[0, 0, 1, 1], [0, 1, 0, 1]], labels=[0, 1, 1, 1])
    >>> cantelli(Evidence(two)).weights.round(2)
    array([0.5, 0.5])
    """
    pi = evidence.pi
    inside = np.flatnonzero(pi > 0)
    statistics = evidence.statistics if inside.size == pi.size else evidence.statistics.pick(inside)
    found = minimise_cantelli(statistics, evidence.delta, np.log(pi[inside]))
    weights = np.zeros(pi.size)
    weights[inside] = np.exp(found.log_weights)
    weights /= weights.sum()
    return Weighting(
        "cantelli", weights, statistics.pair_samples, lam=found.lam, kl=found.kl, bound=found.bound
    )


@single_blas
def minimise_cantelli(statistics: Statistics, delta: float, log_prior: Array) -> State:
    """Return the best state found from all starts."""
    prior = np.exp(log_prior)
    start = minimise_tandem(statistics.second, statistics.pair_samples, delta, prior / prior.sum())
    with np.errstate(divide="ignore"):
        first = np.maximum(np.log(start.weights), -700.0)
    states = [_alternate(statistics, delta, log_prior, first, mu) for mu in STARTS]
    return min(states, key=lambda state: state.bound)


def _alternate(statistics: Statistics, delta: float, log_prior: Array, first: Array, mu: float) -> State:
    """Where alternating ends that starts from those weights at that mu."""
    log_weights = _minimise(statistics, log_prior, _state(statistics, delta, log_prior, first, mu))
    state = _state(statistics, delta, log_prior, log_weights, None)
    for _ in range(ROUNDS):
        after = _state(statistics, delta, log_prior, _minimise(statistics, log_prior, state), None)
        if state.bound - after.bound <= TOLERANCE:
            break
        state = after
    return state


def _minimise(statistics: Statistics, log_prior: Array, state: State) -> Array:
    """Log-weights that minimise the bound at fixed mu, lambda, gamma."""
    n, m, mu, lam, gamma = (
        statistics.pair_samples, statistics.first_samples, state.mu, state.lam, state.gamma,
    )  # fmt: skip
    share = 1.0 - lam / 2.0
    if mu >= 0:
        slope, entropy = -2.0 * mu * (1.0 - gamma / 2.0), 2.0 * mu / (gamma * m)
    else:
        upper = 1.0 - gamma / 2.0
        slope, entropy = -2.0 * mu / upper, -2.0 * mu / (gamma * upper * m)
    # Divided by 1/(1 - lambda/2) so that the quadratic is T itself and no scaled copy of it is needed.
    kappa = 2.0 / (lam * n) + share * entropy
    return minimise_entropic(
        statistics.second, share * slope * statistics.first, kappa, log_prior, state.log_weights
    )


def _state(
    statistics: Statistics, delta: float, log_prior: Array, log_weights: Array, mu: float | None
) -> State:
    """The parameters that suit the weights, with mu given or the best one, and the bound."""
    weights = np.exp(log_weights)
    kl = max(0.0, float(weights @ (log_weights - log_prior)))
    tandem, gibbs = statistics.tandem(weights), statistics.gibbs(weights)
    n, m = statistics.pair_samples, statistics.first_samples
    b = (2.0 * kl + log_term(n, delta, 2)) / n
    b_first = (kl + log_term(m, delta, 2)) / m
    second = relaxed(max(tandem, 0.0), b)
    low = max(0.0, gibbs - float(np.sqrt(2.0 * gibbs * b_first)))
    high = relaxed(gibbs, b_first)
    if mu is None:
        mus = (max(0.0, best_mu(second, low)), min(0.0, best_mu(second, high)))
        mu = min(mus, key=lambda value: cantelli_value(second, low if value >= 0 else high, value))
    gamma = _gamma(gibbs, b_first) if mu >= 0 else best_lambda(gibbs, b_first)
    value = cantelli_value(second, low if mu >= 0 else high, mu)
    return State(log_weights, mu, best_lambda(max(tandem, 0.0), b), gamma, kl, value)


def _gamma(gibbs: float, b: float) -> float:
    """The gamma that maximises (1 - gamma/2) G - b/gamma."""
    return MOST_GAMMA if 2.0 * b >= MOST_GAMMA**2 * gibbs else float(np.sqrt(2.0 * b / gibbs))


def best_mu(second: float, first: float) -> float:
    """Return the mu < 1/2 that minimises (second - 2 mu first + mu^2)/(1/2 - mu)^2.

    Its derivative vanishes where mu (1/2 - first) = first/2 - second.

    >>> round(best_mu(0.02, 0.1), 6)
    0.075
    """
    if first >= 0.5:
        return -1e3
    return min((0.5 * first - second) / (0.5 - first), 0.5 - 1e-9)


def cantelli_value(second: float, first: float, mu: float) -> float:
    """Return (second - 2 mu first + mu^2)/(1/2 - mu)^2.

    >>> round(cantelli_value(0.02, 0.1, 0.075), 6)
    0.058824
    """
    return (second - 2.0 * mu * first + mu * mu) / (0.5 - mu) ** 2
