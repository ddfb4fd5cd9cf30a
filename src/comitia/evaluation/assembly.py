"""Folds → the record: rows, differences, facts of members, certificates, notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions
from comitia.evaluation.certifying import certificates
from comitia.evaluation.claims import judge
from comitia.evaluation.declining import declining
from comitia.evaluation.draws import Draw, are_draws, runs_of
from comitia.evaluation.findings import by_unit, half_width, rounded
from comitia.evaluation.folds import Asked, Fold, ask
from comitia.evaluation.notes import LARGEST_MATRIX, notes_on
from comitia.evaluation.records import (
    EARLY_STOPPING,
    Difference,
    Evaluation,
    MemberFacts,
    Row,
    Settings,
    SingleBest,
    TandemCounts,
)
from comitia.evaluation.source import Source
from comitia.statistics import count

Draws = Mapping[int, tuple[Draw, ...]]


@dataclass(frozen=True, eq=False)
class Found:
    """Everything the folds gave, and where each ensemble asked for lies in it."""

    settings: Settings
    draws: Draws
    place: dict[Asked, int]
    folds: Sequence[Fold]
    predictions: Predictions

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return self.predictions.samples

    def places(self, size: int, members: str, method: str) -> list[int]:
        """Return where the ensembles of one row lie, draw by draw."""
        return [self.place[ask(draw, members, method)] for draw in self.draws[size]]

    def by_draw(self, vote: str, places: Sequence[int]) -> NDArray[np.float64]:
        """Return the accuracies, folds averaged."""
        found = [fold.scores[vote].correct[places].mean(axis=1) for fold in self.folds]
        return np.asarray(np.mean(found, axis=0))

    def scores(self, vote: str, places: Sequence[int], name: str) -> NDArray[np.float64] | None:
        """Return that score by draw, folds averaged; None where it is not defined."""
        found = [getattr(fold.scores[vote], name) for fold in self.folds]
        return None if any(s is None for s in found) else np.mean([s[places] for s in found], axis=0)

    def by_sample(self, vote: str, places: Sequence[int]) -> NDArray[np.float64]:
        """Return (n,) the share of the draws that are right about each sample when it had no part in the weights."""
        right = np.empty(self.samples)
        for fold in self.folds:
            right[fold.scoring.samples] = fold.scores[vote].correct[places].mean(axis=0)
        return right


def assemble(
    predictions: Predictions,
    settings: Settings,
    draws: Draws,
    asked: Sequence[Asked],
    singles: Sequence[Asked],
    folds: Sequence[Fold],
    bounds: Sequence[Any] = (),
) -> Evaluation:
    """Return the evaluation's record, with the claims that need no reference worked out."""
    place = {ask: index for index, ask in enumerate(asked)}
    found = Found(settings, draws, place, folds, predictions)
    runs = runs_of(predictions)
    largest = draws[settings.sizes[-1]][0]
    evaluation = Evaluation(
        settings=settings,
        source=_source(predictions, len(runs.last)),
        rows=tuple(_rows(found)),
        single_best=_single_best(predictions, found, singles),
        differences=tuple(_differences(found)),
        members=_facts(predictions, found, largest),
        tandem=_tandem(found, largest),
        certificates=tuple(certificates(predictions, settings, folds[0], largest, place, bounds)),
        declining=tuple(declining(predictions, settings, folds[0], largest, place)),
        notes=notes_on(predictions, settings, draws, len(runs.last)),
        drawn=are_draws(predictions),
    )
    return replace(evaluation, claims=judge(evaluation))


def _source(predictions: Predictions, runs: int) -> Source:
    p = predictions
    silent = p.abstained()
    return Source(
        p.fingerprint(),
        p.samples,
        p.classes,
        p.members,
        runs,
        groups=None if p.groups is None else p.groups.count,
        abstained=0 if silent is None else int(silent.sum()),
        folds=None if p.folds is None else p.folds.count,
    )


def _rows(found: Found) -> list[Row]:
    """Return one row per size, choice of members, weighting and vote, in that order."""
    s = found.settings
    return [
        _row(found, size, members, weights, vote)
        for size in s.sizes
        for members in s.members
        for weights in s.weightings_of(members)
        for vote in s.votes
    ]


def _row(found: Found, size: int, members: str, weights: str, vote: str) -> Row:
    s, places = found.settings, found.places(size, members, weights)
    accuracies = found.by_draw(vote, places)
    given = [fold.bounds[vote][places] for fold in found.folds if fold.bounds]
    bounds = np.mean(given, axis=0) if given else None
    nlls, briers, eces, aurocs = (found.scores(vote, places, n) for n in ("nll", "brier", "ece", "auroc"))

    return Row(
        size=size,
        members=members,
        weights=weights,
        vote=vote,
        accuracy_mean=rounded(accuracies.mean()),
        accuracy_sd=_spread(accuracies),
        nll_mean=_mean(nlls),
        brier_mean=_mean(briers),
        ece_mean=_mean(eces),
        auroc_mean=_mean(aurocs),
        bound_mean=_mean(bounds),
        effective_mean=rounded(np.mean([fold.effective[places] for fold in found.folds])),
        member_count=rounded(np.mean([len(draw.members(members)) for draw in found.draws[size]])),
        single_best=rounded(
            np.mean([_best_of(f, d.members(s.widest)) for f in found.folds for d in found.draws[size]])
        ),
        accuracies=_each(accuracies),
        bounds=None if bounds is None else _each(bounds),
        diversity_mean=rounded(np.mean([fold.diversity[places] for fold in found.folds])),
        nlls=None if nlls is None else _each(nlls),
        aurocs=None if aurocs is None else _each(aurocs),
    )


