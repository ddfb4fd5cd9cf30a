"""The main job: hold-out predictions → weights, vote, certificates."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._certify import certify_with
from comitia._diagnose import about_bounds, about_data
from comitia._ensemble import Data, Ensemble, Split, versions
from comitia._errors import InputError, require_open_unit, require_whole_number
from comitia._predictions import Predictions, require_predictions
from comitia._simplex import LARGEST_COUNT, as_prior, as_weights, prune, round_to
from comitia._split import default_fraction, split_samples
from comitia._votes import require_kind
from comitia.bounds.terms import kl_divergence
from comitia.statistics import Statistics, measure, measure_with_part
from comitia.statistics.counts import require_labels
from comitia.statistics.unlabelled import matched
from comitia.weighting import TABLE, Evidence, Method, Weighting, choose, find


def weigh(
    predictions: Predictions,
    *,
    method: Method = "tandem",
    vote: str = "majority",
    delta: float = 0.05,
    certify_fraction: float | None = None,
    seed: int = 0,
    prior: ArrayLike | None = None,
    resolution: int | None = None,
    weights: ArrayLike | None = None,
    unlabelled: Predictions | None = None,
    bounds: Iterable[Any] = (),
) -> Ensemble:
    """Return the ensemble: weights chosen by `method`, and every certificate that is valid for them.

    Parameters
    ----------
    predictions : hold-out predictions with labels, untouched by training.
    method : one of `comitia.METHODS`, a callable `Evidence -> Weighting` (or its ``"module:function"``), or
        ``"given"`` with `weights`.
    vote : ``"majority"`` or ``"average"``; certificates are for this vote alone.
    delta : probability with which a certificate may fail.
    certify_fraction : share of the samples kept for certifying; None is `default_fraction(n)`; 0 lets all
        samples choose the weights. Weights that no sample chooses are certified on all: with ``uniform`` the
        fraction has no effect, with given weights it is an error.
    seed : of the split and of the method.
    prior : (M,) over the members, fixed before the hold-out was seen.
    resolution : round the weights to multiples of 1/resolution, for which `occam` can certify.
    weights : (M,) given weights instead of a method. That they were fixed without these samples is your word,
        and an assumption of the certificate.
    unlabelled : the same members on samples without labels, for the ``disagreement`` method.
    bounds : further bounds from outside, whose validity is their author's claim (see `comitia.bounds.row.as_bound`).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> votes = np.where(rng.random((5, 400)) < 0.2, 1 - labels, labels)
    >>> ensemble = weigh(Predictions.from_arrays(votes=votes, labels=labels), method="tandem")
    >>> ensemble.best.name, ensemble.best.samples, ensemble.best.risk < 0.2
    ('split', 200, True)
    """
    require_predictions(predictions)
    settings = Settings(
        method,
        vote,
        require_open_unit("delta", delta),
        certify_fraction,
        require_whole_number("seed", seed, least=0),
        None if prior is None else tuple(as_prior(prior, predictions.members).tolist()),
        None if resolution is None else require_whole_number("resolution", resolution),
        (bounds,) if isinstance(bounds, str) else tuple(bounds),
    )
    extra = None if unlabelled is None else matched(unlabelled, predictions)
    plan = plan_split(predictions, settings, weights)
    data = survey(predictions, settings, plan, extra)
    choice = choose_weights(predictions, settings, plan, data, weights=weights)
    return describe(predictions, settings, choice, data)


@dataclass(frozen=True)
class Settings:
    """What was asked of `weigh`; its parameters say what each means."""

    method: Method
    vote: str
    delta: float
    certify_fraction: float | None
    seed: int
    prior: tuple[float, ...] | None
    resolution: int | None
    bounds: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Surveyed:
    """What one look at the data gives, whatever the weights: statistics, checksums and warnings.

    `measured` is of the loss of the vote, on all samples. `evidence` are the statistics, by loss, of the samples that
    choose the weights, as far as the same look gave them.
    """

    hard: Statistics
    measured: Statistics
    evidence: dict[str, Statistics]
    sha256: str
    warnings: tuple[str, ...]
    unlabelled: Predictions | None


@dataclass(frozen=True)
class Choice:
    """The deployed weighting, what chose it, and the samples that had no part in it (None unless a part did)."""

    weighting: Weighting
    chosen_on: str
    split: Split
    certifying: NDArray[np.int64] | None


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """What chooses the weights, and how the samples are divided for it."""

    chosen_on: str
    fraction: float
    weighing: NDArray[np.int64]
    certifying: NDArray[np.int64]


def survey(
    predictions: Predictions, settings: Settings, plan: SplitPlan, unlabelled: Predictions | None = None
) -> Surveyed:
    """Return all that the data say before there are weights."""
    require_labels(predictions)
    require_kind(predictions, settings.vote)
    hard, part = measure(predictions, loss="hard"), plan.chosen_on == "part"
    measured, evidence = hard, {} if part else {"hard": hard}
    if settings.vote == "average" and part:
        measured, evidence["soft"] = measure_with_part(predictions, plan.weighing)
    elif settings.vote == "average":
        measured = evidence["soft"] = measure(predictions, loss="soft")
    warnings = about_data(predictions, hard)
    return Surveyed(hard, measured, evidence, predictions.fingerprint(), warnings, unlabelled)


def plan_split(predictions: Predictions, settings: Settings, weights: ArrayLike | None) -> SplitPlan:
    """Return which samples choose the weights; invalid settings are an error."""
    _check(settings, weights)
    fraction, chosen_on = _plan(predictions, settings)
    return SplitPlan(chosen_on, fraction, *split_samples(predictions.samples, fraction, settings.seed))


def choose_weights(
    predictions: Predictions,
    settings: Settings,
    plan: SplitPlan,
    data: Surveyed,
    *,
    weights: ArrayLike | None = None,
) -> Choice:
    """Return the weights by the settings' method on the samples that may choose them, as they are deployed."""
    part = plan.chosen_on == "part"
    evidence = Evidence(
        predictions.take(plan.weighing) if part else predictions,
        vote=settings.vote,
        delta=settings.delta,
        prior=settings.prior,
        random_state=settings.seed,
        unlabelled=data.unlabelled,
        measured=data.evidence,
    )
    found = choose(settings.method, evidence) if weights is None else _given(weights, predictions.members)
    split = Split(plan.fraction, settings.seed, len(plan.weighing), len(plan.certifying))
    return Choice(_deployed(found, settings), plan.chosen_on, split, plan.certifying if part else None)


