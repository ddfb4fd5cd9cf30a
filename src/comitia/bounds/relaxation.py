r"""The lambda relaxation that the first-order and the tandem bound share.

.. math::
    kl(\hat a \| a) \le B \;\Rightarrow\; a \le \frac{\hat a}{1-\lambda/2} + \frac{B}{\lambda(1-\lambda/2)}
    \quad\text{for all } 0 < \lambda < 2, \qquad
    \min_\lambda = \hat a + B + \sqrt{B^2 + 2\hat a B} \text{ at } \lambda = \frac{2}{\sqrt{2\hat a/B+1}+1}

Source: Thiemann et al. (2017), from kl(q||p) >= (p-q)^2/(2p) for p > q.
"""

import math

from comitia.bounds.arguments import require_lambda
from comitia.bounds.terms import round_up


def best_lambda(a: float, b: float) -> float:
    """Return the lambda that minimises a/(1-lambda/2) + b/(lambda (1-lambda/2)).

    >>> round(best_lambda(0.1, 0.01), 6)
    0.358258
    """
    return 2 / (math.sqrt(2 * a / b + 1) + 1)


def relaxed(a: float, b: float, lam: float | None = None) -> float:
    """Return a/(1-lam/2) + b/(lam (1-lam/2)), rounded up; at the best lam when it is None.

    >>> round(relaxed(0.1, 0.01), 6), round(relaxed(0.1, 0.01, lam=0.3), 6)
    (0.155826, 0.156863)
    """
    if lam is None:
        return round_up(a + b + math.sqrt(b * (b + 2 * a)))
    lam = require_lambda(lam)
    return round_up(a / (1 - lam / 2) + b / (lam * (1 - lam / 2)))