def _mean(values: NDArray[np.float64] | None) -> float | None:
    return None if values is None else rounded(values.mean())


def _each(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(rounded(value) for value in values)


def _best_of(fold: Fold, members: Sequence[int]) -> float:
    """Return the accuracy, on the scoring half, of the member that is best on the weighing half."""
    states = np.array(members)
    chosen = states[fold.weighing.wrong[states].argmin()]
    return 1.0 - float(fold.scoring.wrong[chosen])


def _single_best(predictions: Predictions, found: Found, singles: Sequence[Asked]) -> SingleBest:
    """Return the best member of all runs: chosen on each half, scored on the other."""
    members = [single.members[0] for single in singles]
    accuracies = [1.0 - float(f.scoring.wrong[m]) for f, m in zip(found.folds, members)]
    scores = [fold.scores.get("average") for fold in found.folds]
    nll = [
        float(s.nll[found.place[a]]) for s, a in zip(scores, singles) if s is not None and s.nll is not None
    ]
    return SingleBest(
        rounded(np.mean(accuracies)),
        rounded(np.std(accuracies, ddof=1)),
        rounded(np.mean(nll)) if nll else None,
        tuple(predictions.names[member] for member in members),
        rounded(np.mean([_best_with_hindsight(predictions, found, fold) for fold in found.folds])),
    )


def _best_with_hindsight(predictions: Predictions, found: Found, fold: Fold) -> float:
    """Return the largest accuracy of a member on the scoring half itself."""
    every = found.settings.widest == "all"
    states = np.arange(predictions.members) if every else np.array(runs_of(predictions).last)
    return 1.0 - float(fold.scoring.wrong[states].min())


def _differences(found: Found) -> list[Difference]:
    """Return each weighting against uniform, all states against last or early stopping, by size and vote."""
    s = found.settings
    pairs = [((m, w), (m, "uniform")) for m in s.members for w in s.weightings_of(m) if w != "uniform"]
    pairs = pairs if "uniform" in s.weightings else []
    if {"last", "all"} <= set(s.members):
        pairs += [(("all", w), ("last", w)) for w in s.weightings_of("last")]
    if EARLY_STOPPING in s.weightings:
        pairs += _against_stopping(s)
    return [_difference(found, size, vote, *pair) for size in s.sizes for vote in s.votes for pair in pairs]


def _against_stopping(s: Settings) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Return tandem weights on all states against early stopping, and that against the usual deep ensemble."""
    stopped = ("all", EARLY_STOPPING)
    weighed = [(("all", "tandem"), stopped)] if "tandem" in s.weightings else []
    usual = "uniform" in s.weightings and "last" in s.members
    return [*weighed, (stopped, ("last", "uniform"))] if usual else weighed


def _difference(
    found: Found, size: int, vote: str, left: tuple[str, str], right: tuple[str, str]
) -> Difference:
    """Return the difference of two rows, with the noise of the samples and of the draws behind it."""
    one, other = found.places(size, *left), found.places(size, *right)
    by_draw = found.by_draw(vote, one) - found.by_draw(vote, other)
    by_sample = found.by_sample(vote, one) - found.by_sample(vote, other)
    reach = half_width(by_unit(by_sample, found.predictions.groups), by_draw)
    return Difference(size, vote, left, right, rounded(by_draw.mean()), rounded(reach))


def _facts(predictions: Predictions, found: Found, largest: Draw) -> tuple[MemberFacts, ...]:
    """Return the members of the largest ensemble: accuracy on all samples, weights from the first fold."""
    fold, n = found.folds[0], found.samples
    one, other = fold.weighing, fold.scoring
    risks = (one.wrong * len(one.samples) + other.wrong * len(other.samples)) / n
    members = largest.members(found.settings.widest)
    widest = found.settings.widest
    methods = found.settings.weightings_of(widest)
    weights = {m: fold.weights[found.place[ask(largest, widest, m)]] for m in methods}
    return tuple(
        MemberFacts(
            name=predictions.names[i],
            run=None if predictions.run is None else int(predictions.run[i]),
            step=None if predictions.step is None else int(predictions.step[i]),
            last=i in largest.last,
            accuracy=rounded(1.0 - risks[i]),
            weights={method: rounded(rho[i]) for method, rho in weights.items()},
        )
        for i in members
    )


def _tandem(found: Found, largest: Draw) -> TandemCounts | None:
    members = np.array(largest.members(found.settings.widest))
    if len(members) > LARGEST_MATRIX:
        return None
    half = found.folds[0].weighing
    if half.hard.counted:
        counts = np.rint(half.hard.second[np.ix_(members, members)] * len(half.samples)).astype(np.int64)
    else:
        counts = count(half.predictions.pick(members)).co_errors
    upper = counts[np.triu_indices(len(members))]
    return TandemCounts(len(members), len(half.samples), tuple(upper.tolist()))


def _spread(values: NDArray[np.float64]) -> float | None:
    return rounded(values.std(ddof=1)) if len(values) > 1 else None
