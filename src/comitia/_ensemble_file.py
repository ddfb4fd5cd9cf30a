"""What the file of an ensemble says, and what is wrong with it: numbers that follow from others must agree."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._certificate import Certificate
from comitia._certify import Certification, Unavailable
from comitia._ensemble import Data, Ensemble, Split
from comitia._extensions import is_reference
from comitia._gain import Gain
from comitia._profile import Profile
from comitia._promise_file import promises_fault
from comitia._simplex import as_prior, as_weights
from comitia.bounds.designation import kept_foreseen, prefers_unlabelled
from comitia.bounds.row import CHOSEN_ON
from comitia.bounds.table import BOUNDS, price
from comitia.bounds.terms import kl_divergence
from comitia.promises import Asked, Decision, Promise, Unpromised
from comitia.weighting import TABLE, Weighting
from comitia.weighting.limit import Limit

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Best(Certificate):
    """The certificate that is quoted, and the number of events it was chosen from."""

    compared: int = 1


@dataclass(frozen=True)
class _Weights:
    """The part `weighting` of a file."""

    method: str
    chosen: str | None
    chosen_on: str
    weights: Array
    lam: float | None = field(metadata={"key": "lambda"})
    kl: float | None
    gap: float | None
    bound: float | None
    samples: int
    prior: tuple[float, ...] | None
    resolution: int | None
    limit: Limit | None = None

    def fault(self) -> str | None:
        if (self.weights < 0).any() or abs(self.weights.sum() - 1) > 1e-6:
            return "weights must be at least 0 and sum to 1"
        if not (self.method in {"given", *TABLE} or is_reference(self.method)):
            return f"unknown method '{self.method}'"
        if self.chosen_on not in CHOSEN_ON:
            return f"chosen_on must be one of {', '.join(CHOSEN_ON)}"
        return None if self.limit is None else self._limit_fault(self.limit)

    def _limit_fault(self, limit: Limit) -> str | None:
        """Return why the weights are not those of members that the limit admits, chosen on samples, or None."""
        if limit.costs is not None and len(limit.costs) != len(self.weights):
            return f"limit: costs must be one for each of {len(self.weights)} members, got {len(limit.costs)}"
        if self.method == "given" or self.chosen_on == "nothing":
            return (
                "limit: samples choose which members vote, so the weights are not given nor chosen on nothing"
            )
        return None if limit.admits(self.weights > 0) else "limit: the members that vote exceed it"


@dataclass(frozen=True)
class EnsembleFile:
    """An ensemble as it is written, every statement of which must be possible."""

    names: tuple[str, ...]
    run: tuple[int, ...] | None
    step: tuple[int, ...] | None
    class_names: tuple[str, ...]
    declared: bool
    vote: str
    delta: float
    weighting: _Weights
    split: Split
    statistics: dict[str, float]
    certificates: tuple[Certificate, ...]
    best: _Best | None
    estimate: float | None
    unavailable: tuple[Unavailable, ...]
    data: Data
    member_risks: tuple[float, ...]
    warnings: tuple[str, ...]
    versions: dict[str, str]
    gain: Gain | None = None
    profile: Profile | None = None
    classes: int | None = None
    members: int | None = None
    samples: int | None = None
    pair_samples_min: int | None = None
    asked: Asked = field(default_factory=Asked)
    decision: Decision = field(default_factory=Decision)
    promises: tuple[Promise, ...] = ()
    unpromised: tuple[Unpromised, ...] = ()

    def fault(self) -> str | None:
        """Return what is wrong with the file, or None."""
        checks = (
            self._size_fault,
            self._promise_fault,
            self._certificate_fault,
            self._best_fault,
            self._number_fault,
            lambda: promises_fault(self),
        )
        return next((found for check in checks if (found := check())), None)

    def _size_fault(self) -> str | None:
        """Return why the lists of the file do not fit its members, or None."""
        members = len(self.names)
        sizes = {"weights": len(self.weighting.weights), "member_risks": len(self.member_risks)}
        optional = {"run": self.run, "step": self.step, "prior": self.weighting.prior}
        sizes |= {key: len(value) for key, value in optional.items() if value is not None}
        for key, size in sizes.items():
            if size != members or not members:
                return f"{key} must have one number for each of {members} members, got {size}"
        if len(set(self.names)) != members:
            return "names: duplicate name; every member needs its own"
        if len(self.class_names) < 2 or len(set(self.class_names)) != len(self.class_names):
            return "class_names must be two or more different names"
        if not all(0 <= risk <= 1 for risk in self.member_risks):
            return "member_risks must lie between 0 and 1"
        said = (self.members, self.classes, self.samples, self.pair_samples_min)
        if said != (members, len(self.class_names), self.data.samples, self.data.pair_samples_min):
            return "members, classes, samples and pair_samples_min must be those of names and data"
        return None

    def _promise_fault(self) -> str | None:
        """Return why a promise, or its absence, does not fit the data, or None."""
        apart = self.data.certify_sha256 is not None
        if apart != (self.weighting.chosen_on == "apart") or apart != (self.data.certify_samples is not None):
            return "data: samples apart certify if and only if the weights were chosen apart from them"
        if self.data.counted and (self.vote != "majority" or self.weighting.chosen_on == "part"):
            return (
                "data: counts are of votes and cannot be split, so they give the majority vote, chosen on all"
            )
        promised = self.data.folds is None or apart
        if promised != (self.best is not None) or promised != bool(self.certificates):
            return "best: out-of-fold samples certify nothing, and all others do"
        if promised != (self.estimate is None) or not 0 <= (self.estimate or 0.0) <= 1:
            return "estimate: must be a share of errors, where nothing is promised and only there"
        units = {found.unit for found in self._statements()}
        if units - {"samples" if self.data.groups is None else "groups"}:
            return "certificates must be of groups where the data come in groups, and only there"
        return None

    def _statements(self) -> tuple[Certificate, ...]:
        """All certificates, the quoted one too."""
        return self.certificates if self.best is None else (*self.certificates, self.best)

    def _certificate_fault(self) -> str | None:
        """Return why the certificates cannot be those of one vote, or None."""
        names = [found.name for found in self.certificates]
        if len(set(names)) != len(names):
            return "certificates: duplicate name; each kind is given once"
        if any((found.delta, found.vote) != (self.delta, self.vote) for found in self._statements()):
            return "all certificates must be of the ensemble's own delta and vote"
        if self.best is not None and self.best.name not in names:
            return f"best: '{self.best.name}' is not among the certificates"
        return None

    def _best_fault(self) -> str | None:
        """Return why the quoted certificate cannot hold at the delta asked for, or None."""
        if self.best is None:
            return None
        best, row = self.best, BOUNDS.get(self.best.name)
        if best.compared == 1:
            listed = next(found for found in self.certificates if found.name == best.name)
            if (listed.risk, listed.inputs) != (best.risk, best.inputs):
                return f"best: is not the certificate '{best.name}' that is listed"
            if row is None or not row.designated or self.weighting.chosen_on in row.refused:
                return f"best: '{best.name}' cannot have been designated before looking"
            return self._designation_fault()
        paid = best.inputs.get("delta_share", best.delta) * best.compared <= best.delta * (1 + 1e-12)
        if not paid or best.compared < price(self.vote, shared=False):
            return f"best: the price of choosing among {best.compared} kinds of certificate was not paid"
        return None

    def _designation_fault(self) -> str | None:
        """Return why the rule for unlabelled samples designates another certificate than the quoted one, or None."""
        paired = next((found for found in self.certificates if found.name == "unlabelled"), None)
        if paired is None or self.best is None:
            return None
        preferred = prefers_unlabelled(*kept_foreseen(paired.inputs))
        if preferred == (self.best.name == "unlabelled"):
            return None
        return f"best: '{self.best.name}' is not what the rule for unlabelled samples designates"

    def _number_fault(self) -> str | None:
        """Return which number is not what the weights and the other numbers of the file give, or None."""
        rho = as_weights(self.weighting.weights, len(self.names))
        stated = {key: self.statistics.get(key) for key in ("gibbs", "tandem")}
        stated["kl"] = kl_divergence(rho, as_prior(self.weighting.prior, len(rho)))
        for found in self._statements():
            for key in stated.keys() & found.inputs.keys() if found.name in BOUNDS else ():
                if not _agree(found.inputs[key], stated[key]):
                    return f"certificate {found.name}: {key} is not that of the weights and statistics"
        if self.vote == "majority" and not _agree(float(rho @ self.member_risks), stated["gibbs"]):
            return "statistics: gibbs is not the weighted mean of member_risks"
        return None

    def ensemble(self) -> Ensemble:
        """Return the ensemble that the file describes."""
        w = self.weighting
        return Ensemble(
            names=self.names,
            run=self.run,
            step=self.step,
            class_names=self.class_names,
            declared=self.declared,
            vote=self.vote,
            delta=self.delta,
            chosen_on=w.chosen_on,
            weighting=Weighting(w.method, w.weights, w.samples, w.lam, w.kl, w.gap, w.bound, chosen=w.chosen),
            prior=w.prior,
            resolution=w.resolution,
            split=self.split,
            statistics=self.statistics,
            certification=self._certification(),
            data=self.data,
            member_risks=self.member_risks,
            warnings=self.warnings,
            versions=self.versions,
            estimate=self.estimate,
            asked=self.asked,
            decision=self.decision,
            promises=self.promises,
            unpromised=self.unpromised,
            gain=self.gain,
            profile=self.profile,
            limit=w.limit,
        )

    def _certification(self) -> Certification:
        if self.best is None:
            return Certification((), None, 0, self.unavailable)
        best = Certificate(**{entry.name: getattr(self.best, entry.name) for entry in fields(Certificate)})
        return Certification(self.certificates, best, self.best.compared, self.unavailable)


def _agree(one: Any, other: float | None) -> bool:
    return other is not None and abs(float(one) - other) <= 1e-9 * max(1.0, abs(other))
