"""A scikit-learn regressor: a weighted mean whose weights come from samples no member saw, and whose errors are
certified."""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, RegressorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Bunch, _safe_indexing, assert_all_finite, check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter, validate_data

from comitia._errors import InputError
from comitia.regression import RealPredictions, weigh
from comitia.sklearn.composition import Composition, require_members
from comitia.sklearn.real_reporting import real_concerns, real_text
from comitia.sklearn.reporting import warn
from comitia.sklearn.splitting import FEWEST_SAMPLES, Parts, Positions, as_groups, divide, folds_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Job:
    """One fit (none for a member fitted before) and the samples to predict: those held out, or a fold."""

    name: str
    estimator: Any
    train: Positions | None
    test: Positions


class WeightedVoteRegressor(RegressorMixin, MetaEstimatorMixin, Composition):  # type: ignore[misc]
    """Weighted mean of regressors, with certificates of its errors.

    Parameters
    ----------
    estimators : list of (name, regressor); `set_params(name="drop")` leaves one out. Those in a `FrozenEstimator` are
        taken as they are; if all are, every sample given to `fit` must be new to them, and all of them count.
    method : how weights are chosen: ``"tandem"``, ``"uniform"`` or ``"best"``.
    delta : probability with which a certificate may fail.
    holdout : share of the samples given to `fit` that no member is trained on.
    certify_fraction : share of the hold-out kept for certifying; None lets round(.7 n^(3/4)) of its n samples choose
        the weights, as `comitia.weigh` does.
    largest_error : no error can be larger, in units of y: your word, which promises state.
    clip : larger errors count as this. Without either, the samples that choose the weights say at what to clip.
    quantile : also certify what this share of new errors does not exceed: .9, or several.
    cv : number of folds, or a splitter: out-of-fold predictions on the samples that train choose the weights, members
        are fitted again on all of them, and all of the hold-out certifies. ``holdout=0`` then promises nothing.
    prefit : all members are fitted already, as if each were in a `FrozenEstimator`.
    n_jobs : how many fits run at a time, as in scikit-learn.
    random_state : seeds the split.

    Attributes
    ----------
    weights_ : the deployed weights; estimators_, named_estimators_ : fitted members.
    ensemble_ : the `comitia.RealEnsemble` with all certificates; certificate_ : the one to quote, of the mean squared
        error, or None where nothing is promised.

    Settings that change after `fit` wait for the next one: `predict` gives the mean that was certified.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = make_friedman1(2000, random_state=0, noise=1.0)
    >>> members = [("tree", DecisionTreeRegressor(max_depth=6, random_state=0)), ("line", Ridge())]
    >>> mean = WeightedVoteRegressor(members, quantile=0.9, random_state=0).fit(X, y)
    >>> mean.certificate_.measure, mean.certificate_.risk < 9
    ('mean squared error', True)
    """

    def __init__(
        self,
        estimators: Sequence[tuple[str, Any]],
        *,
        method: str = "tandem",
        delta: float = 0.05,
        holdout: float = 0.3,
        certify_fraction: float | None = None,
        largest_error: float | None = None,
        clip: float | None = None,
        quantile: float | Iterable[float] = (),
        cv: Any = None,
        prefit: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.method = method
        self.delta = delta
        self.holdout = holdout
        self.certify_fraction = certify_fraction
        self.largest_error = largest_error
        self.clip = clip
        self.quantile = quantile
        self.cv = cv
        self.prefit = prefit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, groups: Any = None, **fit_params: Any) -> "WeightedVoteRegressor":
        """Fit the members on a part of the samples, weigh and certify on the rest.

        Parameters
        ----------
        X, y : samples and real targets. Members get the rows of X as they are, a DataFrame's as a DataFrame.
        groups : (n,) samples of one group stay on one side, and certificates are for new groups.
        fit_params : `sample_weight` (n,), for the fits of all members. Weights and promises count every sample once.
        """
        pairs = self._members()
        X, y = _checked(self, X, y)
        groups = as_groups(groups, len(y))
        weight = _sample_weight(fit_params, len(y))
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        parts = self._parts(pairs, len(y), groups, random)
        folds = None if self.cv is None else folds_of(self.cv, parts, y, groups, classifier=False)
        self._fit_members(pairs, X, y, parts, folds, groups, weight, seed)
        warn(real_concerns(self.ensemble_))
        return self

    def report(self) -> str:
        """Return what `fit` found as a few lines of text; `comitia.report(mean.ensemble_, "page.html")` is a page."""
        check_is_fitted(self)
        return real_text(self.ensemble_)

    def predict(self, X: Any) -> Array:
        """Return, as (n,), the weighted mean of what the members with weight predict."""
        check_is_fitted(self)
        if len(getattr(X, "shape", ())) != 1:  # members say best what is wrong with a single row
            X = validate_data(self, X, reset=False, skip_check_array=True)
        (X,) = indexable(X)
        active, weights = self.ensemble_.active.tolist(), self.ensemble_.weights
        said = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_predicted)(self.estimators_[i], X) for i in active
        )
        return np.asarray(sum(weights[i] * values for i, values in zip(active, said)))

    def _members(self) -> list[tuple[str, Any]]:
        """Return the members in use; settings that fit no data are an error."""
        pairs = require_members(self.estimators, list(inspect.signature(type(self)).parameters), "regressor")
        if all(self._is_fitted(member) for _, member in pairs):
            if self.cv is not None:
                raise InputError("cv: must be left out where all members are fitted already")
        elif not (0 < self.holdout < 1 or (self.holdout == 0 and self.cv is not None)):
            zero = "" if self.cv is not None else "; 0 needs cv, and promises nothing"
            raise InputError(f"holdout: must lie strictly between 0 and 1, got {self.holdout:g}{zero}")
        return pairs

    def _is_fitted(self, member: Any) -> bool:
        return self.prefit or isinstance(member, FrozenEstimator)

    def _parts(
        self,
        pairs: Sequence[tuple[str, Any]],
        samples: int,
        groups: NDArray[Any] | None,
        random: np.random.RandomState,
    ) -> Parts:
        """Which samples train members; none where all are fitted already."""
        if all(self._is_fitted(member) for _, member in pairs):
            return Parts(np.arange(0), np.arange(samples))
        return divide(samples, self.holdout, random, groups)

    def _fit_members(
        self,
        pairs: Sequence[tuple[str, Any]],
        X: Any,
        y: Array,
        parts: Parts,
        folds: NDArray[np.int64] | None,
        groups: NDArray[Any] | None,
        weight: NDArray[Any] | None,
        seed: int,
    ) -> None:
        """Fit all members, for each fold too, and weigh what they predict on samples that they did not see."""
        whole = [_Job(n, m, None if self._is_fitted(m) else parts.train, parts.held) for n, m in pairs]
        jobs = [*whole, *self._folds(pairs, parts, folds)]
        done = Parallel(n_jobs=self.n_jobs)(delayed(_run)(job, X, y, weight) for job in jobs)
        self.estimators_ = [member for member, _ in done[: len(pairs)]]
        fitted = {name: member for (name, _), member in zip(pairs, self.estimators_)}
        self.named_estimators_ = Bunch(**{name: fitted.get(name, given) for name, given in self.estimators})
        names = [name for name, _ in pairs]
        held = None
        if len(parts.held):
            held = _predictions([said for _, said in done[: len(pairs)]], y, parts.held, names, groups)
        predictions, certify = held, None
        if folds is not None:
            rows = {name: np.empty(len(parts.train)) for name in names}
            for job, (_, said) in zip(jobs[len(pairs) :], done[len(pairs) :], strict=True):
                rows[job.name][np.searchsorted(parts.train, job.test)] = said
            predictions = _predictions(list(rows.values()), y, parts.train, names, groups, out_of_fold=True)
            certify = held
        assert predictions is not None
        self.ensemble_ = weigh(
            predictions,
            method=self.method,
            delta=self.delta,
            certify_fraction=self.certify_fraction,
            seed=seed,
            certify=certify,
            largest_error=self.largest_error,
            clip=self.clip,
            quantile=self.quantile,
        )
        self.weights_ = self.ensemble_.weights.copy()
        self.certificate_ = self.ensemble_.best

    def _folds(
        self, pairs: Sequence[tuple[str, Any]], parts: Parts, folds: NDArray[np.int64] | None
    ) -> list[_Job]:
        """A job per member and fold; a member that was fitted before has seen no sample of any."""
        found: list[_Job] = []
        if folds is None:
            return found
        for name, member in pairs:
            if self._is_fitted(member):
                found.append(_Job(name, member, None, parts.train))
                continue
            found += [
                _Job(name, member, parts.train[folds != k], parts.train[folds == k]) for k in np.unique(folds)
            ]
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _checked(estimator: Any, X: Any, y: Any) -> tuple[Any, Array]:
    """Return samples whose rows can be picked, and real targets (n,); the members check the values of X themselves."""
    X, y = validate_data(estimator, X, y, skip_check_array=True)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "O":
        y = y.astype(np.float64)
    if y.dtype.kind not in "biuf":
        raise InputError(f"y: must hold real numbers, got {y.dtype}")
    assert_all_finite(y, input_name="y")
    X, y = indexable(X, y)
    if len(y) < FEWEST_SAMPLES:
        raise InputError(f"X: at least {FEWEST_SAMPLES} samples are required, got {len(y)} sample(s)")
    return X, y


