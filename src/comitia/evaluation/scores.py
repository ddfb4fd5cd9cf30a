"""Scores of many weighted ensembles at once: one matrix product per block of samples and class."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Block, Predictions
from comitia._votes import TIE

BINS = 15
SMALLEST = 1e-12
# Numbers (ensembles × samples) per product: 8 MB of float64. Blocks of other sizes change the last bits of sums.
PRODUCT = 2**20
#: What every number of an evaluation means, as its record says it.
DEFINITIONS = {
    "size": "number of training runs drawn without replacement (members without a run are runs of their own), or "
    "trained by themselves for that size (settings.grouped, an epoch budget)",
    "members": "last: the last state of each drawn run; all: all its states",
    "protocol": "samples are halved once; one half chooses the weights and yields the bound, the other is "
    "scored; then they swap, and the two are averaged",
    "weights": "first-order, tandem and all other weights are chosen for the majority vote (0/1 losses) and used "
    "for both votes, as in the paper",
    "accuracy": "share of samples whose class is found; ties go to the lowest class; no answer, of a member or of all "
    "members of an ensemble, is not right",
    "sd": "standard deviation (n - 1) over the draws; none of a single draw",
    "sd_population": "the authors' standard deviation, dividing by the number of draws (n) instead of n - 1",
    "probability": "weighted mean over the members that answer; one over the number of classes where nobody does",
    "nll": "mean of -ln(probability of the true class), probabilities not below 1e-12; average vote only",
    "brier": "mean over samples of the sum over classes of (probability - truth)^2; average vote only",
    "ece": "expected calibration error: 15 bins of equal width of the largest probability, the mean over samples "
    "of |accuracy - confidence| of the bin; average vote only",
    "auroc": "area under the ROC curve of the probability of class 1, ties count one half; average vote, two "
    "classes only",
    "bound": "tandem-kl bound on the risk at delta, from the half that chose the weights: of 0/1 losses for the "
    "majority vote, of margin losses for the average vote",
    "effective": "effective number of members, 1 / (sum of squared weights)",
    "single_best": "accuracy of the member that is best on the weighing half, on the other half; among all states "
    "where they are evaluated, else among the last ones",
    "accuracy_max": "of the best single member, the authors' definition: the largest accuracy of a member on the "
    "scoring half itself, chosen with hindsight, averaged over the folds; among the same members as single_best",
    "diversity": "the authors' measure: share of the classes that get at least one vote from a member with positive "
    "weight, averaged over samples; the same for both votes and whatever the sizes of the weights",
    "half_width": "half of the 95% interval of a difference: square root of 4 (variance over samples of the mean of "
    "the draws + 2 / samples) / samples + t^2 (variance over draws / draws), with Student's t for so few draws; "
    "2 / samples stands for one more sample on which each side alone is right, so that the interval of ensembles that "
    "agree on every sample is not 0; where samples are grouped, groups take the place of samples",
}

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
# Classes per word of the bit sets that `diversity` counts in.
WORD = 64


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of E ensembles: `correct` (E, n) by sample; the others (E,), None where they are not defined."""

    correct: NDArray[np.bool_]
    nll: Vector | None = None
    brier: Vector | None = None
    ece: Vector | None = None
    auroc: Vector | None = None


