"""The votes of a weighted ensemble, and the loss that is certified for them.

One tie rule everywhere: totals within `TIE` of the largest count as tied, and the lowest class wins. The certified
loss of a sample counts a tie as an error, so it is never below the loss of the deployed rule. A threshold for two
classes tilts the totals first, and the same rule decides.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError, require_choice
from comitia._predictions import Block, Predictions
from comitia._shards import CHUNK, PIECE, Shard
from comitia._threads import in_threads, loops
from comitia.statistics.counted import Counted, Holdout

VOTES = ("majority", "average")
# Far above the rounding error of a sum of a few thousand weights, far below any difference that carries meaning.
TIE = 1e-9
# Thresholds nearer to 0 or 1 would tilt totals into the range of ties.
LEAST_THRESHOLD = 1e-6
# With more classes than this, adding each vote to its cell is quicker than a product of matrices per class.
MANY_CLASSES = 32
# Scores are multiples of this, so that sums of them are exact and another machine finds the same.
SCORE_STEP = 2.0**-20

Array = NDArray[np.float64]


def majority(votes: NDArray[Any], weights: ArrayLike, classes: int) -> NDArray[np.int64]:
    """Return, as (n,), the class with the largest weight of votes.

    >>> majority(np.array([[0, 1], [1, 1], [0, 2]]), [0.2, 0.5, 0.3], 3)
    array([0, 1])
    """
    if votes.size and not 0 <= votes.min() <= votes.max() < classes:
        odd = votes.min() if votes.min() < 0 else votes.max()
        raise InputError(
            f"votes: must be classes 0 to {classes - 1}, got {odd}; give the number of all classes"
        )
    return winners(vote_totals(votes, np.asarray(weights, dtype=np.float64), classes))


def average(probs: NDArray[Any], weights: ArrayLike) -> NDArray[np.int64]:
    """Return, as (n,), the class of largest weighted mean probability; probs (M, n, C), or (M, n) of class 1 of two.

    >>> average(np.array([[[0.9, 0.1]], [[0.3, 0.7]]]), [0.5, 0.5])
    array([0])
    """
    full = np.stack([1.0 - probs, probs], axis=-1) if probs.ndim == 2 else probs  # (M, n, C)
    return winners(probability_totals(full, np.asarray(weights, dtype=np.float64)))


def winners(totals: Array) -> NDArray[np.int64]:
    """Return, as (n,), the lowest class whose total (n, C) is within `TIE` of the largest; -1 where nobody answers.

    >>> winners(np.array([[0.2, 0.4, 0.4 + 1e-12]]))
    array([1])
    """
    largest = totals.max(axis=-1, keepdims=True)
    found = np.asarray(np.argmax(totals >= largest - TIE, axis=-1), dtype=np.int64)
    return np.where(largest[..., 0] > TIE, found, -1)


def tilted(totals: Array, threshold: float | None) -> Array:
    """Return totals (…, 2) of which the second is the larger where its share is above the threshold; None changes none.

    At one half they are the totals themselves, so that ties are the same.

    >>> winners(tilted(np.array([[0.7, 0.3]]), 0.2))
    array([1])
    """
    if threshold is None:
        return totals
    # classes beyond the two are such as the ensemble does not know
    return np.asarray(
        totals * np.array([2 * threshold, 2 * (1 - threshold), *[1.0] * (totals.shape[-1] - 2)])
    )


def top_shares(totals: Array, threshold: float | None = None) -> Array:
    """Return, as (n,), the share of all weight behind the answer, by which a vote may decline.

    With a threshold it is the share by the tilted totals: one half at the threshold, where the answer turns.

    >>> top_shares(np.array([[0.3, 0.6]])), top_shares(np.array([[0.8, 0.2]]), 0.2).round(3)
    (array([0.6]), array([0.5]))
    """
    if threshold is None:
        return np.asarray(totals.max(axis=-1))
    found = tilted(totals, threshold)
    whole = found.sum(axis=-1)
    return np.where(
        whole > 0, found.max(axis=-1) / np.where(whole > 0, whole, 1.0) * totals.sum(axis=-1), 0.0
    )


def losses_of(totals: Array, labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return, as (…, n), False only where the true class leads every other by more than `TIE`; totals (…, n, C).

    >>> losses_of(np.array([[0.5, 0.5], [0.4, 0.6]]), np.array([0, 1]))
    array([ True, False])
    """
    return np.asarray(margins_of(totals, labels) <= TIE)


def margins_of(totals: Array, labels: NDArray[np.int64]) -> Array:
    """Return, as (…, n), the true class's total less the largest other one."""
    places = np.arange(labels.size)
    right = totals[..., places, labels]
    others = totals.copy()
    others[..., places, labels] = -np.inf
    return np.asarray(right - others.max(axis=-1))


