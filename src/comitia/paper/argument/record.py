"""The record of the argument's experiment: means and spreads over repeated data sets, all risks exact."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from comitia._records import from_plain, parse_json, require_format, to_plain
from comitia.evaluation.findings import rounded

FORMAT = "comitia-argument-1"


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (n - 1) over the repeats; no deviation for a single one."""

    mean: float
    sd: float | None

    def fault(self) -> str | None:
        """Return what is wrong with a spread, or None."""
        return "sd: must be 0 or more" if self.sd is not None and self.sd < 0 else None


def spread_of(values: Sequence[float]) -> Spread:
    """Return mean and standard deviation of the values, with the decimals that records keep.

    >>> spread_of([0.2, 0.4])
    Spread(mean=0.3, sd=0.1414213562)
    """
    return Spread(rounded(np.mean(values)), rounded(np.std(values, ddof=1)) if len(values) > 1 else None)


@dataclass(frozen=True)
class ArgumentSettings:
    """What the experiment was run with.

    Attributes
    ----------
    repeats, seed : how many data sets were drawn per size, and the seed of all of them
    members : draws of the posterior, and searches of an ensemble
    holdout : hold-out samples that chose the tandem weights
    delta : failure probability of the tandem bound
    """

    repeats: int
    seed: int
    members: int
    holdout: int
    delta: float


@dataclass(frozen=True)
class SizeRow:
    """What was found with `samples` training samples. Risks are exact, disagreements are those of two draws.

    Attributes
    ----------
    bayes, sampled : risks of the posterior predictive, and of the average of draws of the posterior
    single : risk of the hypothesis with the fewest training errors, which has the largest likelihood
    posterior_disagreement, posterior_effective : of two draws of the posterior; effective number of hypotheses
    member : mean risk of the members that were trained independently
    member_disagreement, member_effective : of two of them; effective number of hypotheses among them
    uniform, tandem : risks of their majority vote, with equal weights and with tandem weights
    bound : tandem-kl at the tandem weights
    violations : in how many repeats the bound lies below the exact risk
    """

    samples: int
    bayes: Spread
    sampled: Spread
    single: Spread
    posterior_disagreement: Spread
    posterior_effective: Spread
    member: Spread
    member_disagreement: Spread
    member_effective: Spread
    uniform: Spread
    tandem: Spread
    bound: Spread
    violations: int


@dataclass(frozen=True)
class Case:
    """One truth and what was found for it.

    Attributes
    ----------
    evidence : a_g, one number per source
    best_single, best_possible : the smallest risk of a hypothesis, and of any classifier
    optima, attracted : where searches end if training errors are the risks: how many hypotheses, and the largest share
        of searches that end at one of them
    rows : by number of training samples
    """

    name: str
    evidence: tuple[float, ...]
    best_single: float
    best_possible: float
    optima: int
    attracted: float
    rows: tuple[SizeRow, ...]

    def fault(self) -> str | None:
        """Return what is wrong with a case, or None."""
        sizes = [row.samples for row in self.rows]
        if not sizes or sizes != sorted(set(sizes)):
            return "rows: must be in the order of their samples, at least one"
        return None if self.best_possible <= self.best_single else "best_possible: above best_single"


@dataclass(frozen=True)
class CancellationRow:
    """The first `members` of the members at the largest size of the first case.

    Attributes
    ----------
    largest : the largest risk of a member
    uniform : exact risk of their uniform majority vote
    exact, bound : what the risk would be at most if members of that risk erred independently, and Hoeffding's bound
    """

    members: int
    largest: Spread
    uniform: Spread
    exact: Spread
    bound: Spread


@dataclass(frozen=True)
class Argument:
    """The experiment, without dates and machines: the same settings give the same record."""

    settings: ArgumentSettings
    cases: tuple[Case, ...]
    cancellation: tuple[CancellationRow, ...]

    def fault(self) -> str | None:
        """Return what is wrong with the record, or None."""
        return None if self.cases and self.cancellation else "it has no cases or no cancellation"

    def case(self, name: str) -> Case:
        """Return the case of that name."""
        return next(case for case in self.cases if case.name == name)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data, which `from_json` reads back."""
        return {"format": FORMAT, **to_plain(self)}

    @classmethod
    def from_json(cls, text: str, source: str = "argument") -> "Argument":
        """Return the record that `to_json` gave, from its text; anything else is an `InputError`."""
        what = "a record that comitia reproduce --argument wrote"
        plain = require_format(parse_json(text, source), FORMAT, source, what)
        plain.pop("format")
        return from_plain(cls, plain, f"{source}: ")
