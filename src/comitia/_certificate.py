"""The record of a certificate: what is promised, how surely, on which data, and all numbers behind it."""

import math
from dataclasses import asdict, dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

SAMPLING = (
    "the hold-out samples are independent draws from the distribution of deployment and were not used for "
    "training, early stopping, checkpoint choice, calibration or the choice of the prior"
)
# What `holdout` rests on besides, and what nobody but the user can know where the weights are given.
WEIGHTS_FIXED = "the weights were fixed without these samples"
# From here down six digits of the confidence would all say 99.9999%.
TINY_DELTA = 1e-6
MEANING = {
    "first-order-kl": "twice the Gibbs risk",
    "first-order-lambda": "twice the Gibbs risk, as first-order weights minimise it",
    "tandem-kl": "four times the tandem risk",
    "tandem-lambda": "the paper's bound, as tandem weights minimise it",
    "moment": "Gibbs and tandem risk together, for members that err together",
    "cantelli": "Gibbs and tandem risk together, for members that err apart",
    "ctd": "variance of the vote against its margin",
    "disagreement": "Gibbs risk less disagreement, two classes",
    "c1": "C-bound from Gibbs risk and disagreement, two classes",
    "c2": "C-bound from tandem risk and disagreement, two classes",
    "holdout": "the vote's errors, counted where no sample chose the weights",
    "split": "the vote's errors, counted where they did not choose the weights",
    "occam": "the vote's errors on all samples, the weights paid for by their length",
    "best-member": "the one member's errors, its choice among all paid for",
}


@dataclass(frozen=True)
class Certificate:
    """With probability 1 - delta over the draw of the hold-out samples, the vote's risk is at most `risk`.

    Attributes
    ----------
    name : which bound, one of `MEANING`.
    vote : the vote that is certified, ``"majority"`` or ``"average"``.
    risk : the bound, rounded outward; 1 or more is vacuous.
    delta : the probability with which the certificate may fail.
    samples : how many hold-out samples enter the bound.
    inputs : every number that enters the formula.

    Examples
    --------
    >>> c = Certificate("split", "average", 0.0741, 0.05, 4000, {"errors": 270})
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

    @property
    def vacuous(self) -> bool:
        """Whether the bound promises nothing, being 1 or more."""
        return self.risk >= 1.0

    @property
    def promise(self) -> str:
        """The certificate as one plain sentence."""
        surely = confidence_down(self.delta)
        sure = f"with probability {surely} over the draw of {self.samples:,} hold-out samples"
        if self.vacuous:
            return f"{sure}, nothing is promised about the {self.vote} vote (the bound is vacuous)"
        return f"{sure}, the {self.vote} vote errs on at most {percent_up(self.risk)} of new samples"

    def to_json(self) -> dict[str, Any]:
        """The certificate as plain data, with its sentence and its assumption."""
        record = asdict(self)
        record["vacuous"] = self.vacuous
        record["promise"] = self.promise
        record["meaning"] = MEANING[self.name]
        record["assumption"] = SAMPLING
        return record

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> "Certificate":
        """The certificate that `to_json` wrote."""
        name, risk, delta = record["name"], float(record["risk"]), float(record["delta"])
        if name not in MEANING or not math.isfinite(risk) or not 0 < delta < 1:
            raise ValueError(f"no such certificate: {name!r} of risk {risk} at delta {delta}")
        return cls(name, str(record["vote"]), risk, delta, int(record["samples"]), dict(record["inputs"]))


def percent_up(risk: float) -> str:
    """The risk in per cent, rounded up to two decimals, so that what is shown still holds.

    The shortest decimal that names the float is rounded, so that a risk written as .08 is 8.00%.

    >>> percent_up(0.07411), percent_up(0.08), percent_up(0.5), percent_up(1e-13)
    ('7.42%', '8.00%', '50.00%', '0.01%')
    """
    hundredths = (_decimal(risk) * 10_000).to_integral_value(ROUND_CEILING)
    return f"{hundredths / 100:.2f}%"


def confidence_down(delta: float) -> str:
    """The probability 1 - delta in per cent, rounded down to six digits; for a tiny delta as "1 - delta", delta up.

    >>> confidence_down(0.05), confidence_down(1.4e-6), confidence_down(4.94e-7)
    ('95%', '99.9998%', '1 - 5.0e-7')
    """
    if delta < TINY_DELTA:
        return f"1 - {Context(prec=2, rounding=ROUND_CEILING).create_decimal(_decimal(delta)):.1e}"
    share = Context(prec=6, rounding=ROUND_FLOOR).create_decimal(100 * (1 - _decimal(delta)))
    return f"{share.normalize():f}%"


def _decimal(value: float) -> Decimal:
    """The shortest decimal that names the float; numpy's floats included."""
    return Decimal(repr(float(value)))
