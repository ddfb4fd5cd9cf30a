r"""Which certificate is the promise where there are unlabelled samples: a rule that is fixed before looking.

`unlabelled` is designated, and not `split` or `holdout`, if the samples that chose the weights let expect at least 20
errors among the certifying ones, and a smaller excess:

.. math:: e \ge 20 \quad\text{and}\quad (1 + 2/e) \sqrt{1 - R^2 \kappa/(1 + \kappa)} < 1

e is the number of certifying samples times the error rate of the vote where the weights were chosen, R^2 the adjusted
squared correlation of loss and score there. The root is the share of the width that unlabelled samples leave; 1 + 2/e
is what the digital bound's excess was in simulations, against Clopper-Pearson's, without a score that helps. Where no
samples chose the weights nothing is foreseen, and `holdout` is designated.

No certifying and no unlabelled sample enters, so whichever is designated holds at the full delta.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.bounds.digital_paired import LARGEST, paired_values
from comitia.bounds.row import Bound, Facts, Foreseen

FEWEST_ERRORS = 20
# The excess of the digital bound on 0/1 losses is about 1 + OVERHEAD/errors times Clopper-Pearson's.
OVERHEAD = 2.0


def foresee(losses: NDArray[np.bool_], scores: NDArray[np.float64], certifying: int) -> Foreseen:
    """Return what samples that chose the weights let expect of that many certifying ones.

    >>> foresee(np.array([True, False, False, True]), np.array([0.5, 0.1, 0.1, 0.5]), 100)
    Foreseen(errors=50.0, r2=1.0)
    """
    rate, n = float(losses.mean()), len(losses)
    spread = losses.std() * scores.std()
    if n < 3 or not spread:
        return Foreseen(rate * certifying, 0.0)
    r2 = float(np.mean((losses - rate) * (scores - scores.mean())) / spread) ** 2
    adjusted = r2 - (1 - r2) / (n - 2)
    return Foreseen(rate * certifying, min(max(adjusted, 0.0), 1.0))


def expected_share(foreseen: Foreseen, kappa: int) -> float:
    """Return the excess that `unlabelled` is expected to have, as a share of Clopper-Pearson's.

    >>> round(expected_share(Foreseen(errors=300.0, r2=0.3), kappa=10), 3)
    0.858
    """
    if foreseen.errors <= 0:
        return math.inf
    return (1 + OVERHEAD / foreseen.errors) * math.sqrt(1 - foreseen.r2 * kappa / (1 + kappa))


def prefers_unlabelled(foreseen: Foreseen | None, kappa: int) -> bool:
    """Return whether `unlabelled` is designated, by the rule above.

    >>> prefers_unlabelled(Foreseen(errors=300.0, r2=0.3), 10), prefers_unlabelled(Foreseen(errors=15.0, r2=0.3), 10)
    (True, False)
    """
    return foreseen is not None and foreseen.errors >= FEWEST_ERRORS and expected_share(foreseen, kappa) < 1


def designate(rows: Sequence[Bound], facts: Facts) -> Bound | None:
    """Return the bound, of those that are valid, that is named before looking; None where none is."""
    named = {row.name: row for row in rows if row.designated}
    pairs = named.pop("unlabelled", None)
    found = facts.paired
    if pairs is not None and found is not None and prefers_unlabelled(found.foreseen, found.kappa):
        return pairs
    return next(iter(named.values()), None)


def of_pairs(facts: Facts) -> dict[str, Any]:
    """Return what a certificate `unlabelled` keeps: counts, the mean of the values bounded, what was foreseen."""
    pairs = facts.paired
    assert pairs is not None
    values, _ = paired_values(pairs.losses, pairs.scores, pairs.others)
    foreseen = pairs.foreseen
    return {
        "errors": int(pairs.losses.sum()),
        "n": len(pairs.losses),
        "kappa": pairs.kappa,
        "adjusted": float(values.mean()),
        "foreseen_errors": None if foreseen is None else foreseen.errors,
        "foreseen_r2": None if foreseen is None else foreseen.r2,
    }


def kept_foreseen(stored: Mapping[str, Any]) -> tuple[Foreseen | None, int]:
    """Return what was foreseen, and kappa, of the inputs that a certificate `unlabelled` keeps."""
    errors, r2 = stored["foreseen_errors"], stored["foreseen_r2"]
    return None if errors is None or r2 is None else Foreseen(float(errors), float(r2)), int(stored["kappa"])


def adjusted_mean(
    errors: int,
    n: int,
    kappa: int,
    adjusted: float,
    foreseen_errors: float | None,
    foreseen_r2: float | None,
    delta: float = 0.05,
) -> float:
    """Return the mean of the values that are bounded: no digital bound is below it.

    The adjustment is at most the largest slope times a difference of two scores: numbers beyond it are an error.

    >>> adjusted_mean(errors=7, n=100, kappa=10, adjusted=0.072, foreseen_errors=6.0, foreseen_r2=0.3)
    0.072
    """
    if not (0 <= errors <= n and n >= 1 and kappa >= 1 and abs(adjusted - errors / n) <= LARGEST):
        raise InputError(
            "errors: must be at most n, kappa at least 1, and the adjusted error near their rate"
        )
    if (foreseen_errors is None) != (foreseen_r2 is None):
        raise InputError("foreseen_errors: goes with foreseen_r2")
    if foreseen_r2 is not None and not (0 <= foreseen_r2 <= 1 and 0 <= (foreseen_errors or 0) <= n):
        raise InputError("foreseen_r2: must be a share, and foreseen_errors at most n")
    return adjusted
