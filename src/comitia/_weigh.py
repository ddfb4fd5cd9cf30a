"""The main job: hold-out predictions → weights, vote, certificates."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._certify import Certification, certify_with, nothing_promised
from comitia._choosing import (
    Choice,
    Settings,
    SplitPlan,
    choose_weights,
    default_method,
    estimate_risk,
    find_threshold,
    plan_split,
    sees_unlabelled,
)
from comitia._diagnose import about_bounds, about_data
from comitia._ensemble import Data, Ensemble, versions
from comitia._errors import require_open_unit, require_whole_number
from comitia._kinds import real_too
from comitia._predictions import Predictions
from comitia._promising import least_share, make_promises, require_possible, require_promised
from comitia._simplex import as_prior
from comitia._sources import Sources, fold_count, gather_sources
from comitia._standing import look_back
from comitia._untouched import id_marks
from comitia._votes import default_vote, require_kind
from comitia.promises import Decision, ask
from comitia.statistics import Counted, Statistics, measure, measure_with_part
from comitia.statistics.counted import Holdout, require_holdout
from comitia.statistics.counts import require_labels
from comitia.weighting import Method
from comitia.weighting.limit import read_limit

OUT_OF_FOLD = (
    "out-of-fold samples trained the other folds' models and the models that are refitted, so they choose weights and "
    "certify nothing; certify needs untouched samples"
)


@real_too
def weigh(
    predictions: Holdout,
    *,
    method: Method | None = None,
    vote: str | None = None,
    delta: float = 0.05,
    certify_fraction: float | None = None,
    seed: int = 0,
    prior: ArrayLike | None = None,
    resolution: int | None = None,
    weights: ArrayLike | None = None,
    unlabelled: Predictions | None = None,
    certify: Predictions | None = None,
    bounds: Iterable[Any] = (),
    per: str | Iterable[str] = (),
    threshold: float | str | None = None,
    target_risk: float | None = None,
    costs: Any = None,
    at_most: int | None = None,
    budget: float | str | None = None,
    member_costs: Any = None,
) -> Ensemble:
    """Return the ensemble: weights chosen by `method`, and every certificate that is valid for them.

    `RealPredictions` go to `comitia.regression.weigh`, with the arguments that are listed there.

    Parameters
    ----------
    predictions : hold-out predictions with labels, untouched by training. Out-of-fold ones (with `folds`) choose
        weights; without `certify` the result then holds an estimate and no promise. Groups stay whole everywhere,
        and the promise is of the error rate within a new group, averaged over groups. Or what `count` counted of them:
        the majority vote only, methods that look at no single sample, and without `certify` no certificate that counts
        errors of the vote.
    method : one of `comitia.METHODS`, a callable `Evidence -> Weighting` (or its ``"module:function"``), or
        ``"given"`` with `weights`. None is ``"given"`` with `weights` and else ``"blend"``; or ``"tandem"`` for counts
        and where each member has its own hold-out samples.
    vote : ``"majority"`` or ``"average"``; certificates are for this vote alone. None is the average where members
        gave probabilities and the majority where they gave votes; `Ensemble.vote` and every promise say which.
    delta : probability with which a certificate may fail.
    certify_fraction : share of the samples kept for certifying; None lets round(.7 n^(3/4)) samples (groups, where
        there are any) choose the weights and all others certify; 0 lets all samples choose. Weights that no sample
        chooses are certified on all: with ``uniform`` the fraction has no effect, with given weights it is an error.
    seed : of the split and of the method.
    prior : (M,) over the members, fixed before the hold-out was seen.
    resolution : round the weights to multiples of 1/resolution, for which `occam` can certify.
    weights : (M,) given weights instead of a method. That they were fixed without these samples is your word,
        and an assumption of the certificate.
    unlabelled : the same members on further samples without labels, drawn like the hold-out. With as many as certify
        or more they give the certificate ``"unlabelled"``, which is designated by a rule that is fixed before looking
        (`comitia.bounds.designation`). Of two classes they also serve the ``disagreement`` method and bound.
    certify : the same members on samples that nothing has touched: all of `predictions` choose the weights, these
        certify them. No group may be in both.
    bounds : further bounds from outside, whose validity is their author's claim (see `comitia.bounds.row.as_bound`).
    per : promise an error rate for each true ``"class"``, for each class ``"predicted"``, or for each value of one of
        the predictions' `strata`; all values of one name hold at once. Several names divide delta.
    threshold : of two classes, the second is answered where its share is above this: a number, or how the samples that
        choose the weights choose it: ``"cost=5:1"`` (a miss costs five false alarms), ``"sensitivity=.95"``,
        ``"specificity=.95"``. Only certificates that count errors hold then.
    target_risk : decline samples so that at most this share of the answers is wrong.
    costs : (C, C) by true class and answer, or a mapping of mappings by class names; a further column ``"no answer"``
        may say what none costs, else it is the row's largest. The expected cost is promised.
    at_most : at most this many members vote. The samples that choose the weights choose them too, by any method
        (`comitia.weighting.selection`), so that ``uniform`` weights are then chosen on samples like any others.
    budget, member_costs : the members that vote cost at most `budget` together. Costs are (M,) numbers of any kind
        (seconds, parameters, multiply-adds: `comitia.deep.member_costs` measures them), or a mapping by the members'
        names; of mappings with several columns the budget names one, as in ``"seconds=.5"``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> votes = np.where(rng.random((5, 400)) < 0.2, 1 - labels, labels)
    >>> ensemble = weigh(Predictions.from_arrays(votes=votes, labels=labels), method="tandem")
    >>> ensemble.best.name, ensemble.best.samples, ensemble.best.risk < 0.2
    ('split', 337, True)
    """
    require_holdout(predictions)
    chosen = default_method(predictions) if weights is None else "given"
    settings = Settings(
        chosen if method is None else method,
        default_vote(predictions, certify) if vote is None else vote,
        require_open_unit("delta", delta),
        certify_fraction,
        require_whole_number("seed", seed, least=0),
        None if prior is None else tuple(as_prior(prior, predictions.members).tolist()),
        None if resolution is None else require_whole_number("resolution", resolution),
        (bounds,) if isinstance(bounds, str) else tuple(bounds),
        limit=read_limit(at_most, budget, member_costs, predictions.names),
    )
    sources = gather_sources(predictions, unlabelled, certify)
    settings = replace(settings, asked=ask(per, threshold, target_risk, costs, sources.measured.class_names))
    plan = plan_split(sources, settings, weights)
    require_possible(sources, settings, plan)
    data = survey(sources, settings, plan)
    choice = choose_weights(
        sources.weighing, settings, plan, data.evidence, weights=weights, unlabelled=sources.unlabelled
    )
    threshold = find_threshold(sources.weighing, settings, plan, choice.weighting.weights)
    found = describe(sources, settings, replace(choice, threshold=threshold), data)
    require_promised(found.unpromised)
    return found


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


def survey(sources: Sources, settings: Settings, plan: SplitPlan) -> Surveyed:
    """Return all that the data say before there are weights."""
    predictions = sources.measured
    for part in (predictions, sources.weighing):
        if isinstance(part, Predictions):
            require_labels(part)
        require_kind(part, settings.vote)
    hard, alike = measure(predictions, loss="hard"), plan.chosen_on not in ("part", "apart")
    measured, evidence = hard, {"hard": hard} if alike else {}
    if settings.vote == "average" and plan.weighing is not None and isinstance(predictions, Predictions):
        measured, evidence["soft"] = measure_with_part(predictions, plan.weighing)
    elif settings.vote == "average":
        measured = measure(predictions, loss="soft")
        evidence |= {"soft": measured} if alike else {}
    warnings = about_data(predictions, hard)
    return Surveyed(hard, measured, evidence, sources.weighing.fingerprint(), warnings)


def describe(sources: Sources, settings: Settings, choice: Choice, data: Surveyed) -> Ensemble:
    """Return the ensemble of that choice: certificates, statistics and warnings at its weights."""
    predictions, rho, vote, prior = sources.measured, choice.weighting.weights, settings.vote, settings.prior
    certification = _certification(sources, settings, choice, data)
    promises, unpromised = make_promises(sources, settings, choice)
    standing = look_back(sources, settings, choice)
    estimate = None
    if sources.estimated and isinstance(sources.weighing, Predictions):
        estimate = estimate_risk(sources.weighing, settings, choice, sources.unlabelled)
    for part in (sources.weighing, predictions):
        if isinstance(part, Predictions):
            part.require_unchanged()
    return Ensemble(
        names=predictions.names,
        run=_integers(predictions.run),
        step=_integers(predictions.step),
        class_names=predictions.class_names,
        declared=predictions.declared,
        vote=vote,
        delta=settings.delta,
        chosen_on=choice.chosen_on,
        weighting=choice.weighting,
        prior=prior,
        resolution=settings.resolution,
        split=choice.split,
        statistics=_summary(data.measured, data.hard, rho),
        certification=certification,
        data=_data(sources, data, choice),
        member_risks=tuple(data.hard.first.tolist()),
        warnings=(*data.warnings, *about_bounds(data.measured, rho, certification, predictions)),
        versions=versions(),
        estimate=estimate,
        asked=settings.asked,
        decision=Decision(choice.threshold, least_share(promises)),
        promises=promises,
        unpromised=unpromised,
        gain=standing.gain,
        profile=standing.profile,
        limit=settings.limit,
    )


def _certification(sources: Sources, settings: Settings, choice: Choice, data: Surveyed) -> Certification:
    if sources.estimated:
        return nothing_promised(OUT_OF_FOLD, settings.bounds)
    return certify_with(
        data.measured,
        sources.measured,
        choice.weighting.weights,
        vote=settings.vote,
        delta=settings.delta,
        prior=settings.prior,
        chosen_on=choice.chosen_on,
        certifying=choice.certifying,
        unlabelled=sources.unlabelled,
        bounds=settings.bounds,
        seed=settings.seed,
        threshold=choice.threshold,
        weighing=_foreseeing(sources, settings, choice),
        unlabelled_chose=sees_unlabelled(settings.method),
    )


def _foreseeing(sources: Sources, settings: Settings, choice: Choice) -> Predictions | None:
    """The samples apart from those that certify, if they chose the weights; counts of them foresee nothing."""
    foresee = choice.chosen_on == "apart" and not settings.weighed_blind
    return sources.weighing if foresee and isinstance(sources.weighing, Predictions) else None


def _data(sources: Sources, data: Surveyed, choice: Choice) -> Data:
    weighing, apart, extra = sources.weighing, sources.apart, sources.unlabelled
    groups = sources.measured.groups if isinstance(sources.measured, Predictions) else None
    return Data(
        data.sha256,
        weighing.samples,
        data.hard.pair_samples,
        None if extra is None else extra.fingerprint(),
        None if groups is None else groups.count,
        _silences(sources.measured),
        fold_count(weighing),
        None if apart is None else apart.fingerprint(),
        None if apart is None else apart.samples,
        _chosen_ids(weighing, choice),
        isinstance(weighing, Counted),
        sources.measured.precision if isinstance(sources.measured, Predictions) else None,
    )


def _chosen_ids(weighing: Holdout, choice: Choice) -> str | None:
    """Digests of the ids of samples that chose the weights; None where none did, or none has an id."""
    if isinstance(weighing, Counted) or weighing.ids is None or choice.chosen_on == "nothing":
        return None
    return id_marks(weighing.ids if choice.certifying is None else np.delete(weighing.ids, choice.certifying))


def _silences(holdout: Holdout) -> int:
    """Return how many answers members did not give."""
    if isinstance(holdout, Counted):
        return int(holdout.counts.silences.sum())
    silent = holdout.abstained()
    return 0 if silent is None else int(silent.sum())


def _summary(measured: Statistics, hard: Statistics, rho: NDArray[np.float64]) -> dict[str, float]:
    """The statistics at the deployed weights: of the vote's loss, the disagreement always of the votes."""
    apart = hard.disagreement_of(rho)
    assert apart is not None
    return {"gibbs": measured.gibbs(rho), "tandem": measured.tandem(rho), "disagreement": apart}


def _integers(values: NDArray[np.int64] | None) -> tuple[int, ...] | None:
    return None if values is None else tuple(int(value) for value in values)
