"""Every statement of an ensemble file computed again from the data."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from comitia._agreement import RISKS_AGREE, differences, only, with_odd
from comitia._certificate import WEIGHTS_FIXED, Certificate
from comitia._choosing import Choice, Settings, choose_weights, find_threshold, plan_split
from comitia._ensemble import Ensemble
from comitia._errors import InputError, require_type
from comitia._extensions import is_reference, name_of
from comitia._kinds import real_too
from comitia._predictions import Predictions
from comitia._promising import require_possible
from comitia._sources import Sources, gather_sources
from comitia._verification import Row, Verification
from comitia._verify_promises import PROMISES, promise_rows, threshold_row
from comitia._weigh import describe, survey
from comitia._words import legible
from comitia.bounds.row import as_bound
from comitia.bounds.table import BOUNDS
from comitia.statistics.counted import Counted, Holdout, require_holdout
from comitia.weighting import TABLE, Method

# Weights found again may differ by the solver's tolerance, except where no solver is involved.
EXACT_AGREE, SOLVED_AGREE = 1e-12, 1e-5
# What a solver says about its minimum (lambda, kl, gap, bound) moves a little more than the weights do.
SOLVER_AGREES = 1e-4
# Parts of the record with a row of their own; `versions` say with what it was made, which no data can tell.
MEMBERS = ("members", "names", "run", "step", "classes", "class_names", "declared")
APART = ("data", *MEMBERS, "weighting", "certificates", "best", "estimate", "versions", *PROMISES)
INDEPENDENT = "the {} are independent draws that had no part in training"
OUT_OF_FOLD = "no sample trained the models that predicted it, though it trained others"
FIXED = "delta, seed and split fraction were fixed before looking"


@real_too
def verify(
    ensemble: Ensemble,
    predictions: Holdout,
    *,
    unlabelled: Predictions | None = None,
    certify: Predictions | None = None,
    method: Method | None = None,
    bounds: Iterable[Any] = (),
) -> Verification:
    """Return every statement of the ensemble beside what the data say.

    `predictions` are those that were weighed, or the counts if those were; `unlabelled` and `certify` are the samples
    that it was weighed with beside them. `method` and `bounds` are those from outside the package that it was weighed
    with: a file that names code does not make it run.

    The data must be the same (sha256) and so must the members; the weights must follow again from the samples that
    are said to have chosen them, else those kept for certifying may have had a part in them; and every certificate
    must be no larger by the data than stated: at the weights in the file, and, where it counts the vote's own
    errors, at the weights found again too, because a change within their tolerance can turn ties. All else that
    the file says, its sentences included, must be what is computed and written again, key by key.

    Examples
    --------
    >>> from comitia import weigh
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> votes = np.where(rng.random((5, 400)) < 0.2, 1 - labels, labels)
    >>> pack = Predictions.from_arrays(votes=votes, labels=labels)
    >>> verify(weigh(pack), pack).holds
    True
    """
    require_type("ensemble", ensemble, Ensemble, "read_ensemble reads one")
    require_holdout(predictions)
    _require_current(ensemble)
    _require_sources(ensemble, predictions, unlabelled, certify)
    sources = gather_sources(predictions, unlabelled, certify)
    settings = _settings(ensemble, sources, method, tuple(bounds))
    try:
        return _verified(ensemble, sources, settings)
    except (InputError, ValueError, ArithmeticError) as error:
        if ensemble.fault is None:
            raise
        row = Row("file", "as written", f"{ensemble.fault}; nothing can be computed from it ({error})", False)
        return Verification((row,), _trusted(ensemble))


def _verified(ensemble: Ensemble, sources: Sources, settings: Settings) -> Verification:
    """Return every statement beside what is computed again."""
    given = ensemble.weights if settings.method == "given" else None
    plan = plan_split(sources, settings, given)
    require_possible(sources, settings, plan)
    data = survey(sources, settings, plan)
    choice = choose_weights(
        sources.weighing, settings, plan, data.evidence, weights=given, unlabelled=sources.unlabelled
    )
    # the threshold in the file is part of what is certified; whether it follows from the data has a row of its own
    choice = replace(choice, threshold=ensemble.decision.threshold)
    found = describe(sources, settings, replace(choice, weighting=ensemble.weighting), data)
    same = np.array_equal(ensemble.weights, choice.weighting.weights)
    again = found if same else describe(sources, settings, choice, data)
    stated, anew = ensemble.record, found.to_json()
    rows = (
        _data(stated["data"], anew["data"]),
        _members(stated, anew),
        _weights(ensemble, choice),
        *_certificates(ensemble, found, again),
        _best(ensemble, found, again),
        *threshold_row(ensemble, find_threshold(sources.weighing, settings, plan, ensemble.weights)),
        *promise_rows(ensemble, found, again),
        _record(stated, anew),
    )
    return Verification(rows, _trusted(ensemble))


def _require_current(ensemble: Ensemble) -> None:
    """Raise for a file of an earlier version, whose sentences are not ours: it cannot be told from an edited one."""
    if "precision" not in ensemble.record["data"]:
        version = legible(str(ensemble.versions.get("comitia", "of an unknown version")))[:40]
        raise InputError(
            f"ensemble: was written by an earlier comitia ({version}), which knew and said less; weigh the predictions "
            "again"
        )


def _require_sources(
    ensemble: Ensemble, predictions: Holdout, unlabelled: Predictions | None, certify: Predictions | None
) -> None:
    """Raise where samples are missing that the ensemble was weighed with, or some are given that it was not."""
    if len(ensemble.names) != predictions.members:
        raise InputError(
            f"the ensemble has {len(ensemble.names)} members, the predictions {predictions.members}; "
            "verify needs the predictions that were weighed"
        )
    if ensemble.data.counted != isinstance(predictions, Counted):
        raise InputError(
            "predictions: the ensemble was weighed from counts, got predictions; give the counts, or count these"
            if ensemble.data.counted
            else "predictions: the ensemble was weighed from predictions, got counts; give the predictions"
        )
    used = {
        "unlabelled": (ensemble.data.unlabelled_sha256, unlabelled, "unlabelled samples"),
        "certify": (ensemble.data.certify_sha256, certify, "samples apart that certify"),
    }
    for argument, (sha256, given, what) in used.items():
        if (sha256 is None) != (given is None):
            raise InputError(
                f"{argument}: the ensemble was weighed "
                + (
                    f"with {what}; give them as {argument}"
                    if given is None
                    else f"without {what}; leave them out"
                )
            )


def _settings(
    ensemble: Ensemble, sources: Sources, method: Method | None, bounds: tuple[Any, ...]
) -> Settings:
    """Return what was asked of `weigh`, as the file says; the split is checked by making it again."""
    stated = ensemble.weighting.method
    if (method is None) == is_reference(stated) or (method is not None and name_of(method) != stated):
        raise InputError(
            f"method: the weights were chosen by '{stated}', "
            + (
                "from outside comitia; give it to compute them again"
                if is_reference(stated)
                else "leave it out"
            )
        )
    _require_bounds(ensemble, bounds)
    chosen = stated if method is None else method
    seed, prior, k = ensemble.split.seed, ensemble.prior, ensemble.resolution
    found = Settings(
        chosen, ensemble.vote, ensemble.delta, None, seed, prior, k, bounds, ensemble.asked, ensemble.limit
    )
    unsplit = found.blind or not sources.weighing.shared or sources.apart is not None
    if unsplit or sources.estimated or isinstance(sources.weighing, Counted):
        return found
    return replace(found, certify_fraction=ensemble.split.fraction)


def _require_bounds(ensemble: Ensemble, bounds: tuple[Any, ...]) -> None:
    """Raise unless the bounds from outside are those that the ensemble was weighed with."""
    found = ensemble.certification
    names = [*(row.name for row in found.certificates), *(row.name for row in found.unavailable)]
    stated = set(filter(is_reference, names))
    given = {as_bound(bound).name for bound in bounds}
    if stated - given:
        raise InputError(f"bounds: the file rests on '{min(stated - given)}', from outside comitia; give it")
    if given - stated:
        raise InputError(f"bounds: the file has no certificate '{min(given - stated)}'; leave it out")


def _data(stated: dict[str, Any], found: dict[str, Any]) -> Row:
    odd = [*differences(stated, found)]
    text = with_odd(f"sha256 {found['sha256'][:16]}", odd)
    return Row("data", f"sha256 {str(stated['sha256'])[:16]}", text, not odd)


def _members(stated: dict[str, Any], found: dict[str, Any]) -> Row:
    """Names, runs and steps decide which member gets which weight when the ensemble is used."""
    odd = [*differences(only(stated, MEMBERS), only(found, MEMBERS))]
    return Row("members", f"{len(stated['names'])} by name", with_odd("", odd) or "the same", not odd)


def _weights(ensemble: Ensemble, choice: Choice) -> Row:
    """The weights found again, and what is said about how they were chosen."""
    method, stated = ensemble.weighting.method, ensemble.record["weighting"]
    again = replace(ensemble, weighting=choice.weighting, chosen_on=choice.chosen_on, promises=())
    found = {**again.to_json()["weighting"], "weights": ensemble.weights.tolist()}
    odd = [*differences(stated, found, SOLVER_AGREES)]
    shown = f"{method}, chosen on {ensemble.chosen_on}"
    if method == "given":
        return Row("weights", shown, with_odd("given beforehand: taken on trust", odd), not odd)
    apart = float(np.abs(ensemble.weights - choice.weighting.weights).max())
    allowed = EXACT_AGREE if ensemble.resolution is not None else _agreement(method)
    text = with_odd(f"chosen on {choice.chosen_on}, largest difference {apart:.1e}", odd)
    return Row("weights", shown, text, apart <= allowed and not odd)


def _certificates(ensemble: Ensemble, found: Ensemble, again: Ensemble) -> Iterator[Row]:
    """A row for each certificate: valid here, no larger by the data than stated, and worded as its numbers are."""
    valid = {c.name: c for c in found.certification.certificates}
    others = {c.name: c for c in again.certification.certificates}
    for certificate, stated in zip(ensemble.certification.certificates, ensemble.record["certificates"]):
        name = certificate.name
        if name not in valid:
            yield Row(name, f"{certificate.risk:.6f}", "not valid for these weights", False)
            continue
        risk = _risk(valid[name], others.get(name))
        odd = [*differences(stated, found.statement(replace(valid[name], risk=certificate.risk)))]
        holds = not odd and _at_most(risk, certificate.risk)
        yield Row(name, f"{certificate.risk:.6f}", with_odd(f"{risk:.6f}", odd), holds)


def _best(ensemble: Ensemble, found: Ensemble, again: Ensemble) -> Row:
    """The row of the promise; of the estimate, where nothing is promised."""
    best, stated = found.best, ensemble.best
    if best is None or stated is None:
        return _estimate(ensemble, found, again)
    risk = _risk(best, again.best)
    anew = {
        **found.statement(replace(best, risk=stated.risk)),
        "compared": found.certification.compared,
    }
    odd = [*differences(ensemble.record["best"], anew)]
    odd += [] if ensemble.estimate is None else ["an estimate beside a promise"]
    holds = not odd and _at_most(risk, stated.risk)
    return Row("best", f"{stated.name} {stated.risk:.6f}", with_odd(f"{best.name} {risk:.6f}", odd), holds)


def _estimate(ensemble: Ensemble, found: Ensemble, again: Ensemble) -> Row:
    stated, anew = ("none" if one.estimate is None else f"{one.estimate:.6f}" for one in (ensemble, found))
    # as with counted errors, weights that differ within their tolerance can turn ties
    holds = ensemble.best is found.best is None and ensemble.estimate in (found.estimate, again.estimate)
    return Row("estimate", stated, anew, holds)


def _risk(found: Certificate, again: Certificate | None) -> float:
    """By the data at the weights in the file; of counted errors the larger of those at the weights found again."""
    return max(found.risk, again.risk) if _counted(found.name) and again is not None else found.risk


def _agreement(method: str) -> float:
    return EXACT_AGREE if method in TABLE and TABLE[method].exact else SOLVED_AGREE


def _at_most(found: float, stated: float) -> bool:
    return found <= stated * (1 + RISKS_AGREE)


def _counted(name: str) -> bool:
    """Whether a certificate may count the vote's own errors; those from outside are taken to."""
    return name not in BOUNDS or BOUNDS[name].counted


