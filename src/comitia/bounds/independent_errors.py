r"""Cancellation of independent errors: what the majority vote would risk if its members erred independently.

.. math::
    P(S_M \ge \tfrac{M+1}{2}) \le \exp\Big(-\frac{2\big(\frac{M+1}{2} - M p\big)^2}{M}\Big), \qquad p < 1/2

S_M is the number of the M members that err, p the largest risk of a member. Source: the paper, appendix "Cancellation
of independent binary classification errors"; the inequality is Hoeffding's (1963).

**Not a certificate.** It assumes that the errors of the members are independent, which those of members that share
data, labels or noise are not, and it takes true risks where there are only estimates. The risk of a real ensemble may
lie above it. It is no row of the table of certificates.

The event is that more than half of the members err. For odd M and two classes that is an error of the vote. For even
M a tie is not in it: the statement then covers a vote only if a tie is no error (at M = 2, p = 0.4 one of the two errs
or both with probability 0.64, and the formula gives 0.61).
"""

import math

from scipy.special import bdtrc

from comitia._errors import InputError
from comitia.bounds.arguments import require_risk, require_samples

# The rounding of the exponent and of its exponential, in units of the result.
_ULPS = 4e-16


def independent_errors(members: int, risk: float) -> float:
    """Return exp(-2 ((M+1)/2 - M p)^2 / M), a bound for members whose errors are independent; not a certificate.

    Parameters
    ----------
    members : M, the number of members, each with one vote
    risk : p, the largest risk of a member, below 1/2

    Examples
    --------
    >>> round(independent_errors(25, 0.3), 4)
    0.0889
    >>> independent_errors(101, 0.3) < independent_errors(25, 0.3)
    True
    """
    members, risk = require_samples("members", members), _below_half(risk)
    exponent = 2 * (0.5 + members * (0.5 - risk)) ** 2 / members
    return math.exp(-exponent) * (1 + 2 * _ULPS * (1 + exponent))


def independent_errors_exact(members: int, risk: float) -> float:
    """Return P(Bin(M, p) > M/2): how often more than half of M members err if each errs independently with risk p.

    It is what `independent_errors` bounds, and largest where every member has the largest risk; not a certificate.

    >>> round(independent_errors_exact(25, 0.3), 4)
    0.0175
    """
    members, risk = require_samples("members", members), _below_half(risk)
    return float(bdtrc(members // 2, members, risk))


def _below_half(value: float) -> float:
    number = require_risk("risk", value)
    if number >= 0.5:
        raise InputError(f"risk: must lie below 0.5, got {number:g}; members must be better than a coin")
    return number
