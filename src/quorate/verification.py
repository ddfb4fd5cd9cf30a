"""Every statement of an ensemble file computed again from the data."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quorate.certification import COUNTED, Certification
from quorate.ensemble import Ensemble
from quorate.errors import InputError
from quorate.predictions import Predictions
from quorate.statistics.unlabelled import matched
from quorate.weighing import Choice, Settings, choose_weights, describe

# Weights found again may differ by the solver's tolerance, except where no solver is involved.
WEIGHTS_AGREE = {"uniform": 1e-12, "best": 1e-12, "greedy": 1e-12}
SOLVED_AGREE = 1e-5
# Bounds may differ by the order of float sums.
RISKS_AGREE = 1e-9
ALWAYS_TRUSTED = (
    "the samples are independent draws that had no part in training",
    "delta, seed and split fraction were fixed before looking",
)


@dataclass(frozen=True)
class Row:
    """One statement: what the file says, what the data say, and whether it holds up."""

    name: str
    stated: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Verification:
    """All statements, and what no computation can check; the ensemble holds up if every statement does."""

    rows: tuple[Row, ...]
    trusted: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every statement holds up."""
        return all(row.holds for row in self.rows)


def verify(
    ensemble: Ensemble, predictions: Predictions, *, unlabelled: Predictions | None = None
) -> Verification:
    """Every statement of the ensemble beside what the data say.

    The data must be the same (sha256) and so must the members; the weights must follow again from the samples that
    are said to have chosen them, else those kept for certifying may have had a part in them; and every certificate
    must be no larger by the data than stated: at the weights in the file, and, where it counts the vote's own
    errors, at the weights found again too, because a change within their tolerance can turn ties.

    Examples
    --------
    >>> from quorate import weigh
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> votes = np.where(rng.random((5, 400)) < 0.2, 1 - labels, labels)
    >>> pack = Predictions.from_arrays(votes=votes, labels=labels)
    >>> verify(weigh(pack), pack).holds
    True
    """
    extra = _extra(ensemble, predictions, unlabelled)
    settings = _settings(ensemble, predictions)
    given = ensemble.weights if settings.method == "given" else None
    choice = choose_weights(predictions, settings, weights=given, unlabelled=extra)
    as_stated = replace(choice, weighting=ensemble.weighting)
    stated = describe(predictions, settings, as_stated, unlabelled=extra)
    again = describe(predictions, settings, choice, unlabelled=extra)
    rows = (
        _data(ensemble, stated),
        _members(ensemble, predictions),
        _weights(ensemble, choice),
        *_certificates(ensemble.certification, stated.certification, again.certification),
        _record(ensemble, stated),
    )
    return Verification(rows, _trusted(ensemble))


def _extra(
    ensemble: Ensemble, predictions: Predictions, unlabelled: Predictions | None
) -> Predictions | None:
    """The unlabelled samples in order; an error where they are missing or were never used."""
    if len(ensemble.names) != predictions.members:
        raise InputError(
            f"the ensemble has {len(ensemble.names)} members, the predictions {predictions.members}; "
            "verify needs the predictions that were weighed"
        )
    if (ensemble.data.unlabelled_sha256 is None) != (unlabelled is None):
        raise InputError(
            "unlabelled: the ensemble was weighed with unlabelled samples; give them with --unlabelled"
            if unlabelled is None
            else "unlabelled: the ensemble was weighed without unlabelled samples; leave them out"
        )
    return None if unlabelled is None else matched(unlabelled, predictions)


def _settings(ensemble: Ensemble, predictions: Predictions) -> Settings:
    """What was asked of `weigh`, as the file says; the split is checked by making it again."""
    method = ensemble.weighting.method
    unsplit = method in ("uniform", "given") or not predictions.shared
    fraction = None if unsplit else ensemble.split.fraction
    seed, prior = ensemble.split.seed, ensemble.prior
    return Settings(method, ensemble.vote, ensemble.delta, fraction, seed, prior, ensemble.resolution)


def _data(ensemble: Ensemble, found: Ensemble) -> Row:
    stated, again = ensemble.data, found.data
    same = (stated.sha256, stated.unlabelled_sha256) == (again.sha256, again.unlabelled_sha256)
    return Row("data", f"sha256 {stated.sha256[:16]}", f"sha256 {again.sha256[:16]}", same)