def _record(stated: dict[str, Any], found: dict[str, Any]) -> Row:
    """All else: numbers, split, warnings, what is not given and why, and certificates that were left out."""
    listed = [c["name"] for c in stated["certificates"]]
    given = [c["name"] for c in found["certificates"]]
    odd = [f"{name} is missing" for name in given if name not in listed]
    if not odd and [name for name in listed if name in given] != given:
        odd.append("certificates, their order or number")
    others = [key for key in {**found, **stated} if key not in APART]
    odd += differences(only(stated, others), only(found, others))
    return Row("record", "as recorded", with_odd("", odd) or "the same", not odd)


def _trusted(ensemble: Ensemble) -> tuple[str, ...]:
    own = ["the prior was fixed before looking"] if ensemble.prior is not None else []
    if ensemble.weighting.method == "given":
        own.append(WEIGHTS_FIXED)
    if ensemble.asked.promises:
        own.append("the further promises were asked for before looking, with these costs")
    if not ensemble.split.certifying:
        own.append("the seed is the one that was used (no split rests on it)")
    what = OUT_OF_FOLD if ensemble.data.folds is not None else INDEPENDENT.format(_units(ensemble))
    if ensemble.data.folds is not None and ensemble.data.certify_sha256 is not None:
        what = f"{what}; {INDEPENDENT.format(f'{_units(ensemble)} that certify')}"
    return (what, FIXED, *own)


def _units(ensemble: Ensemble) -> str:
    return "samples" if ensemble.data.groups is None else "groups"
