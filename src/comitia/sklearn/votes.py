"""Which vote was asked for, and what members said for it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_choice
from comitia._predictions import Predictions
from comitia._votes import VOTES

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
