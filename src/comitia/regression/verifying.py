"""Every statement of an ensemble file for real targets computed again from the data."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from comitia._agreement import RISKS_AGREE, differences, only, with_odd
from comitia._errors import InputError, require_type
from comitia._verification import Row, Verification
from comitia.regression.certificate import RealCertificate
from comitia.regression.ensemble import WEIGHTS_FIXED, RealEnsemble
from comitia.regression.predictions import RealPredictions, require_real
from comitia.regression.weighing import RealSettings, choose, describe, divide
from comitia.regression.weighting import TABLE, is_blind
from comitia.weighting.evidence import Weighting

# Weights found again may differ by the solver's tolerance, except where no solver is involved.
EXACT_AGREE, SOLVED_AGREE = 1e-12, 1e-5
# What the solver says about its minimum moves a little more than the weights do.
SOLVER_AGREES = 1e-4
APART = ("data", "names", "members", "weighting", "certificates", "best", "versions")
INDEPENDENT = "the {} are independent draws that had no part in training"
FIXED = "delta, seed, split fraction, quantiles and a limit that was given were fixed before looking"


def verify(
    ensemble: RealEnsemble, predictions: RealPredictions, *, certify: RealPredictions | None = None
) -> Verification:
    """Return every statement of the ensemble beside what the data say.

    `predictions` are those that were weighed, `certify` the samples apart that certified, if there were any. The data
    must be the same (sha256), the weights must follow again from the samples that chose them, and every certificate
    must be no smaller than what the data give at the weights in the file; all else must be what is computed again.

    Examples
    --------
    >>> from comitia.regression import weigh
    >>> rng = np.random.default_rng(0)
    >>> pack = RealPredictions.from_arrays(rng.normal(size=(3, 200)), np.zeros(200))
    >>> verify(weigh(pack), pack).holds
    True
    """
    require_type("ensemble", ensemble, RealEnsemble, "read_real_ensemble reads one")
    require_real(predictions)
    if len(ensemble.names) != predictions.members:
        raise InputError(
            f"the ensemble has {len(ensemble.names)} members, the predictions {predictions.members}; verify needs the "
            "predictions that were weighed"
        )
    if (ensemble.data.certify_sha256 is None) != (certify is None):
        how = (
            "with samples apart that certify; give them as certify"
            if certify is None
            else "without; leave it out"
        )
        raise InputError(f"certify: the ensemble was weighed {how}")
    try:
        return _verified(ensemble, predictions, certify)
    except (ValueError, ArithmeticError, LookupError, TypeError) as error:
        if ensemble.broken is None:
            raise
        row = Row(
            "file", "as written", f"{ensemble.broken}; nothing can be computed from it ({error})", False
        )
        return Verification((row,), _trusted(ensemble))


def _verified(
    ensemble: RealEnsemble, predictions: RealPredictions, certify: RealPredictions | None
) -> Verification:
    settings = _settings(ensemble, predictions)
    sources = divide(predictions, certify, settings)
    stated, w = ensemble.record, ensemble.weighting
    chosen = choose(sources.weighing, settings, w.weights if w.method == "given" else None)
    found = describe(sources, settings, Weighting(w.method, w.weights, chosen.samples, chosen.lam, chosen.kl))
    anew = found.to_json()
    odd = [*differences(stated["data"], anew["data"])]
    others = [key for key in {**anew, **stated} if key not in APART]
    left = _relative(only(stated, others), only(anew, others))
    names = stated["names"] == anew["names"] and stated["members"] == anew["members"]
    rows = (
        Row(
            "data",
            f"sha256 {ensemble.data.sha256[:16]}",
            with_odd(f"sha256 {found.data.sha256[:16]}", odd),
            not odd,
        ),
        Row("members", f"{len(ensemble.names)} by name", "the same" if names else "other: names", names),
        _weights(ensemble, chosen, anew["weighting"]),
        *_certificates(ensemble, found),
        _best(ensemble, found),
        Row("record", "as recorded", with_odd("", left) or "the same", not left),
    )
    if ensemble.broken is not None:
        rows = (*rows, Row("file", "as written", ensemble.broken, False))
    return Verification(rows, _trusted(ensemble))


def _settings(ensemble: RealEnsemble, predictions: RealPredictions) -> RealSettings:
    """Return what was asked of `weigh`, as the file says; the split is checked by making it again."""
    limit = ensemble.limit
    asked = None if limit is None or limit.how == "chosen" else limit
    method, split = ensemble.weighting.method, ensemble.split
    free = (
        ensemble.chosen_on == "apart" or predictions.out_of_fold or (is_blind(method) and asked is not None)
    )
    fraction = None if free else split.fraction
    return RealSettings(
        method, ensemble.delta, fraction, split.seed, ensemble.weighting.prior, asked, ensemble.quantiles
    )


def _relative(stated: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Keys that differ; numbers in units of the target relatively to what is found, however small they are."""
    return [*differences(stated, found, least=0.0)]


