"""What further promises were asked for: per class or column, a threshold, a target risk, costs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from comitia._errors import InputError, require_open_unit
from comitia.promises.costs import Costs, as_costs, costs_fault
from comitia.promises.threshold import read_threshold

#: Promises per class need no column: the true class, and the class that is answered.
ANSWERS = ("class", "predicted")


@dataclass(frozen=True)
class Asked:
    """What `weigh` was asked to promise beyond the error rate.

    Attributes
    ----------
    per : "class", "predicted" or names of strata; one promise for each value, those of one name at once
    threshold : of two classes, how the decision threshold is found: a number, "cost=A:B", "sensitivity=S", …
    target_risk : decline where that keeps the errors among answers below it
    costs : (C, C + 1) by true class and answer, the last column for no answer
    """

    per: tuple[str, ...] = ()
    threshold: float | str | None = None
    target_risk: float | None = None
    costs: Costs | None = None

    @property
    def chooses(self) -> bool:
        """Whether samples must choose a part of the rule, so that some have to be kept for certifying it."""
        return isinstance(self.threshold, str) or self.target_risk is not None

    @property
    def promises(self) -> bool:
        """Whether a further promise was asked for."""
        return bool(self.per) or self.target_risk is not None or self.costs is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """The strata among what promises are per."""
        return tuple(name for name in self.per if name not in ANSWERS)

    def fault(self) -> str | None:
        """Return what is wrong with the question, or None."""
        try:
            read_threshold(self.threshold)
            if self.target_risk is not None:
                require_target(self.target_risk)
        except InputError as error:
            return str(error)
        if len(set(self.per)) != len(self.per):
            return "per: duplicate name"
        return None if self.costs is None else costs_fault(self.costs)


def require_target(risk: float) -> float:
    """Return the share of wrong answers that is asked for: below a half, for such answers are no help."""
    return require_open_unit("target_risk", risk, below=0.5)


def ask(
    per: str | Iterable[str],
    threshold: float | str | None,
    target_risk: float | None,
    costs: Any,
    class_names: tuple[str, ...],
) -> Asked:
    """Return the question, checked; the costs as a matrix in the order of the classes.

    >>> ask("class", None, None, None, ("a", "b")).per
    ('class',)
    """
    names = (per,) if isinstance(per, str) else tuple(per)
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"per: must be class, predicted or the name of a column, got {name!r}")
        if names.count(name) > 1:
            raise InputError(f"per: '{name}' is given twice; give each once")
    return Asked(
        names,
        read_threshold(threshold).text,
        None if target_risk is None else require_target(target_risk),
        None if costs is None else as_costs(costs, class_names),
    )
