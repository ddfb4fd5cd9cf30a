"""Disagreements from labelled and unlabelled samples together: they need no labels."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InputError
from quorate.predictions import Predictions
from quorate.statistics.counts import count
from quorate.statistics.moments import Statistics


def matched(extra: Predictions, known: Predictions) -> Predictions:
    """The unlabelled predictions with their members in the order of the labelled ones, found by their names.

    >>> known = Predictions.from_arrays(votes=[[0], [1]], labels=[0], names=["a", "b"])
    >>> matched(Predictions.from_arrays(votes=[[1], [0]], names=["b", "a"]), known).names
    ('a', 'b')
    """
    if extra.members != known.members or extra.classes != 2 or known.classes != 2:
        raise InputError(
            f"unlabelled: must hold the same {known.members} members and two classes, got "
            f"{extra.members} members and {extra.classes} classes"
        )
    if set(extra.names) != set(known.names):
        odd = next(name for name in extra.names if name not in known.names)
        raise InputError(
            f"unlabelled: must hold the same members by name, '{odd}' is not among the labelled ones"
        )
    if replace(extra, labels=known.labels).fingerprint() == known.fingerprint():
        raise InputError("unlabelled: these are the labelled samples again; give further samples")
    place = {name: i for i, name in enumerate(extra.names)}
    return extra.pick([place[name] for name in known.names])


def pooled_disagreement(hard: Statistics, extra: Predictions | None) -> tuple[NDArray[np.float64], int]:
    """(M, M) shares of samples on which two members differ, and m, the samples behind the least known pair.

    `extra` must have its members in the same order: see `matched`.

    >>> from quorate.statistics import measure
    >>> hard = measure(Predictions.from_arrays(votes=[[0, 1], [0, 0]], labels=[0, 1]))
    >>> shares, m = pooled_disagreement(hard, Predictions.from_arrays(votes=[[1, 1], [1, 1]]))
    >>> shares[0, 1], m
    (np.float64(0.25), 4)
    """
    assert hard.disagreement is not None
    if extra is None:
        return hard.disagreement, hard.pair_samples
    known = np.float64(hard.pair_samples) if hard.overlaps is None else hard.overlaps
    # Counting wants labels; disagreements do not depend on them.
    more = count(replace(extra, labels=np.zeros(extra.samples, dtype=np.int64)))
    fresh = np.float64(extra.samples) if more.pair_samples is None else more.pair_samples
    together = known + fresh
    return (hard.disagreement * known + more.disagreements) / together, int(np.min(together))
