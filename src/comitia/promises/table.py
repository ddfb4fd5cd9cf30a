"""The one table of further promises: what each says, when it is void, its formula and its source.

`Promise.fault` computes a stated number again with it, and the documents show it. A new kind is a formula and one row
here, and a function in `comitia.promises.promising` that makes its inputs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from typing import Any

from comitia._certificate import percent_up
from comitia.promises.formulas import cost_limit, mean_rate_limit, rate_limit, sequence_risk


@dataclass(frozen=True)
class Kind:
    """One kind of promise.

    Attributes
    ----------
    name, meaning : its name, and what it is in half a line
    equation, source : the formula for readers, and where it comes from
    formula : called as `formula(**inputs, delta=delta)` for independent samples; rounds outward
    grouped : the same for groups of dependent samples; None where nothing is promised for them
    says : the half sentence after "with probability … over the draw of …", of a promise
    void : what would make the promise void, besides another vote
    """

    name: str
    meaning: str
    equation: str
    source: str
    formula: Callable[..., float]
    grouped: Callable[..., float] | None
    says: Callable[[Any], str]
    void: str

    def value(self, inputs: dict[str, Any], delta: float, unit: str) -> float:
        """Return the number that those inputs promise."""
        formula = self.formula if unit == "samples" else self.grouped
        assert formula is not None
        return float(formula(**inputs, delta=delta))


# What 1 - rate is called, of the rates that have names.
COMPLEMENT = {"false-negative rate": "sensitivity", "false-positive rate": "specificity"}


def at_least(risk: float) -> str:
    """Return 1 - risk in per cent, rounded down.

    >>> at_least(0.07411)
    '92.58%'
    """
    return f"{100 - float(percent_up(risk)[:-1]):.2f}%"


def cost_up(cost: float) -> str:
    """Return a cost with four significant digits, rounded up, so that what is shown still holds.

    >>> cost_up(0.2123001), cost_up(12.0)
    ('0.2124', '12')
    """
    shown = Context(prec=4, rounding=ROUND_CEILING).create_decimal(repr(float(cost)))
    return f"{shown.normalize():f}"


def _of_class(promise: Any) -> str:
    said = f"errs on at most {percent_up(promise.risk)} of new samples of class '{promise.group}'"
    if promise.rate is None:
        return f"{said}{_in_groups(promise)}"
    return f"{said}{_in_groups(promise)} ({named_rate(promise)})"


def named_rate(promise: Any) -> str:
    """Return what the rate of a class is called, and what follows for its complement: of two classes."""
    side = "positive" if promise.rate == "false-negative rate" else "negative"
    complement = f"{COMPLEMENT[promise.rate]} at least {at_least(promise.risk)}"
    return f"{promise.rate}, '{promise.group}' being {side}; {complement}"


def _of_answer(promise: Any) -> str:
    said = f"is wrong on at most {percent_up(promise.risk)} of new samples that it answers '{promise.group}'"
    return f"{said}{_in_groups(promise)} (precision at least {at_least(promise.risk)})"


def _of_value(promise: Any) -> str:
    where = f"where {promise.name} is '{promise.group}'"
    return f"errs on at most {percent_up(promise.risk)} of new samples {where}{_in_groups(promise)}"


def _in_groups(promise: Any) -> str:
    return "" if promise.unit == "samples" else ", averaged over new groups that have such"


def _of_answers(promise: Any) -> str:
    rule = f"declines where less than {promise.threshold:.6g} of the weight is behind its answer"
    return (
        f"errs on at most {percent_up(promise.risk)} of the new samples that it answers; "
        f"it {rule if promise.threshold > 0 else 'declines none'}"
    )


def _of_costs(promise: Any) -> str:
    mean = "a new sample" if promise.unit == "samples" else "a sample of a new group, on average"
    return f"costs at most {cost_up(promise.risk)} for {mean}, in expectation"


CLOPPER, WAUDBY = (
    "Clopper and Pearson (1934)",
    "Waudby-Smith and Ramdas (2024), with bets that hedge a digital option",
)
_AT_ONCE = "max{p : P(Bin(n, p) ≤ k) ≥ 1 − (1 − δ)^{1/G}}"

_ROWS = (
    Kind(
        "class",
        "errors among samples of one true class",
        _AT_ONCE,
        CLOPPER,
        rate_limit,
        mean_rate_limit,
        _of_class,
        "samples of this class look otherwise than those of the hold-out; how frequent the class is does not matter",
    ),
    Kind(
        "predicted",
        "errors among samples that get one answer: 1 − precision",
        _AT_ONCE,
        CLOPPER,
        rate_limit,
        mean_rate_limit,
        _of_answer,
        "classes are more or less frequent than in the hold-out, or their samples look otherwise",
    ),
    Kind(
        "column",
        "errors among samples with one value of a column",
        _AT_ONCE,
        CLOPPER,
        rate_limit,
        mean_rate_limit,
        _of_value,
        "samples with this value look otherwise than those of the hold-out; of other values nothing is said",
    ),
    Kind(
        "selective",
        "errors among the samples that are answered, the others being declined",
        "CP(k_τ, n_τ, δ) ≤ r from strict to loose τ, up to the first that is not",
        "Geifman and El-Yaniv (2017); fixed-sequence testing, Maurer et al. (1995)",
        sequence_risk,
        None,
        _of_answers,
        "another threshold is used, or samples look otherwise than those of the hold-out",
    ),
    Kind(
        "costs",
        "the expected cost of an answer",
        "digital bound of the costs, upper = the largest cost of the matrix",
        WAUDBY,
        cost_limit,
        cost_limit,
        _of_costs,
        "a cost changes, or classes are more or less frequent than in the hold-out",
    ),
)
KINDS: dict[str, Kind] = {row.name: row for row in _ROWS}
#: Kinds that are given for each of several groups at once, which share one delta.
RATES = ("class", "predicted", "column")
