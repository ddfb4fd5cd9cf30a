"""The main job for real targets: hold-out predictions → weights of a mean, certificates of its errors."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._certificate import percent_up
from comitia._copies import in_common
from comitia._ensemble import Split, versions
from comitia._errors import InputError, require_open_unit, require_whole_number
from comitia._members import positions
from comitia._simplex import as_prior, as_weights
from comitia._split import default_fraction, random_folds, split_samples
from comitia.bounds.error_quantile import require_level
from comitia.bounds.terms import kl_divergence
from comitia.regression.certifying import (
    NO_LIMIT,
    OUT_OF_FOLD,
    Question,
    RealCertification,
    certify_chosen,
    certify_untouched,
    nothing_promised,
)
from comitia.regression.ensemble import RealData, RealEnsemble, Weights
from comitia.regression.limits import Limit, asked_limit, chosen_limit
from comitia.regression.predictions import RealPredictions, require_real
from comitia.regression.weighting import TABLE, is_blind, require_method, weighted_mean
from comitia.weighting.evidence import Weighting

Array = NDArray[np.float64]

#: Parts of the cross-validation that gives an estimate where nothing is promised.
FOLDS = 5
#: From this share of samples on that are the same as another one, they are called copies.
COPIED = 0.01


@dataclass(frozen=True)
class RealSettings:
    """What was asked for."""

    method: str
    delta: float
    certify_fraction: float | None
    seed: int
    prior: tuple[float, ...] | None
    limit: Limit | None
    quantiles: tuple[float, ...]

    def question(self, members: int) -> Question:
        """Return what the certificates are asked."""
        return Question(self.delta, self.seed, as_prior(self.prior, members), self.quantiles)


@dataclass(frozen=True, eq=False)
class RealSources:
    """What chose the weights, and which samples choose and certify; `certifying` is None where nothing certifies."""

    given: RealPredictions
    apart: RealPredictions | None
    chosen_on: str
    split: Split
    weighing: RealPredictions
    certifying: RealPredictions | None


def weigh(
    predictions: RealPredictions,
    *,
    method: str | None = None,
    delta: float = 0.05,
    certify_fraction: float | None = None,
    seed: int = 0,
    prior: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    certify: RealPredictions | None = None,
    largest_error: float | None = None,
    clip: float | None = None,
    quantile: float | Iterable[float] = (),
) -> RealEnsemble:
    """Return the weighted mean: weights chosen by `method`, and every certificate of its errors that is valid.

    Parameters
    ----------
    predictions : hold-out predictions with targets, untouched by training. Groups stay whole, and promises are then of
        the mean error within a new group. Out-of-fold ones choose weights; without `certify` nothing is promised.
    method : ``"tandem"``, which minimises the mean squared error with a divergence term; ``"uniform"``, ``"best"``, or
        ``"given"`` with `weights`. None is ``"given"`` with `weights` and else ``"tandem"``.
    delta : probability with which a certificate may fail.
    certify_fraction : share of the samples kept for certifying; None lets round(.7 n^(3/4)) samples (or groups) choose
        and all others certify; 0 lets all samples choose: a promise then needs `largest_error`, and is loose.
    seed : of the split, and of the order in which samples are bet on.
    prior : (M,) over the members, fixed before the hold-out was seen.
    weights : (M,) given weights. That they were fixed without these samples is your word.
    certify : the same members on samples that nothing has touched: `predictions` choose, these certify.
    largest_error : no error can be larger, in units of the target: your word, which promises state.
    clip : larger errors count as this, and promises state it. Without either, twice the largest error of the mean on
        the samples that choose is taken; samples that certify have no part in it.
    quantile : also promise what this share of new errors does not exceed: .9, or several; needs no limit.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> targets = rng.normal(size=1000)
    >>> values = targets + rng.normal(scale=[[0.5], [0.6], [1.0]], size=(3, 1000))
    >>> ensemble = weigh(RealPredictions.from_arrays(values, targets), quantile=0.9)
    >>> ensemble.best.name, ensemble.best.measure, 0.14 < ensemble.best.risk < 0.25
    ('split', 'mean squared error', True)
    >>> ensemble.certificates[2].title, 0.6 < ensemble.certificates[2].risk < 0.8
    ('90% of errors', True)
    """
    require_real(predictions)
    settings = read_settings(
        predictions, method, delta, certify_fraction, seed, prior, weights, largest_error, clip, quantile
    )
    sources = divide(predictions, certify, settings)
    return describe(sources, settings, choose(sources.weighing, settings, weights))


def read_settings(
    predictions: RealPredictions,
    method: str | None,
    delta: float,
    certify_fraction: float | None,
    seed: int,
    prior: ArrayLike | None,
    weights: ArrayLike | None,
    largest_error: float | None,
    clip: float | None,
    quantile: float | Iterable[float],
) -> RealSettings:
    """Return what was asked for, checked."""
    chosen = require_method(("tandem" if weights is None else "given") if method is None else method)
    if (chosen == "given") != (weights is not None):
        raise InputError(
            "weights: required for method 'given'; give them"
            if weights is None
            else "weights: take the place of a method; leave one of the two out"
        )
    fraction = certify_fraction
    if fraction is not None and not 0 <= fraction < 1:
        raise InputError(f"certify_fraction: must be at least 0 and below 1, got {fraction:g}")
    levels = [quantile] if isinstance(quantile, int | float) else list(quantile)
    return RealSettings(
        chosen,
        require_open_unit("delta", delta),
        fraction,
        require_whole_number("seed", seed, least=0),
        None if prior is None else tuple(as_prior(prior, predictions.members).tolist()),
        asked_limit(largest_error, clip),
        tuple(dict.fromkeys(map(require_level, levels))),
    )


def divide(
    predictions: RealPredictions, certify: RealPredictions | None, settings: RealSettings
) -> RealSources:
    """Return which samples choose the weights and the limit, and which certify."""
    n, fraction, seed = predictions.units, settings.certify_fraction, settings.seed
    predictions.truth  # noqa: B018  an error where there is none
    whole = Split(0.0, seed, predictions.samples, 0)
    if certify is not None:
        apart = _matched(certify, predictions)
        if fraction:
            raise InputError(f"certify_fraction: must be left out, other samples certify; got {fraction:g}")
        return RealSources(predictions, apart, "apart", whole, predictions, apart)
    chooses = not (is_blind(settings.method) and settings.limit is not None)
    if predictions.out_of_fold:
        chosen_on = "nothing" if is_blind(settings.method) else "all"
        return RealSources(predictions, None, chosen_on, whole, predictions, None)
    if not chooses:
        return RealSources(predictions, None, "nothing", whole, predictions, predictions)
    fraction = default_fraction(n) if fraction is None else fraction
    kept = round(fraction * n)
    if fraction and not 0 < kept < n:
        what = "samples" if predictions.groups is None else "groups"
        raise InputError(f"certify_fraction: {fraction:g} of {n} {what} leaves nothing on one side")
    if not kept:
        return RealSources(predictions, None, "all", whole, predictions, predictions)
    weighing, certifying = split_samples(predictions.samples, fraction, seed, predictions.groups)
    split = Split(fraction, seed, len(weighing), len(certifying))
    parts = predictions.take(weighing), predictions.take(certifying)
    return RealSources(predictions, None, "part", split, *parts)


def _matched(certify: RealPredictions, predictions: RealPredictions) -> RealPredictions:
    """Return the samples apart with members in the order of the others; an error where some are among those."""
    require_real(certify)
    certify.truth  # noqa: B018
    if certify.out_of_fold:
        raise InputError("certify: out-of-fold samples trained members; give samples that no fold has seen")
    found = certify.pick(positions(certify.names, certify.named, predictions.names, "certify"))
    if predictions.ids is not None and found.ids is not None:
        common = np.intersect1d(predictions.ids, found.ids)
        if common.size:
            raise InputError(
                f"certify: {common.size:,} samples also choose the weights, such as '{common[0]}'"
            )
    if twice := _in_both(predictions, found):
        raise InputError(f"certify: {twice:,} samples also choose the weights; give untouched ones")
    if (predictions.groups is None) != (found.groups is None):
        raise InputError(
            "groups: the samples that choose and those that certify must both have groups, or neither"
        )
    if predictions.groups is not None and found.groups is not None:
        shared = sorted(predictions.groups.present() & found.groups.present())
        if shared:
            raise InputError(
                f"certify: {len(shared):,} groups also choose the weights, such as '{shared[0]}'"
            )
    return found


def _in_both(one: RealPredictions, other: RealPredictions) -> int:
    """How many samples both hold, by predictions and targets; 0 where different samples often look alike."""
    _, marks = np.unique(np.concatenate([one.rows(), other.rows()]), return_inverse=True)
    found = marks.ravel().astype(np.uint64)
    return in_common(found[: one.samples], found[one.samples :])


def choose(
    predictions: RealPredictions, settings: RealSettings, weights: ArrayLike | None = None
) -> Weighting:
    """Return the weights by the settings' method on those samples."""
    if settings.method == "given":
        if weights is None:
            raise InputError("weights: required for method 'given'; give them")
        return Weighting("given", as_weights(weights, predictions.members), samples=0)
    return TABLE[settings.method].weigh(predictions, settings.delta, settings.prior)


