"""`likelihood`: Bayesian weights, proportional to the hold-out likelihood. They collapse onto one member as n grows."""

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.weighting.entropic import normaliser
from comitia.weighting.evidence import Evidence, Weighting, require_joint

# A member that gives the truth no probability at all is not ruled out by one sample.
LEAST_PROBABILITY = 1e-12


def likelihood(evidence: Evidence) -> Weighting:
    """Return weights ∝ prior × product of p(y) over the hold-out.

    >>> from comitia._predictions import Predictions
    >>> likelihood(Evidence(Predictions.from_arrays(probs=[[0.4, 0.9], [0.6, 0.6]], labels=[1, 1]))).weights
    array([0.5, 0.5])
    """
    require_joint(evidence, "likelihood")
    if not evidence.sampled.has_probs:
        raise InputError("method: 'likelihood' needs probabilities, these predictions hold votes; use tandem")
    return from_log_likelihoods(log_likelihoods(evidence.sampled), evidence)


def from_log_likelihoods(sums: NDArray[np.float64], evidence: Evidence) -> Weighting:
    """Return the weighting by those sums of ln p(y)."""
    with np.errstate(divide="ignore"):
        logits = np.log(evidence.pi) + sums
    weights = np.exp(logits - normaliser(logits))
    return Weighting("likelihood", weights / weights.sum(), evidence.sampled.samples)


def log_likelihoods(predictions: Predictions) -> NDArray[np.float64]:
    """Return, as (M,), sums of ln p(y) over the samples, probabilities below 1e-12 counted as 1e-12.

    Members that give no answer count as giving equal probabilities there.
    """
    sums = np.zeros(predictions.members)
    for block in predictions.blocks():
        assert block.probs is not None
        assert block.labels is not None
        right = block.probs[:, np.arange(block.labels.size), block.labels]
        if predictions.abstains:  # no answer says as much as equal probabilities
            right[block.votes == predictions.classes] = 1 / predictions.classes
        sums += np.log(np.maximum(right, LEAST_PROBABILITY)).sum(axis=1)
    return sums
