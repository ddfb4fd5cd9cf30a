"""A scikit-learn classifier whose members' weights come from samples no member saw, and whose vote is certified."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Bunch, check_random_state, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._weigh import weigh
from comitia.sklearn.composition import Composition, kept, pairs_of, require_members
from comitia.sklearn.fitting import Fitted, Task, fit_members, is_fitted_before
from comitia.sklearn.members import Member, common_classes
from comitia.sklearn.reporting import Reported, concerns, warn
from comitia.sklearn.splitting import Parts, as_groups, checked_samples, divide, folds_of
from comitia.sklearn.votes import Deployed, as_predictions, asked_vote, lacking_probabilities
from comitia.weighting import Method


class WeightedVoteClassifier(Reported, Deployed, ClassifierMixin, MetaEstimatorMixin, Composition):  # type: ignore[misc]
    """Weighted majority or average vote of classifiers, with a certificate of its error.

    Parameters
    ----------
    estimators : list of (name, classifier); `set_params(name="drop")` leaves one out. Those in a `FrozenEstimator` are
        taken as they are; if all are, every sample given to `fit` must be new to them, and all of them count.
    method : how weights are chosen, as for `comitia.weigh`; None is its default, ``"blend"``.
    vote : ``"majority"`` or ``"average"`` (every member needs predict_proba). None is the average where every member
        has predict_proba, else the majority.
    voting : the same as scikit-learn spells it: ``"hard"`` or ``"soft"``.
    delta : probability with which the certificate may fail.
    holdout : share of the samples given to `fit` that no member is trained on.
    certify_fraction : share of the hold-out kept for certifying; None lets round(.7 n^(3/4)) of its n samples choose
        the weights, as `comitia.weigh` does.
    cv : number of folds, or a splitter: out-of-fold predictions on the samples that train choose the weights, members
        are fitted again on all of them, and all of the hold-out certifies. ``holdout=0`` then promises nothing.
    prefit : all members are fitted already, as if each were in a `FrozenEstimator`.
    n_jobs : how many fits run at a time, as in scikit-learn.
    random_state : seeds the split and the method.

    Attributes
    ----------
    classes_, weights_ : the class labels, the deployed weights.
    estimators_, named_estimators_ : fitted members. Those fitted here know classes by position, as scikit-learn's
        VotingClassifier has it: 0 is the first of `classes_`.
    ensemble_ : the `comitia.Ensemble` with all certificates; certificate_ : the one that holds at delta, or None.

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
        method: Method | None = None,
        vote: str | None = None,
        voting: str | None = None,
        delta: float = 0.05,
        holdout: float = 0.3,
        certify_fraction: float | None = None,
        cv: Any = None,
        prefit: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.method = method
        self.vote = vote
        self.voting = voting
        self.delta = delta
        self.holdout = holdout
        self.certify_fraction = certify_fraction
        self.cv = cv
        self.prefit = prefit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, groups: Any = None, **fit_params: Any) -> "WeightedVoteClassifier":
        """Fit the members on a part of the samples, weigh and certify on the rest.

        Parameters
        ----------
        X, y : samples and classes. Members get the rows of X as they are, a DataFrame's as a DataFrame.
        groups : (n,) samples of one group stay on one side, and the certificate is for new groups.
        fit_params : for the members: `sample_weight`, and with scikit-learn's metadata routing whatever they request.
            The promise counts every sample once.
        """
        pairs, vote = self._members(), asked_vote(self.vote, self.voting)
        X, y = checked_samples(self, X, y)
        groups = as_groups(groups, len(y))
        params = self._routed(groups, fit_params)
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        vote = vote or ("average" if lacking_probabilities(pairs) is None else "majority")
        task = self._task(pairs, X, y, groups, random, vote, params)
        self.classes_ = task.classes
        fitted = fit_members(pairs, task, self.n_jobs)
        self.members_ = fitted.members
        self.estimators_ = [member.estimator for member in fitted.members]
        self.named_estimators_ = self._by_name(fitted.members)
        self._weigh(fitted, task, groups, seed)
        warn(concerns(self.ensemble_))
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who gets what: `groups` the split, everything else the members that request it."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        fits = MethodMapping().add(caller="fit", callee="fit")
        for name, member in kept(pairs_of(self.estimators)):
            router.add(**{name: member}, method_mapping=fits)
        return router

    def _members(self) -> list[tuple[str, Any]]:
        """Return the members in use; settings that fit no data are an error."""
        pairs = require_members(self.estimators, list(inspect.signature(type(self)).parameters), "classifier")
        if (
            asked_vote(self.vote, self.voting) == "average"
            and (lacking := lacking_probabilities(pairs)) is not None
        ):
            name, member = lacking
            raise InputError(
                f"vote: 'average' needs predict_proba, which '{name}' ({type(member).__name__}) lacks; use "
                "vote='majority', or put it into a CalibratedClassifierCV"
            )
        if self._all_fitted(pairs):
            if self.cv is not None:
                raise InputError("cv: must be left out where all members are fitted already")
        elif not (0 < self.holdout < 1 or (self.holdout == 0 and self.cv is not None)):
            zero = "" if self.cv is not None else "; 0 needs cv, and promises nothing"
            raise InputError(f"holdout: must lie strictly between 0 and 1, got {self.holdout:g}{zero}")
        return pairs

    def _all_fitted(self, pairs: Sequence[tuple[str, Any]]) -> bool:
        return all(is_fitted_before(member, self.prefit) for _, member in pairs)

    def _routed(self, groups: Any, fit_params: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the fit parameters of each member."""
        names = [name for name, _ in kept(pairs_of(self.estimators))]
        given = {key: value for key, value in fit_params.items() if value is not None}
        if get_config()["enable_metadata_routing"]:
            given |= {} if groups is None else {"groups": groups}
            routed = process_routing(self, "fit", **given)
            return {name: dict(routed[name]["fit"]) for name in names} if given else {}
        if odd := sorted(set(given) - {"sample_weight"}):
            raise InputError(
                f"fit: {', '.join(odd)} can be passed on to members with scikit-learn's metadata routing only "
                "(sklearn.set_config(enable_metadata_routing=True))"
            )
        return dict.fromkeys(names, given)

    def _task(
        self,
        pairs: Sequence[tuple[str, Any]],
        X: Any,
        y: NDArray[Any],
        groups: NDArray[Any] | None,
        random: np.random.RandomState,
        vote: str,
        params: dict[str, dict[str, Any]],
    ) -> Task:
        """Return what members are fitted on, and how the samples are divided."""
        before = [pair for pair in pairs if is_fitted_before(pair[1], self.prefit)]
        classes = common_classes(before, y)
        if len(classes) < 2:
            raise InputError(f"y: holds one class only ('{classes[0]}'); two or more classes are required")
        codes = np.searchsorted(classes, y)
        everything = np.arange(len(y))
        parts = (
            Parts(everything[:0], everything)
            if len(before) == len(pairs)
            else divide(len(y), self.holdout, random, groups, codes)
        )
        folds = None if self.cv is None else folds_of(self.cv, parts, codes, groups, classifier=True)
        return Task(X, codes, classes, parts, vote, folds, params, self.prefit)

    def _by_name(self, members: Sequence[Member]) -> Bunch:
        fitted = {member.name: member.estimator for member in members}
        return Bunch(**{name: fitted.get(name, member) for name, member in self.estimators})

    def _weigh(self, fitted: Fitted, task: Task, groups: NDArray[Any] | None, seed: int) -> None:
        names = [member.name for member in fitted.members]
        held = None
        if len(task.parts.held):
            inside = None if groups is None else groups[task.parts.held]
            held = as_predictions(
                fitted.held, task.vote, names, task.classes, task.codes[task.parts.held], groups=inside
            )
        predictions, certify = held, None
        if task.folds is not None:
            inside = None if groups is None else groups[task.parts.train]
            labels = task.codes[task.parts.train]
            predictions = as_predictions(
                fitted.unfolded, task.vote, names, task.classes, labels, groups=inside, folds=task.folds
            )
            certify = held
        assert predictions is not None
        self.ensemble_ = weigh(
            predictions,
            method=self.method,
            vote=task.vote,
            delta=self.delta,
            certify_fraction=self.certify_fraction,
            seed=seed,
            certify=certify,
        )
        self.weights_ = self.ensemble_.weights.copy()
        self.certificate_ = self.ensemble_.best

    def _voters(self, X: Any) -> tuple[Predictions, NDArray[np.float64]]:
        """Return what the members with weight say on X, and their weights."""
        check_is_fitted(self)
        if len(getattr(X, "shape", ())) != 1:  # members say best what is wrong with a single row
            X = validate_data(self, X, reset=False, skip_check_array=True)
        (X,) = indexable(X)
        active, vote, width = self.ensemble_.active, self.ensemble_.vote, max(2, len(self.classes_))
        members = [self.members_[i] for i in active.tolist()]
        said = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(member.values)(X, vote, width) for member in members
        )
        names = [member.name for member in members]
        return as_predictions(said, vote, names, self.classes_), self.ensemble_.weights[active]