def _weights(ensemble: RealEnsemble, chosen: Weighting, again: dict[str, Any]) -> Row:
    """The weights found again, and what is said about how they were chosen."""
    method = ensemble.weighting.method
    odd = [*differences(ensemble.record["weighting"], again, SOLVER_AGREES)]
    shown = f"{method}, chosen on {ensemble.chosen_on}"
    if method == "given":
        return Row("weights", shown, with_odd("given beforehand: taken on trust", odd), not odd)
    apart = float(np.abs(ensemble.weights - chosen.weights).max())
    allowed = EXACT_AGREE if TABLE[method].exact else SOLVED_AGREE
    return Row(
        "weights", shown, with_odd(f"largest difference {apart:.1e}", odd), apart <= allowed and not odd
    )


def _certificates(ensemble: RealEnsemble, found: RealEnsemble) -> Iterator[Row]:
    """A row for each certificate: valid here, no larger by the data than stated, and worded as its numbers are."""
    valid = {(c.name, c.measure, c.level): c for c in found.certificates}
    for certificate, stated in zip(ensemble.certificates, ensemble.record["certificates"]):
        again = valid.pop((certificate.name, certificate.measure, certificate.level), None)
        yield _row(f"{certificate.name}, {certificate.title}", ensemble, certificate, stated, again)
    for missing in valid.values():
        yield Row(f"{missing.name}, {missing.title}", "missing", f"{missing.risk:.6g}", False)


def _best(ensemble: RealEnsemble, found: RealEnsemble) -> Row:
    if ensemble.best is None or found.best is None:
        stated, anew = ("none" if one.best is None else one.best.title for one in (ensemble, found))
        return Row("best", stated, anew, ensemble.best is found.best)
    return _row("best", ensemble, ensemble.best, ensemble.record["best"], found.best)


def _row(
    what: str,
    ensemble: RealEnsemble,
    certificate: RealCertificate,
    stated: dict[str, Any],
    again: RealCertificate | None,
) -> Row:
    shown = f"{certificate.risk:.6g}"
    if again is None:
        return Row(what, shown, "not valid for these weights", False)
    odd = _relative(stated, ensemble.statement(replace(again, risk=certificate.risk)))
    holds = not odd and again.risk <= certificate.risk * (1 + RISKS_AGREE)
    return Row(what, shown, with_odd(f"{again.risk:.6g}", odd), holds)


def _trusted(ensemble: RealEnsemble) -> tuple[str, ...]:
    own = ["the prior was fixed before looking"] if ensemble.weighting.prior is not None else []
    if ensemble.weighting.method == "given":
        own.append(WEIGHTS_FIXED)
    if ensemble.limit is not None and not ensemble.limit.clips:
        own.append(f"no error can be larger than {ensemble.limit.value:g}")
    if not ensemble.split.certifying:
        own.append("the seed is the one that was used (no split rests on it)")
    unit = "samples" if ensemble.data.groups is None else "groups"
    return (INDEPENDENT.format(unit), FIXED, *own)
