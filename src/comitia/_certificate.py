"""The record of a certificate: what is promised, how surely, on which data, and all numbers behind it."""

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from comitia._errors import InputError
from comitia._extensions import is_reference
from comitia._records import to_plain
from comitia.bounds.row import VOTES
from comitia.bounds.table import BOUNDS

# What was chosen by its result on the same samples (the best of many seeds or methods) is not certified.
FIXED_BEFORE_LOOKING = "no seed, method or other option was chosen by its result on them"
SAMPLING = (
    "the hold-out samples are independent draws from the distribution of deployment and were not used for "
    "training, early stopping, checkpoint choice, calibration or the choice of the prior, and "
    + FIXED_BEFORE_LOOKING
)
GROUP_SAMPLING = (
    "the hold-out groups are independent draws from the distribution of deployment, none of their samples was used for "
    "training, early stopping, checkpoint choice, calibration or the choice of the prior, "
    f"{FIXED_BEFORE_LOOKING}, and they are counted in an order that was fixed before looking"
)
# What `unlabelled` assumes besides.
PAIRING = (
    "the unlabelled samples are further independent draws from that distribution, which had no part in training or in "
    "the weights, and each was paired with a hold-out sample in an order that was fixed before looking"
)
UNITS = ("samples", "groups")
# What `holdout` rests on besides, and what nobody but the user can know where the weights are given.
WEIGHTS_FIXED = "the weights were fixed without these samples"
# From here down six digits of the confidence would all say 99.9999%.
TINY_DELTA = 1e-6
# Beyond it formulas take too long, and no hold-out is as large.
MOST_SAMPLES = 2**50
# How far a stated risk may lie below its formula: what is left of another machine's rounding.
AGREE = 1e-9


