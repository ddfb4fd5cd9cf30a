"""Ensembles side by side: the same test samples, the same split, several weightings; scores repeat by repeat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.certification import certify
from quorate.errors import InputError
from quorate.evaluation.folds import Asked, Fold, half, run_fold
from quorate.evaluation.scores import Scores
from quorate.predictions import Predictions
from quorate.reproduction.contests import Contest, Entry
from quorate.weighing import split_samples

WEIGHTINGS = ("uniform", "tandem", "likelihood")
VOTES = ("average", "majority")
# Decimals kept: far beyond any meaning, short of what another order of summation could change.
DECIMALS = 10


@dataclass(frozen=True)
class Score:
    """What one weighting of one ensemble gave in one repeat; `certificate` is a risk, for the average vote."""

    accuracy: float
    nll: float
    ece: float
    certificate: float
    bound: float
    effective: float
    members: int


@dataclass(frozen=True, eq=False)
class Line:
    """One line of the comparison: an ensemble, a weighting, one score a repeat.

    `right` (n,) is the share of the repeats that are right about each test sample.
    """

    entry: Entry
    weights: str
    scores: tuple[Score, ...]
    right: NDArray[np.float64]

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
        found: dict[str, list[tuple[Score, NDArray[np.float64]]]] = {name: [] for name in weightings}
        for repeat in range(contest.repeats):
            members = _members(pack, entry, repeat)
            if _missing(pack, entry, repeat):
                notes.append(f"{entry.name}, repeat {repeat + 1}: some of its runs are missing")
            if len(members):
                scored = _scored(pack.pick(members), weightings, seed + repeat, delta)
                for name, one in zip(weightings, scored, strict=True):
                    found[name].append(one)
        lines += [_line(entry, name, some) for name, some in found.items() if some]
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


def _scored(
    pack: Predictions, weightings: Sequence[str], seed: int, delta: float
) -> list[tuple[Score, NDArray[np.float64]]]:
    """The scores of an ensemble by each weighting, and (n,) whether each sample was found."""
    everyone = tuple(range(pack.members))
    asked = [Asked(everyone, name) for name in weightings]
    first, second = (half(pack, part, VOTES) for part in split_samples(pack.samples, 0.5, seed))
    folds = [
        run_fold(one, other, asked, VOTES, delta, seed) for one, other in ((first, second), (second, first))
    ]
    return [_score(pack, folds, place, name, delta) for place, name in enumerate(weightings)]


def _score(
    pack: Predictions, folds: Sequence[Fold], place: int, weights: str, delta: float
) -> tuple[Score, NDArray[np.float64]]:
    right = np.empty(pack.samples)
    for fold in folds:
        right[fold.scoring.samples] = fold.scores["average"].correct[place]
    score = Score(
        accuracy=_round(np.mean([fold.scores["average"].correct[place].mean() for fold in folds])),
        nll=_round(np.mean([_number(fold.scores["average"], "nll", place) for fold in folds])),
        ece=_round(np.mean([_number(fold.scores["average"], "ece", place) for fold in folds])),
        certificate=_round(np.mean([_certified(pack, fold, place, weights, delta) for fold in folds])),
        bound=_round(np.mean([fold.bounds["majority"][place] for fold in folds])),
        effective=_round(np.mean([fold.effective[place] for fold in folds])),
        members=pack.members,
    )
    return score, right


def _number(scores: Scores, name: str, place: int) -> float:
    return float(getattr(scores, name)[place])


def _certified(pack: Predictions, fold: Fold, place: int, weights: str, delta: float) -> float:
    """The risk that `split` promises for the average vote: the half that did not choose the weights certifies.

    Uniform weights are certified on the same half, so that all certificates have as many samples.
    """
    rho, on = fold.weights[place], "nothing" if weights == "uniform" else "part"
    if on == "nothing":
        return certify(
            pack.take(fold.scoring.samples), rho, vote="average", delta=delta, chosen_on=on
        ).best.risk
    kept = fold.scoring.samples
    return certify(pack, rho, vote="average", delta=delta, chosen_on=on, certifying=kept).best.risk


def _line(entry: Entry, weights: str, found: list[tuple[Score, NDArray[np.float64]]]) -> Line:
    right = np.mean([correct for _, correct in found], axis=0)
    return Line(entry, weights, tuple(score for score, _ in found), right)


def _round(value: float | np.floating) -> float:
    return round(float(value), DECIMALS)
