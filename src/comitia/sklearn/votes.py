"""Which vote was asked for, what members said for it, and the vote that is deployed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._ensemble import Ensemble
from comitia._errors import InputError, require_choice
from comitia._predictions import Predictions
from comitia._votes import VOTES, deployed_classes, ensemble_probabilities

#: Votes as scikit-learn spells them.
VOTING = {"hard": "majority", "soft": "average"}


def asked_vote(vote: str | None, voting: str | None) -> str | None:
    """Return the vote that was asked for, by either spelling; None where nothing was.

    >>> asked_vote(None, "soft"), asked_vote("majority", None), asked_vote(None, None)
    ('average', 'majority', None)
    """
    spelled = None if voting is None else VOTING[require_choice("voting", voting, VOTING)]
    if vote is None:
        return spelled
    if spelled not in (None, require_choice("vote", vote, VOTES)):
        raise InputError(f"vote: '{vote}' contradicts voting='{voting}'; give one of the two")
    return vote


def as_predictions(
    said: Sequence[NDArray[Any]],
    vote: str,
    names: Sequence[str],
    classes: NDArray[Any],
    labels: NDArray[np.int64] | None = None,
    **facts: Any,
) -> Predictions:
    """Return what the members said as `Predictions`, with the names of the classes."""
    soft = vote == "average"
    return Predictions.from_arrays(
        probs=tuple(said) if soft else None,
        votes=None if soft else tuple(said),
        labels=labels,
        names=names,
        classes=[str(label) for label in classes.tolist()],
        **facts,
    )


def lacking_probabilities(pairs: Sequence[tuple[str, Any]]) -> tuple[str, Any] | None:
    """Return the first member without probabilities."""
    return next((pair for pair in pairs if not hasattr(pair[1], "predict_proba")), None)


class Deployed:
    """An estimator whose vote is that of `ensemble_`, whatever its settings are by now."""

    ensemble_: Ensemble
    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return, as (n,), the classes that the weighted vote gives."""
        voters, weights = self._voters(X)
        found: NDArray[Any] = self.classes_[deployed_classes(voters, weights, self.ensemble_.vote)]
        return found

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return, as (n, C), averaged probabilities, or for the majority vote the weights of the votes."""
        voters, weights = self._voters(X)
        return ensemble_probabilities(voters, weights, self.ensemble_.vote)

    def _voters(self, X: Any) -> tuple[Predictions, NDArray[np.float64]]:
        """Return what the members with weight say on X, and their weights."""
        raise NotImplementedError
