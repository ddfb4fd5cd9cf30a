"""What members answer, and what the labels are: what warnings about members and classes rest on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions
from comitia.statistics import Counted, Statistics
from comitia.statistics.counted import Holdout


@dataclass(frozen=True, eq=False)
class Answers:
    """What members answer: how often (M,), the share of errors among it, always the same; which classes (C,) at all.

    `labels` (C,) are the samples of each class, `empty` the cells that are not hold-out, `grouped` whether samples are.
    """

    given: NDArray[np.int64]
    errors: NDArray[np.float64]
    constant: NDArray[np.bool_]
    voted: NDArray[np.bool_]
    labels: NDArray[np.int64]
    empty: int
    grouped: bool = False


def answers_of(holdout: Holdout, hard: Statistics) -> Answers:
    """Return what the members answer on those samples, whose statistics are known."""
    return _counted(holdout, hard) if isinstance(holdout, Counted) else _seen(holdout, hard)


def _counted(counted: Counted, hard: Statistics) -> Answers:
    counts = counted.counts
    given, wrong = counted.answers.sum(axis=1), counts.errors - counts.silences
    return Answers(
        given,
        wrong / np.maximum(given, 1) if counted.abstains else hard.first,
        ((counted.answers > 0).sum(axis=1) == 1) & (given > 1),
        np.asarray(counted.answers.any(axis=0)),
        counted.label_counts,
        counted.members * counted.samples - int(counts.samples.sum()),
    )


def _seen(predictions: Predictions, hard: Statistics) -> Answers:
    """Read as many blocks as it takes to see every class and no constant member; all where members abstain."""
    members, none = predictions.members, predictions.classes
    low, high = np.full(members, none), np.zeros(members, np.int64)
    voted, counted = np.zeros(none + 1, bool), np.zeros((2, members), np.int64)
    for block in predictions.vote_blocks():
        votes = block.votes if block.mask is None else np.where(block.mask, block.votes, np.int64(none))
        answered = votes != none
        low = np.minimum(low, votes.min(axis=1))  # no answer is above every class
        high = np.maximum(high, np.where(answered, votes, votes.dtype.type(0)).max(axis=1))
        voted |= np.bincount(votes.ravel(), minlength=none + 1) > 0
        if predictions.abstains:
            counted += answered.sum(axis=1), (answered & (votes != block.labels)).sum(axis=1)
        elif voted[:none].all() and (low < high).all():
            break
    given, errors = counted[0], counted[1] / np.maximum(counted[0], 1)
    if not predictions.abstains:
        own = predictions.samples if hard.member_samples is None else hard.member_samples
        given, errors = np.broadcast_to(np.int64(own), members), hard.first
    mask = predictions.mask()
    assert predictions.labels is not None
    return Answers(
        given,
        errors,
        (low == high) & (given > 1),
        voted[:none],
        np.bincount(predictions.labels, minlength=none),
        0 if mask is None else mask.size - int(np.count_nonzero(mask)),
        predictions.groups is not None,
    )
