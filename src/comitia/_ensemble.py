"""The record of a weighed ensemble: members, weights, vote, certificates and the data they rest on."""

import json
import platform
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import scipy

from comitia._certificate import SAMPLING, WEIGHTS_FIXED, Certificate
from comitia._certify import Certification, Unavailable
from comitia._errors import InputError
from comitia.weighting import Weighting

FORMAT = "comitia-ensemble-1"


@dataclass(frozen=True)
class Split:
    """How the hold-out was divided: `certifying` of the samples, drawn with `seed`, had no part in the weights."""

    fraction: float
    seed: int
    weighing: int
    certifying: int


@dataclass(frozen=True)
class Data:
    """The hold-out data: their sha256, how many samples all of them and the thinnest pair have, and the sha256 of
    further samples without labels, if they were used."""

    sha256: str
    samples: int
    pair_samples_min: int
    unlabelled_sha256: str | None = None


@dataclass(frozen=True)
class Ensemble:
    """Everything `weigh` found; all that `predict` and `verify` need.

    `weighting.weights` are the deployed ones: pruned, normalised, certified as they stand.
    `chosen_on` is what chose them: "nothing", "part" or "all" of the hold-out.
    """

    names: tuple[str, ...]
    run: tuple[int, ...] | None
    step: tuple[int, ...] | None
    classes: int
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
    # not copied by `dataclasses.replace`: what a file said is not what a changed copy says
    _read: dict[str, Any] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def weights(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(M,) the deployed weights."""
        return self.weighting.weights

    @property
    def active(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Indices of the members that vote; the others need not be computed."""
        return np.flatnonzero(self.weights)

    @property
    def best(self) -> Certificate:
        """The certificate that holds at the delta asked for."""
        return self.certification.best

    @property
    def record(self) -> dict[str, Any]:
        """The plain data of the file it was read from, as they stand there; else what `to_json` gives."""
        return self.to_json() if self._read is None else self._read

    def assumption(self, certificate: Certificate) -> str:
        """What must be true for the certificate to hold; `holdout` of given weights rests on the user's word too."""
        stated = self.weighting.method == "given" and certificate.name == "holdout"
        return f"{SAMPLING}, and {WEIGHTS_FIXED}" if stated else SAMPLING

    def to_json(self) -> dict[str, Any]:
        """The ensemble as plain data, which `from_json` reads back."""
        w, c = self.weighting, self.certification
        return {
            "format": FORMAT,
            "members": len(self.names),
            "samples": self.data.samples,
            "pair_samples_min": self.data.pair_samples_min,
            "classes": self.classes,
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
            },
            "statistics": self.statistics,
            "certificates": [self.statement(certificate) for certificate in c.certificates],
            "best": {**self.statement(c.best), "compared": c.compared},
            "unavailable": [asdict(row) for row in c.unavailable],
            "names": list(self.names),
            "run": None if self.run is None else list(self.run),
            "step": None if self.step is None else list(self.step),
            "member_risks": list(self.member_risks),
            "split": asdict(self.split),
            "data": asdict(self.data),
            "warnings": list(self.warnings),
            "versions": self.versions,
        }

    def statement(self, certificate: Certificate) -> dict[str, Any]:
        """The certificate as plain data, with what it assumes of this ensemble."""
        return {**certificate.to_json(), "assumption": self.assumption(certificate)}

    @classmethod
    def from_json(cls, text: str, source: str = "ensemble") -> "Ensemble":
        """The ensemble that `to_json` gave, from its text; anything else is one clear error."""
        try:
            record = json.loads(text, parse_constant=_refuse_constant)
        except ValueError as error:
            raise InputError(f"{source}: not readable as JSON ({error})") from None
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise InputError(f"{source}: not an ensemble that comitia weigh --out wrote (format {FORMAT})")
        try:
            found = _from_record(record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{source}: damaged ensemble file: {type(error).__name__} {error}") from None
        object.__setattr__(found, "_read", record)
        return found


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not a number")


def _from_record(record: dict[str, Any]) -> Ensemble:
    """The ensemble from its plain data; a missing or ill-typed part raises."""
    w = record["weighting"]
    weights = np.array(w["weights"], dtype=np.float64)
    names = tuple(str(name) for name in record["names"])
    if weights.shape != (len(names),) or not np.isfinite(weights).all() or abs(weights.sum() - 1) > 1e-6:
        raise ValueError("weights do not fit the members")
    if record["vote"] not in ("majority", "average") or (weights < 0).any():
        raise ValueError("vote or weights are not possible")
    if len(set(names)) != len(names):
        raise ValueError("two members have one name")
    best = record["best"]
    return Ensemble(
        names=names,
        run=_integers(record["run"]),
        step=_integers(record["step"]),
        classes=int(record["classes"]),
        vote=record["vote"],
        delta=float(record["delta"]),
        chosen_on=str(w["chosen_on"]),
        weighting=_weighting(w, weights),
        prior=None if w["prior"] is None else tuple(float(x) for x in w["prior"]),
        resolution=None if w["resolution"] is None else _whole(w["resolution"]),
        split=_split(record["split"]),
        statistics={str(key): float(value) for key, value in record["statistics"].items()},
        certification=Certification(
            tuple(Certificate.from_json(row) for row in record["certificates"]),
            Certificate.from_json(best),
            int(best["compared"]),
            tuple(Unavailable(str(row["name"]), str(row["why"])) for row in record["unavailable"]),
        ),
        data=_data(record["data"]),
        member_risks=tuple(float(x) for x in record["member_risks"]),
        warnings=tuple(str(warning) for warning in record["warnings"]),
        versions={str(key): str(value) for key, value in record["versions"].items()},
    )


def _weighting(record: dict[str, Any], weights: np.ndarray[Any, np.dtype[np.float64]]) -> Weighting:
    return Weighting(
        method=str(record["method"]),
        weights=weights,
        samples=int(record["samples"]),
        lam=_number(record["lambda"]),
        kl=_number(record["kl"]),
        gap=_number(record["gap"]),
        bound=_number(record["bound"]),
        chosen=None if record["chosen"] is None else str(record["chosen"]),
    )


def _split(record: dict[str, Any]) -> Split:
    fraction, seed = float(record["fraction"]), _whole(record["seed"])
    if not 0 <= fraction < 1 or seed < 0:
        raise ValueError("split is not possible")
    return Split(fraction, seed, _whole(record["weighing"]), _whole(record["certifying"]))


def _data(record: dict[str, Any]) -> Data:
    extra = record["unlabelled_sha256"]
    return Data(
        str(record["sha256"]),
        _whole(record["samples"]),
        _whole(record["pair_samples_min"]),
        None if extra is None else str(extra),
    )


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"a whole number is required, got {value!r}")
    return value


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _integers(values: list[int] | None) -> tuple[int, ...] | None:
    return None if values is None else tuple(int(value) for value in values)


def versions() -> dict[str, str]:
    """The versions of everything the certificates were computed with."""
    from comitia import __version__

    return {
        "comitia": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
