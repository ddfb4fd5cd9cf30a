"""The record of a certificate for a weighted mean: what is promised of its errors, how surely, on which data."""

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

from comitia._certificate import AGREE, GROUP_SAMPLING, MOST_SAMPLES, SAMPLING, UNITS, confidence_down
from comitia._errors import InputError
from comitia._records import to_plain
from comitia.bounds.error_quantile import quantile_rank
from comitia.bounds.squared_error import squared_error_first_order, squared_error_tandem
from comitia.regression.limits import Limit

#: What is promised: the mean squared error, the mean absolute error, or a quantile of the size of errors.
SQUARED, ABSOLUTE, QUANTILE = "mean squared error", "mean absolute error", "quantile"
MEASURES = (SQUARED, ABSOLUTE, QUANTILE)
#: On what a certificate rests: samples that chose nothing, samples kept apart, or all samples, for all weights at once.
MEANINGS = {
    "holdout": "counts the mean's own errors; no sample here chose the weights",
    "split": "counts the mean's own errors on samples kept for certifying",
    "tandem": "for all weights at once, from products of two members' errors",
    "first-order": "for all weights at once, from the members' own squared errors",
}
UNTOUCHED = ("holdout", "split")
FORMULAS = {"tandem": squared_error_tandem, "first-order": squared_error_first_order}
WITHIN = "no error {} is larger than {}"


