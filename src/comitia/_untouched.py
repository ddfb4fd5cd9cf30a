"""Which samples had no part in the weights of an ensemble, as far as its file and the samples can tell."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._count import count
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._split import split_samples

#: Digests of ids that an ensemble keeps of the samples that chose its weights: the smallest, so that any file that
#: holds a share q of those samples has one of them with probability 1 - (1 - q)^64 or so.
KEPT_IDS = 64
# Hexadecimal digits of a digest.
DIGITS = 16


def id_marks(ids: NDArray[np.str_] | None) -> str | None:
    """Return the smallest digests of the ids, one after the other; None without ids.

    >>> id_marks(np.array(["a", "b"]))
    '3e23e8160039594aca978112ca1bbdca'
    """
    if ids is None:
        return None
    return "".join(sorted(map(digest, ids.tolist()))[:KEPT_IDS])


def digest(text: str) -> str:
    """Return the first digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def is_holdout(ensemble: Ensemble, predictions: Predictions) -> bool:
    """Whether these are the samples that the ensemble was weighed with, by their checksum."""
    return ensemble.data.sha256 in _checksums(ensemble, predictions)


def certifies(ensemble: Ensemble, predictions: Predictions) -> bool:
    """Whether these are the samples apart that certified the ensemble, by their checksum."""
    apart = ensemble.data.certify_sha256
    return apart is not None and apart in _checksums(ensemble, predictions)


def untouched(
    ensemble: Ensemble, predictions: Predictions, what: str = "the files"
) -> NDArray[np.int64] | None:
    """Return the samples that had no part in the ensemble's weights, None for all; an error where none can be known.

    Of the hold-out that was weighed these are the samples kept for certifying, which the seed of its split gives again.
    Samples that are not known to the ensemble are taken to be untouched, unless their ids are among those that chose
    its weights.
    """
    if ensemble.data.groups is not None and predictions.groups is None:
        raise InputError(
            f"groups: the ensemble was weighed in groups, {what} have none; say which samples belong together"
        )
    if is_holdout(ensemble, predictions):
        return _kept(ensemble, predictions, what)
    if ensemble.data.folds is not None and predictions.folds is not None:
        raise InputError(f"folds: {what} are out-of-fold, so they trained members; give untouched samples")
    _refuse_known_ids(ensemble, predictions, what)
    return None


def _kept(ensemble: Ensemble, predictions: Predictions, what: str) -> NDArray[np.int64] | None:
    """The samples of the hold-out itself that had no part in the weights."""
    chosen, split = ensemble.chosen_on, ensemble.split
    if ensemble.data.folds is not None:
        raise InputError(f"{what}: are out-of-fold, so they trained members; give untouched samples")
    if chosen == "nothing":
        return None
    if chosen == "part":
        kept = split_samples(predictions.samples, split.fraction, split.seed, predictions.groups)[1]
        if len(kept) == split.certifying:
            return kept
    raise InputError(
        f"{what}: hold the samples that chose the weights; give samples that had no part in them"
    )


def _checksums(ensemble: Ensemble, predictions: Predictions) -> Iterator[str]:
    """Yield the checksums that these predictions may have had when they were weighed."""
    if ensemble.data.counted and predictions.labels is not None and predictions.groups is None:
        yield count(predictions).fingerprint()
    yield predictions.fingerprint()
    bare = replace(predictions, groups=None, folds=None)
    if ensemble.data.groups is None and predictions.groups is not None:
        yield bare.fingerprint()
    if predictions.names != ensemble.names and set(ensemble.names) <= set(predictions.names):
        place = {name: index for index, name in enumerate(predictions.names)}
        members = [place[name] for name in ensemble.names]
        yield predictions.pick(members).fingerprint()
        if predictions.groups is not None:
            yield bare.pick(members).fingerprint()


def _refuse_known_ids(ensemble: Ensemble, predictions: Predictions, what: str) -> None:
    known: Any = ensemble.data.chosen_ids
    if known is None or predictions.ids is None:
        return
    marks = {known[start : start + DIGITS] for start in range(0, len(known), DIGITS)}
    found = next((name for name in predictions.ids.tolist() if digest(name) in marks), None)
    if found is not None:
        raise InputError(
            f"{what}: sample '{found}' had a part in the weights by its id; give samples that had none, or the "
            "whole hold-out that was weighed"
        )
