"""Disagreements from labelled and unlabelled samples together: they need no labels."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comitia._copies import in_common, marks, repeats, repeats_beyond, telling_marks
from comitia._errors import InputError
from comitia._fingerprint import part_fingerprints
from comitia._joining import aligned
from comitia._predictions import Predictions
from comitia.statistics.counted import Counted, Holdout
from comitia.statistics.counts import count
from comitia.statistics.moments import Statistics


def matched(extra: Predictions, known: Holdout) -> Predictions:
    """Return the unlabelled predictions with their members in the order of the labelled ones, found by their names.

    Where one side has no names they must be in that order already. Samples that the labelled ones hold, or that
    occur twice, are an error: counted again, they would make certificates too tight.

    >>> known = Predictions.from_arrays(votes=[[0], [1]], labels=[0], names=["a", "b"])
    >>> matched(Predictions.from_arrays(votes=[[1], [1]], names=["b", "a"]), known).names
    ('a', 'b')
    """
    if isinstance(known, Predictions) and known.groups is not None:
        raise InputError("unlabelled: is not used where samples come in groups; leave it out")
    found = aligned(extra, known, "unlabelled")
    if found.classes != known.classes:
        new = ", ".join(found.class_names[known.classes :])
        raise InputError(f"unlabelled: holds classes that the labelled samples do not know: {new}")
    refuse_known(found, known)
    return found


def refuse_known(extra: Predictions, known: Holdout) -> None:
    """Raise where unlabelled samples are labelled ones, by their ids, or copies, in any order.

    Of votes without ids only a copy of the whole can be detected, of counts a part that was counted.
    """
    again = "unlabelled: these are the labelled samples again; give further samples"
    if isinstance(known, Counted):
        if set(part_fingerprints(extra)) & set(known.parts):
            raise InputError(again)
        return
    if extra.ids is not None and known.ids is not None:
        common = np.intersect1d(extra.ids, known.ids)
        if common.size:
            raise InputError(
                f"unlabelled: {common.size:,} samples are also labelled, such as '{common[0]}'; give others"
            )
    if (
        extra.samples == known.samples
        and replace(extra, labels=known.labels).fingerprint() == known.fingerprint()
    ):
        raise InputError(again)
    kinds = {shard.kind for part in (extra, known) for shard in part.shards}
    if len(kinds) > 1 or kinds == {"votes"}:
        return
    glances = [marks(part.shards, quick=True) for part in (known, extra)]
    if repeats(np.concatenate(glances)) == repeats(glances[0]):
        return
    ours, theirs = telling_marks(known.shards), telling_marks(extra.shards)
    copied, twice = in_common(ours, theirs), repeats_beyond(theirs, ours)
    if copied:
        raise InputError(
            f"unlabelled: {copied:,} samples are also labelled; counting them twice makes certificates too "
            "tight; give others"
        )
    if twice:
        raise InputError(f"unlabelled: {twice:,} samples repeat others among them; give each once")


def pooled_disagreement(hard: Statistics, extra: Predictions | None) -> tuple[NDArray[np.float64], int]:
    """Return (M, M) shares of samples on which two members differ, and m, the samples behind the least known pair.

    `extra` must have its members in the same order: see `matched`.

    >>> from comitia.statistics import measure
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
