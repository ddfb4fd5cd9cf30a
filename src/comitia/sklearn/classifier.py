"""A scikit-learn classifier whose members' weights minimise a bound, and whose vote is certified."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._votes import deployed_classes, ensemble_probabilities
from comitia._weigh import weigh

# check_estimator's smallest problems have this few samples; below it nothing can be kept apart.
SMALLEST_HOLDOUT = 2


class WeightedVoteClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Weighted majority or average vote of classifiers, with a certificate of its error.

    Parameters
    ----------
    estimators : list of (name, classifier)
    method : how weights are chosen, as for `comitia.weigh`.
    vote : "majority", or "average" (every member needs predict_proba).
    delta : probability with which the certificate may fail.
    holdout : share of the samples given to `fit` that no member is trained on.
    certify_fraction : share of the hold-out kept for certifying; None lets round(.7 n^(3/4)) of its n samples choose
        the weights, as `comitia.weigh` does.
    prefit : members are fitted already, and `fit` gets hold-out samples none of them has seen.
    random_state : seeds the split.

    Attributes
    ----------
    classes_, estimators_, weights_ : the class labels, fitted members, deployed weights.
    ensemble_ : the `comitia.Ensemble` with all certificates; certificate_ : the one that holds at delta.

    Settings that change after `fit` wait for the next one: `predict` gives the vote that was certified.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(2000, random_state=0)
    >>> members = [("tree", DecisionTreeClassifier(max_depth=3)), ("line", LogisticRegression())]
    >>> vote = WeightedVoteClassifier(members, random_state=0).fit(X, y)
    >>> vote.certificate_.name, vote.certificate_.risk < 0.25
    ('split', True)
    """

    def __init__(
        self,
        estimators: Sequence[tuple[str, Any]],
        *,
        method: str = "tandem",
        vote: str = "majority",
        delta: float = 0.05,
        holdout: float = 0.3,
        certify_fraction: float | None = None,
        prefit: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.method = method
        self.vote = vote
        self.delta = delta
        self.holdout = holdout
        self.certify_fraction = certify_fraction
        self.prefit = prefit
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "WeightedVoteClassifier":
        """Fit the members on a part, weigh and certify on the rest; with `prefit`, weigh and certify on all."""
        self._check_members()
        samples, labels = self._check(X, y)
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        if self.prefit:
            self.estimators_ = [member for _, member in self.estimators]
            # a class that no member knows is one on which they all err, and must count
            self.classes_ = np.union1d(self._common_classes(), labels)
            held = np.arange(len(labels))
        else:
            self.classes_ = np.unique(labels)
            train, held = self._split(len(labels), random)
            self.estimators_ = [
                clone(member).fit(samples[train], labels[train]) for _, member in self.estimators
            ]
        names = [name for name, _ in self.estimators]
        self.ensemble_ = weigh(
            self._predictions(samples[held], self.estimators_, names, self.vote, labels[held]),
            method=self.method,
            vote=self.vote,
            delta=self.delta,
            certify_fraction=self.certify_fraction,
            seed=seed,
        )
        self.weights_ = self.ensemble_.weights
        self.certificate_ = self.ensemble_.best
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return, as (n,), the classes that the weighted vote gives."""
        voters, weights = self._voters(X)
        found: NDArray[Any] = self.classes_[deployed_classes(voters, weights, self.ensemble_.vote)]
        return found

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return, as (n, C), averaged probabilities, or for the majority vote the weights of the votes."""
        voters, weights = self._voters(X)
        return ensemble_probabilities(voters, weights, self.ensemble_.vote)

    def _check_members(self) -> None:
        pairs = list(self.estimators or ())
        if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in pairs):
            raise InputError("estimators: must be (name, classifier) pairs")
        names = [name for name, _ in pairs]
        if not names:
            raise InputError("estimators: at least one (name, classifier) pair is required, got none")
        if len(set(names)) != len(names):
            raise InputError(f"estimators: names must differ, got {names}")
        if not self.prefit and not 0 < self.holdout < 1:
            raise InputError(f"holdout: must lie strictly between 0 and 1, got {self.holdout:g}")

    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=None, ensure_all_finite=False, ensure_min_samples=4
        )
        check_classification_targets(y)
        return X, column_or_1d(y, warn=True)

    def _split(self, samples: int, random: np.random.RandomState) -> tuple[NDArray[Any], NDArray[Any]]:
        order = random.permutation(samples)
        kept = min(max(SMALLEST_HOLDOUT, round(self.holdout * samples)), samples - SMALLEST_HOLDOUT)
        return order[kept:], order[:kept]

    def _common_classes(self) -> NDArray[Any]:
        first, *others = self.estimators_
        for member in others:
            if not np.array_equal(member.classes_, first.classes_):
                raise InputError("estimators: prefit members must know the same classes")
        return np.asarray(first.classes_)

    def _predictions(
        self, X: Any, members: Sequence[Any], names: Sequence[str], vote: str, y: NDArray[Any] | None = None
    ) -> Predictions:
        """What the members predict for that vote, with class labels turned into positions."""
        labels = None if y is None else self._positions(y)
        size = len(self.classes_)
        if vote == "average":
            probs = np.stack([self._probabilities(member, X) for member in members])
            return Predictions.from_arrays(probs=probs, labels=labels, names=names)
        votes = np.stack([self._positions(member.predict(X)) for member in members])
        return Predictions.from_arrays(votes=votes, labels=labels, names=names, classes=max(2, size))

    def _positions(self, y: NDArray[Any]) -> NDArray[np.int64]:
        found = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        if not np.array_equal(self.classes_[found], y):
            raise InputError("y: holds classes that the members do not know")
        return found.astype(np.int64)

    def _probabilities(self, member: Any, X: Any) -> NDArray[np.float64]:
        """(n, C) the member's probabilities; a class that its training part lacked has probability zero."""
        full = np.zeros((X.shape[0], max(2, len(self.classes_))))
        full[:, np.searchsorted(self.classes_, member.classes_)] = member.predict_proba(X)
        return full

    def _voters(self, X: ArrayLike) -> tuple[Predictions, NDArray[np.float64]]:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=None, ensure_all_finite=False)
        fitted, active = self.ensemble_, self.ensemble_.active.tolist()
        members, names = [self.estimators_[i] for i in active], [fitted.names[i] for i in active]
        return self._predictions(X, members, names, fitted.vote), fitted.weights[active]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
