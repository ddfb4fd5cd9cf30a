"""What a row of the table of certificates is: the facts a bound may use, and when it is valid."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._extensions import is_reference, load, name_of
from comitia._records import to_plain

VOTES = ("majority", "average")
#: What chose the weights: nothing of the hold-out, a part of it, all of it, or other samples apart from it.
CHOSEN_ON = ("nothing", "part", "all", "apart")
# Bounds from moments hold for votes that err at W >= 1/2; a deployed vote counts totals within 1e-9 as tied and may
# err at W >= 1/2 - 5e-10. That moves a bound by less than this, relatively, and so do float64 sums.
OUTWARD = 1 + 1e-8
NO_PRIOR = "the prior gives no weight to a member that votes"
GROUPED = "proved for independent samples, and these come in groups"
SILENT = "proved for members that always answer"
TILTED = (
    "proved for votes that the largest total wins, and this one has a threshold; errors are counted instead"
)
TILTED_HERE = "pays for the choice of the weights alone, and these samples may have chosen the threshold"
OWN_SAMPLES = "each member has its own hold-out samples, so the vote's own errors cannot be counted"
NO_VOTES = "counts do not hold the vote's own errors; certify= takes samples apart, on which they are counted"


@dataclass(frozen=True)
class Foreseen:
    """What the samples that chose the weights say of those that certify: see `comitia.bounds.designation`.

    `errors` of the vote expected on the certifying samples, `r2` the squared correlation of loss and score.
    """

    errors: float
    r2: float


@dataclass(frozen=True, eq=False)
class Paired:
    """Labelled samples that certify, each with unlabelled ones of its own, in an order drawn before looking.

    `losses` and `scores` (n,) of the deployed vote on the labelled samples, `others` (n, kappa) its scores on the
    unlabelled ones; `foreseen` None where no samples chose the weights.
    """

    losses: NDArray[np.bool_]
    scores: NDArray[np.float64]
    others: NDArray[np.float64]
    foreseen: Foreseen | None = None

    @property
    def kappa(self) -> int:
        """How many unlabelled samples each labelled one has."""
        return int(self.others.shape[1])


@dataclass(frozen=True)
class Facts:
    """All that a bound may know of a weighted vote: how its weights were chosen, and what the hold-out says.

    Attributes
    ----------
    vote, classes, shared : the vote, the number of classes, and whether all members share one hold-out
    chosen_on : "nothing", "part" or "all" of the hold-out chose the weights, or samples "apart" from it
    members, kl : M, and KL(rho||pi); infinite where the prior gives no weight to a member that votes
    gibbs, tandem, moment : means of the loss that goes with the vote, first and second order, at the weights
    n_first, n_pair : the samples behind the first and the second order: the smallest hold-out, the smallest overlap
    disagreement, n_disagreement : from all samples, also those without labels; None where it is not measured
    own_disagreement : from the labelled samples alone
    errors, samples : of the deployed vote on all samples; None with one hold-out per member, and where only counts of
        members and pairs are known
    kept_errors, kept_samples : the same on the samples that had no part in the weights
    alone : errors and samples of the only member that votes; None if several vote
    counts : integers with weights = counts / sum(counts), if the weights are such
    abstains : whether members may give no answer
    threshold : the share from which on the second of two classes is answered; None where the largest total wins
    group_errors, group_sizes : of the deployed vote in each group that had no part in the weights, in a drawn order;
        None where samples are independent. All means are then over groups, of means within them
    paired : certifying samples with unlabelled ones; `unpaired` says why there are none, where some were given
    """

    vote: str
    classes: int
    shared: bool
    chosen_on: str
    members: int
    kl: float
    gibbs: float
    tandem: float
    moment: float
    n_first: int
    n_pair: int
    disagreement: float | None = None
    n_disagreement: int | None = None
    own_disagreement: float | None = None
    errors: int | None = None
    samples: int | None = None
    kept_errors: int | None = None
    kept_samples: int | None = None
    alone: tuple[int, int] | None = None
    counts: tuple[int, ...] | None = None
    abstains: bool = False
    group_errors: tuple[int, ...] | None = None
    group_sizes: tuple[int, ...] | None = None
    threshold: float | None = None
    paired: Paired | None = field(default=None, compare=False)
    unpaired: str = ""

    @property
    def grouped(self) -> bool:
        """Whether samples come in groups."""
        return self.group_sizes is not None


@dataclass(frozen=True)
class Bound:
    """One row of the table: a bound on the risk of a weighted vote that holds with probability 1 - delta.

    Attributes
    ----------
    name, meaning : its name, and what it is in half a line
    event : bounds of one event hold together, at the price of one
    equation, source : the formula for readers, and where it comes from
    formula : called as `formula(**inputs, delta=delta)`; rounds outward and is not clipped
    inputs : the numbers that enter the formula, from the `Facts`
    samples : the name of the input that counts the samples the bound rests on
    votes : the votes that it holds for
    binary : whether it is proved for two classes only
    counted : whether it counts errors of the deployed vote itself
    joint : whether all members must have voted on the same samples
    independent : whether it needs samples that are independent one by one, not in groups
    answers : whether it needs members that always answer
    grouped : whether it is about groups of samples
    refused : what may not have chosen the weights, each with the reason (empty: another bound takes its place)
    designated : whether it is named before looking wherever it is valid, so that nothing is paid for choosing it
    condition : a further reason why it is not given, or None
    planned : whether `plan` can work with it
    kept, least : where the inputs are too many for a file: what a certificate keeps of them, and the formula by which
        the risk cannot be below that; the risk itself is computed again from the data by `verify` alone
    """

    name: str
    meaning: str
    event: str
    equation: str
    source: str
    formula: Callable[..., float]
    inputs: Callable[[Facts], dict[str, Any]]
    samples: str = "n"
    votes: tuple[str, ...] = VOTES
    binary: bool = False
    counted: bool = False
    joint: bool = False
    independent: bool = False
    answers: bool = False
    grouped: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)
    designated: bool = False
    condition: Callable[[Facts], str | None] = lambda facts: None
    planned: bool = False
    kept: Callable[[Facts], dict[str, Any]] | None = None
    least: Callable[..., float] | None = None

    def stored(self, facts: Facts) -> dict[str, Any]:
        """Return the inputs that a certificate keeps."""
        return self.inputs(facts) if self.kept is None else self.kept(facts)

    def floor(self, stored: Mapping[str, Any], delta: float) -> float:
        """Return what the risk of a certificate with those inputs cannot be below."""
        return self.value(stored, delta) if self.least is None else float(self.least(**stored, delta=delta))

    def value(self, inputs: Mapping[str, Any], delta: float) -> float:
        """Return the bound for those inputs, rounded outward."""
        risk = (
            self._outside(inputs, delta) if is_reference(self.name) else self.formula(**inputs, delta=delta)
        )
        return float(risk) if self.counted else float(risk) * OUTWARD

    def _outside(self, inputs: Mapping[str, Any], delta: float) -> float:
        """Return what a bound from outside gives, if it and its inputs can be those of a certificate."""
        samples = inputs.get(self.samples)
        if not isinstance(samples, int) or samples < 1:
            raise InputError(
                f"bounds: '{self.name}' must rest on 1 sample or more, got {self.samples} = {samples!r}"
            )
        try:
            to_plain(dict(inputs))
            risk = self.formula(**inputs, delta=delta)
            number = float(risk)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"bounds: '{self.name}' failed: {type(error).__name__}: {error}") from error
        if not 0 <= number < math.inf:
            raise InputError(f"bounds: '{self.name}' must return a risk of 0 or more, got {risk!r}")
        return number

    def __call__(self, facts: Facts, delta: float) -> float:
        """Return the bound for those facts."""
        return self.value(self.inputs(facts), delta)

    def unavailable(self, facts: Facts) -> str | None:
        """Return why the bound is not given; None if it is, an empty text where another takes its place."""
        if facts.vote not in self.votes:
            return f"proved for the {self.votes[0]} vote only"
        if self.binary and facts.classes != 2:
            return "proved for two classes only"
        if self.joint and not facts.shared:
            return OWN_SAMPLES
        if self.grouped and not facts.grouped:
            return ""
        refused = self.refused.get(facts.chosen_on)
        if self.joint and facts.errors is None and refused != "":
            return NO_VOTES
        if refused is not None:
            return refused
        if self.independent and facts.grouped:
            return GROUPED
        if self.answers and facts.abstains:
            return SILENT
        if facts.threshold is not None and not self.counted:
            return TILTED
        if facts.threshold is not None and "all" not in self.refused and facts.chosen_on in ("part", "all"):
            return TILTED_HERE
        return self.condition(facts)


def as_bound(given: Any) -> Bound:
    """Return a bound from outside: a `Bound`, a function of (facts, delta), or the `module:function` of either.

    A plain function is taken to hold for every vote and every choice of the weights, on all samples. That it does is
    the word of its author, and an assumption of the certificate.

    >>> def double_gibbs(facts, delta):
    ...     return 2 * facts.gibbs  # not a bound: an example
    >>> as_bound(double_gibbs).samples
    'n_pair'
    """
    if isinstance(given, str) and not is_reference(given):
        raise InputError(
            f"bounds: must be module:function, got '{given}'; the built-in ones are given anyway"
        )
    found = load("bounds", given) if isinstance(given, str) else given
    if isinstance(found, Bound):
        return found
    if not callable(found):
        raise InputError(f"bounds: must be a Bound or a function of (facts, delta), got {given!r}")
    lines = (found.__doc__ or "").strip().splitlines() or ["given from outside"]
    name = name_of(given)

    def formula(delta: float, **numbers: Any) -> Any:
        return found(Facts(**numbers), delta)

    about, source = lines[0].rstrip("."), "given from outside"
    return Bound(name, about, name, name, source, formula, _numbers, "n_pair", condition=prior_covers)


def _numbers(facts: Facts) -> dict[str, Any]:
    """Return all facts that fit a file."""
    names = [entry.name for entry in fields(Facts) if entry.name not in ("paired", "unpaired")]
    return {name: getattr(facts, name) for name in names}


def prior_covers(facts: Facts) -> str | None:
    """Return why a bound that contains KL(rho||pi) is not given, or None."""
    return None if facts.kl < math.inf else NO_PRIOR
