"""Do neighbouring samples err together? A sign that samples are grouped and nobody said so."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Correlations within groups that are tried: a weak one shows in many samples, a strong one in few.
CORRELATIONS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
#: How many samples before each one are looked at, for small and for large groups.
WINDOWS = (1, 4, 16)
# No factor of the evidence is below 1 less this.
REACH = 0.9

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Together:
    """How neighbours err: the correlation of their errors given the classes, and ln of the evidence that it is not 0.

    Samples that err independently have evidence of x or more with probability at most 1/x.
    """

    correlation: float
    log_evidence: float


def errors_together(errors: NDArray[np.bool_], labels: NDArray[np.int64]) -> Together:
    """Return whether errors of neighbours go together beyond what their classes explain.

    z_t = (e_t − p_c)/√(p_c(1 − p_c)) is the error of sample t against the error rate p_c of its class. For a window of
    k samples and a correlation r, s_t = r/(1 + (k − 1)r)·(z_{t−1} + … + z_{t−k}) is the best linear forecast of z_t
    within a group. If errors are independent given the labels, each factor of Π_t (1 + s_t·z_t) has mean 1 given those
    before it: a test martingale (Ville, 1939), exact for rare errors too, where a normal approximation is not.
    Forecasts are cut so that no factor is below 0.1. The evidence is the mean of these products over windows and
    correlations. Error rates are estimated from the same samples, which in simulations makes it smaller. A file that is
    sorted by class is not mistaken for a grouped one, for each sample is compared with its class.

    Parameters
    ----------
    errors : (n,) whether a vote that was fixed beforehand errs, in the order of the samples
    labels : (n,) true classes

    >>> rng = np.random.default_rng(0)
    >>> grouped, labels = np.repeat(rng.random(200) < 0.2, 10), np.zeros(2000, np.int64)
    >>> [errors_together(e, labels).log_evidence > 9.21 for e in (grouped, rng.permutation(grouped))]
    [True, False]
    """
    rates = np.bincount(labels, errors) / np.maximum(np.bincount(labels), 1)
    varies = (rates > 0) & (rates < 1)  # else all of a class are alike, and say nothing
    some = np.where(varies, rates, 0.5)
    spread = np.sqrt(some * (1 - some))
    scores = np.where(varies[labels], (errors - some[labels]) / spread[labels], 0.0)
    low, high = (-REACH * some / spread)[labels], (REACH * (1 - some) / spread)[labels]
    logs = [
        float(np.log1p(np.clip(r / (1 + (window - 1) * r) * before, low, high) * scores).sum())
        for window in WINDOWS
        for before in [_sums_before(scores, window)]
        for r in CORRELATIONS
    ]
    correlation = float((scores[:-1] * scores[1:]).mean()) if len(scores) > 1 else 0.0
    return Together(correlation, float(np.logaddexp.reduce(logs) - np.log(len(logs))))


def _sums_before(scores: Vector, window: int) -> Vector:
    """Return, as (n,), the sum of the scores of the samples just before each one, at most `window` of them."""
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    ends = np.arange(len(scores))
    return np.asarray(sums[ends] - sums[np.maximum(ends - window, 0)])
