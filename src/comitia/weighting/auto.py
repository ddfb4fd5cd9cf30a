"""`auto`: `blend`, unless cross-validation inside the evidence shows another method to be clearly better.

Only the winner ever meets samples that certify, so nothing is to be paid for the choice.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._split import random_folds
from comitia._votes import TIE, margins_of, walk_totals
from comitia.weighting.best import best
from comitia.weighting.blend import blend
from comitia.weighting.cantelli import cantelli
from comitia.weighting.disagreement import disagreement
from comitia.weighting.evidence import Evidence, Weighting, require_joint
from comitia.weighting.first_order import first_order
from comitia.weighting.folds import restricted, spread, with_statistics, without
from comitia.weighting.greedy import greedy
from comitia.weighting.likelihood import likelihood
from comitia.weighting.tandem import tandem
from comitia.weighting.uniform import uniform

Array = NDArray[np.float64]
Method = Callable[[Evidence], Weighting]

FOLDS = 5
# What the best of eleven candidates that are no better than blend exceeds by chance in one of twenty cases: the normal
# quantile of 1 - .05/11. To take the best of all instead cost .004 to .008 of error on eight real ensembles.
CLEAR = 2.6
# On real ensembles (two packs, 1,000 and 3,000 samples, both votes, 12 draws each) breaking near-ties by a smooth
# loss, a sigmoid of the margin, removed a quarter of the excess risk of plain cross-validated errors.
NEAR, WIDTH = 0.5, 0.1


@dataclass(frozen=True)
class Candidate:
    """A method under a name, on all members or on some, with the loss of the vote or with 0/1 errors."""

    name: str
    method: Method
    members: NDArray[np.int64] | None = None
    hard: bool = False

    def weigh(self, evidence: Evidence) -> Weighting:
        """Return the method's weighting of all members, zero for those left out."""
        part = replace(evidence, prior=None) if self.method in WITHOUT_PRIOR else evidence
        part = replace(part, vote="majority") if self.hard else part
        if self.members is None:
            return self.method(part)
        return spread(self.method(restricted(part, self.members)), self.members, evidence.sampled.members)


WITHOUT_PRIOR: tuple[Method, ...] = (uniform, best, greedy)


def auto(evidence: Evidence) -> Weighting:
    """Return the blend, or the weighting of another kind if its cross-validated certified loss is clearly lower.

    Five folds, drawn from `random_state`, groups whole; `winner` says what is clear, and how near-ties are broken.
    Candidates: blend; uniform and tandem over the last state of each run where runs and steps are known; every method
    over all members; for the average vote also tandem weights from 0/1 errors. Members of prior zero take no part;
    methods that know no prior treat the others alike.

    >>> from comitia._predictions import Predictions
    >>> votes = [[0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 0]]
    >>> auto(Evidence(Predictions.from_arrays(votes=votes, labels=[0, 1, 0, 1, 0, 1]))).chosen
    'blend'
    """
    require_joint(evidence, "auto")
    if evidence.sampled.units < 2:
        what = "samples" if evidence.sampled.groups is None else "groups"
        raise InputError(f"method: 'auto' needs 2 {what} or more to compare methods, got 1; use uniform")
    inside = np.flatnonzero(evidence.pi > 0)
    ready = with_statistics(restricted(evidence, inside))
    candidates = candidates_for(ready)
    chosen = (
        candidates[winner(*_cross_validated(ready, candidates))] if len(candidates) > 1 else candidates[0]
    )
    found = spread(chosen.weigh(ready), inside, evidence.sampled.members)
    return replace(found, method="auto", chosen=chosen.name, samples=evidence.sampled.samples)


def candidates_for(evidence: Evidence) -> list[Candidate]:
    """Return the candidates that make sense for that evidence: blend, then the simplest first."""
    predictions = evidence.sampled
    last = predictions.last()
    if predictions.members == 1:
        return [Candidate("uniform", uniform)]
    some = last.size < predictions.members
    listed = [
        Candidate("blend", blend),
        Candidate("uniform-last", uniform, last) if some else None,
        Candidate("uniform", uniform),
        Candidate("best", best),
        Candidate("tandem-last", tandem, last) if some and last.size > 1 else None,
        Candidate("tandem", tandem),
        Candidate("tandem-hard", tandem, hard=True) if evidence.vote == "average" else None,
        Candidate("first-order", first_order),
        Candidate("cantelli", cantelli),
        Candidate("disagreement", disagreement) if predictions.classes == 2 else None,
        Candidate("greedy", greedy),
        Candidate("likelihood", likelihood) if predictions.has_probs else None,
    ]
    return [candidate for candidate in listed if candidate is not None]


def _cross_validated(
    evidence: Evidence, candidates: list[Candidate]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(K, n) the certified losses of each candidate fitted without the sample, and (K,) mean smoothed losses."""
    samples, groups = evidence.sampled.samples, evidence.sampled.groups
    lost, smooth = np.zeros((len(candidates), samples), dtype=bool), np.zeros(len(candidates))
    for held in random_folds(samples, FOLDS, evidence.random_state, groups):
        fitted = without(evidence, held)
        weights = np.stack([candidate.weigh(fitted).weights for candidate in candidates])
        for block, totals in walk_totals(evidence.sampled.take(held), weights, evidence.vote):
            assert block.labels is not None
            margins = margins_of(totals, block.labels)
            lost[:, held[block.start : block.start + block.labels.size]] = margins <= TIE
            smooth += (1.0 / (1.0 + np.exp(margins / WIDTH))).sum(axis=1)
    return lost, smooth / samples


def winner(lost: NDArray[np.bool_], smooth: NDArray[np.float64]) -> int:
    """Return the first candidate, unless others err less by more than `CLEAR` standard deviations.

    Of those, take the ones that err more often by at most `NEAR` standard deviations than the one that errs least, and
    return the one with the lowest smoothed loss; of equal ones the first. A standard deviation is the square root of
    the number of samples on which two candidates differ.

    >>> lost = np.zeros((3, 40), dtype=bool)
    >>> lost[0, :10] = lost[1, :4] = True
    >>> winner(lost[:2], np.zeros(2)), winner(lost, np.zeros(3))
    (0, 2)
    """
    errors = lost.sum(axis=1)
    clear = errors[0] - errors > CLEAR * np.sqrt((lost != lost[0]).sum(axis=1))
    if not clear.any():
        return 0
    lowest = int(np.argmin(np.where(clear, errors, lost.shape[1] + 1)))
    near = errors - errors[lowest] <= NEAR * np.sqrt((lost != lost[lowest]).sum(axis=1))
    return int(np.argmin(np.where(clear & near, np.round(smooth, 9), np.inf)))
