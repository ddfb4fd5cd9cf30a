"""Errors among answers of an ensemble that declines, for each choice of members, weighting and vote."""

from collections.abc import Iterator, Mapping

from comitia._predictions import Predictions
from comitia.evaluation.draws import Draw
from comitia.evaluation.folds import Asked, Fold, ask
from comitia.evaluation.records import Declining, Settings
from comitia.promises.answered import answer
from comitia.promises.selective import risk_coverage


def declining(
    predictions: Predictions, settings: Settings, fold: Fold, largest: Draw, place: Mapping[Asked, int]
) -> Iterator[Declining]:
    """Yield the curve of each vote of the largest ensemble, by the first fold, where a target was asked for.

    Samples of a group depend on each other and those of an out-of-fold table trained members: for both nothing is
    certified, and no curve is given.
    """
    if settings.target_risk is None or predictions.folds is not None or predictions.groups is not None:
        return
    for members in settings.members:
        for method in settings.weightings_of(members):
            weights = fold.weights[place[ask(largest, members, method)]]
            for vote in settings.votes:
                chose, judged = (
                    answer(half.predictions, weights, vote) for half in (fold.weighing, fold.scoring)
                )
                curve = risk_coverage(chose, judged, settings.target_risk, settings.delta)
                yield Declining(members, method, vote, curve)


def declined_in_words(row: Declining) -> str:
    """Return how many samples are answered at the target, as a line."""
    curve, what = row.curve, f"{row.weights}, {row.members}, {row.vote} vote"
    if curve.chosen is None:
        return f"{what}: {curve.target:g} errors among answers cannot be certified"
    accepted, errors = curve.accepted[curve.chosen], curve.errors[curve.chosen]
    return (
        f"{what}: at most {curve.target:g} errors among answers, certified, if it answers where the share is at least "
        f"{curve.thresholds[curve.chosen]:.4g}: {accepted / curve.n:.2%} of the samples ({errors:,} errors)"
    )