def _members(ensemble: Ensemble, predictions: Predictions) -> Row:
    """Names, runs and steps decide which member gets which weight when the ensemble is used."""
    stated = (ensemble.names, ensemble.run, ensemble.step, ensemble.classes)
    run, step = (None if x is None else tuple(x.tolist()) for x in (predictions.run, predictions.step))
    found = (predictions.names, run, step, predictions.classes)
    parts = ("names", "run", "step", "classes")
    odd = [part for part, one, other in zip(parts, stated, found) if one != other]
    text = "the same" if not odd else f"{', '.join(odd)} differ"
    return Row("members", f"{len(ensemble.names)} by name", text, not odd)


def _weights(ensemble: Ensemble, choice: Choice) -> Row:
    method = ensemble.weighting.method
    stated = f"{method}, chosen on {ensemble.chosen_on}"
    if method == "given":
        return Row("weights", stated, "given beforehand: taken on trust", ensemble.chosen_on == "nothing")
    apart = float(np.abs(ensemble.weights - choice.weighting.weights).max())
    allowed = 1e-12 if ensemble.resolution is not None else WEIGHTS_AGREE.get(method, SOLVED_AGREE)
    holds = apart <= allowed and ensemble.chosen_on == choice.chosen_on
    return Row("weights", stated, f"chosen on {choice.chosen_on}, largest difference {apart:.1e}", holds)


def _certificates(stated: Certification, found: Certification, again: Certification) -> Iterator[Row]:
    """A row for each certificate and one for the best: valid here, and no larger by the data than stated."""
    risks = {c.name: c for c in found.certificates}
    others = {c.name: c.risk for c in again.certificates}
    for certificate in stated.certificates:
        name, valid = certificate.name, risks.get(certificate.name)
        if valid is None:
            yield Row(name, f"{certificate.risk:.6f}", "not valid for these weights", False)
            continue
        risk = max(valid.risk, others.get(name, 0.0)) if name in COUNTED else valid.risk
        same = (valid.vote, valid.delta, valid.samples) == _key(certificate)
        holds = same and risk <= certificate.risk + RISKS_AGREE
        yield Row(name, f"{certificate.risk:.6f}", f"{risk:.6f}", holds)
    best = found.best
    risk = max(best.risk, again.best.risk) if best.name in COUNTED else best.risk
    fits = (best.name, *_key(best), found.compared) == (stated.best.name, *_key(stated.best), stated.compared)
    holds = fits and risk <= stated.best.risk + RISKS_AGREE
    yield Row("best", f"{stated.best.name} {stated.best.risk:.6f}", f"{best.name} {risk:.6f}", holds)


def _key(certificate: Any) -> tuple[str, float, int]:
    return certificate.vote, certificate.delta, certificate.samples


def _record(ensemble: Ensemble, found: Ensemble) -> Row:
    """The remaining numbers: statistics, members' errors, sizes, split, and the certificates' inputs."""
    one, other = ensemble.to_json(), found.to_json()
    parts = ("statistics", "member_risks", "samples", "pair_samples_min", "split", "data")
    odd = [part for part in parts if not _close(one[part], other[part])]
    inputs = {c["name"]: c["inputs"] for c in other["certificates"]}
    odd += [
        c["name"]
        for c in one["certificates"]
        if c["name"] in inputs and not _close(c["inputs"], inputs[c["name"]])
    ]
    return Row("numbers", "as recorded", "the same" if not odd else f"other: {', '.join(odd)}", not odd)


def _close(one: Any, other: Any) -> bool:
    """Whether plain data agree, floats to `RISKS_AGREE`."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_close(a, b) for a, b in zip(one, other))
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, int | float) and abs(one - other) <= RISKS_AGREE
    return bool(one == other)


def _trusted(ensemble: Ensemble) -> tuple[str, ...]:
    own = ["the prior was fixed before looking"] if ensemble.prior is not None else []
    if ensemble.weighting.method == "given":
        own.append("the weights were fixed without these samples")
    return (*ALWAYS_TRUSTED, *own)
