"""How probable it is at most that other samples come in the same kinds, each as often."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln


def log_probability_of_counts(kinds: NDArray[Any], labels: NDArray[np.int64]) -> float:
    """Return the log of the largest probability, over all distributions, that samples come in exactly these counts.

    Given its label, each of the n_l samples of a label is of kind k with some probability p_k. Its counts c_k have
    probability n_l! prod p_k^{c_k} / c_k!, largest at p_k = c_k / n_l. Labels are given, so that samples picked or
    sorted by their class are no coincidence by themselves.

    >>> bool(np.isclose(np.exp(log_probability_of_counts(np.array([5, 5, 7, 7]), np.zeros(4, int))), 6 / 16))
    True
    """
    total = 0.0
    for label in np.unique(labels):
        counts = np.unique(kinds[labels == label], return_counts=True)[1].astype(float)
        n = counts.sum()
        total += float(gammaln(n + 1) - gammaln(counts + 1).sum() + (counts * np.log(counts / n)).sum())
    return total
