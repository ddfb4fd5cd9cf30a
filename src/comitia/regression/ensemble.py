"""The record of a weighted mean: members, weights, certificates and the data they rest on."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._certify import Unavailable
from comitia._ensemble import Split
from comitia._errors import InputError
from comitia._records import from_plain, parse_json, require_format, to_plain
from comitia._simplex import as_prior
from comitia.bounds.terms import kl_divergence
from comitia.regression.certificate import UNTOUCHED, RealCertificate
from comitia.regression.limits import Limit
from comitia.regression.weighting import METHODS

Array = NDArray[np.float64]

FORMAT = "comitia-regression-1"
#: What chose weights and limit: nothing of the hold-out, a part of it, samples apart, or all samples.
CHOSEN_ON = ("nothing", "part", "apart", "all")
WEIGHTS_FIXED = "the weights were fixed without these samples"
APART = "no sample that certifies had a part in the weights or in the training of any member, in any fold"


@dataclass(frozen=True)
class Weights:
    """The deployed weights, and how they were chosen; `prior` is None where it is uniform."""

    method: str
    weights: Array
    samples: int
    lam: float | None = field(default=None, metadata={"key": "lambda"})
    kl: float | None = None
    prior: tuple[float, ...] | None = None

    def fault(self) -> str | None:
        """Return what is wrong with the weights, or None."""
        if not self.weights.size or (self.weights < 0).any() or abs(self.weights.sum() - 1) > 1e-6:
            return "weights must be at least 0 and sum to 1"
        return None if self.method in (*METHODS, "given") else f"unknown method '{self.method}'"


@dataclass(frozen=True)
class RealData:
    """The hold-out data: their sha256 and number; of samples apart, if those certify; of how many groups."""

    sha256: str
    samples: int
    groups: int | None = None
    certify_sha256: str | None = None
    certify_samples: int | None = None
    out_of_fold: bool = False


@dataclass(frozen=True)
class RealEnsemble:
    """Everything `weigh` found for real targets; all that `predict` and `verify` need.

    `chosen_on` is what chose weights and limit. `statistics` are of the weighted mean on the samples that certify, or
    on all where none do: `mse`, `mae`, and `members`, the mean of the members' squared errors by their weights.
    `member_errors` are the members' mean squared errors there. Without a promise (`best` is None) `estimate` is the
    mean squared error by cross-validation.
    """

    names: tuple[str, ...]
    delta: float
    chosen_on: str
    weighting: Weights
    split: Split
    limit: Limit | None
    quantiles: tuple[float, ...]
    statistics: dict[str, float]
    certificates: tuple[RealCertificate, ...]
    best: RealCertificate | None
    compared: int
    unavailable: tuple[Unavailable, ...]
    data: RealData
    member_errors: tuple[float, ...]
    warnings: tuple[str, ...]
    versions: dict[str, str]
    estimate: float | None = None
    # not copied by `dataclasses.replace`: what a file said is not what a changed copy says
    _read: dict[str, Any] | None = field(default=None, init=False, repr=False, compare=False)
    # what is wrong with the file it was read from, where that was let through
    broken: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def weights(self) -> Array:
        """(M,) the deployed weights."""
        return self.weighting.weights

    @property
    def active(self) -> NDArray[np.int64]:
        """Indices of the members that have weight; the others need not be computed."""
        return np.flatnonzero(self.weights)

    @property
    def promised(self) -> RealCertificate:
        """The certificate that holds at the delta asked for; an error where nothing is promised."""
        if self.best is None:
            raise InputError(
                "nothing is promised here, there is only an estimate; weigh with samples that certify"
            )
        return self.best

    @property
    def record(self) -> dict[str, Any]:
        """The plain data exactly as in the file it was read from; else what `to_json` gives."""
        return self.to_json() if self._read is None else self._read

    def assumption(self, found: RealCertificate) -> str:
        """Return what must be true for a certificate to hold; given weights assume the user's word."""
        parts = [found.assumption]
        if self.weighting.method == "given" and found.name in UNTOUCHED:
            parts.append(WEIGHTS_FIXED)
        if self.chosen_on == "apart":
            parts.append(APART)
        return ", and ".join(parts)

    def statement(self, found: RealCertificate) -> dict[str, Any]:
        """Return the certificate as plain data, with what it assumes of this ensemble."""
        return {**found.to_json(), "assumption": self.assumption(found)}

    def to_json(self) -> dict[str, Any]:
        """Return the ensemble as plain data, which `from_json` reads back."""
        plain = to_plain(replace(self, certificates=(), best=None))
        return {
            "format": FORMAT,
            "members": len(self.names),
            "samples": self.data.samples,
            **plain,
            "certificates": [self.statement(found) for found in self.certificates],
            "best": None if self.best is None else self.statement(self.best),
        }

    @classmethod
    def from_json(cls, text: str, source: str = "ensemble", *, faults: bool = True) -> "RealEnsemble":
        """Return the ensemble that `to_json` gave, from its text; anything else is one clear error.

        A file that contradicts itself, such as one with an edited risk, is refused; with `faults=False` only its form
        is checked, so that `verify` can show what does not hold up.
        """
        what = "an ensemble for real targets that comitia weigh wrote"
        record = require_format(parse_json(text, source), FORMAT, source, what)
        found = from_plain(cls, record, f"{source}: ", strict=False, faults=faults)
        object.__setattr__(found, "_read", record)
        object.__setattr__(found, "broken", None if faults else _broken(record))
        return found

    def fault(self) -> str | None:
        """Return what is wrong with the record, or None."""
        checks = (self._size_fault, self._ground_fault, self._certificate_fault, self._best_fault)
        return next((found for check in checks if (found := check())), None)

    def _size_fault(self) -> str | None:
        members = len(self.names)
        prior = self.weighting.prior
        sizes = {"weights": len(self.weights), "member_errors": len(self.member_errors)}
        sizes |= {} if prior is None else {"prior": len(prior)}
        for key, size in sizes.items():
            if size != members or not members:
                return f"{key} must have one number for each of {members} members, got {size}"
        if len(set(self.names)) != members:
            return "names: duplicate name; every member needs its own"
        negative = min([*self.member_errors, *self.statistics.values(), self.estimate or 0.0]) < 0
        return "mean errors must be at least 0" if negative or not 0 < self.delta < 1 else None

    def _ground_fault(self) -> str | None:
        """Return why the certificates cannot rest on the data as they are said to be, or None."""
        if self.chosen_on not in CHOSEN_ON:
            return f"chosen_on must be one of {', '.join(CHOSEN_ON)}"
        apart = self.data.certify_sha256 is not None
        if apart != (self.chosen_on == "apart") or apart != (self.data.certify_samples is not None):
            return "data: samples apart certify if and only if weights were chosen apart from them"
        if (self.chosen_on == "part") != (self.split.certifying > 0):
            return "split: samples are kept if and only if a part of them chose"
        possible = self._possible()
        if any(found.name not in possible for found in self._statements()):
            return (
                f"certificates: weights chosen on {self.chosen_on} allow only {', '.join(possible) or 'none'}"
            )
        if (self.best is None) != (self.estimate is not None):
            return "estimate: must be there where nothing is promised, and only there"
        units = {found.unit for found in self._statements()}
        if units - {"samples" if self.data.groups is None else "groups"}:
            return "certificates must be of groups where the data come in groups, and only there"
        return None

    def _possible(self) -> tuple[str, ...]:
        """On what certificates may rest, by what chose the weights."""
        if self.data.out_of_fold and self.chosen_on != "apart":
            return ()
        return {
            "nothing": ("holdout",),
            "apart": ("holdout",),
            "part": ("split",),
            "all": ("tandem", "first-order"),
        }[self.chosen_on]

    def _statements(self) -> tuple[RealCertificate, ...]:
        return self.certificates if self.best is None else (*self.certificates, self.best)

    def _certificate_fault(self) -> str | None:
        kinds = [(found.name, found.measure, found.level) for found in self.certificates]
        if len(set(kinds)) != len(kinds):
            return "certificates: duplicate; each kind is given once"
        kl = kl_divergence(self.weights / self.weights.sum(), as_prior(self.weighting.prior, len(self.names)))
        for found in self._statements():
            if found.delta != self.delta:
                return "all certificates must be of the ensemble's own delta"
            if found.limit is not None and found.limit != self.limit:
                return f"certificate {found.name} ({found.measure}): its limit is not the ensemble's"
            stated = found.inputs.get("kl")
            if stated is not None and abs(stated - kl) > 1e-9 * max(1.0, kl):
                return f"certificate {found.name} ({found.measure}): kl is not that of the weights"
        return None

    def _best_fault(self) -> str | None:
        """Return why the quoted certificate cannot hold at the delta asked for, or None."""
        if self.best is None:
            return "certificates without one to quote" if self.certificates else None
        if self.best.name in UNTOUCHED:
            listed = self.certificates and self.certificates[0] == self.best
            return (
                None if listed and self.compared == 1 else "best: is not the certificate that is designated"
            )
        paid = self.best.inputs.get("delta_share", self.delta) * 2 <= self.delta * (1 + 1e-12)
        return None if paid and self.compared == 2 else "best: the price of choosing between two was not paid"


def _broken(record: dict[str, Any]) -> str | None:
    """Return what is wrong with the plain data of an ensemble, or None."""
    try:
        from_plain(RealEnsemble, record, strict=False)
    except InputError as error:
        return str(error)
    return None
