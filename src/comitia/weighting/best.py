"""`best`: all weight on the member with the lowest hold-out loss."""

import numpy as np

from comitia.weighting.evidence import Evidence, Weighting, refuse_prior


def best(evidence: Evidence) -> Weighting:
    """Return a weighting with all weight on the member that errs least on the hold-out; the lowest index of several.

    A single member deployed is its arg-max, whatever the vote, so 0/1 errors decide; of members that err
    equally often the one of the lower loss of the vote wins.

    >>> from comitia._predictions import Predictions
    >>> best(Evidence(Predictions.from_arrays(votes=[[0, 0], [0, 1]], labels=[0, 1]))).weights
    array([0., 1.])
    """
    refuse_prior(evidence, "best")
    risks, second = evidence.hard.first, evidence.statistics.first
    counts = np.zeros(risks.size, dtype=np.int64)
    counts[np.lexsort((np.arange(risks.size), second, risks))[0]] = 1
    return Weighting("best", counts.astype(np.float64), evidence.hard.first_samples, counts=counts)
