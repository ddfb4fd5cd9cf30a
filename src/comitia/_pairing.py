"""Certifying samples, each with unlabelled ones of its own: what the certificate `unlabelled` rests on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions
from comitia._votes import certified_losses, vote_scores
from comitia.bounds.designation import foresee
from comitia.bounds.row import NO_VOTES, Paired
from comitia.statistics.counted import Counted, Holdout

Array = NDArray[np.float64]

CHOSE = "the unlabelled samples may have had a part in the choice of the weights"
NOT_JOINT = "each member has its own unlabelled samples, so they cannot vote together on them"
# The score is of the largest total.
TILTED = "proved for the vote without a threshold"
NO_PROBS = "the average vote needs probabilities, the unlabelled samples have votes"


def pairs_kept(
    predictions: Holdout,
    kept: NDArray[np.int64] | None,
    extra: Predictions | None,
    rho: Array,
    vote: str,
    seed: int,
    weighing: Predictions | None,
    chose: bool,
    threshold: float | None,
) -> dict[str, Any]:
    """Return the certifying samples paired with unlabelled ones, or why they are not."""
    if extra is None or not predictions.shared:
        return {}
    if isinstance(predictions, Counted):
        return {"unpaired": NO_VOTES}
    if threshold is not None:
        return {"unpaired": TILTED}
    if kept is not None:
        weighing = predictions.take(np.setdiff1d(np.arange(predictions.samples), kept))
        predictions = predictions.take(np.sort(kept))
    return pair(predictions, extra, rho, vote, seed=seed, weighing=weighing, unlabelled_chose=chose)


def pair(
    certifying: Predictions,
    unlabelled: Predictions | None,
    weights: Array,
    vote: str,
    *,
    seed: int,
    weighing: Predictions | None = None,
    unlabelled_chose: bool = False,
) -> dict[str, Any]:
    """Return the facts `paired` or `unpaired`: the pairs of the deployed vote, or why there are none.

    `weighing` are the samples that chose the weights, from which the designation foresees; None where there are none.
    """
    if unlabelled is None or certifying.groups is not None or not certifying.shared:
        return {}
    why = _obstacle(certifying, unlabelled, vote, unlabelled_chose)
    if why is not None:
        return {"unpaired": why}
    order, others = assignment(certifying.samples, unlabelled.samples, seed)
    losses = certified_losses(certifying, weights, vote)
    foreseen = None
    if weighing is not None:
        chose = certified_losses(weighing, weights, vote), vote_scores(weighing, weights, vote)
        foreseen = foresee(*chose, len(losses))
    scores, further = (vote_scores(part, weights, vote) for part in (certifying, unlabelled))
    return {"paired": Paired(losses[order], scores[order], further[others], foreseen)}


def _obstacle(certifying: Predictions, unlabelled: Predictions, vote: str, chose: bool) -> str | None:
    """Return why there can be no pairs, or None."""
    if chose:
        return CHOSE
    if not unlabelled.shared:
        return NOT_JOINT
    if vote == "average" and not unlabelled.has_probs:
        return NO_PROBS
    if unlabelled.samples < certifying.samples:
        return (
            f"needs at least as many unlabelled samples as certifying ones, got {unlabelled.samples:,} for "
            f"{certifying.samples:,}"
        )
    return None


def assignment(labelled: int, unlabelled: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order of the labelled samples, (n,), and which unlabelled ones each is paired with, (n, kappa).

    Both are drawn from the seed and the two numbers alone; kappa = floor(m/n), and no sample occurs twice.

    >>> order, others = assignment(3, 7, seed=0)
    >>> sorted(order.tolist()), others.shape, len(set(others.ravel().tolist()))
    ([0, 1, 2], (3, 2), 6)
    """
    # a stream of its own: the split has drawn from the seed itself
    rng, kappa = np.random.default_rng([seed, 1]), unlabelled // labelled
    order = rng.permutation(labelled)
    return order, rng.permutation(unlabelled)[: labelled * kappa].reshape(labelled, kappa)
