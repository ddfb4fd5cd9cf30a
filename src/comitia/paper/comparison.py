"""Ensembles side by side: the same test samples, the same split, several weightings; scores repeat by repeat."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from comitia._certify import certify
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._weigh import split_samples
from comitia.evaluation.folds import Asked, Fold, half, run_fold
from comitia.paper.contests import Contest, Entry

WEIGHTINGS = ("uniform", "tandem", "likelihood")
VOTES = ("average", "majority")
# Decimals kept: far beyond any meaning, short of what another order of summation could change.
DECIMALS = 10


@dataclass(frozen=True, eq=False)
class Score:
    """What one weighting of one ensemble gave in one repeat (1, 2, ...), both folds averaged.

    `certificate` is the mean of two certified risks of the average vote, one for the weights that each half chose.
    `right` (n,) says whether each test sample was found when it had no part in the weights.
    """

    repeat: int
    right: NDArray[np.bool_] = field(repr=False)
    accuracy: float
    nll: float
    ece: float
    certificate: float
    bound: float
    effective: float
    members: int


@dataclass(frozen=True, eq=False)
class Line:
    """One line of the comparison: an ensemble, a weighting, one score a repeat."""

    entry: Entry
    weights: str
    scores: tuple[Score, ...]

    def values(self, name: str) -> NDArray[np.float64]:
        """One number a repeat."""
        return np.array([getattr(score, name) for score in self.scores], dtype=np.float64)

    def mean(self, name: str) -> float:
        """The mean over the repeats."""
        return round(float(self.values(name).mean()), DECIMALS)

    def spread(self, name: str) -> float | None:
        """The standard deviation (n - 1) over the repeats; None of a single one."""
        found = self.values(name)
        return round(float(found.std(ddof=1)), DECIMALS) if len(found) > 1 else None


def compare(
    contest: Contest,
    packs: Mapping[str, Predictions],
    *,
    weightings: Sequence[str] = WEIGHTINGS,
    seed: int = 0,
    delta: float = 0.05,
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """The lines of a contest from the test predictions of its trainings (by folder), and notes on what is missing.

    Test-time cross-validation, as `evaluate`: one half of the test samples chooses the weights (for the
    majority vote), the other is scored with the average vote; they swap. The split of a repeat is the same for all.
    """
    _check_samples(packs)
    lines: list[Line] = []
    notes: list[str] = []
    for entry in contest.entries:
        pack = packs[entry.folder]
        found: dict[str, list[Score]] = {name: [] for name in weightings}
        for repeat in range(contest.repeats):
            members = _members(pack, entry, repeat)
            if _missing(pack, entry, repeat):
                notes.append(f"{entry.name}, repeat {repeat + 1}: some of its runs are missing")
            if len(members):
                folds = _folds(pack.pick(members), weightings, seed + repeat, delta)
                for place, name in enumerate(weightings):
                    found[name].append(_score(repeat + 1, folds, place, delta))
        lines += [Line(entry, name, tuple(some)) for name, some in found.items() if some]
    return tuple(lines), tuple(notes)


def _check_samples(packs: Mapping[str, Predictions]) -> None:
    first = next(iter(packs.values()))
    for name, pack in packs.items():
        if pack.labels is None or first.labels is None or not np.array_equal(pack.labels, first.labels):
            raise InputError(f"ensemble {name}: its test samples must be those of the others; labels differ")


def _members(pack: Predictions, entry: Entry, repeat: int) -> NDArray[np.int64]:
    """The positions of the members of one repeat; of their runs the last states alone where the entry says so."""
    assert pack.run is not None
    chosen = np.isin(pack.run, list(entry.runs(repeat)))
    if entry.last_of is not None:
        chosen &= np.isin(np.arange(pack.members), pack.last())
    return np.flatnonzero(chosen)


def _missing(pack: Predictions, entry: Entry, repeat: int) -> bool:
    assert pack.run is not None
    return not set(entry.runs(repeat)) <= set(pack.run.tolist())


def _folds(pack: Predictions, weightings: Sequence[str], seed: int, delta: float) -> tuple[Fold, Fold]:
    """Both folds of an ensemble, weighed in each of those ways."""
    asked = [Asked(tuple(range(pack.members)), name) for name in weightings]
    one, other = (half(pack, part, VOTES) for part in split_samples(pack.samples, 0.5, seed))
    return run_fold(one, other, asked, VOTES, delta, seed), run_fold(other, one, asked, VOTES, delta, seed)


def _score(repeat: int, folds: Sequence[Fold], place: int, delta: float) -> Score:
    """The score of the weighting that lies at that place of the folds."""
    scores = [fold.scores["average"] for fold in folds]
    right = np.empty(sum(len(fold.scoring.samples) for fold in folds), dtype=np.bool_)
    for fold, found in zip(folds, scores):
        right[fold.scoring.samples] = found.correct[place]
    return Score(
        repeat=repeat,
        right=right,
        accuracy=_mean(found.correct[place].mean() for found in scores),
        nll=_mean(found.nll[place] for found in scores if found.nll is not None),
        ece=_mean(found.ece[place] for found in scores if found.ece is not None),
        certificate=_mean(_certified(fold, place, delta) for fold in folds),
        bound=_mean(fold.bounds["majority"][place] for fold in folds),
        effective=_mean(fold.effective[place] for fold in folds),
        members=folds[0].weights.shape[1],
    )


def _certified(fold: Fold, place: int, delta: float) -> float:
    """The risk certified for the average vote by the half that did not choose the weights: to it, they are given."""
    kept = fold.scoring
    rho = fold.weights[place]
    measured = kept.statistics["average"]
    return certify(
        kept.predictions, rho, vote="average", delta=delta, chosen_on="nothing", statistics=measured
    ).best.risk


def _mean(values: Iterable[float]) -> float:
    return round(float(np.mean(list(values))), DECIMALS)
