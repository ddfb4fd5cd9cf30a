"""Evidence without some of its samples, or of some of its members: statistics are subtracted, not measured again."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comitia.statistics import Statistics, measure
from comitia.weighting.evidence import Evidence, Weighting

Array = NDArray[np.float64]


def with_statistics(evidence: Evidence) -> Evidence:
    """Return the same evidence with its statistics measured, so that evidence made from it knows them too."""
    return replace(evidence, measured={"hard": evidence.hard, evidence.loss: evidence.statistics})


def without(evidence: Evidence, held: NDArray[np.int64]) -> Evidence:
    """Return the evidence on all samples but those held out (sorted positions), for a hold-out that members share."""
    kept = np.setdiff1d(np.arange(evidence.sampled.samples), held, assume_unique=True)
    fold = evidence.sampled.take(held)
    measured = {loss: less(whole, measure(fold, loss)) for loss, whole in evidence.measured.items()}
    return replace(evidence, predictions=evidence.sampled.take(kept), measured=measured)


def less(whole: Statistics, part: Statistics) -> Statistics:
    """Return the statistics of the samples that are in the whole and not in the part."""
    n = whole.first_samples - part.first_samples

    def remaining(of_whole: Array, of_part: Array) -> Array:
        sums = of_whole * whole.first_samples - of_part * part.first_samples
        # Sums of 0/1 losses are whole numbers, so subtracting them loses nothing.
        exact = np.rint(sums) if whole.counted else np.maximum(sums, 0.0)
        return np.asarray(exact / n)

    differ = None
    if whole.disagreement is not None and part.disagreement is not None:
        differ = remaining(whole.disagreement, part.disagreement)
    return replace(
        whole,
        first=remaining(whole.first, part.first),
        second=remaining(whole.second, part.second),
        disagreement=differ,
        first_samples=n,
        pair_samples=n,
    )


def restricted(evidence: Evidence, members: NDArray[np.int64]) -> Evidence:
    """Return the evidence on those members alone; a prior is normalised among them."""
    if members.size == evidence.predictions.members:
        return evidence
    pi = evidence.pi[members]
    return replace(
        evidence,
        predictions=evidence.predictions.pick(members),
        prior=None if evidence.prior is None else pi / pi.sum(),
        unlabelled=None if evidence.unlabelled is None else evidence.unlabelled.pick(members),
        measured={loss: known.pick(members) for loss, known in evidence.measured.items()},
    )


def spread(weighting: Weighting, members: NDArray[np.int64], total: int) -> Weighting:
    """Return the same weighting among `total` members, zero for those that are not in `members`."""
    if members.size == total:
        return weighting
    weights = np.zeros(total)
    weights[members] = weighting.weights
    counts = None
    if weighting.counts is not None:
        counts = np.zeros(total, dtype=np.int64)
        counts[members] = weighting.counts
    return replace(weighting, weights=weights, counts=counts)
