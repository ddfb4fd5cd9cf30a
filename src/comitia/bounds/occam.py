r"""Occam bound: Clopper-Pearson on the very samples that chose the weights, if the weights are counts/k.

.. math::
    L \le \mathrm{CP}(k_{err}, n, \delta P(\rho)), \qquad \rho = \text{counts}/k, \qquad
    P(\rho) = \frac{1}{k(k+1)} \cdot \begin{cases} 1/\binom{M+k-1}{k} & \text{uniform} \\
    \frac{k!}{\prod_i k_i!} M^{-k} & \text{multinomial} \end{cases}

Source: Langford (2005), Occam's razor bound. The multisets of k of M members number C(M+k-1, k); the prior
over k = 1, 2, ... sums to 1, so a union bound over all multisets costs delta in total.
Valid for any data-dependent choice of the counts (rounded tandem weights, greedy selection with
replacement), any vote, n i.i.d. hold-out samples shared by all members. Which of the two priors is used must
be fixed beforehand.
"""

import math
from collections.abc import Sequence

from comitia._errors import require_choice
from comitia.bounds.arguments import require_counts, require_delta
from comitia.bounds.clopper_pearson import clopper_pearson_log

PRIORS = ("uniform", "multinomial")


def occam(errors: int, n: int, delta: float, counts: Sequence[int], prior: str = "uniform") -> float:
    """Return the Clopper-Pearson limit at delta P(counts), P the prior of that multiset of members.

    >>> round(occam(errors=33, n=500, delta=0.05, counts=[2, 0, 1, 0]), 4)
    0.114
    """
    return clopper_pearson_log(errors, n, math.log(require_delta(delta)) + log_prior(counts, prior))


def log_prior(counts: Sequence[int], prior: str = "uniform") -> float:
    """Return ln P(counts/k), rounded down.

    >>> round(math.exp(log_prior([2, 0, 1, 0])), 6)  # 1/(3 * 4 * C(6, 3))
    0.004167
    """
    kept, members = require_counts(counts), len(counts)
    k = sum(kept)
    if require_choice("prior", prior, PRIORS) == "uniform":
        multiset = math.lgamma(k + 1) + math.lgamma(members) - math.lgamma(members + k)
    else:
        multiset = math.lgamma(k + 1) - math.fsum(math.lgamma(c + 1) for c in kept) - k * math.log(members)
    # lgamma is good to a few ulp of its value, and none of the values exceeds this one.
    return multiset - math.log(k * (k + 1)) - 1e-14 * math.lgamma(members + k + 2)
