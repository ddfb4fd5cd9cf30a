"""Scores of many weighted ensembles at once: one product a block of samples, sums that add up over blocks.

Definitions are those of `records.DEFINITIONS`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from comitia._predictions import Block, Predictions
from comitia._votes import probability_totals, vote_totals, winners

BINS = 15
SMALLEST = 1e-12
# Numbers in a block's product: 32 MB of float64, which stays near the caches.
PRODUCT = 2**22

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Totals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of E ensembles: `correct` (E, n) by sample; the others (E,), None where they are not defined."""

    correct: NDArray[np.bool_]
    nll: Vector | None = None
    brier: Vector | None = None
    ece: Vector | None = None
    auroc: Vector | None = None


def score(predictions: Predictions, weights: Matrix, vote: str) -> Scores:
    """The scores of the ensembles with those weights (E, M); probabilistic ones for the average vote alone.

    >>> pack = Predictions.from_arrays(probs=[[0.9, 0.4], [0.7, 0.8]], labels=[1, 1])
    >>> found = score(pack, np.array([[1.0, 0.0], [0.5, 0.5]]), "average")
    >>> found.correct.tolist(), found.nll.round(4).tolist()
    ([[True, False], [True, True]], [0.5108, 0.367])
    """
    correct = np.empty((len(weights), predictions.samples), dtype=np.bool_)
    tally = Tally.empty(len(weights), predictions) if vote == "average" else None
    step = max(1, PRODUCT // (len(weights) * predictions.classes))
    for block in predictions.blocks(step) if vote == "average" else predictions.vote_blocks(step):
        assert block.labels is not None
        span = slice(block.start, block.start + len(block.labels))
        totals = _totals(block, weights, predictions.classes)
        right = winners(totals) == block.labels
        correct[:, span] = right
        if tally is not None:
            tally.add(totals, block.labels, right, span)
    return Scores(correct) if tally is None else tally.scores(correct, predictions)


def _totals(block: Block, weights: Matrix, classes: int) -> Totals:
    """(E, b, C) weighted means of the probabilities of the block, or of its votes where it holds no more."""
    if block.probs is None:
        return vote_totals(block.votes, weights, classes)
    return probability_totals(block.probs, weights)


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over samples that the probabilistic scores of E ensembles are made of; blocks are added in place."""

    nll: Vector
    brier: Vector
    confident: Matrix
    right: Matrix
    first: Matrix | None

    @classmethod
    def empty(cls, ensembles: int, predictions: Predictions) -> "Tally":
        """A tally of nothing; the probabilities of class 1 are kept for two classes alone."""
        kept = np.empty((ensembles, predictions.samples)) if predictions.classes == 2 else None
        bins = (ensembles, BINS)
        return cls(np.zeros(ensembles), np.zeros(ensembles), np.zeros(bins), np.zeros(bins), kept)

    def add(self, probs: Totals, labels: NDArray[np.int64], right: NDArray[np.bool_], span: slice) -> None:
        """Add a block: probabilities (E, b, C), labels (b,), who was right (E, b), where the block lies."""
        true = probs[:, np.arange(len(labels)), labels]
        self.nll[:] -= np.log(np.maximum(true, SMALLEST)).sum(axis=1)
        self.brier[:] += np.einsum("ebc,ebc->e", probs, probs) - 2.0 * true.sum(axis=1) + len(labels)
        confidence = probs.max(axis=-1)
        # A mean of probabilities misses the edge of a bin by its last bits; it belongs to the bin all the same.
        cells = np.minimum((confidence * BINS).round(9).astype(np.int64), BINS - 1)
        cells += BINS * np.arange(len(cells))[:, None]
        for sums, values in ((self.confident, confidence), (self.right, right)):
            found = np.bincount(cells.ravel(), values.ravel().astype(np.float64), sums.size)
            sums[:] += found.reshape(sums.shape)
        if self.first is not None:
            self.first[:, span] = probs[..., 1]

    def scores(self, correct: NDArray[np.bool_], predictions: Predictions) -> Scores:
        """The scores of all that was added."""
        n, labels = predictions.samples, predictions.labels
        assert labels is not None
        ece = np.abs(self.right - self.confident).sum(axis=1) / n
        return Scores(correct, self.nll / n, self.brier / n, ece, _auroc(self.first, labels == 1))


def _auroc(scores: Matrix | None, positive: NDArray[np.bool_]) -> Vector | None:
    """(E,) P(score of a positive > score of a negative) + half that of ties; None without both classes."""
    ones = int(positive.sum())
    zeros = len(positive) - ones
    if scores is None or not ones or not zeros:
        return None
    # Means of the same probabilities in another order differ in their last bits; they are tied all the same.
    sums = np.array([rankdata(row.round(12))[positive].sum() for row in scores])
    return np.asarray((sums - ones * (ones + 1) / 2) / (ones * zeros))
