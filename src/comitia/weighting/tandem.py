"""`tandem`: the weights that minimise the second-order bound of the paper."""

from comitia.weighting.evidence import Evidence, Weighting
from comitia.weighting.minimum import minimise_tandem


def tandem(evidence: Evidence) -> Weighting:
    """Return weights that minimise the tandem bound in its lambda form, with the loss of the deployed vote.

    >>> from comitia._predictions import Predictions
    >>> two = Predictions.from_arrays(votes=[[0, 0, 1, 1], [0, 1, 0, 1]], labels=[0, 1, 1, 1])
    >>> tandem(Evidence(two)).weights.round(2)
    array([0.5, 0.5])
    """
    statistics = evidence.statistics
    found = minimise_tandem(
        statistics.second, statistics.pair_samples, evidence.delta, evidence.prior, shared=statistics.shared
    )
    gap = found.gap if found.convex else None
    return Weighting(
        "tandem",
        found.weights,
        statistics.pair_samples,
        lam=found.lam,
        kl=found.kl,
        gap=gap,
        bound=found.bound,
    )
