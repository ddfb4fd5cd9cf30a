"""The record of a weighed ensemble: members, weights, vote, certificates and the data they rest on."""

import platform
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from comitia._certificate import WEIGHTS_FIXED, Certificate
from comitia._certify import Certification
from comitia._errors import InputError
from comitia._gain import Gain
from comitia._profile import Profile
from comitia._records import from_plain, parse_json, require_format, to_plain
from comitia.promises import Asked, Decision, Promise, Unpromised
from comitia.weighting import Weighting
from comitia.weighting.limit import Limit

Array = NDArray[np.float64]

FORMAT = "comitia-ensemble-2"
# What a certificate assumes of samples that were given apart, and how it counts silence.
APART = "no sample that certifies had a part in the weights or in the training of any member, in any fold"
SILENCE = "a sample on which no class gets the most votes, or nobody answers, counts as an error"
# Probabilities that are rounded so far that the vote on them is not the vote on finer ones.
COARSE = "float16"
COARSELY = "the vote reads probabilities that are rounded to float16, as these were"
# Certificates that hold only for weights that were fixed without the samples they count.
FIXED_BEFORE = ("holdout", "split", "unlabelled", "groups", "groups-any")


@dataclass(frozen=True)
class Split:
    """How the hold-out was divided: `certifying` of the samples, drawn with `seed`, had no part in the weights."""

    fraction: float
    seed: int
    weighing: int
    certifying: int

    def fault(self) -> str | None:
        """Return what is wrong with a split, or None."""
        possible = 0 <= self.fraction < 1 and self.seed >= 0 and min(self.weighing, self.certifying) >= 0
        return None if possible else "the fraction must be in [0, 1), seed and counts at least 0"


@dataclass(frozen=True)
class Data:
    """The hold-out data: their sha256, how many samples all of them and the thinnest pair have.

    `unlabelled_sha256` is of further samples without labels, if they were used; `groups` how many groups the samples
    come in; `abstained` how many answers members did not give; `folds` of how many folds the table is out-of-fold;
    `certify_sha256` and `certify_samples` are of samples apart, if those certify: statistics are of them then.
    `chosen_ids` are digests of the ids of some samples that chose the weights, if samples have ids: others are not
    compared on them. `counted`: counts chose the weights in place of predictions, and the sha256 is that of their sums.
    `precision` is of the members' probabilities, as they are stored.
    """

    sha256: str
    samples: int
    pair_samples_min: int
    unlabelled_sha256: str | None = None
    groups: int | None = None
    abstained: int = 0
    folds: int | None = None
    certify_sha256: str | None = None
    certify_samples: int | None = None
    chosen_ids: str | None = None
    counted: bool = False
    precision: str | None = None


