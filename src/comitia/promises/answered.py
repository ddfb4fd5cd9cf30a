"""What the deployed vote does on each sample: its answer, its certified loss, the share behind it, and its cost."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._predictions import Predictions
from comitia._votes import TIE, losses_of, tilted, top_shares, walk_totals, winners


@dataclass(frozen=True, eq=False)
class Answered:
    """The deployed vote on n samples.

    Attributes
    ----------
    labels, answers : (n,) true and answered classes; -1 where nobody answers
    losses : (n,) True where it errs or ties, as certificates count
    shares : (n,) of all weight, behind the answer
    costs : (n,) of the answer; of a tie the largest of its answers. None without a matrix
    """

    labels: NDArray[np.int64]
    answers: NDArray[np.int64]
    losses: NDArray[np.bool_]
    shares: NDArray[np.float64]
    costs: NDArray[np.float64] | None = None

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return len(self.labels)

    def take(self, samples: NDArray[np.int64]) -> "Answered":
        """Return the same on some of the samples."""
        costs = None if self.costs is None else self.costs[samples]
        return Answered(
            self.labels[samples], self.answers[samples], self.losses[samples], self.shares[samples], costs
        )

    def accepted(self, threshold: float) -> NDArray[np.bool_]:
        """Return, as (n,), where the share reaches the threshold; what is within `TIE` of it does."""
        return np.asarray(self.shares >= threshold - TIE)


def answer(
    predictions: Predictions,
    weights: ArrayLike,
    vote: str,
    threshold: float | None = None,
    costs: NDArray[np.float64] | None = None,
) -> Answered:
    """Return what the vote does on all samples; `costs` (C, C + 1) by true class and answer, the last one none.

    >>> two = Predictions.from_arrays(votes=[[0, 1], [0, 0]], labels=[0, 1])
    >>> answer(two, [0.5, 0.5], "majority").losses
    array([False,  True])
    """
    assert predictions.labels is not None
    n = predictions.samples
    answers, losses, shares = np.empty(n, np.int64), np.empty(n, bool), np.empty(n)
    paid = None if costs is None else np.empty(n)
    for block, totals in walk_totals(predictions, np.asarray(weights, dtype=np.float64), vote):
        assert block.labels is not None
        here, final = slice(block.start, block.start + len(totals)), tilted(totals, threshold)
        answers[here], losses[here] = winners(final), losses_of(final, block.labels)
        shares[here] = top_shares(totals, threshold)
        if paid is not None and costs is not None:
            paid[here] = _paid(final, block.labels, costs)
    return Answered(predictions.labels, answers, losses, shares, paid)


def _paid(
    totals: NDArray[np.float64], labels: NDArray[np.int64], costs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The largest cost among tied answers, so that no rounding of a tie can cost more; that of no answer for none."""
    largest = totals.max(axis=1, keepdims=True)
    tied = totals >= largest - TIE
    rows = costs[labels]  # (n, C + 1)
    found = np.where(tied, rows[:, :-1], -np.inf).max(axis=1)
    return np.where(largest[:, 0] > TIE, found, rows[:, -1])