def vote_totals(votes: NDArray[Any], weights: Array, classes: int) -> Array:
    """Return, as (n, C), the weight of the votes for each class; with weights (K, M) a table per row, (K, n, C).

    A vote for class C, one beyond the last, is no answer and adds to no class.
    """
    if weights.ndim == 1:
        return np.asarray(vote_totals(votes, weights[None], classes)[0])
    if votes.size and votes.max() >= classes:
        return vote_totals(votes, weights, classes + 1)[..., :classes]
    if classes > MANY_CLASSES:
        return _added_votes(votes, weights, classes)
    if len(weights) == 1 and votes.dtype.kind == "u" and votes.size >= CHUNK:
        rows = np.ascontiguousarray(votes)
        if (compiled := loops(rows)) is not None:
            added = np.zeros((1, votes.shape[1], classes))
            compiled.add_votes(rows, weights[0], added[0])
            return added
    totals = np.empty((len(weights), votes.shape[1], classes))
    for label in range(classes):
        totals[:, :, label] = weights @ (votes == label).astype(np.float64)
    return totals


def _added_votes(votes: NDArray[Any], weights: Array, classes: int) -> Array:
    """The totals (K, n, C), each vote added to the cell of its sample and class."""
    samples = votes.shape[1]
    cells = (votes.astype(np.int64) + np.arange(0, samples * classes, classes)).ravel()  # (M·n,)
    tables = (np.bincount(cells, np.repeat(row, samples), samples * classes) for row in weights)
    if len(weights) == 1:
        return np.asarray(next(tables), dtype=np.float64).reshape(1, samples, classes)
    totals = np.empty((len(weights), samples, classes))
    for total, table in zip(totals, tables):
        total[:] = table.reshape(samples, classes)
    return totals


def probability_totals(probs: NDArray[Any], weights: Array) -> Array:
    """Return, as (n, C), the weighted mean probabilities; with weights (K, M) a table per row, (K, n, C)."""
    members, samples, classes = probs.shape
    flat = np.asarray(probs, dtype=np.float64).reshape(members, samples * classes)
    return np.asarray((weights @ flat).reshape(*weights.shape[:-1], samples, classes))


