"""What chooses the weights: the settings, the samples they look at, and the weights as they are deployed."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._ensemble import Split
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._simplex import LARGEST_COUNT, as_prior, as_weights, prune, round_to
from comitia._sources import Sources
from comitia._split import default_fraction, split_samples
from comitia._votes import certified_losses
from comitia.bounds.terms import kl_divergence
from comitia.promises import Asked
from comitia.promises.threshold import read_threshold, threshold_on
from comitia.statistics import Statistics
from comitia.statistics.counted import Counted, Holdout
from comitia.weighting import TABLE, Evidence, Method, Weighting, choose, find
from comitia.weighting.limit import Limit


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
    asked: Asked = field(default_factory=Asked)
    limit: Limit | None = None

    @property
    def blind(self) -> bool:
        """Whether no sample chooses anything: neither the weights nor a part of the rule."""
        return self.weighed_blind and not self.asked.chooses

    @property
    def weighed_blind(self) -> bool:
        """Whether no sample chooses the weights: under a limit samples choose which members vote."""
        return is_blind(self.method) and self.limit is None


@dataclass(frozen=True)
class Choice:
    """The deployed weighting, what chose it, and the samples that had no part in it (None unless a part did).

    `threshold` is the decision threshold, chosen on the same samples as the weights.
    """

    weighting: Weighting
    chosen_on: str
    split: Split
    certifying: NDArray[np.int64] | None
    threshold: float | None = None


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """What chooses the weights, and how the samples are divided for it: a part of them each, or None where not."""

    chosen_on: str
    fraction: float
    samples: int
    weighing: NDArray[np.int64] | None = None
    certifying: NDArray[np.int64] | None = None

    def split(self, seed: int) -> Split:
        """Return how many samples choose, and how many are kept."""
        kept = 0 if self.certifying is None else len(self.certifying)
        return Split(self.fraction, seed, self.samples - kept, kept)


def plan_split(sources: Sources, settings: Settings, weights: ArrayLike | None) -> SplitPlan:
    """Return which samples choose the weights; invalid settings are an error."""
    _check(settings, weights)
    predictions = sources.weighing
    fraction, chosen_on = _plan(sources, settings)
    if chosen_on != "part" or isinstance(predictions, Counted):
        return SplitPlan(chosen_on, fraction, predictions.samples)
    n, groups = predictions.samples, predictions.groups
    return SplitPlan(chosen_on, fraction, n, *split_samples(n, fraction, settings.seed, groups))


def choose_weights(
    predictions: Holdout,
    settings: Settings,
    plan: SplitPlan,
    measured: dict[str, Statistics],
    *,
    weights: ArrayLike | None = None,
    unlabelled: Predictions | None = None,
) -> Choice:
    """Return the weights by the settings' method on the samples that may choose them, as they are deployed.

    `measured` are statistics of those samples that are known already.
    """
    if plan.weighing is not None and isinstance(predictions, Predictions):
        predictions = predictions.take(plan.weighing)
    evidence = Evidence(
        predictions,
        vote=settings.vote,
        delta=settings.delta,
        prior=settings.prior,
        random_state=settings.seed,
        unlabelled=unlabelled if sees_unlabelled(settings.method) else None,
        measured=measured,
    )
    found = (
        choose(settings.method, evidence, settings.limit)
        if weights is None
        else _given(weights, predictions.members)
    )
    return Choice(_deployed(found, settings), plan.chosen_on, plan.split(settings.seed), plan.certifying)


def find_threshold(
    predictions: Holdout, settings: Settings, plan: SplitPlan, weights: NDArray[np.float64]
) -> float | None:
    """Return the decision threshold for those weights, by the samples that choose."""
    if isinstance(predictions, Counted):
        return read_threshold(settings.asked.threshold).fixed
    part = predictions if plan.weighing is None else predictions.take(plan.weighing)
    return threshold_on(part, weights, settings.vote, settings.asked.threshold)


def estimate_risk(
    predictions: Predictions, settings: Settings, choice: Choice, unlabelled: Predictions | None = None
) -> float:
    """Return the error rate over all folds, each judged by weights that the other folds chose."""
    assert predictions.folds is not None
    codes, wrong = predictions.folds.codes, 0
    for fold in np.unique(codes):
        weights = choice.weighting.weights
        others = predictions.take(np.flatnonzero(codes != fold))
        if choice.chosen_on != "nothing":
            evidence = Evidence(
                others, settings.vote, settings.delta, settings.prior, settings.seed, unlabelled
            )
            weights = _deployed(choose(settings.method, evidence, settings.limit), settings).weights
        held = predictions.take(np.flatnonzero(codes == fold))
        threshold = threshold_on(others, weights, settings.vote, settings.asked.threshold)
        wrong += int(certified_losses(held, weights, settings.vote, threshold).sum())
    return wrong / predictions.samples


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
    elif settings.limit is not None:
        raise InputError(
            f"{settings.limit.argument}: given weights say which members vote, and nothing is chosen; leave it out"
        )
    if settings.resolution is not None and not 1 <= settings.resolution <= LARGEST_COUNT:
        raise InputError(f"resolution: must be from 1 to {LARGEST_COUNT}, got {settings.resolution}")
    fraction = settings.certify_fraction
    if fraction is not None and not 0 <= fraction < 1:
        raise InputError(f"certify_fraction: must be at least 0 and below 1, got {fraction:g}")
    if fraction is not None and settings.method == "given" and not settings.asked.chooses:
        raise InputError(
            f"certify_fraction: must be left out with given weights, got {fraction:g}: which samples chose them "
            "is not known here; give predictions on samples that had no part in them"
        )


def default_method(predictions: Holdout) -> str:
    """Return the method where none was asked for: blend, or tandem for what blend cannot cross-validate.

    These are counts, and members with hold-out samples of their own.
    """
    return "blend" if isinstance(predictions, Predictions) and predictions.shared else "tandem"


def is_blind(method: Method) -> bool:
    """Return whether no sample chooses the weights: only methods that are known to look at none."""
    return method == "given" or (isinstance(method, str) and method in TABLE and TABLE[method].blind)


def sees_unlabelled(method: Method) -> bool:
    """Return whether unlabelled samples may have a part in the weights: a method from outside may look at them."""
    if method == "given":
        return False
    return not (isinstance(method, str) and method in TABLE) or TABLE[method].unlabelled


def _plan(sources: Sources, settings: Settings) -> tuple[float, str]:
    """The fraction kept for certifying, and how much of the hold-out chooses the weights."""
    predictions, fraction = sources.weighing, settings.certify_fraction
    if sources.apart is not None or sources.estimated:
        if fraction:
            why = (
                "other samples certify"
                if sources.apart is not None
                else "out-of-fold samples certify nothing"
            )
            raise InputError(f"certify_fraction: must be left out, {why}; got {fraction:g}")
        if sources.apart is not None:
            return 0.0, "apart"
        return 0.0, "nothing" if settings.blind else "all"
    if isinstance(predictions, Counted) and fraction:
        raise InputError(
            f"certify_fraction: must be 0 with counts, which cannot be split into samples, got {fraction:g}; "
            "certify= takes samples apart"
        )
    if settings.blind:
        return 0.0, "nothing"
    if isinstance(predictions, Counted):
        return 0.0, "all"
    if not predictions.shared:
        if fraction:
            raise InputError(
                "certify_fraction: each member has its own hold-out samples, which cannot be split; leave it out"
            )
        return 0.0, "all"
    n = predictions.units
    fraction = default_fraction(n) if fraction is None else fraction
    kept = round(fraction * n)
    if fraction and not 0 < kept < n:
        what = "samples" if predictions.groups is None else "groups"
        raise InputError(f"certify_fraction: {fraction:g} of {n} {what} leaves nothing on one side")
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
