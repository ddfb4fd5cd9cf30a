"""The records of an evaluation: everything tables, figures, claims and pages are made from."""

import math
from dataclasses import dataclass, field
from statistics import pstdev
from typing import Any

from comitia._certificate import Certificate
from comitia._records import from_plain, parse_json, require_format, to_plain
from comitia.evaluation.cost_records import CostCurve
from comitia.evaluation.findings import Finding
from comitia.evaluation.references import Provenance, Reference
from comitia.evaluation.scores import DEFINITIONS
from comitia.evaluation.source import Source, outside
from comitia.promises.selective import Curve

FORMAT = "comitia-evaluation-2"
#: The weighting that chooses among all states of a run: there is none to choose among the last ones.
EARLY_STOPPING = "early-stopping"


@dataclass(frozen=True)
class Row:
    """One point of a curve: ensembles of one size, one choice of members, weights and vote, over all draws.

    `accuracies`, `bounds`, `nlls` and `aurocs` hold one number per draw (both folds averaged), in the same order for
    all rows of a size, so that rows can be compared draw by draw. Scores that are not defined for the vote or the data
    are None, as is the deviation of a single draw. `member_count` is the mean number of members. Records of earlier
    versions have no `diversity_mean`, `nlls` and `aurocs`.
    """

    size: int
    members: str
    weights: str
    vote: str
    accuracy_mean: float
    accuracy_sd: float | None
    nll_mean: float | None
    brier_mean: float | None
    ece_mean: float | None
    auroc_mean: float | None
    bound_mean: float | None
    effective_mean: float
    member_count: float
    single_best: float
    accuracies: tuple[float, ...]
    bounds: tuple[float, ...] | None
    diversity_mean: float | None = None
    nlls: tuple[float, ...] | None = None
    aurocs: tuple[float, ...] | None = None

    @property
    def accuracy_sd_population(self) -> float | None:
        """The authors' standard deviation of the accuracies, dividing by the number of draws; None of a single one."""
        return pstdev(self.accuracies) if len(self.accuracies) > 1 else None

    @property
    def key(self) -> tuple[str, str, str]:
        """(members, weights, vote): which curve the point belongs to."""
        return self.members, self.weights, self.vote

    def fault(self) -> str | None:
        """Return what is wrong with a row, or None."""
        return outside(
            size=(self.size, 1, math.inf),
            accuracy_mean=(self.accuracy_mean, 0, 1),
            accuracy_sd=(self.accuracy_sd, 0, 1),
            bound_mean=(self.bound_mean, 0, math.inf),
            diversity_mean=(self.diversity_mean, 0, 1),
        )


@dataclass(frozen=True)
class SingleBest:
    """The best single member of all runs, chosen on one half and scored on the other.

    It is one of all states where those are evaluated, else one of the last ones. Mean and standard deviation are
    over the two folds; `names` has the state each half chose. `accuracy_max` is what the authors take instead: the
    largest accuracy on the scored half itself, with hindsight; None in records of earlier versions.
    """

    accuracy_mean: float
    accuracy_sd: float
    nll_mean: float | None
    names: tuple[str, ...]
    accuracy_max: float | None = None

    def fault(self) -> str | None:
        """Return what is wrong with a best member, or None."""
        return outside(accuracy_mean=(self.accuracy_mean, 0, 1), accuracy_max=(self.accuracy_max, 0, 1))


@dataclass(frozen=True)
class Difference:
    """Accuracy of one curve less that of another at one size, draw by draw and sample by sample.

    `left` and `right` are (members, weights). `half_width` is half of the difference's 95% interval, which has the
    noise of the test samples and of the draws.
    """

    size: int
    vote: str
    left: tuple[str, str]
    right: tuple[str, str]
    difference: float
    half_width: float


@dataclass(frozen=True)
class MemberFacts:
    """One member of the largest `all` ensemble: accuracy on all samples, weights from the first fold by method."""

    name: str
    run: int | None
    step: int | None
    last: bool
    accuracy: float
    weights: dict[str, float]


@dataclass(frozen=True)
class TandemCounts:
    """How often members of `Evaluation.members` err together on the first weighing half: upper triangle, row by row."""

    members: int
    samples: int
    upper: tuple[int, ...]

    def fault(self) -> str | None:
        """Return what is wrong with counts, or None."""
        if len(self.upper) != self.members * (self.members + 1) // 2:
            return f"{len(self.upper)} counts do not fit {self.members} members"
        if self.samples < 1 or not all(0 <= count <= self.samples for count in self.upper):
            return f"counts must lie from 0 to their {self.samples} samples"
        return None

    def matrix(self) -> list[list[float]]:
        """Return (M, M) tandem losses.

        >>> TandemCounts(2, 10, (4, 1, 2)).matrix()
        [[0.4, 0.1], [0.1, 0.2]]
        """
        found = [[0.0] * self.members for _ in range(self.members)]
        counts = iter(self.upper)
        for i in range(self.members):
            for j in range(i, self.members):
                found[i][j] = found[j][i] = next(counts) / self.samples
        return found


