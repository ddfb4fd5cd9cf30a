"""Whole files that are copies of each other, in any order: told by votes and labels, where that is no coincidence."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions
from comitia.statistics.counts_of_kinds import log_probability_of_counts

#: Other samples have the same votes and labels, each kind as often, with at most this probability.
COINCIDENCE = 1e-6


def vote_mark(predictions: Predictions) -> str:
    """Return a mark of who answered what on the samples, and of their labels: the same in any order of the samples.

    >>> one = Predictions.from_arrays(votes=[[0, 1, 1]], labels=[0, 0, 1])
    >>> vote_mark(one) == vote_mark(Predictions.from_arrays(votes=[[1, 1, 0]], labels=[1, 0, 0]))
    True
    """
    return f"{int(np.sum(_sample_marks(predictions), dtype=np.uint64)):016x}"


def same_samples(one: Predictions, other: Predictions) -> bool:
    """Return whether two sets of samples with the same mark are the same samples.

    A common id tells. Else the same values in the same order are, and so are equal votes and labels in any order unless
    different samples may well have them: see `log_probability_of_counts`. Ids can be given anew, so different ones tell
    nothing but that votes may be equal in the same order by chance too.
    """
    named = one.ids is not None and other.ids is not None
    if named and np.isin(one.ids, other.ids).any():  # type: ignore[arg-type]
        return True
    if one.has_probs and other.has_probs:
        return _in_order(one) == _in_order(other)  # in another order single samples tell, see `_copies`
    if not np.array_equal(np.sort(_sample_marks(one)), np.sort(_sample_marks(other))):
        return False
    if not named and _in_order(one) == _in_order(other):
        return True
    labels = np.zeros(one.samples, np.int64) if one.labels is None else one.labels
    return log_probability_of_counts(_sample_marks(one), labels) < math.log(COINCIDENCE)


def _in_order(predictions: Predictions) -> str:
    return replace(predictions, groups=None, folds=None).fingerprint()


def _sample_marks(predictions: Predictions) -> NDArray[np.uint64]:
    """Return a mark (n,) per sample: equal where votes, silence and label are equal, else different but by chance."""
    drawn = np.random.default_rng(2).integers(0, 2**64, predictions.members + 1, np.uint64) | np.uint64(1)
    found = np.zeros(predictions.samples, np.uint64)
    for block in predictions.vote_blocks():
        place = slice(block.start, block.start + block.votes.shape[1])
        for index, votes in enumerate(block.votes):
            number = votes.astype(np.uint64) + np.uint64(1)
            seen = number if block.mask is None else number * block.mask[index]
            found[place] += _mixed(seen * drawn[index])
        if block.labels is not None:
            found[place] += _mixed((block.labels.astype(np.uint64) + np.uint64(1)) * drawn[-1])
    return _mixed(found)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all (the finaliser of splitmix64), so that sums of marks tell sets of samples apart."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