def describe(sources: RealSources, settings: RealSettings, weighting: Weighting) -> RealEnsemble:
    """Return the ensemble with those weights: limit, certificates, statistics and warnings."""
    rho, predictions = weighting.weights, sources.given
    limit = _limit(sources, settings, rho)
    found = _certified(sources, settings, rho, limit)
    measured = sources.certifying if sources.chosen_on in ("part", "apart") else predictions
    measured = predictions if measured is None else measured
    groups = None if predictions.groups is None else measured.units if sources.apart else predictions.units
    apart = sources.apart
    return RealEnsemble(
        names=predictions.names,
        delta=settings.delta,
        chosen_on=sources.chosen_on,
        weighting=_weights(weighting, settings, predictions.members),
        split=sources.split,
        limit=limit,
        quantiles=settings.quantiles,
        statistics=_statistics(measured, rho),
        certificates=found.certificates,
        best=found.best,
        compared=found.compared,
        unavailable=found.unavailable,
        data=RealData(
            predictions.fingerprint(),
            predictions.samples,
            groups,
            None if apart is None else apart.fingerprint(),
            None if apart is None else apart.samples,
            predictions.out_of_fold,
        ),
        member_errors=tuple(measured.averaged(measured.errors**2).mean(axis=1).tolist()),
        warnings=tuple(_warnings(sources, found, limit)),
        versions=versions(),
        estimate=_estimate(predictions, settings, rho) if found.best is None else None,
    )


