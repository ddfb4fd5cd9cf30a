"""A forest whose trees are weighed by their out-of-bag samples, and certified by them and by a small hold-out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import _safe_indexing, check_random_state, get_tags, indexable
from sklearn.utils.validation import check_is_fitted, validate_data

from comitia._certificate import Certificate
from comitia._certify import Certification, certify, nothing_promised
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._weigh import weigh
from comitia.sklearn.bags import (
    OutOfBag,
    as_bag,
    drawn_evenly,
    names_of,
    out_of_bag,
    require_bagged,
    require_fitted,
    require_same,
    said_by,
    uneven,
)
from comitia.sklearn.mixing import mixed
from comitia.sklearn.reporting import Reported, as_text, concerns, warn
from comitia.sklearn.splitting import as_groups, checked_samples, divide
from comitia.sklearn.votes import Deployed, as_predictions, asked_vote
from comitia.weighting import Method

GROUPED = "out-of-bag samples are of the same groups as those that trained the trees"
UNEVEN = "samples were drawn with weights, so that out-of-bag samples are no fair sample"
UNPAIRED = "some trees have no out-of-bag sample in common"
# With fewer common samples of a pair, the halves that weights are compared on may have none.
THIN = 30


class WeightedForest(Reported, Deployed, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A random forest with weighted trees, and certificates of its error.

    The samples that a tree was not drawn are a hold-out of its own. They choose the weights, and certify them for
    free, by bounds on pairs of trees. A small share of the samples that no tree is drawn certifies the vote itself,
    which is far tighter.

    Parameters
    ----------
    n_estimators : how many trees.
    forest : an unfitted RandomForestClassifier, ExtraTreesClassifier with ``bootstrap=True`` or BaggingClassifier,
        whose settings are used; None is a random forest with scikit-learn's defaults. Number of trees, `n_jobs` and
        `random_state` are set from those given here.
    method : how weights are chosen, as for `comitia.weigh`, such as ``"tandem"``, by the co-errors of pairs of trees.
        None mixes equal and tandem weights, by how well out-of-bag votes do with each; tandem weights alone err more
        often than equal ones on most tables that we tried.
    vote : ``"majority"`` (None is that too) or ``"average"`` of the trees' probabilities. Of fully grown trees, whose
        leaves are pure, both are the same vote.
    voting : the same as scikit-learn spells it: ``"hard"`` or ``"soft"``.
    delta : probability with which a certificate may fail.
    holdout : share of the samples that no tree is drawn; 0 leaves the out-of-bag certificate alone.
    n_jobs, random_state : as in scikit-learn.

    Attributes
    ----------
    classes_, weights_ : the class labels, the deployed weights of the trees.
    forest_, estimators_ : the fitted forest of scikit-learn, its trees.
    certificate_ : of the hold-out, which was designated before looking; without one the best out-of-bag certificate.
    oob_certificate_, oob_certification_ : the out-of-bag certificate that holds at delta, and all of them. None, and
        the reasons, where out-of-bag samples certify nothing: with groups, and with weights of classes.
    ensemble_ : the `comitia.Ensemble`.

    Each of the two certificates holds at delta; both together at twice delta.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(3000, random_state=0)
    >>> forest = WeightedForest(50, random_state=0).fit(X, y)
    >>> forest.certificate_.name, forest.certificate_.samples
    ('holdout', 300)
    >>> forest.certificate_.risk < forest.oob_certificate_.risk
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        forest: Any = None,
        method: Method | None = None,
        vote: str | None = None,
        voting: str | None = None,
        delta: float = 0.05,
        holdout: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.forest = forest
        self.method = method
        self.vote = vote
        self.voting = voting
        self.delta = delta
        self.holdout = holdout
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def from_forest(
        cls,
        forest: Any,
        X: Any,
        y: ArrayLike,
        *,
        untouched: tuple[Any, ArrayLike] | None = None,
        **settings: Any,
    ) -> "WeightedForest":
        """Return the weighed forest of a fitted one; no tree is fitted again.

        Parameters
        ----------
        forest : a fitted RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier with out-of-bag samples.
        X, y : the samples it was fitted on, in the same order.
        untouched : samples and classes that the forest was not fitted on, for a tighter certificate.
        settings : `method`, `vote`, `voting`, `delta`, `n_jobs`, `random_state`, as of the class.
        """
        require_fitted(forest)
        made = cls(len(forest.estimators_), forest=forest, **{"holdout": 0, **settings})
        X, y = checked_samples(made, X, y)
        if made.n_features_in_ != forest.n_features_in_:
            raise InputError(
                f"X: the forest was fitted on {forest.n_features_in_} features, got {made.n_features_in_}"
            )
        seed = int(check_random_state(made.random_state).randint(2**31 - 1))
        known = as_bag(forest, np.union1d(forest.classes_, y))
        require_same(forest, known, X, np.searchsorted(np.union1d(forest.classes_, y), y), made.n_jobs)
        held = None if untouched is None else checked_samples(made, *untouched, reset=False)
        return made._weigh(forest, X, y, held, None, seed)

    def fit(self, X: Any, y: ArrayLike, groups: Any = None) -> "WeightedForest":
        """Fit the forest on all but the hold-out, weigh its trees and certify their vote.

        `groups` (n,): samples of one group stay on one side, and the certificate is for new groups.
        """
        template = RandomForestClassifier() if self.forest is None else self.forest
        require_bagged(template)
        if not 0 <= self.holdout < 1:
            raise InputError(f"holdout: must be at least 0 and below 1, got {self.holdout:g}")
        X, y = checked_samples(self, X, y)
        groups = as_groups(groups, len(y))
        if groups is not None and self.holdout == 0:
            raise InputError(f"holdout: must be above 0 with groups, for {GROUPED}")
        if len(np.unique(y)) < 2:
            raise InputError(f"y: holds one class only ('{y[0]}'); two or more classes are required")
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        parts = divide(len(y), self.holdout, random, groups, np.unique(y, return_inverse=True)[1])
        forest = clone(template).set_params(
            n_estimators=self.n_estimators, n_jobs=self.n_jobs, random_state=int(random.randint(2**31 - 1))
        )
        train, train_y = _safe_indexing(X, parts.train), y[parts.train]
        forest.fit(train, train_y)
        held = (_safe_indexing(X, parts.held), y[parts.held]) if len(parts.held) else None
        inside = None if groups is None else groups[parts.held]
        return self._weigh(forest, train, train_y, held, inside, seed)

    def report(self) -> str:
        """Return what `fit` found as a few lines of text: both certificates, the weights, warnings."""
        check_is_fitted(self)
        found = self.oob_certificate_
        why = self.oob_certification_.unavailable[0].why if found is None else found.promise
        return f"{as_text(self.ensemble_)}\nout-of-bag: {why}"

    def _weigh(
        self,
        forest: Any,
        X: Any,
        y: NDArray[Any],
        held: tuple[Any, NDArray[Any]] | None,
        groups: NDArray[Any] | None,
        seed: int,
    ) -> "WeightedForest":
        """Weigh the trees of the forest, which was fitted on X, y, and certify them."""
        parts = [forest.classes_, y, *([] if held is None else [held[1]])]
        self.forest_, self.classes_ = forest, np.unique(np.concatenate(parts))
        self.bag_ = as_bag(forest, self.classes_)
        self.estimators_ = self.bag_.members
        vote = asked_vote(self.vote, self.voting) or "majority"
        codes = np.searchsorted(self.classes_, y)
        found = out_of_bag(forest, self.bag_, X, codes, vote, self.n_jobs)
        names = list(names_of(self.bag_))
        unseen = as_predictions(found.said, vote, names, self.classes_, codes, mask=found.mask)
        kept = None
        if held is not None:
            said = said_by(self.bag_, np.arange(len(names)), held[0], vote, self.n_jobs)
            labels = np.searchsorted(self.classes_, held[1])
            kept = as_predictions(said, vote, names, self.classes_, labels, groups=groups)
        self._certify(unseen, found, kept, seed)
        warn(concerns(self.ensemble_, drawn=True), stacklevel=4)
        return self

    def _certify(self, unseen: Predictions, found: OutOfBag, held: Predictions | None, seed: int) -> None:
        """Choose the weights by the out-of-bag samples; certify them on those, and on the hold-out."""
        why = self._unfair(found, held)
        if why is not None and held is None:
            raise InputError(f"forest: {why}; keep samples that no tree is drawn (holdout, untouched)")
        settings: dict[str, Any] = {
            "vote": asked_vote(self.vote, self.voting) or "majority",
            "delta": self.delta,
        }
        method = mixed if self.method is None else self.method
        if self.method is None and found.overlap < THIN:
            method = "uniform"
            few = f"some trees have only {found.overlap} out-of-bag samples in common, so all have the same weight"
            warn([f"{few}; give more samples, or a method"], stacklevel=5)
        self.ensemble_ = weigh(unseen, method=method, certify=held, seed=seed, **settings)
        self.weights_ = self.ensemble_.weights.copy()
        self.certificate_: Certificate | None = self.ensemble_.best
        self.oob_certification_: Certification = (
            nothing_promised(why, ())
            if why is not None
            else self.ensemble_.certification
            if held is None
            else certify(unseen, self.weights_, seed=seed, **settings)
        )
        self.oob_certificate_ = self.oob_certification_.best

    def _unfair(self, found: OutOfBag, held: Predictions | None) -> str | None:
        """Return why out-of-bag samples certify nothing, if so."""
        if held is not None and held.groups is not None:
            return GROUPED
        if (why := uneven(self.forest_)) is not None:
            return why
        if not found.overlap:
            return UNPAIRED
        return None if drawn_evenly(found.mask) else UNEVEN

    def _voters(self, X: Any) -> tuple[Predictions, NDArray[np.float64]]:
        """Return what the trees with weight say on X, and their weights."""
        check_is_fitted(self)
        if len(getattr(X, "shape", ())) != 1:
            X = validate_data(self, X, reset=False, skip_check_array=True)
        (X,) = indexable(X)
        active, vote = self.ensemble_.active, self.ensemble_.vote
        said = said_by(self.bag_, active, X, vote, self.n_jobs)
        names = [self.ensemble_.names[i] for i in active.tolist()]
        return as_predictions(said, vote, names, self.classes_), self.ensemble_.weights[active]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(
            RandomForestClassifier() if self.forest is None else self.forest
        ).input_tags
        return tags


from_forest = WeightedForest.from_forest
