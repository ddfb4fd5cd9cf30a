"""`uniform`: every member the same weight. Chosen without data, so it may be certified on all of them."""

import numpy as np

from comitia.weighting.evidence import Evidence, Weighting, refuse_prior


def uniform(evidence: Evidence) -> Weighting:
    """Return weights 1/M.

    >>> from comitia._predictions import Predictions
    >>> uniform(Evidence(Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1]))).weights
    array([0.5, 0.5])
    """
    refuse_prior(evidence, "uniform")
    members = evidence.predictions.members
    return Weighting("uniform", np.full(members, 1.0 / members), 0, counts=np.ones(members, dtype=np.int64))
