"""`greedy`: selection with replacement (Caruana et al. 2004): add, again and again, the member that helps most.

The weights are counts / k, which is what the occam certificate asks for.
"""

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Block
from comitia._votes import margins_of
from comitia.weighting.evidence import Evidence, Weighting, refuse_prior, require_joint

# More picks change a weight by less than 1/50 and cost every certificate that pays for counts.
PICKS = 50
# Values (float32) that are held at most, 512 MB; beyond it a random part of the contested samples decides.
VALUES = 2**27
# In float32 a sum of k probabilities is uncertain by about k times this; votes are whole numbers and exact.
CLOSE = 2e-7


def greedy(evidence: Evidence) -> Weighting:
    """Return counts / k of the shortest sequence of at most 50 picks whose vote has the lowest certified loss.

    It starts from the best k members, for the best k. Each further pick minimises the number of samples on which the
    vote of all picks errs, a tie counted half; among equal ones the largest mean margin wins, then the lowest index.

    >>> from comitia._predictions import Predictions
    >>> three = Predictions.from_arrays(votes=[[0, 0, 1], [0, 1, 1], [1, 1, 1]], labels=[0, 1, 1])
    >>> greedy(Evidence(three)).counts
    array([0, 1, 0])
    """
    refuse_prior(evidence, "greedy")
    require_joint(evidence, "greedy")
    picks, losses = _select(_contested(evidence))
    best = int(np.argmin(losses)) + 1
    counts = np.bincount(picks[:best], minlength=evidence.sampled.members)
    return Weighting("greedy", counts / best, evidence.sampled.samples, counts=counts.astype(np.int64))


def _select(values: NDArray[np.float32]) -> tuple[list[int], list[int]]:
    """The picks in order and the number of errors and ties after each."""
    picks, losses = _sorted_start(values)
    sums = values[picks].sum(axis=0)
    while len(picks) < PICKS and losses[-1] > 0:
        errors, ties, margins = _scores(values, sums, len(picks) + 1)
        # A tie is half an error here: with whole votes every second pick makes some.
        pick = int(np.lexsort((-np.round(margins, 6), 2 * errors + ties))[0])
        picks.append(pick)
        losses.append(int(errors[pick] + ties[pick]))
        sums = sums + values[pick]
    return picks, losses


def _sorted_start(values: NDArray[np.float32]) -> tuple[list[int], list[int]]:
    """The best k members, for the k whose vote errs least (Caruana's sorted initialisation), and all losses till there.

    Without it the majority vote never gets beyond its first pick: a second vote only adds ties.
    """
    errors, ties, margins = _scores(values, np.zeros(values.shape[1:], dtype=np.float32), 1)
    order = np.lexsort((-np.round(margins, 6), errors + ties))[:PICKS]
    sums = np.zeros(values.shape[1:], dtype=np.float32)
    losses = []
    for count, pick in enumerate(order, start=1):
        sums += values[pick]
        losses.append(int(np.count_nonzero(sums[0] - sums[1:].max(axis=0) <= CLOSE * count)))
    kept = int(np.argmin(losses)) + 1
    return [int(pick) for pick in order[:kept]], losses[:kept]


def _scores(
    values: NDArray[np.float32], sums: NDArray[np.float32], picks: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """(errors, ties, mean margin) of the vote that each member would make with those picked already."""
    errors, ties = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)
    margins = np.zeros(len(values))
    for index, value in enumerate(values):
        totals = sums + value
        margin = totals[0] - totals[1:].max(axis=0)
        errors[index] = np.count_nonzero(margin < -CLOSE * picks)
        ties[index] = np.count_nonzero(margin <= CLOSE * picks) - errors[index]
        margins[index] = margin.mean(dtype=np.float64) / picks if margin.size else 0.0
    return errors, ties, margins


def _contested(evidence: Evidence) -> NDArray[np.float32]:
    """(M, C, s) class values, the true class first, on samples where a member is wrong: on others no vote errs."""
    predictions, wanted = evidence.sampled, _wanted(evidence)
    blocks = predictions.blocks() if evidence.vote == "average" else predictions.vote_blocks()
    parts = []
    for block in blocks:
        assert block.labels is not None
        here = wanted[block.start : block.start + block.labels.size]
        parts.append(_true_class_first(block, here, block.labels, predictions.classes))
    return np.concatenate(parts, axis=2)


def _true_class_first(
    block: Block, wanted: NDArray[np.bool_], labels: NDArray[np.int64], classes: int
) -> NDArray[np.float32]:
    """(M, C, s) of the block's contested samples."""
    if block.probs is None:
        keep = np.flatnonzero(wanted & (block.votes != labels).any(axis=0))
        values = (block.votes[:, None, keep] == np.arange(classes)[:, None]).astype(np.float32)
    else:
        keep = np.flatnonzero(wanted & (margins_of(block.probs, labels) <= CLOSE).any(axis=0))
        values = np.ascontiguousarray(np.moveaxis(block.probs[:, keep], 2, 1), dtype=np.float32)
    places = np.arange(keep.size)
    right = values[:, labels[keep], places]
    values[:, labels[keep], places] = values[:, 0]
    values[:, 0] = right
    return np.asarray(values)


def _wanted(evidence: Evidence) -> NDArray[np.bool_]:
    """Which samples may decide: all, or a seeded random part where the contested ones would exceed `VALUES`."""
    predictions = evidence.sampled
    room = VALUES // (predictions.members * predictions.classes)
    if predictions.samples <= room:
        return np.ones(predictions.samples, dtype=bool)
    contested = sum(
        int((block.votes != block.labels).any(axis=0).sum()) for block in predictions.vote_blocks()
    )
    draw = np.random.default_rng(evidence.random_state).random(predictions.samples)
    return np.asarray(draw < room / max(contested, 1))
