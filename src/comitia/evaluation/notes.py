"""What a reader must know to judge the numbers of an evaluation, one line each."""

from collections.abc import Mapping

from comitia._predictions import Predictions
from comitia._words import counted
from comitia.evaluation.draws import Draw
from comitia.evaluation.records import Settings

# A larger tandem matrix is no picture any more, and makes the record heavy.
LARGEST_MATRIX = 200


def notes_on(
    predictions: Predictions, settings: Settings, draws: Mapping[int, tuple[Draw, ...]], runs: int
) -> tuple[str, ...]:
    """Return the notes on samples, members and draws."""
    return (*_on_samples(predictions), *_on_members(predictions, settings, draws, runs))


def _on_members(
    predictions: Predictions, settings: Settings, draws: Mapping[int, tuple[Draw, ...]], runs: int
) -> list[str]:
    notes, largest = [], settings.sizes[-1]
    if runs == predictions.members:
        notes.append("every run has a single state, so that all states are the last ones")
    if not predictions.has_probs:
        notes.append("the predictions hold votes, so there is no average vote and no probabilistic score")
    if runs in settings.sizes and len(draws[runs]) > 1:
        notes.append(f"all draws of size {runs} are the same, all runs: their standard deviation is 0")
    if len(draws[largest][0].members(settings.widest)) > LARGEST_MATRIX:
        notes.append(f"more than {LARGEST_MATRIX} members: the tandem matrix is left out")
    if largest < runs and not settings.grouped:
        notes.append(
            f"certificates, tandem matrix and weights of the members are those of the first draw of "
            f"{counted(largest, 'run')}"
        )
    return notes


def _on_samples(predictions: Predictions) -> list[str]:
    notes = []
    if predictions.folds is not None:
        notes.append(
            "out-of-fold predictions: all numbers are estimates; no bound and no certificate is given, for samples "
            "that trained the other folds' models promise nothing"
        )
    if predictions.groups is not None:
        notes.append(
            f"{predictions.groups.count:,} groups stay whole: intervals count groups, bounds are on the error rate "
            "within a group, averaged over groups; accuracies count every sample once"
        )
    if predictions.abstains:
        notes.append(
            "some members abstain: no answer is not right; bounds count it one half; probabilities are those of the "
            "members that answer"
        )
    return notes