@dataclass(frozen=True)
class Certified:
    """A certificate for the largest ensemble, with all samples as hold-out.

    `designated` marks the one that was named before looking and so holds at the delta asked for; every other
    holds alone, at its own delta.
    """

    members: str
    weights: str
    designated: bool
    certificate: Certificate


@dataclass(frozen=True)
class Declining:
    """Errors among answers of the largest ensemble, if it declines: one half chooses weights and thresholds, the other
    one counts and certifies."""

    members: str
    weights: str
    vote: str
    curve: Curve


@dataclass(frozen=True)
class Claim:
    """One of the paper's claims: whether the numbers confirm it, and the findings behind that verdict.

    `reason` says why there are none, where there are none.
    """

    number: int
    statement: str
    verdict: str
    findings: tuple[Finding, ...]
    reason: str = ""


@dataclass(frozen=True)
class Settings:
    """What was asked of `evaluate`.

    `grouped`: each size was trained by itself (an epoch budget), so there is one ensemble of each and no draw.
    """

    sizes: tuple[int, ...]
    repeats: int
    seed: int
    delta: float
    weightings: tuple[str, ...]
    votes: tuple[str, ...]
    members: tuple[str, ...]
    grouped: bool = False
    target_risk: float | None = None

    def fault(self) -> str | None:
        """Return what is wrong with settings, or None."""
        if not (self.sizes and self.weightings and self.votes and self.members):
            return "sizes, weightings, votes and members must not be empty"
        return None if 0 < self.delta < 1 else f"delta is {self.delta:g}, outside of 0 to 1"

    @property
    def widest(self) -> str:
        """`all` states if they are evaluated, else the `last` ones."""
        return "all" if "all" in self.members else "last"

    def weightings_of(self, members: str) -> tuple[str, ...]:
        """Return the weightings of one choice of members: early stopping chooses among `all` states only."""
        return tuple(w for w in self.weightings if members == "all" or w != EARLY_STOPPING)


@dataclass(frozen=True)
class Evaluation:
    """Everything `evaluate` found. No dates and no machine in it: the same seed gives the same record.

    `name`, `provenance`, `references`, `unjudged` and `claims` are filled by a reproduction; without one there are no
    references and the claims are those that need none. `unjudged` says why the first claim is not judged, if it is not.
    `drawn`: the members of a run are draws, none of which is its last state.
    """

    settings: Settings
    source: Source
    rows: tuple[Row, ...]
    single_best: SingleBest
    differences: tuple[Difference, ...] = field(metadata={"key": "comparisons"})
    members: tuple[MemberFacts, ...]
    tandem: TandemCounts | None
    certificates: tuple[Certified, ...]
    notes: tuple[str, ...]
    name: str | None = None
    references: tuple[Reference, ...] = ()
    claims: tuple[Claim, ...] = ()
    unjudged: str = ""
    drawn: bool = False
    provenance: Provenance | None = None
    declining: tuple[Declining, ...] = ()
    costs: tuple[CostCurve, ...] = ()

    @property
    def single_states(self) -> bool:
        """Whether every run has a single state, so that `all` and `last` are the same."""
        return self.source.members == self.source.runs

    @property
    def estimated(self) -> bool:
        """Whether nothing is promised: the predictions were out-of-fold."""
        return self.source.folds is not None

    @property
    def distinct(self) -> tuple[str, ...]:
        """The choices of members that differ from each other."""
        return self.settings.members[:1] if self.single_states else self.settings.members

    def curve(self, members: str, weights: str, vote: str) -> tuple[Row, ...]:
        """Return the rows of one curve, by increasing size; empty if it was not asked for."""
        return tuple(row for row in self.rows if row.key == (members, weights, vote))

    def fault(self) -> str | None:
        """Return what is wrong with an evaluation, or None."""
        if not self.rows:
            return "it has no rows"
        if self.tandem is not None and self.tandem.members != len(self.members):
            return f"tandem.members is {self.tandem.members}, but there are {len(self.members)} members"
        if any(row.certificate.delta != self.settings.delta for row in self.certificates):
            return f"all certificates must be at the evaluation's own delta, {self.settings.delta:g}"
        return next((bad for one in self.declining if (bad := one.curve.fault(self.settings.delta))), None)

    def to_json(self) -> dict[str, Any]:
        """Return the evaluation as plain data, which `from_json` reads back."""
        record = to_plain(self)
        for row in record["certificates"]:
            row["certificate"]["vacuous"] = row["certificate"]["risk"] >= 1.0
        return {"format": FORMAT, "name": record.pop("name"), **record, "definitions": DEFINITIONS}

    @classmethod
    def from_json(cls, text: str, source: str = "evaluation") -> "Evaluation":
        """Return the evaluation that `to_json` gave, from its text; anything else is an `InputError`."""
        what = "an evaluation that comitia evaluate wrote"
        plain = require_format(parse_json(text, source), FORMAT, source, what)
        return from_plain(cls, plain, f"{source}: ", strict=False)
