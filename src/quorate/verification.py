"""Every statement of an ensemble file computed again from the data."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quorate.certification import Certification, certify
from quorate.ensemble import Ensemble
from quorate.errors import InputError
from quorate.predictions import Predictions
from quorate.weighing import Choice, Settings, choose_weights

# Weights found again may differ by the solver's tolerance, bounds by the order of float sums.
WEIGHTS_AGREE = 1e-5
RISKS_AGREE = 1e-9


@dataclass(frozen=True)
class Row:
    """One statement: what the file says, what the data say, and whether it holds up."""

    name: str
    stated: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Verification:
    """All statements; the ensemble holds up if every one of them does."""

    rows: tuple[Row, ...]

    @property
    def holds(self) -> bool:
        """Whether every statement holds up."""
        return all(row.holds for row in self.rows)


def verify(
    ensemble: Ensemble, predictions: Predictions, *, unlabelled: Predictions | None = None
) -> Verification:
    """Every statement of the ensemble beside what the data say.

    The data must be the same (sha256); the weights must follow again from the samples that are said to have
    chosen them, else the samples kept for certifying may have had a part in them; and every certificate,
    computed at the weights in the file, must be no larger than stated.

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
    if len(ensemble.names) != predictions.members:
        raise InputError(
            f"the ensemble has {len(ensemble.names)} members, the predictions {predictions.members}; "
            "verify needs the predictions that were weighed"
        )
    choice = _chosen_again(ensemble, predictions, unlabelled)
    found = certify(
        predictions,
        ensemble.weights,
        vote=ensemble.vote,
        delta=ensemble.delta,
        prior=ensemble.prior,
        chosen_on=choice.chosen_on,
        certifying=choice.certifying,
        unlabelled=unlabelled,
    )
    return Verification(
        (
            _data(ensemble, predictions),
            _weights(ensemble, choice),
            *_certificates(ensemble.certification, found),
        )
    )


def _chosen_again(ensemble: Ensemble, predictions: Predictions, unlabelled: Predictions | None) -> Choice:
    method = ensemble.weighting.method
    # whatever the file says about the split is checked by doing it again
    fraction = None if method in ("uniform", "given") or not predictions.shared else ensemble.split.fraction
    settings = Settings(
        method,
        ensemble.vote,
        ensemble.delta,
        fraction,
        ensemble.split.seed,
        ensemble.prior,
        ensemble.resolution,
    )
    given = ensemble.weights if method == "given" else None
    return choose_weights(predictions, settings, weights=given, unlabelled=unlabelled)


def _data(ensemble: Ensemble, predictions: Predictions) -> Row:
    stated, found = ensemble.data.sha256, predictions.fingerprint()
    return Row("data", f"sha256 {stated[:16]}", f"sha256 {found[:16]}", stated == found)


def _weights(ensemble: Ensemble, choice: Choice) -> Row:
    method, chosen_on = ensemble.weighting.method, choice.chosen_on
    stated = f"{method}, chosen on {ensemble.chosen_on}"
    if method == "given":
        return Row("weights", stated, "given beforehand: taken on trust", ensemble.chosen_on == "nothing")
    apart = float(np.abs(ensemble.weights - choice.weighting.weights).max())
    holds = apart <= WEIGHTS_AGREE and ensemble.chosen_on == chosen_on
    return Row("weights", stated, f"chosen on {chosen_on}, largest difference {apart:.1e}", holds)


def _certificates(stated: Certification, found: Certification) -> Iterator[Row]:
    """A row for each certificate and one for the best: valid here, and no larger by the data than stated."""
    by_name = {certificate.name: certificate for certificate in found.certificates}
    for certificate in stated.certificates:
        again = by_name.get(certificate.name)
        if again is None:
            yield Row(certificate.name, f"{certificate.risk:.6f}", "not valid for these weights", False)
            continue
        same = (again.vote, again.delta, again.samples) == (
            certificate.vote,
            certificate.delta,
            certificate.samples,
        )
        holds = same and again.risk <= certificate.risk + RISKS_AGREE
        yield Row(certificate.name, f"{certificate.risk:.6f}", f"{again.risk:.6f}", holds)
    best, again = stated.best, found.best
    fits = (again.name, again.vote, again.delta) == (best.name, best.vote, best.delta)
    yield Row(
        "best",
        f"{best.name} {best.risk:.6f}",
        f"{again.name} {again.risk:.6f}",
        fits and again.risk <= best.risk + RISKS_AGREE,
    )