@dataclass(frozen=True)
class Ensemble:
    """Everything `weigh` found; all that `predict` and `verify` need.

    `weighting.weights` are the deployed ones: pruned, normalised, and these are certified.
    `chosen_on` is what chose them: "nothing", "part" or "all" of the hold-out, or samples "apart" from it.
    `declared` says whether the classes were named. Without a promise (`best` is None) there is an `estimate`.
    `asked` are the further promises that were asked for, `promises` and `unpromised` what came of it. `decision` is how
    the vote answers: a threshold, and where it declines.
    `gain` is over equal weights and `profile` how sure the vote is, both on samples that had no part in the weights;
    None where there are no such samples, or the weights are equal. `limit` is on the members that vote.
    """

    names: tuple[str, ...]
    run: tuple[int, ...] | None
    step: tuple[int, ...] | None
    class_names: tuple[str, ...]
    declared: bool
    vote: str
    delta: float
    chosen_on: str
    weighting: Weighting
    prior: tuple[float, ...] | None
    resolution: int | None
    split: Split
    statistics: dict[str, float]
    certification: Certification
    data: Data
    member_risks: tuple[float, ...]
    warnings: tuple[str, ...]
    versions: dict[str, str]
    estimate: float | None = None
    asked: Asked = field(default_factory=Asked)
    decision: Decision = field(default_factory=Decision)
    promises: tuple[Promise, ...] = ()
    unpromised: tuple[Unpromised, ...] = ()
    gain: Gain | None = None
    profile: Profile | None = None
    limit: Limit | None = None
    # not copied by `dataclasses.replace`: what a file said is not what a changed copy says
    _read: dict[str, Any] | None = field(default=None, init=False, repr=False, compare=False)
    # what is wrong with the file it was read from, where that was let through
    fault: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def weights(self) -> Array:
        """(M,) the deployed weights."""
        return self.weighting.weights

    @property
    def active(self) -> NDArray[np.int64]:
        """Indices of the members that vote; the others need not be computed."""
        return np.flatnonzero(self.weights)

    @property
    def classes(self) -> int:
        """C, the number of classes."""
        return len(self.class_names)

    @property
    def best(self) -> Certificate | None:
        """The certificate that holds at the delta asked for; None where nothing is promised."""
        return self.certification.best

    @property
    def promised(self) -> Certificate:
        """The certificate that holds at the delta asked for; an error where nothing is promised."""
        return self.certification.promised

    @property
    def record(self) -> dict[str, Any]:
        """The plain data exactly as in the file it was read from; else what `to_json` gives."""
        return self.to_json() if self._read is None else self._read

    def assumption(self, found: Certificate | Promise) -> str:
        """Return what must be true for a certificate or promise to hold; given weights assume the user's word."""
        parts = [found.assumption]
        if self.weighting.method == "given" and (isinstance(found, Promise) or found.name in FIXED_BEFORE):
            parts.append(WEIGHTS_FIXED)
        if self.chosen_on == "apart":
            parts.append(APART)
        if self.data.abstained:
            parts.append(SILENCE)
        if self.data.precision == COARSE:
            parts.append(COARSELY)
        if self.decision.threshold is not None:
            parts.append(self.tilt)
        return ", and ".join(parts)

    @property
    def tilt(self) -> str:
        """What a decision threshold means, in words."""
        name = self.class_names[1]
        return f"the vote answers '{name}' where its share is above {self.decision.threshold:.6g}, as it was certified"

    def to_json(self) -> dict[str, Any]:
        """Return the ensemble as plain data, which `from_json` reads back."""
        w, c = self.weighting, self.certification
        return {
            "format": FORMAT,
            "members": len(self.names),
            "samples": self.data.samples,
            "pair_samples_min": self.data.pair_samples_min,
            "classes": self.classes,
            "class_names": list(self.class_names),
            "declared": self.declared,
            "vote": self.vote,
            "delta": self.delta,
            "weighting": {
                "method": w.method,
                "chosen": w.chosen,
                "chosen_on": self.chosen_on,
                "weights": [float(x) for x in w.weights],
                "lambda": w.lam,
                "kl": w.kl,
                "gap": w.gap,
                "bound": w.bound,
                "samples": w.samples,
                "prior": None if self.prior is None else list(self.prior),
                "resolution": self.resolution,
                **({} if self.limit is None else {"limit": to_plain(self.limit)}),
            },
            "statistics": self.statistics,
            "certificates": [self.statement(certificate) for certificate in c.certificates],
            "best": None if c.best is None else {**self.statement(c.best), "compared": c.compared},
            "estimate": self.estimate,
            "asked": to_plain(self.asked),
            "decision": to_plain(self.decision),
            "promises": [self.statement(found) for found in self.promises],
            "unpromised": [asdict(row) for row in self.unpromised],
            "gain": None if self.gain is None else self.gain.to_json(),
            "unavailable": [asdict(row) for row in c.unavailable],
            "names": list(self.names),
            "run": None if self.run is None else list(self.run),
            "step": None if self.step is None else list(self.step),
            "member_risks": list(self.member_risks),
            "split": asdict(self.split),
            "data": asdict(self.data),
            "profile": None if self.profile is None else to_plain(self.profile),
            "warnings": list(self.warnings),
            "versions": self.versions,
        }

    def statement(self, found: Certificate | Promise) -> dict[str, Any]:
        """Return the certificate or promise as plain data, with what it assumes of this ensemble."""
        return {**found.to_json(), "assumption": self.assumption(found)}

    @classmethod
    def from_json(cls, text: str, source: str = "ensemble", *, faults: bool = True) -> "Ensemble":
        """Return the ensemble that `to_json` gave, from its text; anything else is one clear error.

        A file that contradicts itself, such as one with an edited risk, is refused; with `faults=False` only its form
        is checked, so that `verify` can show what does not hold up.
        """
        from comitia._ensemble_file import EnsembleFile

        what = "an ensemble that comitia weigh wrote"
        record = require_format(parse_json(text, source), FORMAT, source, what)
        read = from_plain(EnsembleFile, record, f"{source}: ", strict=False, faults=faults)
        found = read.ensemble()
        object.__setattr__(found, "_read", record)
        object.__setattr__(found, "fault", None if faults else _fault(record))
        return found


def _fault(record: dict[str, Any]) -> str | None:
    """Return what is wrong with the plain data of an ensemble, or None."""
    from comitia._ensemble_file import EnsembleFile

    try:
        from_plain(EnsembleFile, record, strict=False)
    except InputError as error:
        return str(error)
    return None


def versions() -> dict[str, str]:
    """Return the versions of everything the certificates were computed with."""
    from comitia import __version__

    return {
        "comitia": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
