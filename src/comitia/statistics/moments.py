"""First and second moments of the members' losses: all that the bounds know of an ensemble."""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_choice
from comitia._predictions import Predictions
from comitia._shards import freeze
from comitia.statistics.counted import Counted, Holdout
from comitia.statistics.counts import Counts, count
from comitia.statistics.soft import Sums, shares_of_groups, sum_losses, sum_losses_with_part

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Statistics:
    """Empirical losses of members and pairs, of one kind of loss.

    Attributes
    ----------
    loss : "hard" (0/1 errors, majority vote; no answer counts one half) or "soft" (margin losses, average vote)
    first : (M,) L_i, mean loss of member i on D_i
    second : (M, M) T_ij, mean of e_i·e_j on D_i ∩ D_j
    disagreement : (M, M) share of D_i ∩ D_j on which the classes differ; None for soft losses
    pair_first : (M, M) mean loss of i on D_i ∩ D_j; None where all share the hold-out (it is L_i)
    first_samples, pair_samples : min_i |D_i| and min_ij |D_i ∩ D_j|, the n of first and second order bounds; the
        number of groups where samples are grouped: losses are then averaged within groups first
    shared : whether all members share one hold-out
    member_samples, overlaps : |D_i| (M,) and |D_i ∩ D_j| (M, M) where the hold-outs differ
    counted : whether all sums are whole numbers: 0/1 errors of samples that count alike

    >>> import numpy as np
    >>> half = np.array([0.5, 0.5])
    >>> s = measure(Predictions.from_arrays(votes=[[0, 1, 1, 0], [0, 0, 1, 1]], labels=[0, 1, 1, 1]))
    >>> s.gibbs(half), s.tandem(half), s.disagreement_of(half), s.moment(half)
    (0.25, 0.125, 0.25, 0.5)
    """

    loss: str
    first: Vector
    second: Matrix
    disagreement: Matrix | None
    pair_first: Matrix | None
    first_samples: int
    pair_samples: int
    shared: bool
    member_samples: NDArray[np.int64] | None = None
    overlaps: NDArray[np.int64] | None = None
    counted: bool = False

    def __post_init__(self) -> None:
        freeze(*(getattr(self, entry.name) for entry in fields(self)))

    def gibbs(self, rho: Vector) -> float:
        """Return E_ρ[L(h)]."""
        return float(self.first @ rho)

    def tandem(self, rho: Vector) -> float:
        """Return E_ρ²[L(h, h′)]."""
        return float(rho @ self.second @ rho)

    def disagreement_of(self, rho: Vector) -> float | None:
        """Return E_ρ²[h ≠ h′]; None for soft losses."""
        return None if self.disagreement is None else float(rho @ self.disagreement @ rho)

    def moment(self, rho: Vector) -> float:
        """Return E_ρ²[3·(e + e′)/2 − 2·e·e′], each pair on its own common samples."""
        if self.pair_first is None:
            return 3.0 * self.gibbs(rho) - 2.0 * self.tandem(rho)
        return 3.0 * float(rho @ self.pair_first @ rho) - 2.0 * self.tandem(rho)

    def pick(self, members: NDArray[np.int64]) -> "Statistics":
        """Return the statistics of those members alone."""
        pairs = np.ix_(members, members)
        own = None if self.member_samples is None else self.member_samples[members]
        overlaps = None if self.overlaps is None else self.overlaps[pairs]
        return replace(
            self,
            first=self.first[members],
            second=self.second[pairs],
            disagreement=None if self.disagreement is None else self.disagreement[pairs],
            pair_first=None if self.pair_first is None else self.pair_first[pairs],
            first_samples=self.first_samples if own is None else int(own.min()),
            pair_samples=self.pair_samples if overlaps is None else int(overlaps.min()),
            member_samples=own,
            overlaps=overlaps,
        )


def measure(predictions: Holdout, loss: str = "hard") -> Statistics:
    """Return the statistics of those predictions; a pair without common hold-out samples is an error.

    Of counted ones they are the same to the last digit; soft losses cannot be counted.

    >>> measure(Predictions.from_arrays(probs=[[0.9, 0.4], [0.7, 0.8]], labels=[1, 1]), "soft").first.round(3)
    array([0.35, 0.25])
    """
    require_choice("loss", loss, ("hard", "soft"))
    if isinstance(predictions, Counted):
        if loss == "soft":
            raise InputError("loss: 'soft' needs probabilities, and counts are of votes; use 'hard'")
        return from_counts(predictions.counts, predictions.names)
    if loss == "soft":
        return _from_sums(sum_losses(predictions), predictions)
    if predictions.groups is None:
        return from_counts(count(predictions), predictions.names)
    found = _from_sums(sum_losses(predictions, "hard"), predictions)
    return replace(found, loss="hard", disagreement=_disagreement(predictions))


