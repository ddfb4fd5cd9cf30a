"""How the samples given to `fit` are checked and divided: those that train members, and those that no member sees."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, check_cv
from sklearn.utils import assert_all_finite, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from comitia._errors import InputError

# check_estimator's smallest problems have a few samples; below it nothing can be kept apart.
SMALLEST_PART = 2
FEWEST_SAMPLES = 4

Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Parts:
    """Sorted positions of the samples that train members, and of those held out from all of them."""

    train: Positions
    held: Positions


def divide(
    samples: int,
    share: float,
    random: np.random.RandomState,
    groups: NDArray[Any] | None = None,
    labels: NDArray[Any] | None = None,
) -> Parts:
    """Return a random division that holds out that share of the samples (or of the groups, which stay whole).

    With labels, samples are added to those that train, in the random order, until they have two classes. When that
    happens is decided before the others are looked at, so that the others are independent draws as before. For the
    same reason classes are not balanced.

    >>> parts = divide(10, 0.3, np.random.RandomState(0))
    >>> parts.train.tolist(), parts.held.tolist()
    ([0, 1, 2, 3, 5, 6, 7], [4, 8, 9])
    """
    unit = np.arange(samples) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    count = int(unit.max()) + 1
    order = random.permutation(count)
    held = min(max(min(SMALLEST_PART, count // 2), round(share * count)), count - min(SMALLEST_PART, count))
    first = count - held if share else count
    if labels is not None and share:
        first = max(first, _two_classes(unit, order, labels))
    inside = np.isin(unit, order[:first])
    if share and inside.all():
        what = "samples" if groups is None else "groups"
        raise InputError(f"holdout: {count} {what} leave none that no member is trained on; give more")
    return Parts(np.flatnonzero(inside), np.flatnonzero(~inside))


def _two_classes(unit: Positions, order: Positions, labels: NDArray[Any]) -> int:
    """Return how many units in that order it takes until two classes occur."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    when = place[unit]
    first = labels[when.argmin()]
    other = when[labels != first]
    return int(other.min()) + 1 if other.size else 1


def folds_of(
    cv: Any, parts: Parts, labels: NDArray[Any], groups: NDArray[Any] | None, classifier: bool
) -> NDArray[np.int64]:
    """Return, for each sample that trains, the fold in which it is predicted; groups stay whole."""
    train = parts.train
    inside = None if groups is None else groups[train]
    if inside is not None and isinstance(cv, int | np.integer):
        cv = GroupKFold(int(cv))
    splitter = check_cv(cv, labels[train], classifier=classifier)
    found = np.full(len(train), -1, np.int64)
    for fold, (_, test) in enumerate(_splits(splitter, labels[train], inside)):
        if (found[test] >= 0).any():
            raise InputError(
                "cv: each sample must be predicted in exactly one fold; this one repeats samples"
            )
        found[test] = fold
    if (found < 0).any():
        raise InputError("cv: each sample must be predicted in exactly one fold; this one leaves some out")
    return found


def _splits(splitter: Any, labels: NDArray[Any], groups: Any) -> Iterator[tuple[Positions, Positions]]:
    try:
        yield from splitter.split(np.zeros((len(labels), 1)), labels, groups)
    except ValueError as error:
        raise InputError(f"cv: {error}") from error


def as_groups(groups: Any, samples: int) -> NDArray[Any] | None:
    """Return the groups as an array (n,), or None."""
    if groups is None:
        return None
    found: NDArray[Any] = column_or_1d(groups)
    if len(found) != samples:
        raise InputError(f"groups: one per sample is required, got {len(found)} for {samples} samples")
    return found


def checked_samples(estimator: Any, X: Any, y: Any, reset: bool = True) -> tuple[Any, NDArray[Any]]:
    """Return samples whose rows can be picked, and classes (n,); the members check the values of X themselves."""
    X, y = validate_data(estimator, X, y, reset=reset, skip_check_array=True)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    X, y = indexable(X, y)
    if reset and len(y) < FEWEST_SAMPLES:
        raise InputError(f"X: at least {FEWEST_SAMPLES} samples are required, got {len(y)} sample(s)")
    return X, y
