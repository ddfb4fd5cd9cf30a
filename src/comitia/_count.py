"""Counting: a shard of hold-out predictions → the exact counts that weighing needs, which add up."""

import numpy as np

from comitia._classes import ordered
from comitia._errors import InputError
from comitia._fingerprint import part_fingerprints
from comitia._predictions import Predictions, require_predictions
from comitia._samples import Groups
from comitia.statistics.counted import Counted
from comitia.statistics.counts import count as count_pairs
from comitia.statistics.counts import require_labels


def count(predictions: Predictions) -> Counted:
    """Return the exact counts of those predictions, which `weigh` takes in their place; those of shards are added.

    What is kept are votes, as counts over members and pairs: weights and certificates of the majority vote that need
    nothing else come out the same to the last digit, however the samples were sharded. Each shard of the predictions is
    a part, which is refused where it is added a second time.

    Parameters
    ----------
    predictions : hold-out predictions with labels; masks, abstentions and folds are kept, groups are refused

    Examples
    --------
    >>> from comitia import weigh
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> votes = np.where(rng.random((5, 400)) < 0.2, 1 - labels, labels)
    >>> shards = [Predictions.from_arrays(votes=votes[:, i::4], labels=labels[i::4]) for i in range(4)]
    >>> counted = Counted.total(count(shard) for shard in shards)
    >>> counted.members, counted.samples, weigh(counted).chosen_on
    (5, 400, 'all')
    """
    require_predictions(predictions)
    labels = require_labels(predictions)
    if predictions.groups is not None:
        raise InputError(
            "groups: samples of a group count one over its size, and the rest of a group may be in another shard, so "
            "grouped samples cannot be counted; weigh the predictions themselves"
        )
    marks = part_fingerprints(predictions)
    if len(set(marks)) < len(marks):
        raise InputError("predictions: two of their shards hold the same samples; give each once")
    found = Counted(
        names=predictions.names,
        named=predictions.named,
        run=predictions.run,
        step=predictions.step,
        class_names=predictions.class_names,
        declared=predictions.declared,
        samples=predictions.samples,
        counts=count_pairs(predictions),
        answers=np.sum([shard.answers(predictions.classes) for shard in predictions.shards], axis=0),
        label_counts=np.bincount(labels, minlength=predictions.classes),
        folds=_folds(predictions.folds),
        parts=tuple(sorted(marks)),
    )
    predictions.require_unchanged()
    return found


def _folds(folds: Groups | None) -> tuple[str, ...] | None:
    """Return the names of the folds that samples are of, in order."""
    return None if folds is None else ordered([folds.names[code] for code in np.unique(folds.codes)])