def measure_with_part(predictions: Predictions, part: NDArray[np.int64]) -> tuple[Statistics, Statistics]:
    """Return the soft statistics of all samples and of a part of them (positions), read once; a shared hold-out.

    >>> pack = Predictions.from_arrays(probs=[[0.9, 0.4], [0.7, 0.8]], labels=[1, 1])
    >>> [found.first.round(3).tolist() for found in measure_with_part(pack, np.array([0]))]
    [[0.35, 0.25], [0.1, 0.3]]
    """
    every, some = sum_losses_with_part(predictions, part)
    return _from_sums(every, predictions), _from_sums(some, predictions.take(part))


def from_counts(counts: Counts, names: tuple[str, ...]) -> Statistics:
    """Return the statistics of 0/1 errors that those counts of members determine; no answer counts one half."""
    common = counts.pair_samples
    _require_overlap(common, names)
    n = int(counts.samples.min())
    pairs = np.float64(n) if common is None else common.astype(np.float64)
    own = None if counts.pair_errors is None else _halves(counts.pair_errors, counts.pair_silences)
    return Statistics(
        "hard",
        _halves(counts.errors, counts.silences) / counts.samples,
        _quarters(counts) / pairs,
        counts.disagreements / pairs,
        None if own is None else own / pairs,
        n,
        n if common is None else int(common.min()),
        common is None,
        None if common is None else counts.samples,
        common,
        counted=counts.co_silences is None,
    )


def _halves(errors: NDArray[np.int64], silences: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Return the sums of losses: an error counts 1, no answer among them one half. Halves are exact."""
    return errors.astype(np.float64) if silences is None else (2 * errors - silences) / 2.0


def _quarters(counts: Counts) -> Matrix:
    """Return the sums of products of losses (M, M)."""
    if counts.co_mistakes is None or counts.co_silences is None:
        return counts.co_errors.astype(np.float64)
    return np.asarray((2 * (counts.co_errors + counts.co_mistakes) - counts.co_silences) / 4.0)


def _disagreement(predictions: Predictions) -> Matrix:
    """Return (M, M) shares of samples on which two members differ, groups alike, no answer being one of its own."""
    shares = shares_of_groups(predictions)
    assert shares is not None
    same = np.zeros((predictions.members, predictions.members))
    for block in predictions.vote_blocks():
        here = shares[block.start : block.start + block.votes.shape[1]]
        for label in range(predictions.classes + predictions.abstains):
            votes = (block.votes == label).astype(np.float64)
            same += (votes * here) @ votes.T
    return np.maximum(1.0 - same / predictions.units, 0.0)


def _from_sums(sums: Sums, predictions: Predictions) -> Statistics:
    common = None if sums.pair_samples is None else sums.pair_samples.astype(np.int64)
    _require_overlap(common, predictions.names)
    n = int(sums.samples.min()) if predictions.groups is None else predictions.units
    pairs = np.float64(n) if sums.pair_samples is None else sums.pair_samples
    return Statistics(
        "soft",
        sums.first / (sums.samples if predictions.groups is None else n),
        sums.second / pairs,
        None,
        None if sums.pair_first is None else sums.pair_first / pairs,
        n,
        n if common is None else int(common.min()),
        common is None,
        None if common is None else sums.samples.astype(np.int64),
        common,
    )


def _require_overlap(common: NDArray[np.int64] | None, names: tuple[str, ...]) -> None:
    if common is None or common.min() > 0:
        return
    alone = np.flatnonzero(common.diagonal() == 0)
    if alone.size:
        raise InputError(f"mask: '{names[alone[0]]}' has no hold-out sample here; leave that member out")
    one, other = (int(index) for index in np.argwhere(common == 0)[0])
    raise InputError(
        f"mask: '{names[one]}' and '{names[other]}' have no hold-out sample in common, so their tandem loss "
        "is unknown; leave one of them out or predict on shared samples"
    )
