"""One fitted member: which classes it speaks of, and what it predicts in terms of ours."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from comitia._errors import InputError

Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Member:
    """A fitted classifier; `answers` are the classes as it names them, `known` (k,) their positions among ours."""

    name: str
    estimator: Any
    answers: NDArray[Any]
    known: Positions

    def values(self, X: Any, vote: str, classes: int) -> NDArray[Any]:
        """Return what it says on X for that vote: probabilities (n, C), or positions of classes (n,)."""
        return self.probabilities(X, classes) if vote == "average" else self.votes(X)

    def votes(self, X: Any) -> Positions:
        """Return, as (n,), the positions of the classes that it answers."""
        said = np.ravel(self.estimator.predict(X))
        place = np.searchsorted(self.answers, said).clip(max=len(self.answers) - 1)
        if not np.array_equal(self.answers[place], said):
            odd = said[self.answers[place] != said][0]
            raise InputError(f"estimators: '{self.name}' answers {odd!r}, a class that it was not fitted on")
        found: Positions = self.known[place]
        return found

    def probabilities(self, X: Any, classes: int) -> NDArray[np.float64]:
        """Return, as (n, C), its probabilities; a class that it does not know has probability zero."""
        said = np.asarray(self.estimator.predict_proba(X))
        if said.ndim != 2 or said.shape[1] != len(self.known):
            raise InputError(
                f"estimators: predict_proba of '{self.name}' must have shape (n, {len(self.known)}), got {said.shape}"
            )
        full = np.zeros((len(said), classes))
        full[:, self.known] = said
        return full


def fitted_on(
    name: str, estimator: Any, X: Any, codes: Positions, train: Positions, params: dict[str, Any]
) -> Member:
    """Fit a copy of the estimator on those samples and return it.

    It sees the classes that occur there as 0, 1, …, which every library understands.
    """
    known, inside = np.unique(codes[train], return_inverse=True)
    given = {key: _part(value, train, len(codes)) for key, value in params.items()}
    copy = clone(estimator)
    try:
        copy.fit(_safe_indexing(X, train), inside, **given)
    except TypeError as error:
        if "unexpected keyword argument 'sample_weight'" not in str(error):
            raise
        kind = type(estimator).__name__
        raise InputError(
            f"sample_weight: '{name}' ({kind}) takes none; leave weights or member out, or say by metadata routing "
            "which members get them"
        ) from error
    return Member(name, copy, np.arange(len(known)), known.astype(np.int64))


def _part(value: Any, train: Positions, samples: int) -> Any:
    """Return the part of a fit parameter that belongs to those samples; other values as they are."""
    per_sample = hasattr(value, "__len__") and not isinstance(value, str | dict) and len(value) == samples
    return _safe_indexing(value, train) if per_sample else value


def fitted_before(name: str, estimator: Any, classes: NDArray[Any]) -> Member:
    """Return the member that was fitted before, whose classes are among those."""
    own = np.asarray(estimator.classes_)
    order = np.argsort(own, kind="stable")
    return Member(name, estimator, own[order], np.searchsorted(classes, own[order]))


def common_classes(fitted: list[tuple[str, Any]], labels: NDArray[Any]) -> NDArray[Any]:
    """Return the classes of the labels and of members that were fitted before, sorted.

    A class that no member knows is one on which they all err, and must count.
    """
    classes = np.unique(labels)
    for name, estimator in fitted:
        check_is_fitted(estimator)
        own = np.asarray(estimator.classes_)
        _refuse_codes(name, own, np.unique(labels))
        # the same classes keep the type that y has
        classes = classes if np.isin(own, classes).all() else np.union1d(classes, own)
    return classes


def _refuse_codes(name: str, own: NDArray[Any], labels: NDArray[Any]) -> None:
    """Raise where a member answers positions of classes or texts, and the labels are something else."""
    texts = own.dtype.kind in "OUST", labels.dtype.kind in "OUST"
    numbered = own.dtype.kind in "iuf" and np.array_equal(own, np.arange(len(own)))
    foreign = texts[0] != texts[1] or not np.isin(labels, own).all()
    if numbered and foreign and (texts[1] or not np.isin(own, labels).all()):
        raise InputError(
            f"estimators: '{name}' answers {own[0]:g} to {own[-1]:g} and y holds {_some(labels)}; trees of a forest "
            "and members of a vote answer positions of classes: take the whole, use WeightedForest.from_forest, or "
            "give y as positions"
        )
    if texts[0] != texts[1]:
        kinds = ("texts", "numbers") if texts[0] else ("numbers", "texts")
        raise InputError(f"estimators: '{name}' answers {kinds[0]} and y holds {kinds[1]}; give y as it does")


def _some(labels: NDArray[Any]) -> str:
    more = ", …" if len(labels) > 3 else ""
    return ", ".join(repr(label) for label in labels[:3].tolist()) + more