@dataclass(frozen=True)
class Certificate:
    """With probability 1 - delta over the draw of the hold-out samples, the vote's risk is at most `risk`.

    Attributes
    ----------
    name : which bound, a row of `comitia.bounds.table.BOUNDS` or one from outside (`module:function`).
    vote : the vote that is certified, ``"majority"`` or ``"average"``.
    risk : the bound, rounded outward; 1 or more is vacuous.
    delta : the probability with which the certificate may fail.
    samples : how many hold-out samples enter the bound.
    inputs : every number that enters the formula; `delta_share` where delta was divided among several bounds. Of
        `unlabelled`, whose formula takes numbers of every sample, what fits a file: `verify` computes it again.
    meaning : what it is, in half a line; that of the table unless given.
    unit : what was drawn independently and is counted: ``"samples"``, or ``"groups"`` of them.

    Examples
    --------
    >>> c = Certificate("split", "average", 0.0741, 0.05, 4000, {"errors": 270, "n": 4000})
    >>> print(c.promise)  # doctest: +NORMALIZE_WHITESPACE
    with probability 95% over the draw of 4,000 hold-out samples,
    the average vote errs on at most 7.41% of new samples
    """

    name: str
    vote: str
    risk: float
    delta: float
    samples: int
    inputs: dict[str, Any] = field(default_factory=dict)
    meaning: str = ""
    unit: str = "samples"

    def __post_init__(self) -> None:
        if not self.meaning and self.name in BOUNDS:
            object.__setattr__(self, "meaning", BOUNDS[self.name].meaning)

    @property
    def vacuous(self) -> bool:
        """Whether the bound promises nothing, being 1 or more."""
        return self.risk >= 1.0

    @property
    def promise(self) -> str:
        """The certificate as one plain sentence."""
        surely = confidence_down(self.delta)
        sure = f"with probability {surely} over the draw of {self.samples:,} hold-out {self.unit}"
        if self.name == "unlabelled" and "kappa" in self.inputs:
            sure += f" and {self.samples * self.inputs['kappa']:,} unlabelled ones"
        if self.vacuous:
            return f"{sure}, nothing is promised about the {self.vote} vote (the bound is vacuous)"
        risk = percent_up(self.risk)
        if self.name == "groups-any":
            return f"{sure}, the {self.vote} vote errs at all in at most {risk} of new groups"
        if self.unit == "groups":
            return f"{sure}, the {self.vote} vote errs on at most {risk} of the samples of a new group, on average"
        return f"{sure}, the {self.vote} vote errs on at most {risk} of new samples"

    @property
    def assumption(self) -> str:
        """What must be true for the certificate to hold; a bound from outside rests on its author's word too."""
        drawn = GROUP_SAMPLING if self.unit == "groups" else SAMPLING
        if self.name == "unlabelled":
            return f"{drawn}, and {PAIRING}"
        if self.name in BOUNDS:
            return drawn
        return f"{drawn}, and the bound '{self.name}', given from outside, is valid"

    def fault(self) -> str | None:
        """Return what is wrong with a certificate, or None: numbers out of range, a risk below its own formula."""
        if not (self.risk >= 0 and 0 < self.delta < 1 and self.samples > 0 and self.vote in VOTES):
            numbers = f"risk {self.risk:g}, delta {self.delta:g}, {self.samples} samples, {self.vote} vote"
            return f"certificate {self.name} is impossible: {numbers}"
        share = self.inputs.get("delta_share", self.delta)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= self.delta:
            return (
                f"certificate {self.name}: delta_share must be a share of delta {self.delta:g}, got {share!r}"
            )
        if self.name not in BOUNDS:
            return None if is_reference(self.name) else f"unknown certificate '{self.name}'"
        row = BOUNDS[self.name]
        if self.unit not in UNITS or (row.grouped and self.unit != "groups"):
            return f"certificate {self.name} cannot rest on {self.unit}"
        if row.independent and self.unit == "groups":
            return f"certificate {self.name} does not hold for groups"
        if self.samples > MOST_SAMPLES or any(isinstance(value, bool) for value in self.inputs.values()):
            return f"the inputs of certificate {self.name} do not fit its formula"
        return self._formula_fault()

    def _formula_fault(self) -> str | None:
        row, inputs = BOUNDS[self.name], dict(self.inputs)
        share = inputs.pop("delta_share", self.delta)
        try:
            least = row.floor(inputs, share)
        except (InputError, TypeError, ValueError, ArithmeticError) as error:
            why = f" ({error})" if isinstance(error, InputError) else ""
            return f"the inputs of certificate {self.name} do not fit its formula{why}"
        if inputs[row.samples] != self.samples:
            return f"certificate {self.name} rests on {inputs[row.samples]} samples, not {self.samples}"
        if not self.risk >= least * (1 - AGREE):
            return (
                f"certificate {self.name} states {self.risk:g}, but its inputs give {least:g}; it was edited"
            )
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as plain data, with its sentence and its assumption."""
        record: dict[str, Any] = to_plain(self)
        sentences = {"promise": self.promise, "meaning": record.pop("meaning"), "assumption": self.assumption}
        return {**record, "vacuous": self.vacuous, **sentences}


def percent_up(risk: float) -> str:
    """Return the risk in per cent, rounded up to two decimals, so that what is shown still holds.

    The shortest decimal that names the float is rounded, so that a risk written as .08 is 8.00%.

    >>> percent_up(0.07411), percent_up(0.08), percent_up(0.5), percent_up(1e-13)
    ('7.42%', '8.00%', '50.00%', '0.01%')
    """
    hundredths = (_decimal(risk) * 10_000).to_integral_value(ROUND_CEILING)
    return f"{hundredths / 100:.2f}%"


def confidence_down(delta: float) -> str:
    """Return the probability 1 - delta in per cent, rounded down to six digits; for a tiny delta as "1 - delta".

    >>> confidence_down(0.05), confidence_down(1.4e-6), confidence_down(4.94e-7)
    ('95%', '99.9998%', '1 - 5.0e-7')
    """
    if delta < TINY_DELTA:
        return f"1 - {Context(prec=2, rounding=ROUND_CEILING).create_decimal(_decimal(delta)):.1e}"
    share = Context(prec=6, rounding=ROUND_FLOOR).create_decimal(100 * (1 - _decimal(delta)))
    return f"{share.normalize():f}%"


def _decimal(value: float) -> Decimal:
    """Return the shortest decimal that names the float; numpy's floats included."""
    return Decimal(repr(float(value)))