def walk_totals(predictions: Predictions, weights: Array, vote: str) -> Iterator[tuple[Block, Array]]:
    """Yield blocks with their class totals; members without weight are never read. Weights (M,) or (K, M)."""
    require_joint_vote(predictions, vote)
    used = np.flatnonzero(weights.reshape(-1, predictions.members).any(axis=0))
    picked, rho = predictions.pick(used), weights[..., used]
    # totals are (K, b, C): with many classes fewer samples at a time
    step = max(1, min(8192, PIECE // (predictions.classes * max(1, weights.size // predictions.members))))
    if vote == "average" and weights.ndim == 1:
        yield from _averaged(picked, rho, max(64, min(step, CHUNK // 8 // predictions.classes)))
    elif vote == "average":
        for block in picked.blocks(step):
            assert block.probs is not None
            yield block, probability_totals(block.probs, rho)
    else:
        for block in picked.vote_blocks(step):
            yield block, vote_totals(block.votes, rho, predictions.classes)


def _averaged(picked: Predictions, rho: Array, step: int) -> Iterator[tuple[Block, Array]]:
    """Yield blocks (without probabilities) with their mean probabilities, added up member by member in threads."""

    def add(piece: tuple[Block, Shard, int, int]) -> tuple[Block, Array]:
        block, shard, start, stop = piece
        totals = np.zeros((stop - start, shard.width))
        for index, weight in enumerate(rho):
            _add_weighted(shard.member(index, start, stop), float(weight), totals, shard.size)
        if shard.kind == "binary":
            # each member adds weight · (1 - p) to class 0: the weights less what class 1 has
            totals = np.concatenate([rho.sum() - totals, totals], axis=1)
        shard.release()
        return block, totals

    large = any(shard.large for shard in picked.shards)
    yield from in_threads(add, picked.pieces(step), large=large)


def _add_weighted(stored: NDArray[Any], weight: float, totals: Array, values: int) -> None:
    """Add weight · probabilities, cut at 1, to the totals (b, C)."""
    compiled = loops(stored, values=values)
    if compiled is not None and stored.dtype.kind == "f":
        compiled.add_weighted(stored.reshape(-1), weight, totals.reshape(-1))
        return
    wide = np.minimum(stored.astype(np.float64), 1.0)
    wide *= weight
    totals += wide.reshape(totals.shape)


def default_vote(*parts: Holdout | None) -> str:
    """Return the vote where none was asked for: average where all members gave probabilities, else majority.

    >>> default_vote(Predictions.from_arrays(probs=[[0.2, 0.9]])), default_vote(Predictions.from_arrays(votes=[[0, 1]]))
    ('average', 'majority')
    """
    given = [part for part in parts if part is not None]
    return (
        "average" if all(isinstance(part, Predictions) and part.has_probs for part in given) else "majority"
    )


def require_kind(predictions: Holdout, vote: str) -> None:
    """Raise unless those predictions are of the kind that the vote needs."""
    if require_choice("vote", vote, VOTES) == "majority":
        return
    if isinstance(predictions, Counted):
        raise InputError("vote: 'average' needs probabilities, and counts are of votes; use 'majority'")
    if not predictions.has_probs:
        raise InputError("vote: 'average' needs probabilities, these predictions hold votes; use 'majority'")


def require_joint_vote(predictions: Predictions, vote: str) -> None:
    """Raise unless that vote can be taken of those predictions by all members together."""
    require_kind(predictions, vote)
    if not predictions.shared:
        raise InputError(
            "mask: members have hold-out samples of their own, so they cannot vote together on them; "
            "give predictions of all members on the same samples"
        )


def require_threshold(threshold: float | None, classes: int) -> float | None:
    """Return the threshold, if a vote on so many classes can have it."""
    if threshold is None:
        return None
    if classes != 2:
        raise InputError(f"threshold: is for two classes, these predictions have {classes}; leave it out")
    if not LEAST_THRESHOLD <= float(threshold) <= 1 - LEAST_THRESHOLD:
        raise InputError(
            f"threshold: must lie strictly between 0 and 1 (from {LEAST_THRESHOLD:g} to 1 - {LEAST_THRESHOLD:g}), "
            f"got {threshold:g}"
        )
    return float(threshold)


def certified_losses(
    predictions: Predictions, weights: ArrayLike, vote: str = "majority", threshold: float | None = None
) -> NDArray[np.bool_]:
    """Return, as (n,), True where the deployed vote errs or ties.

    >>> three = Predictions.from_arrays(votes=[[0, 1], [0, 0]], labels=[0, 1])
    >>> certified_losses(three, [0.5, 0.5])
    array([False,  True])
    """
    if predictions.labels is None:
        raise InputError("labels: losses cannot be measured without them; give the hold-out's classes")
    losses = np.empty(predictions.samples, dtype=bool)
    for block, totals in walk_totals(predictions, np.asarray(weights, dtype=np.float64), vote):
        assert block.labels is not None
        losses[block.start : block.start + totals.shape[-2]] = losses_of(
            tilted(totals, threshold), block.labels
        )
    return losses


def vote_scores(predictions: Predictions, weights: ArrayLike, vote: str = "majority") -> Array:
    """Return, as (n,), how doubtful the vote is: 1 less the largest total, in [0, 1]; needs no labels.

    >>> vote_scores(Predictions.from_arrays(votes=[[0, 1], [0, 0]]), [0.75, 0.25])
    array([0.  , 0.25])
    """
    found = np.empty(predictions.samples)
    for block, totals in walk_totals(predictions, np.asarray(weights, dtype=np.float64), vote):
        found[block.start : block.start + len(totals)] = 1.0 - totals.max(axis=-1)
    return np.clip(np.rint(found / SCORE_STEP) * SCORE_STEP, 0.0, 1.0)


def ensemble_probabilities(predictions: Predictions, weights: ArrayLike, vote: str = "majority") -> Array:
    """Return, as (n, C), the weighted mean probabilities; for the majority vote the weight of the votes for each class.

    >>> two = Predictions.from_arrays(votes=[[0, 1], [0, 0]])
    >>> ensemble_probabilities(two, [0.75, 0.25])
    array([[1.  , 0.  ],
           [0.25, 0.75]])
    """
    found = np.empty((predictions.samples, predictions.classes))
    for block, totals in walk_totals(predictions, np.asarray(weights, dtype=np.float64), vote):
        found[block.start : block.start + len(totals)] = totals
    return found


def deployed_classes(
    predictions: Predictions, weights: ArrayLike, vote: str = "majority", threshold: float | None = None
) -> NDArray[np.int64]:
    """Return, as (n,), the classes that the deployed vote gives.

    >>> deployed_classes(Predictions.from_arrays(votes=[[0, 1], [1, 2]]), [0.5, 0.5])
    array([0, 1])
    """
    found = np.empty(predictions.samples, dtype=np.int64)
    for block, totals in walk_totals(predictions, np.asarray(weights, dtype=np.float64), vote):
        found[block.start : block.start + len(totals)] = winners(tilted(totals, threshold))
    return found