def _weights(found: Weighting, settings: RealSettings, members: int) -> Weights:
    kl = kl_divergence(found.weights, as_prior(settings.prior, members))
    kept = kl if np.isfinite(kl) else None
    return Weights(found.method, found.weights, found.samples, found.lam, kept, settings.prior)


def _limit(sources: RealSources, settings: RealSettings, rho: Array) -> Limit | None:
    """The limit that was asked for, or that the samples choose, where not all of them do."""
    if settings.limit is not None:
        return settings.limit
    if sources.chosen_on not in ("part", "apart"):
        return None
    return chosen_limit(weighted_mean(sources.weighing, rho) - sources.weighing.truth)


def _certified(
    sources: RealSources, settings: RealSettings, rho: Array, limit: Limit | None
) -> RealCertification:
    asked = settings.question(sources.given.members)
    if sources.certifying is None:
        return nothing_promised(OUT_OF_FOLD, asked)
    if sources.chosen_on == "all":
        return certify_chosen(sources.certifying, rho, limit, asked)
    if limit is None:
        return nothing_promised(NO_LIMIT, asked)
    name = "split" if sources.chosen_on == "part" else "holdout"
    return certify_untouched(sources.certifying, rho, limit, asked, name)


def _statistics(samples: RealPredictions, rho: Array) -> dict[str, float]:
    errors = weighted_mean(samples, rho) - samples.truth
    squares = samples.averaged(samples.errors**2).mean(axis=1)
    return {
        "mse": float(samples.averaged(errors**2).mean()),
        "mae": float(samples.averaged(np.abs(errors)).mean()),
        "members": float(rho @ squares),
    }


def _estimate(predictions: RealPredictions, settings: RealSettings, rho: Array) -> float:
    """The mean squared error over random folds, each judged by weights that the others chose."""
    total, n = 0.0, predictions.samples
    for held in random_folds(n, min(FOLDS, n), settings.seed, predictions.groups):
        others = np.setdiff1d(np.arange(n), held)
        again = (
            rho
            if is_blind(settings.method) or not others.size
            else choose(predictions.take(others), settings).weights
        )
        part = predictions.take(held)
        total += float(((weighted_mean(part, again) - part.truth) ** 2).sum())
    return total / n


def _warnings(sources: RealSources, found: RealCertification, limit: Limit | None) -> Iterator[str]:
    """What looks off, a plain line each."""
    samples = sources.given if sources.certifying is None else sources.certifying
    copies = samples.samples - len(np.unique(samples.rows()))
    if copies > COPIED * samples.samples:
        yield (
            f"{copies:,} of {samples.samples:,} samples are the same as another one in all predictions and the "
            "target; samples that were drawn twice make every certificate too tight"
        )
    exact = [name for name, errors in zip(samples.names, samples.errors) if not errors.any()]
    if exact and samples.samples > 1:
        yield f"member '{exact[0]}' makes no error at all; it may be the target, or trained on these samples"
    best = found.best
    at_limit = 0 if best is None else best.inputs.get("at_limit", 0)
    if best is not None and limit is not None and at_limit:
        yield (
            f"{percent_up(at_limit / samples.samples)} of the errors are at least {limit.value:g} and count as that; "
            "the promise says nothing of how large they are"
        )
