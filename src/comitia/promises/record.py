"""The record of a further promise: what is promised, how surely, on which samples, and all numbers behind it."""

from dataclasses import dataclass, field
from typing import Any

from comitia._certificate import AGREE, GROUP_SAMPLING, MOST_SAMPLES, SAMPLING, UNITS, confidence_down
from comitia._errors import InputError
from comitia._records import to_plain
from comitia.bounds.row import VOTES
from comitia.promises.formulas import coverage_limit
from comitia.promises.table import COMPLEMENT, KINDS, RATES, at_least

ASKED_BEFORE = "what is promised was asked for before looking"
ORDERED = "the checksum of the data, which orders them, has nothing to do with their values"
OTHER_VOTE = "void if the weights, the vote or its threshold are changed, or if"
# Optional keys: not written where a kind has none.
_OPTIONAL = ("group", "rate", "threshold", "coverage", "coverage_at_least")


@dataclass(frozen=True)
class Promise:
    """With probability 1 - delta over the draw of the hold-out, what `kind` says holds with `risk`.

    Attributes
    ----------
    kind : a row of `comitia.promises.table.KINDS`
    name : what was asked for: the kind, or the column
    vote, delta : the vote, and the probability with which the promise may fail, with all others of its name
    risk : the limit, rounded outward: a share of errors, or a cost
    samples, unit : how many samples (or groups) it rests on
    inputs : every number that enters the formula
    group : the class or the value of the column
    rate : what the risk is called, for two classes
    threshold, coverage, coverage_at_least : of a vote that declines: from which share on it answers, how many of the
        samples it answered here, and how many of new ones at least, by itself with probability 1 - delta

    Examples
    --------
    >>> inputs = {"errors": 3, "n": 100, "at_once": 2}
    >>> p = Promise("class", "class", "majority", 0.0851, 0.05, 100, inputs, group="cat")
    >>> print(p.promise)  # doctest: +NORMALIZE_WHITESPACE
    with probability 95% over the draw of the hold-out (100 samples here), for all 2 at once, the majority vote errs on
    at most 8.51% of new samples of class 'cat'
    """

    kind: str
    name: str
    vote: str
    risk: float
    delta: float
    samples: int
    inputs: dict[str, Any] = field(default_factory=dict)
    unit: str = "samples"
    group: str | None = None
    rate: str | None = None
    threshold: float | None = None
    coverage: float | None = None
    coverage_at_least: float | None = None

    @property
    def key(self) -> tuple[str, str, str | None]:
        """What tells it from other promises of an ensemble."""
        return self.kind, self.name, self.group

    @property
    def at_once(self) -> int:
        """How many promises hold together at this delta."""
        return int(self.inputs["at_once"]) if self.kind in RATES else 1

    @property
    def promise(self) -> str:
        """The promise as one plain sentence."""
        together = f", for all {self.at_once} at once" if self.at_once > 1 else ""
        sure = (
            f"with probability {confidence_down(self.delta)} over the draw of the hold-out "
            f"({self.samples:,} {self.unit} here){together}"
        )
        said = f"{sure}, the {self.vote} vote {KINDS[self.kind].says(self)}"
        if self.coverage_at_least is None:
            return said
        answered = at_least(1 - self.coverage_at_least)
        return f"{said}. By itself, with the same probability: it answers at least {answered} of new samples"

    @property
    def assumption(self) -> str:
        """What must be true for the promise to hold."""
        parts = [GROUP_SAMPLING if self.unit == "groups" else SAMPLING, ASKED_BEFORE]
        return ", and ".join([*parts, *([ORDERED] if "order" in self.inputs else [])])

    @property
    def void(self) -> str:
        """What would make it void."""
        return f"{OTHER_VOTE} {KINDS[self.kind].void}"

    def fault(self) -> str | None:
        """Return what is wrong with a promise, or None: numbers out of range, a risk below its own formula."""
        if self.kind not in KINDS:
            return f"unknown kind of promise '{self.kind}'"
        if (self.kind == "column" and self.name in RATES[:2]) or self.kind not in ("column", self.name):
            return f"promise '{self.name}' cannot be of kind {self.kind}"
        possible = self.risk >= 0 and 0 < self.delta < 1 and 0 < self.samples <= MOST_SAMPLES
        if not possible or self.vote not in VOTES or self.unit not in UNITS:
            numbers = (
                f"risk {self.risk:g}, delta {self.delta:g}, {self.samples} {self.unit}, {self.vote} vote"
            )
            return f"promise {self.name} is impossible: {numbers}"
        if (self.kind in RATES) != (self.group is not None) or self.rate not in (None, *COMPLEMENT):
            return f"promise {self.name}: a group is required for rates, and only there"
        if self.unit == "groups" and KINDS[self.kind].grouped is None:
            return f"promise {self.name} does not hold for groups"
        return self._formula_fault() or self._coverage_fault()

    def _formula_fault(self) -> str | None:
        if any(isinstance(value, bool) for value in self.inputs.values()):
            return f"the inputs of promise {self.name} do not fit its formula"
        try:
            least = KINDS[self.kind].value(self.inputs, self.delta, self.unit)
        except (InputError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            why = f" ({error})" if isinstance(error, InputError) else ""
            return f"the inputs of promise {self.name} do not fit its formula{why}"
        if self.inputs["n"] != self.samples:
            return f"promise {self.name} rests on {self.inputs['n']} {self.unit}, not {self.samples}"
        if not self.risk >= least * (1 - AGREE):
            return f"promise {self.name} states {self.risk:g}, but its inputs give {least:g}; it was edited"
        return None

    def _coverage_fault(self) -> str | None:
        stated = (self.threshold, self.coverage, self.coverage_at_least)
        if self.kind != "selective":
            return None if stated == (None, None, None) else f"promise {self.name} declines nothing"
        chosen, n = self.inputs["chosen"], self.samples
        accepted = self.inputs["accepted"][chosen]
        least = coverage_limit(accepted, n, self.delta)
        if self.threshold != self.inputs["thresholds"][chosen] or self.coverage != accepted / n:
            return f"promise {self.name}: threshold and coverage are not those of its inputs; it was edited"
        if self.coverage_at_least is None or not self.coverage_at_least <= least + AGREE:
            return (
                f"promise {self.name} states a coverage above {least:g}, which its inputs give; it was edited"
            )
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain data, with its sentence, its assumption and what would make it void."""
        record: dict[str, Any] = to_plain(self)
        kept = {k: v for k, v in record.items() if v is not None or k not in _OPTIONAL}
        return {**kept, "promise": self.promise, "assumption": self.assumption, "void": self.void}


@dataclass(frozen=True)
class Unpromised:
    """What was asked for and is not promised, and why: a group of too few samples, for one."""

    kind: str
    name: str
    group: str | None
    samples: int
    why: str

    @property
    def key(self) -> tuple[str, str, str | None]:
        """What tells it from promises of an ensemble."""
        return self.kind, self.name, self.group
