"""What an ensemble may cost: at most so many members, or a budget that the costs of the members add up against."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, nearest, require_whole_number

# A sum of costs may exceed the budget by rounding alone.
ROUNDING = 1e-9
BUDGET = "a number, or COLUMN=NUMBER where the costs have several columns, such as seconds=.5"


@dataclass(frozen=True)
class Limit:
    """A limit on the members that vote.

    Attributes
    ----------
    at_most : how many members may vote
    budget : what the members that vote may cost together
    costs : (M,) what each member costs; there if and only if there is a budget
    unit : what the costs are, such as "seconds", where it was said
    """

    at_most: int | None = None
    budget: float | None = None
    costs: tuple[float, ...] | None = None
    unit: str | None = None

    def fault(self) -> str | None:
        """Return what is wrong with a limit, or None."""
        if self.at_most is None and self.budget is None:
            return "a limit is at_most, budget or both"
        if self.at_most is not None and self.at_most < 1:
            return "at_most must be at least 1"
        if (self.budget is None) != (self.costs is None):
            return "budget and costs belong together"
        if self.budget is not None and not 0 < self.budget < math.inf:
            return "budget must be above 0"
        if not all(0 <= cost < math.inf for cost in self.costs or ()):
            return "costs must be finite and at least 0"
        return None

    def admits(self, voting: NDArray[np.bool_]) -> bool:
        """Return whether those members (M,) may vote together.

        >>> limit = Limit(budget=3.0, costs=(1.0, 2.0, 2.0))
        >>> limit.admits(np.array([True, True, False])), limit.admits(np.array([False, True, True]))
        (True, False)
        """
        few = self.at_most is None or int(voting.sum()) <= self.at_most
        return few and (self.budget is None or self.cost(voting) <= self.budget * (1 + ROUNDING))

    @property
    def argument(self) -> str:
        """The argument that messages are about."""
        return "at_most" if self.budget is None else "budget"

    def cost(self, voting: NDArray[np.bool_]) -> float:
        """Return what those members (M,) cost together; their number where there are no costs."""
        return float(voting.sum()) if self.costs is None else float(np.array(self.costs)[voting].sum())

    def in_words(self) -> str:
        """Return the limit in words.

        >>> Limit(8).in_words(), Limit(None, 0.5, (0.1,), "seconds").in_words()
        ('at most 8 members', 'a budget of 0.5 seconds')
        """
        members = "member" if self.at_most == 1 else "members"
        parts = [] if self.at_most is None else [f"at most {self.at_most} {members}"]
        unit = "" if self.unit is None else f" {self.unit}"
        parts += [] if self.budget is None else [f"a budget of {self.budget:g}{unit}"]
        return " and ".join(parts)


def read_limit(
    at_most: int | None, budget: float | str | None, costs: Any, names: Sequence[str]
) -> Limit | None:
    """Return the limit that was asked for, checked; None where there is none.

    `costs` are (M,) numbers in the order of the members, a mapping from their names to numbers, or one from their names
    to a mapping of several numbers by column, of which the budget names one.

    >>> read_limit(2, None, None, ("a", "b", "c"))
    Limit(at_most=2, budget=None, costs=None, unit=None)
    >>> read_limit(None, "seconds=3", {"a": {"seconds": 1}, "b": {"seconds": 2.5}}, ("a", "b")).costs
    (1.0, 2.5)
    """
    few = None if at_most is None else require_whole_number("at_most", at_most, least=1)
    if budget is None:
        if costs is not None:
            raise InputError("member_costs: have no effect without a budget; give one, or leave them out")
        return None if few is None else Limit(few)
    if costs is None:
        raise InputError("budget: needs what each member costs; give member_costs, or use at_most")
    unit, value = _budget(budget)
    column, found = _in_order(costs, names, unit)
    return Limit(few, value, tuple(_cost(cost, name) for cost, name in zip(found, names)), column)


def read_columns(costs: Any, names: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return every column of costs as (M,) numbers in the order of the members; a single one is called "cost".

    >>> read_columns({"a": {"seconds": 1, "bytes": 5}, "b": {"seconds": 2, "bytes": 6}}, ("a", "b"))
    {'seconds': (1.0, 2.0), 'bytes': (5.0, 6.0)}
    """
    if costs is None:
        return {}
    first = costs.get(names[0]) if isinstance(costs, Mapping) else None
    units = [str(column) for column in first] if isinstance(first, Mapping) else [None]
    found = {}
    for unit in units:
        _, values = _in_order(costs, names, unit)
        found[unit or "cost"] = tuple(_cost(cost, name) for cost, name in zip(values, names))
    return found


def _budget(budget: float | str) -> tuple[str | None, float]:
    """The column that a budget names, if it does, and its size."""
    unit, sign, text = str(budget).rpartition("=")
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"budget: must be {BUDGET}, got '{budget}'") from None
    if not 0 < value < math.inf:
        raise InputError(f"budget: must be above 0 and finite, got {value:g}")
    return (unit.strip() if sign else None), value


def _in_order(costs: Any, names: Sequence[str], unit: str | None) -> tuple[str | None, list[Any]]:
    """What the costs are called, and those of the members in their order."""
    if not isinstance(costs, Mapping):
        found = costs.tolist() if isinstance(costs, np.ndarray) else costs
        if not isinstance(found, Sequence) or isinstance(found, str) or len(found) != len(names):
            size = f", got {len(found)}" if isinstance(found, Sequence) else ""
            raise InputError(f"member_costs: must be {len(names)} numbers, one per member{size}")
        return unit, list(found)
    missing = next((name for name in names if name not in costs), None)
    if missing is not None:
        strangers = [name for name in costs if name not in names]
        raise InputError(f"member_costs: has no cost of '{missing}'{nearest(missing, strangers)}")
    rows = [costs[name] for name in names]
    if not any(isinstance(row, Mapping) for row in rows):
        return unit, rows
    column = _column(rows[0], unit)
    return column, [row.get(column) if isinstance(row, Mapping) else None for row in rows]


def _column(row: Any, unit: str | None) -> str:
    """The one column that the budget is about."""
    columns = list(row) if isinstance(row, Mapping) else []
    if unit is None and len(columns) == 1:
        return str(columns[0])
    if unit is None or unit not in columns:
        listed = ", ".join(map(str, columns))
        if unit is None:
            raise InputError(
                f"budget: the costs have several columns ({listed}); name one, such as {columns[0]}=NUMBER"
            )
        raise InputError(
            f"budget: no column '{unit}' in the costs{nearest(unit, columns)}; there are {listed}"
        )
    return unit


def _cost(cost: Any, name: str) -> float:
    try:
        found = float(cost)
    except (TypeError, ValueError):
        found = math.nan
    if not 0 <= found < math.inf:
        raise InputError(f"member_costs: of '{name}' must be a finite number of at least 0, got {cost!r}")
    return found