def score(predictions: Predictions, weights: Matrix, vote: str) -> Scores:
    """Return the scores of the ensembles with those weights (E, M); probabilistic ones for the average vote alone.

    >>> pack = Predictions.from_arrays(probs=[[0.9, 0.4], [0.7, 0.8]], labels=[1, 1])
    >>> found = score(pack, np.array([[1.0, 0.0], [0.5, 0.5]]), "average")
    >>> found.correct.tolist(), found.nll.round(4).tolist()
    ([[True, False], [True, True]], [0.5108, 0.367])
    """
    correct = np.empty((len(weights), predictions.samples), dtype=np.bool_)
    tally = Tally.empty(len(weights), predictions) if vote == "average" else None
    step = max(1, PRODUCT // len(weights))
    for block in predictions.blocks(step) if vote == "average" else predictions.vote_blocks(step):
        votes = _vote(block, weights, predictions.classes)
        correct[:, votes.samples] = votes.right
        if tally is not None:
            tally.add(votes)
    return Scores(correct) if tally is None else tally.scores(correct, predictions)


@dataclass(frozen=True, eq=False)
class _Votes:
    """What E ensembles say of b samples, which are sorted by their true class.

    `samples` (b,) are their positions; `true`, `largest` and `right` are (E, b): the probability of the true class, the
    largest one, whether the vote is right; `last` (E, b) is that of the last class, `squares` (E,) the sum of all
    probabilities squared.
    """

    samples: NDArray[np.int64]
    true: Matrix
    largest: Matrix
    right: NDArray[np.bool_]
    last: Matrix
    squares: Vector


def _vote(block: Block, weights: Matrix, classes: int) -> _Votes:
    """Take the votes of a block class by class.

    A vote is right if the total of the true class is within `TIE` of the largest one and no class below it is, and
    somebody answers.
    """
    assert block.labels is not None
    order = np.argsort(block.labels, kind="stable")
    ends = np.searchsorted(block.labels[order], np.arange(classes + 1))
    shape, answering = (len(weights), len(order)), _answering(block, weights, order, classes)
    true, below, largest = np.empty(shape), np.empty(shape), np.full(shape, -np.inf)
    squares, totals = np.zeros(len(weights)), np.empty(shape)
    for label, values in enumerate(_by_class(block, order, classes)):
        np.matmul(weights, values, out=totals)
        own = slice(ends[label], ends[label + 1])
        true[:, own], below[:, own] = totals[:, own], largest[:, own]
        np.maximum(largest, totals, out=largest)
        if block.probs is not None:
            shares = totals if answering is None else _shares(totals, answering, classes)
            squares += np.einsum("eb,eb->e", shares, shares)
    tied = largest - TIE
    right = (true >= tied) & (below < tied)
    if answering is None:
        return _Votes(block.start + order, true, largest, right, totals, squares)
    right &= largest > TIE
    true, largest, last = (_shares(some, answering, classes) for some in (true, largest, totals))
    return _Votes(block.start + order, true, largest, right, last, squares)


def _answering(block: Block, weights: Matrix, order: NDArray[np.int64], classes: int) -> Matrix | None:
    """Return (E, b) the weight of the members that answer; None where all do."""
    silent = block.votes[:, order] == classes
    return weights @ (~silent).astype(np.float64) if silent.any() else None


def _shares(totals: Matrix, answering: Matrix, classes: int) -> Matrix:
    """Return (E, b) the totals over the weight of those who answer; 1/C where nobody does."""
    found = np.full(totals.shape, 1.0 / classes)
    np.divide(totals, answering, out=found, where=answering > TIE)
    return found


def _by_class(block: Block, order: NDArray[np.int64], classes: int) -> Iterator[Matrix]:
    """Yield (M, b) what each member gives to each class: its probability, or 1 for the class it votes for."""
    if block.probs is not None:
        yield from np.ascontiguousarray(block.probs[:, order].transpose(2, 0, 1))  # (C, M, b)
        return
    votes = block.votes[:, order]
    for label in range(classes):
        yield (votes == label).astype(np.float64)


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
        """Return a tally of nothing; the probabilities of class 1 are kept for two classes alone."""
        kept = np.empty((ensembles, predictions.samples)) if predictions.classes == 2 else None
        bins = (ensembles, BINS)
        return cls(np.zeros(ensembles), np.zeros(ensembles), np.zeros(bins), np.zeros(bins), kept)

    def add(self, votes: _Votes) -> None:
        """Add the votes of a block."""
        self.nll[:] -= np.log(np.maximum(votes.true, SMALLEST)).sum(axis=1)
        self.brier[:] += votes.squares - 2.0 * votes.true.sum(axis=1) + len(votes.samples)
        # A mean of probabilities misses the edge of a bin by its last bits; it belongs to the bin all the same.
        cells = np.minimum((votes.largest * BINS).round(9).astype(np.int64), BINS - 1)
        cells += BINS * np.arange(len(cells))[:, None]
        for sums, values in ((self.confident, votes.largest), (self.right, votes.right)):
            found = np.bincount(cells.ravel(), values.ravel(), sums.size)
            sums[:] += found.reshape(sums.shape)
        if self.first is not None:
            self.first[:, votes.samples] = votes.last

    def scores(self, correct: NDArray[np.bool_], predictions: Predictions) -> Scores:
        """Return the scores of all that was added."""
        n, labels = predictions.samples, predictions.labels
        assert labels is not None
        ece = np.abs(self.right - self.confident).sum(axis=1) / n
        return Scores(correct, self.nll / n, self.brier / n, ece, _auroc(self.first, labels == 1))


def _auroc(scores: Matrix | None, positive: NDArray[np.bool_]) -> Vector | None:
    """Return (E,) P(score of a positive > score of a negative) + half that of ties; None without both classes."""
    if scores is None or positive.all() or not positive.any():
        return None
    # Means of the same probabilities in another order differ in their last bits; they are tied all the same.
    return np.array([_area(row[positive], row[~positive]) for row in scores.round(12)])


def _area(positives: Vector, negatives: Vector) -> float:
    ordered = np.sort(negatives)
    below, upto = (np.searchsorted(ordered, np.sort(positives), side) for side in ("left", "right"))
    return float((below.sum() + upto.sum()) / (2 * len(positives) * len(negatives)))


def diversity(predictions: Predictions, chosen: NDArray[np.bool_]) -> Vector:
    """Return (E,) shares of the classes that get a vote from one of the chosen (E, M) members, mean over samples.

    >>> pack = Predictions.from_arrays(votes=[[0, 1], [0, 2], [1, 2]], labels=[0, 3])
    >>> diversity(pack, np.array([[True, False, False], [True, True, True]])).tolist()
    [0.25, 0.5]
    """
    sets, place = np.unique(chosen, axis=0, return_inverse=True)
    voted = np.zeros(len(sets), dtype=np.int64)
    for block in predictions.vote_blocks(PRODUCT // WORD):
        for low in range(0, predictions.classes, WORD):
            bits = _bits(block.votes, low, predictions.classes)
            voted += [int(np.bitwise_count(np.bitwise_or.reduce(bits[own])).sum()) for own in sets]
    shares = voted / (predictions.samples * predictions.classes)
    return np.asarray(shares[place.ravel()])


def _bits(votes: NDArray[Any], low: int, classes: int) -> NDArray[Any]:
    """Return (M, b) sets of one class each: bit k stands for class low + k, no bit for classes below or beyond."""
    places = votes.astype(np.int64) - low
    inside = (places >= 0) & (places < min(WORD, classes - low))  # one beyond the last class is no answer
    width = next(width for width in (8, 16, 32, 64) if min(classes - low, WORD) <= width)
    bits = np.where(inside, np.uint64(1) << np.where(inside, places, 0).astype(np.uint64), np.uint64(0))
    return np.asarray(bits.astype(f"u{width // 8}"))