def _sample_weight(fit_params: dict[str, Any], samples: int) -> NDArray[Any] | None:
    """Return the weights of samples in the members' fits; nothing else is passed on."""
    if odd := sorted(set(fit_params) - {"sample_weight"}):
        raise InputError(f"fit: {', '.join(odd)} cannot be passed on to members, only sample_weight")
    given = fit_params.get("sample_weight")
    if given is None:
        return None
    weight: NDArray[Any] = column_or_1d(given)
    if len(weight) != samples:
        raise InputError(
            f"sample_weight: one per sample is required, got {len(weight)} for {samples} samples"
        )
    return weight


def _run(job: _Job, X: Any, y: Array, weight: NDArray[Any] | None) -> tuple[Any, Array]:
    """Fit and predict: in the same process, so that predictions are made in parallel too."""
    member = job.estimator
    if job.train is None:
        check_is_fitted(member)
    else:
        further = {} if weight is None else {"sample_weight": weight[job.train]}
        if further and not has_fit_parameter(member, "sample_weight"):
            kind = type(member).__name__
            raise InputError(f"sample_weight: '{job.name}' ({kind}) takes none; leave weights or member out")
        member = clone(member).fit(_safe_indexing(X, job.train), y[job.train], **further)
    said = _predicted(member, _safe_indexing(X, job.test)) if len(job.test) else np.empty(0)
    return member, said


def _predicted(member: Any, X: Any) -> Array:
    return np.ravel(np.asarray(member.predict(X), dtype=np.float64))


def _predictions(
    said: Sequence[Array],
    y: Array,
    samples: Positions,
    names: Sequence[str],
    groups: NDArray[Any] | None,
    out_of_fold: bool = False,
) -> RealPredictions:
    inside = None if groups is None else groups[samples]
    return RealPredictions.from_arrays(
        np.stack(said), y[samples], names, groups=inside, out_of_fold=out_of_fold
    )
