"""What a weighed ensemble predicts, from the predictions of the members that vote."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._ensemble import COARSE, Ensemble
from comitia._errors import InputError, require_type
from comitia._joining import with_classes
from comitia._kinds import real_too
from comitia._members import numbered
from comitia._predictions import Predictions, require_predictions
from comitia._votes import TIE, ensemble_probabilities, tilted, top_shares, winners
from comitia.promises import Decision


@dataclass(frozen=True, eq=False)
class Predicted:
    """The ensemble's classes (n,) and class shares (n, C), which members were used, and the error if known.

    Shares are averaged probabilities for the average vote, and weights of the votes for the majority vote. The class
    of a sample on which no member answers is -1, and counts as an error. `declared` says whether the classes have
    names of their own; `ids` are those of the samples, where they have any. `unknown` are classes that the ensemble
    does not know: no hold-out sample was of them and no member answered them there. `declined` (n,) says which
    samples a vote that declines did not answer: their class is -1 too, and the error is that of the answers; None
    where it always answers. `warnings` say why the promise may not be of these answers.
    """

    vote: str
    classes: NDArray[np.int64]
    shares: NDArray[np.float64]
    members: tuple[str, ...]
    dropped: int
    error: float | None
    class_names: tuple[str, ...] = ()
    declared: bool = False
    ids: NDArray[np.str_] | None = None
    unknown: tuple[str, ...] = ()
    declined: NDArray[np.bool_] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def answers(self) -> list[str | int | None]:
        """The classes by name, or by number where they have no names; None where nobody answers."""
        known: list[str | int | None] = [
            *(self.class_names if self.declared else range(len(self.class_names))),
            None,
        ]
        return [known[code] for code in self.classes.tolist()]

    def to_json(self) -> dict[str, Any]:
        """Return the predictions as plain data."""
        return {
            "vote": self.vote,
            "samples": len(self.classes),
            "classes": self.answers,
            "class_names": list(self.class_names),
            "unknown_classes": list(self.unknown),
            "members": list(self.members),
            "dropped": self.dropped,
            "error": self.error,
            "declined": None if self.declined is None else int(self.declined.sum()),
            "warnings": list(self.warnings),
        }


@real_too
def predict(ensemble: Ensemble, predictions: Predictions) -> Predicted:
    """Return the ensemble's predictions; only members of positive weight are looked at.

    Classes are matched by name; one that the ensemble never saw comes after those that it knows.

    Examples
    --------
    >>> from comitia import weigh
    >>> votes, labels = [[0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0]
    >>> pack = Predictions.from_arrays(votes=votes, labels=labels)
    >>> predict(weigh(pack, method="uniform"), pack).classes
    array([0, 1, 1, 0])
    """
    active = ensemble.active
    voters = find_members(ensemble, predictions, active)
    weights = ensemble.weights[active]
    shares = ensemble_probabilities(voters, weights, ensemble.vote)
    unknown = voters.class_names[ensemble.classes :]
    _require_known(ensemble, shares, unknown)
    classes, declined = decide(shares, ensemble.decision)
    return Predicted(
        ensemble.vote,
        classes,
        shares,
        tuple(ensemble.names[i] for i in active),
        len(ensemble.names) - len(active),
        _error(classes, voters.labels, declined),
        voters.class_names,
        voters.declared,
        voters.ids,
        unknown,
        declined,
        tuple(_of_another_precision(ensemble, voters)),
    )


def _of_another_precision(ensemble: Ensemble, voters: Predictions) -> Iterator[str]:
    """A vote on finer or coarser probabilities answers otherwise on some samples than the vote that was certified."""
    known, given = ensemble.data.precision, voters.precision
    if known is not None and given is not None and known != given and COARSE in (known, given):
        yield (
            f"the ensemble was certified on {known} probabilities and these are {given}: the vote may differ on some "
            f"samples, and the promise is of the other; store these as {known}, or weigh predictions like these"
        )


def _require_known(ensemble: Ensemble, shares: NDArray[np.float64], unknown: tuple[str, ...]) -> None:
    """Raise where there are votes, and none is for a class that the ensemble knows: they are spelled otherwise."""
    if unknown and shares.any() and not shares[:, : ensemble.classes].any():
        raise InputError(
            f"classes: the ensemble knows {', '.join(ensemble.class_names[:4])}, and no vote is for one of them; the "
            f"votes are for {', '.join(unknown[:4])}: spell the classes as they were weighed"
        )


def decide(
    shares: NDArray[np.float64], decision: Decision
) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Return the classes (n,) for those shares (n, C), -1 for no answer, and which samples are declined, if any may be.

    >>> decide(np.array([[0.9, 0.1], [0.6, 0.4]]), Decision(least_share=0.8))
    (array([ 0, -1]), array([False,  True]))
    """
    classes = winners(tilted(shares, decision.threshold))
    if decision.least_share is None:
        return classes, None
    declined = top_shares(shares, decision.threshold) < decision.least_share - TIE
    return np.where(declined, -1, classes), np.asarray(declined)


def _error(
    classes: NDArray[np.int64], labels: NDArray[np.int64] | None, declined: NDArray[np.bool_] | None
) -> float | None:
    """The share of wrong answers; of all samples, where none is declined."""
    if labels is None:
        return None
    judged = classes != labels if declined is None else (classes != labels)[~declined]
    return float(np.mean(judged)) if judged.size else None


def find_members(ensemble: Ensemble, predictions: Predictions, members: NDArray[np.int64]) -> Predictions:
    """Return those members of the ensemble on the samples, with the classes numbered as the ensemble's."""
    require_type("ensemble", ensemble, Ensemble, "read_ensemble reads one")
    require_predictions(predictions)
    if ensemble.vote == "average" and not predictions.has_probs:
        raise InputError("this ensemble averages probabilities; the files hold votes")
    if predictions.has_probs and predictions.classes != ensemble.classes:
        raise InputError(f"the ensemble knows {ensemble.classes} classes, the files {predictions.classes}")
    picked = predictions.pick(_positions(ensemble, predictions, members))
    return with_classes(picked, ensemble.class_names, ensemble.declared)


def _positions(ensemble: Ensemble, predictions: Predictions, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of those members in the predictions: by name, or by order if one side has no names."""
    if predictions.stands_by_order(ensemble.names):
        _require_all(ensemble, predictions)
        return members
    position = {name: i for i, name in enumerate(predictions.names)}
    wanted = [ensemble.names[i] for i in members]
    missing = [name for name in wanted if name not in position]
    if not missing:
        return np.array([position[name] for name in wanted])
    raise InputError(
        f"members missing from the files: '{missing[0]}'"
        + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
        + "; give the predictions of every member with positive weight, by the names they were weighed with"
    )


def _require_all(ensemble: Ensemble, predictions: Predictions) -> None:
    """Raise unless the files hold as many members as the ensemble, those without weight included."""
    known, given = len(ensemble.names), predictions.members
    if given == known:
        return
    nameless = numbered(predictions.names)
    held = f"the files hold {given} members{' without names' if nameless else ''}"
    knows = f"the ensemble has {known}{'' if nameless else ' without names'}"
    remedy = "name them as when they were weighed" if nameless else "weigh them with names"
    raise InputError(f"{held}, {knows}; give all of them in order, or {remedy}")
