"""Which samples choose the weights, which certify them, and which have no labels."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._copied_votes import same_samples, vote_mark
from comitia._copies import in_common, telling_marks
from comitia._errors import InputError, require_type
from comitia._fingerprint import part_fingerprints
from comitia._joining import aligned, with_classes
from comitia._predictions import Predictions
from comitia._runs import common_run
from comitia.statistics.counted import Counted, Holdout
from comitia.statistics.unlabelled import matched, refuse_known


@dataclass(frozen=True, eq=False)
class Sources:
    """The samples that choose the weights, those apart that certify (None: some of them), and unlabelled ones.

    Those that choose may be known by their counts alone.
    """

    weighing: Holdout
    apart: Predictions | None
    unlabelled: Predictions | None

    @property
    def measured(self) -> Holdout:
        """The samples that statistics and certificates are of."""
        return self.weighing if self.apart is None else self.apart

    @property
    def estimated(self) -> bool:
        """Whether nothing can be promised: out-of-fold predictions, and no samples apart from them."""
        return self.apart is None and self.weighing.folds is not None


def gather_sources(
    predictions: Holdout, unlabelled: Predictions | None, certify: Predictions | None
) -> Sources:
    """Return the sources with members and classes in one order; samples that are given twice are an error."""
    apart = None
    if certify is not None:
        require_type("certify", certify, Predictions, "read_predictions reads files")
        apart = aligned(certify, predictions, "certify")
        predictions = (
            predictions.recoded(apart.class_names)
            if isinstance(predictions, Counted)
            else with_classes(predictions, apart.class_names, apart.declared)
        )
        _refuse_common(predictions, apart)
    known = predictions if apart is None else apart
    if known.classes < 2:
        raise InputError(
            f"classes: only one class occurs ('{known.class_names[0]}'); name all of them with classes"
        )
    if unlabelled is not None and isinstance(known, Counted) and known.classes != 2:
        raise InputError(
            f"unlabelled: counts use it for the disagreement of two classes only, got {known.classes} classes; "
            "certify= takes samples apart, which are paired with it"
        )
    extra = None if unlabelled is None else matched(unlabelled, known)
    if extra is not None and apart is not None:
        refuse_known(extra, predictions)
    _require_folds(predictions, apart)
    return Sources(predictions, apart, extra)


def fold_count(holdout: Holdout) -> int | None:
    """Return of how many folds the samples are; None where they are not out-of-fold."""
    if isinstance(holdout, Counted):
        return None if holdout.folds is None else len(holdout.folds)
    return None if holdout.folds is None else holdout.folds.count


def _require_folds(predictions: Holdout, apart: Predictions | None) -> None:
    """Raise where out-of-fold samples lack folds or predictions, or cannot be judged fold by fold."""
    if predictions.folds is None:
        return
    if not predictions.shared:
        raise InputError(
            "folds: every member must have predicted every sample of an out-of-fold table, or abstained"
        )
    if fold_count(predictions) == 1:
        raise InputError(
            "folds: two or more are required, got 1; leave folds out if no sample trained a member"
        )
    if isinstance(predictions, Counted) and apart is None:
        raise InputError(
            "folds: out-of-fold samples promise nothing, and counts of them give no estimate either; certify= takes "
            "untouched samples, or weigh the predictions themselves"
        )


def _refuse_common(predictions: Holdout, apart: Predictions) -> None:
    """Raise where samples that certify are among those that choose the weights."""
    if apart.folds is not None:
        raise InputError(
            "certify: samples of an out-of-fold table trained members; give samples that no fold has seen"
        )
    if isinstance(predictions, Counted):
        _refuse_counted(predictions, apart)
        return
    common: NDArray[Any] = np.empty(0, np.str_)
    if predictions.ids is not None and apart.ids is not None:
        common = np.intersect1d(predictions.ids, apart.ids)
    first = f", such as '{common[0]}'" if common.size else ""
    if twice := common.size or _alike(predictions, apart):
        raise InputError(f"certify: {twice:,} samples also choose the weights{first}; give untouched ones")
    _refuse_common_groups(predictions, apart)


def _refuse_common_groups(predictions: Predictions, apart: Predictions) -> None:
    """Raise where samples that certify depend on some that choose the weights, or may depend on each other."""
    if predictions.groups is None:
        return
    if apart.groups is None:
        raise InputError(
            "certify: has no groups, and the samples that choose the weights have; say which samples belong together "
            "there too"
        )
    common = sorted(predictions.groups.present() & apart.groups.present())
    if common:
        raise InputError(
            f"certify: {len(common):,} groups also choose the weights, such as '{common[0]}'; give groups that are "
            "untouched, or other names to other groups"
        )


def _refuse_counted(counted: Counted, apart: Predictions) -> None:
    """Raise where a part of the samples that certify was counted; other overlaps cannot be told from counts."""
    marks, known = part_fingerprints(apart), set(counted.parts)
    again = sum(shard.samples for shard, mark in zip(apart.shards, marks) if mark in known)
    if again:
        raise InputError(
            f"certify: {again:,} samples were counted to choose the weights; give untouched ones"
        )


def _alike(predictions: Predictions, apart: Predictions) -> int:
    """Return how many samples of the two are the same by their values; of votes a copy of all or of a long run."""
    bare = [replace(part, groups=None, folds=None) for part in (predictions, apart)]
    equal = predictions.samples == apart.samples and vote_mark(bare[0]) == vote_mark(bare[1])
    if equal and same_samples(*bare):
        return apart.samples
    layouts = {(shard.kind, shard.width) for part in bare for shard in part.shards}
    if not apart.has_probs and (predictions.ids is None or apart.ids is None):
        found = common_run([predictions, apart])
        return 0 if found is None else found[2]
    if len(layouts) > 1 or not apart.has_probs:
        return 0
    return in_common(telling_marks(predictions.shards), telling_marks(apart.shards))