def describe(predictions: Predictions, settings: Settings, choice: Choice, data: Surveyed) -> Ensemble:
    """Return the ensemble of that choice: certificates, statistics and warnings at its weights."""
    rho, vote, prior = choice.weighting.weights, settings.vote, settings.prior
    certification = certify_with(
        data.measured,
        predictions,
        rho,
        vote=vote,
        delta=settings.delta,
        prior=prior,
        chosen_on=choice.chosen_on,
        certifying=choice.certifying,
        unlabelled=data.unlabelled,
        bounds=settings.bounds,
    )
    extra = None if data.unlabelled is None else data.unlabelled.fingerprint()
    predictions.require_unchanged()
    return Ensemble(
        names=predictions.names,
        run=_integers(predictions.run),
        step=_integers(predictions.step),
        classes=predictions.classes,
        vote=vote,
        delta=settings.delta,
        chosen_on=choice.chosen_on,
        weighting=choice.weighting,
        prior=prior,
        resolution=settings.resolution,
        split=choice.split,
        statistics=_summary(data.measured, data.hard, rho),
        certification=certification,
        data=Data(data.sha256, predictions.samples, data.hard.pair_samples, extra),
        member_risks=tuple(data.hard.first.tolist()),
        warnings=(*data.warnings, *about_bounds(data.measured, rho, certification)),
        versions=versions(),
    )


def _check(settings: Settings, weights: ArrayLike | None) -> None:
    """Raise for settings that are wrong whatever the samples are."""
    if (settings.method == "given") != (weights is not None):
        raise InputError(
            "weights: required for method 'given'; give them"
            if weights is None
            else "weights: take the place of a method; leave one of the two out"
        )
    if settings.method != "given":
        find(settings.method)
    if settings.resolution is not None and not 1 <= settings.resolution <= LARGEST_COUNT:
        raise InputError(f"resolution: must be from 1 to {LARGEST_COUNT}, got {settings.resolution}")
    fraction = settings.certify_fraction
    if fraction is not None and not 0 <= fraction < 1:
        raise InputError(f"certify_fraction: must be at least 0 and below 1, got {fraction:g}")
    if fraction is not None and settings.method == "given":
        raise InputError(
            f"certify_fraction: must be left out with given weights, got {fraction:g}: which samples chose them "
            "is not known here; give predictions on samples that had no part in them"
        )


def is_blind(method: Method) -> bool:
    """Return whether no sample chooses the weights: only methods that are known to look at none."""
    return method == "given" or (isinstance(method, str) and method in TABLE and TABLE[method].blind)


def _plan(predictions: Predictions, settings: Settings) -> tuple[float, str]:
    """The fraction kept for certifying, and how much of the hold-out chooses the weights."""
    n, fraction = predictions.samples, settings.certify_fraction
    if is_blind(settings.method):
        return 0.0, "nothing"
    if not predictions.shared:
        if fraction:
            raise InputError(
                "certify_fraction: each member has its own hold-out samples, which cannot be split; leave it out"
            )
        return 0.0, "all"
    fraction = default_fraction(n) if fraction is None else fraction
    kept = round(fraction * n)
    if fraction and not 0 < kept < n:
        raise InputError(f"certify_fraction: {fraction:g} of {n} samples leaves nothing on one side")
    return fraction, "part" if kept else "all"


def _given(weights: ArrayLike, members: int) -> Weighting:
    return Weighting("given", as_weights(weights, members), samples=0)


def _deployed(weighting: Weighting, settings: Settings) -> Weighting:
    """The weighting with the weights as they are deployed: rounded where asked for, else pruned.

    Rounded weights are no longer the minimum, so what was proved about it is dropped.
    """
    if settings.resolution is not None:
        rho = round_to(weighting.weights, settings.resolution)
        kl = kl_divergence(rho, as_prior(settings.prior, len(rho)))
        kept = kl if np.isfinite(kl) else None
        return replace(weighting, weights=rho, lam=None, gap=None, bound=None, kl=kept)
    if is_blind(weighting.method):
        return weighting
    return replace(weighting, weights=prune(weighting.weights))


def _summary(measured: Statistics, hard: Statistics, rho: NDArray[np.float64]) -> dict[str, float]:
    """The statistics at the deployed weights: of the vote's loss, the disagreement always of the votes."""
    apart = hard.disagreement_of(rho)
    assert apart is not None
    return {"gibbs": measured.gibbs(rho), "tandem": measured.tandem(rho), "disagreement": apart}


def _integers(values: NDArray[np.int64] | None) -> tuple[int, ...] | None:
    return None if values is None else tuple(int(value) for value in values)
