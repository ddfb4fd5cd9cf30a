"""The records of an evaluation: everything tables, figures, claims and pages are made from."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from comitia._certificate import Certificate
from comitia._errors import InputError
from comitia._records import from_plain
from comitia.evaluation.definitions import DEFINITIONS
from comitia.evaluation.findings import Finding
from comitia.evaluation.plain import build, require_format

FORMAT = "comitia-evaluation-2"


@dataclass(frozen=True)
class Row:
    """One point of a curve: ensembles of one size, one choice of members, weights and vote, over all draws.

    `accuracies` and `bounds` hold one number a draw (both folds averaged), in the same order for all rows
    of a size, so that rows can be compared draw by draw. `member_count` is the mean number of members.
    Scores that are not defined for the vote, or the data, are None; so is the deviation of a single draw.
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

    @property
    def key(self) -> tuple[str, str, str]:
        """(members, weights, vote): which curve the point belongs to."""
        return self.members, self.weights, self.vote


@dataclass(frozen=True)
class SingleBest:
    """The best single member of all runs, chosen on one half and scored on the other.

    It is one of all states where those are evaluated, else one of the last ones.

    Mean and standard deviation are over the two folds; `names` has the state each half chose.
    """

    accuracy_mean: float
    accuracy_sd: float
    nll_mean: float | None
    names: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
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
    """How often two members err together on the first weighing half: the upper triangle, row by row.

    The members are those of `Evaluation.members`, in that order.
    """

    members: int
    samples: int
    upper: tuple[int, ...]

    def matrix(self) -> list[list[float]]:
        """(M, M) tandem losses.

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
    """A certificate for the largest ensemble, all samples being hold-out.

    `designated` marks the one that was named before looking and so holds at the delta asked for; every other
    holds alone, at its own delta.
    """

    members: str
    weights: str
    designated: bool
    certificate: Certificate


@dataclass(frozen=True)
class Reference:
    """A number to stand beside ours: `kind` is "bayes" (a Bayes ensemble) or "paper" (a cell of its tables).

    `quantity` is "accuracy" or "bound" (risk). `members`, `weights` and `vote` say which curve a cell belongs to;
    None where they do not apply. `size` counts runs (samples of the posterior for a Bayes ensemble). `judged`: claims
    may rest on it; not so where our members were trained otherwise than those it comes from. `half_width` is half of
    the 95% interval of ours less this one where both were compared sample by sample; None for a number from elsewhere.
    """

    label: str
    kind: str
    quantity: str
    value: float
    size: int | None = None
    members: str | None = None
    weights: str | None = None
    vote: str | None = None
    judged: bool = True
    half_width: float | None = None


@dataclass(frozen=True)
class Claim:
    """One of the paper's claims, and whether the numbers bear it out: its verdict and the findings behind it.

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

    @property
    def widest(self) -> str:
        """`all` states if they are evaluated, else the `last` ones."""
        return "all" if "all" in self.members else "last"


@dataclass(frozen=True)
class Source:
    """The predictions that were evaluated: their sha256 and their extent."""

    sha256: str
    samples: int
    classes: int
    members: int
    runs: int


@dataclass(frozen=True)
class Evaluation:
    """Everything `evaluate` found. No dates and no machine in it: the same seed gives the same record.

    `name`, `references`, `bayesian` and `claims` are filled by a reproduction; without one there are no references
    and the claims are those that need none. `bayesian`: the members are themselves those of a Bayes ensemble.
    """

    settings: Settings
    source: Source
    rows: tuple[Row, ...]
    single_best: SingleBest
    comparisons: tuple[Comparison, ...]
    members: tuple[MemberFacts, ...]
    tandem: TandemCounts | None
    certificates: tuple[Certified, ...]
    notes: tuple[str, ...]
    name: str | None = None
    references: tuple[Reference, ...] = ()
    claims: tuple[Claim, ...] = ()
    bayesian: bool = False

    @property
    def single_states(self) -> bool:
        """Whether every run has a single state, so that `all` and `last` are the same."""
        return self.source.members == self.source.runs

    @property
    def distinct(self) -> tuple[str, ...]:
        """The choices of members that differ from each other."""
        return self.settings.members[:1] if self.single_states else self.settings.members

    def curve(self, members: str, weights: str, vote: str) -> tuple[Row, ...]:
        """The rows of one curve, by increasing size; empty if it was not asked for."""
        return tuple(row for row in self.rows if row.key == (members, weights, vote))

    def to_json(self) -> dict[str, Any]:
        """The evaluation as plain data, which `from_json` reads back."""
        record = {"format": FORMAT, **_plain(self)}
        for row in record["certificates"]:
            row["certificate"]["vacuous"] = row["certificate"]["risk"] >= 1.0
        return {**record, "definitions": DEFINITIONS}

    @classmethod
    def from_json(cls, text: str, source: str = "evaluation") -> "Evaluation":
        """The evaluation that `to_json` gave, from its text; anything else is one clear error."""
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source}: not readable as JSON ({error})") from None
        require_format(record, FORMAT, source, "an evaluation that comitia evaluate wrote")
        try:
            return _from_record(record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{source}: damaged evaluation: {type(error).__name__} {error}") from None


def _plain(evaluation: Evaluation) -> dict[str, Any]:
    """The fields in their order, tuples as lists, name first."""
    record: dict[str, Any] = json.loads(json.dumps(asdict(evaluation), allow_nan=False))
    return {"name": record.pop("name"), **record}


def _from_record(record: dict[str, Any]) -> Evaluation:
    """The evaluation from its plain data; a missing or ill-typed part raises."""
    tandem = record["tandem"]
    return Evaluation(
        settings=build(Settings, record["settings"]),
        source=build(Source, record["source"]),
        rows=tuple(build(Row, row) for row in record["rows"]),
        single_best=build(SingleBest, record["single_best"]),
        comparisons=tuple(build(Comparison, row) for row in record["comparisons"]),
        members=tuple(build(MemberFacts, row) for row in record["members"]),
        tandem=None if tandem is None else build(TandemCounts, tandem),
        certificates=tuple(_certified(row) for row in record["certificates"]),
        notes=tuple(record["notes"]),
        name=record["name"],
        references=tuple(build(Reference, row) for row in record["references"]),
        claims=tuple(_claim(row) for row in record["claims"]),
        bayesian=record["bayesian"],
    )


def _certified(record: dict[str, Any]) -> Certified:
    certificate = from_plain(Certificate, record["certificate"], "certificate ", strict=False)
    return Certified(record["members"], record["weights"], record["designated"], certificate)


def _claim(record: dict[str, Any]) -> Claim:
    findings = tuple(build(Finding, row) for row in record["findings"])
    return Claim(record["number"], record["statement"], record["verdict"], findings, record["reason"])