@dataclass(frozen=True)
class RealCertificate:
    """With probability 1 - delta over the draw of the hold-out samples, the `measure` is at most `risk`.

    Attributes
    ----------
    name : on what it rests, one of `MEANINGS`.
    measure : what is bounded: "mean squared error", "mean absolute error", or "quantile" of the size of an error.
    risk : the bound, in units of the target (squared for squared errors), rounded outward.
    delta : the probability with which the certificate may fail.
    samples : how many hold-out samples (or groups) enter.
    inputs : numbers that enter the formula. Of `holdout` and `split`, whose means take every sample's error, those
        that fit a file: `verify` computes the bound again.
    limit : the largest error, or what larger ones count as; None for quantiles, which need none.
    level : the share of new errors, of quantiles.
    unit : what was drawn independently: "samples", or "groups" of them.

    Examples
    --------
    >>> c = RealCertificate("split", "quantile", 3.25, 0.05, 400, {"n": 400, "rank": 371}, level=0.9)
    >>> print(c.promise)  # doctest: +NORMALIZE_WHITESPACE
    with probability 95% over the draw of 400 hold-out samples, at least 90% of new errors are at most 3.25
    """

    name: str
    measure: str
    risk: float
    delta: float
    samples: int
    inputs: dict[str, Any] = field(default_factory=dict)
    limit: Limit | None = None
    level: float | None = None
    unit: str = "samples"

    @property
    def largest(self) -> float:
        """What the measure cannot exceed: the limit, or its square; infinite for quantiles."""
        if self.limit is None:
            return float("inf")
        return self.limit.value**2 if self.measure == SQUARED else self.limit.value

    @property
    def vacuous(self) -> bool:
        """Whether nothing is promised that the limit does not say already."""
        return self.risk >= self.largest

    @property
    def root(self) -> float | None:
        """The root of a mean squared error, in units of the target; None for other measures."""
        return self.risk**0.5 if self.measure == SQUARED else None

    @property
    def meaning(self) -> str:
        """What it is, in half a line."""
        return MEANINGS[self.name]

    @property
    def title(self) -> str:
        """What is bounded, in short.

        >>> RealCertificate("split", "quantile", 3.25, 0.05, 400, level=0.9).title
        '90% of errors'
        """
        return f"{100 * (self.level or 0):g}% of errors" if self.measure == QUANTILE else self.measure

    @property
    def promise(self) -> str:
        """The certificate as one plain sentence."""
        sure = f"with probability {confidence_down(self.delta)} over the draw of {self.samples:,} hold-out {self.unit}"
        if self.vacuous:
            return f"{sure}, nothing is promised about the {self.measure} (the bound is vacuous)"
        if self.limit is None:
            return f"{sure}, at least {100 * (self.level or 0):g}% of new errors are at most {rounded_up(self.risk)}"
        where = "the samples of a new group, on average," if self.unit == "groups" else "new samples"
        root = "" if self.root is None else f" (root {rounded_up(self.root)})"
        large = self.limit.in_words(rounded_up(self.limit.value))
        return f"{sure}, the {self.measure} on {where} is at most {rounded_up(self.risk)}{root}, {large}"

    @property
    def assumption(self) -> str:
        """What must be true for the certificate to hold."""
        drawn = GROUP_SAMPLING if self.unit == "groups" else SAMPLING
        if self.limit is None or self.limit.clips:
            return drawn
        whose = "of the weighted mean" if self.name in UNTOUCHED else "of a member"
        return f"{drawn}, and {WITHIN.format(whose, f'{self.limit.value:g}')}"

    def fault(self) -> str | None:
        """Return what is wrong with a certificate, or None: numbers out of range, a risk below its own formula."""
        what = f"certificate {self.name} ({self.measure})"
        if self.name not in MEANINGS or self.measure not in MEASURES:
            return f"unknown {what}"
        quantile = self.measure == QUANTILE
        if quantile != (self.level is not None) or quantile != (self.limit is None):
            return f"{what} must have {'a level and no limit' if quantile else 'a limit and no level'}"
        if not (
            self.risk >= 0 and 0 < self.delta < 1 and 0 < self.samples <= MOST_SAMPLES and self.unit in UNITS
        ):
            return f"{what} is impossible: risk {self.risk:g}, delta {self.delta:g}, {self.samples} samples"
        if quantile and self.unit != "samples":
            return f"{what} does not hold for groups"
        try:
            return self._formula_fault(what)
        except (InputError, KeyError, TypeError, ValueError, ArithmeticError) as error:
            why = f" ({error})" if isinstance(error, InputError) else ""
            return f"the inputs of {what} do not fit its formula{why}"

    def _formula_fault(self, what: str) -> str | None:
        if self.inputs["n"] != self.samples or isinstance(self.inputs["n"], bool):
            return f"{what} rests on {self.inputs['n']} samples, not {self.samples}"
        if self.measure == QUANTILE:
            right = self.inputs["rank"] == quantile_rank(self.samples, self.level or 0.0, self.delta)
            return None if right else f"{what}: the rank is not that of its level and delta; it was edited"
        least = self._least()
        if self.risk < least * (1 - AGREE) or self.risk > self.largest * (1 + AGREE):
            return f"{what} states {self.risk:g}, but its inputs give {least:g}; it was edited"
        return None

    def _least(self) -> float:
        """The least that the risk can be by the inputs: of bounds of every sample's error no less than their mean."""
        inputs, share = dict(self.inputs), self.inputs.get("delta_share", self.delta)
        if not 0 < share <= self.delta or isinstance(share, bool):
            raise ValueError
        if self.name in UNTOUCHED:
            return float(inputs["mean"])
        if self.measure != SQUARED or self.limit is None or self.limit.clips:
            raise ValueError
        key = "product" if self.name == "tandem" else "mean"
        return min(
            FORMULAS[self.name](inputs[key], inputs["kl"], inputs["n"], self.limit.value, share), self.largest
        )

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as plain data, with its sentence and its assumption."""
        sentences = {"promise": self.promise, "meaning": self.meaning, "assumption": self.assumption}
        return {**to_plain(self), "vacuous": self.vacuous, "root": self.root, **sentences}


def rounded_up(value: float) -> str:
    """Return the number with four digits, rounded up, so that what is shown still holds.

    >>> rounded_up(2859.31), rounded_up(0.0123411), rounded_up(25.0), rounded_up(1.23456e-9)
    ('2860', '0.01235', '25', '1.235e-9')
    """
    found = Context(prec=4, rounding=ROUND_CEILING).create_decimal(Decimal(repr(float(value))))
    if found and -5 < found.adjusted() < 9:
        return f"{found:f}".rstrip("0").rstrip(".") if "." in f"{found:f}" else f"{found:f}"
    mantissa, _, exponent = f"{found.normalize():e}".partition("e")
    return f"{mantissa}e{int(exponent)}" if found else "0"
