"""What can be promised of a file by its own answers: errors counted anew on the samples that certify.

A file that holds the vote is one function of a sample, fixed without the samples that certify. So its errors on them
are counted as those of any vote, and the same bounds hold (`holdout`, `split`, `groups`). Bounds from losses of single
members do not carry over: a file shows the whole vote alone.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._agreement import RISKS_AGREE
from comitia._certificate import Certificate
from comitia._certify import certify_with
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import decide
from comitia._predictions import Predictions
from comitia._split import split_samples
from comitia.bundle.answers import Known
from comitia.promises import Ground, Promise, promise_all
from comitia.promises.answered import Answered, answer
from comitia.promises.costs import as_matrix
from comitia.promises.formulas import coverage_limit, sequence_risk
from comitia.promises.order import key_of

Totals = NDArray[np.float64]
ALL_CHOSE = (
    "all samples chose the weights, so none is left to count errors of this file on; its promise is of the certified "
    "predictions alone"
)


@dataclass(frozen=True)
class Own:
    """What a file answers on the hold-out, and what is promised of it.

    `differ` samples are answered otherwise than the vote that was certified, None where that is not known. `errors` of
    `certifying` samples are errors. Without `certificate`, `why` says why nothing is promised.
    """

    what: str
    samples: int
    differ: int | None
    certifying: int
    errors: int
    certificate: Certificate | None
    promises: tuple[Promise, ...] = ()
    why: str | None = None

    def certificate_holds(self, ensemble: Ensemble) -> bool:
        """Whether what the ensemble promises of the error rate holds for the answers of this file too."""
        best, own = ensemble.best, self.certificate
        return best is None or (own is not None and own.risk <= best.risk * (1 + RISKS_AGREE))

    def promise_holds(self, stated: Promise) -> bool:
        """Whether that further promise holds for the answers of this file too."""
        own = next((one.risk for one in self.promises if one.key == stated.key), None)
        return own is not None and own <= stated.risk * (1 + RISKS_AGREE)

    def sentence(self) -> str:
        """Return what is promised of the file, in words."""
        if self.certificate is None:
            return f"nothing is promised of {self.what}: {self.why}"
        return self.certificate.promise


def own_promise(
    what: str, ensemble: Ensemble, totals: Totals, labels: NDArray[np.int64], known: Known
) -> Own:
    """Return what those totals (n, C) of the hold-out samples answer, and what is promised of them."""
    answers = decide(totals, ensemble.decision)[0]
    differ = None if known.answers is None else int((answers != known.answers).sum())
    pack = _as_member(ensemble, totals, labels, known)
    kept = _certifying(ensemble, pack)
    seen = answer(pack, [1.0], "average", ensemble.decision.threshold, as_matrix(ensemble.asked.costs))
    certifying = seen if kept is None else seen.take(kept)
    errors = int(certifying.losses.sum())
    found = Own(what, len(labels), differ, certifying.samples, errors, None, why=ALL_CHOSE)
    if ensemble.chosen_on == "all":
        return found
    certificate = _certificate(ensemble, pack, kept)
    promises = _promises(ensemble, certifying, pack, kept)
    return replace(found, certificate=certificate, promises=promises, why=None)


def _as_member(ensemble: Ensemble, totals: Totals, labels: NDArray[np.int64], known: Known) -> Predictions:
    """Return the vote of a file as the probabilities of one member, which votes alone."""
    shares = np.clip(totals, 0.0, 1.0)
    return Predictions.from_arrays(
        probs=shares[None],
        labels=labels,
        classes=ensemble.class_names if ensemble.declared else ensemble.classes,
        groups=known.groups,
        strata=known.strata,
    )


def _certifying(ensemble: Ensemble, pack: Predictions) -> NDArray[np.int64] | None:
    """Return the samples that had no part in the weights, by the seed of the split; None for all."""
    if ensemble.chosen_on != "part":
        return None
    split = ensemble.split
    kept = split_samples(pack.samples, split.fraction, split.seed, pack.groups)[1]
    if len(kept) != split.certifying:
        raise InputError(
            f"data: {len(kept):,} of these samples would certify, and {split.certifying:,} did; give the hold-out that "
            "was weighed"
        )
    return kept


def _certificate(ensemble: Ensemble, pack: Predictions, kept: NDArray[np.int64] | None) -> Certificate:
    """Return the certificate that is designated before looking: of counted errors, never of members' losses."""
    found = certify_with(
        None,
        pack,
        [1.0],
        vote="average",
        delta=ensemble.delta,
        chosen_on=ensemble.chosen_on,
        certifying=kept,
        seed=ensemble.split.seed,
        threshold=ensemble.decision.threshold,
    ).promised
    assert found.name in ("holdout", "split", "groups")
    return replace(found, vote=ensemble.vote)


def _promises(
    ensemble: Ensemble, certifying: Answered, pack: Predictions, kept: NDArray[np.int64] | None
) -> tuple[Promise, ...]:
    """Return the further promises that the ensemble gives, by the answers of the file."""
    asked = replace(ensemble.asked, target_risk=None)
    some = pack if kept is None else pack.take(kept)
    key = key_of(ensemble.data.certify_sha256 or ensemble.data.sha256)
    ground = Ground(
        *(asked, ensemble.vote, ensemble.delta, ensemble.class_names, ensemble.split.seed, key, certifying),
        some.groups,
        some.strata,
    )
    declining = [one for one in ensemble.promises if one.kind == "selective"]
    again = [found for one in declining if (found := _declining(one, certifying)) is not None]
    return (*promise_all(ground)[0], *again)


def _declining(stated: Promise, certifying: Answered) -> Promise | None:
    """Return the promise of the vote that declines at the deployed share, tried as it was, from strict to loose.

    The thresholds and the first of them rest on the samples that chose the weights. So the tests are in an order that
    was fixed before looking, and the deployed one counts only if the file passes all up to it.
    """
    curve = stated.inputs
    kept = [certifying.accepted(place) for place in curve["thresholds"]]
    inputs: dict[str, Any] = {
        **curve,
        "accepted": [int(some.sum()) for some in kept],
        "errors": [int(certifying.losses[some].sum()) for some in kept],
        "n": certifying.samples,
    }
    try:
        risk = sequence_risk(**inputs, delta=stated.delta)
    except (InputError, ArithmeticError):
        return None
    if risk > float(curve["target"]):
        return None
    answered = int(inputs["accepted"][int(curve["chosen"])])
    return replace(
        stated,
        risk=risk,
        inputs=inputs,
        samples=certifying.samples,
        coverage=answered / certifying.samples,
        coverage_at_least=coverage_limit(answered, certifying.samples, stated.delta),
    )
