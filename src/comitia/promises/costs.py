"""What answers cost: a matrix of true class and answer, and what it says of a sample without an answer."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, nearest

#: A row per true class, a column per answer in the order of the classes, and one more for no answer.
Costs = tuple[tuple[float, ...], ...]
#: The column that says what no answer costs.
NO_ANSWER = "no answer"


def as_costs(given: Any, class_names: tuple[str, ...]) -> Costs:
    """Return the matrix in the order of the classes, with a last column for no answer: its row's largest if not given.

    Parameters
    ----------
    given : (C, C) or (C, C + 1) numbers in the order of the classes, or a mapping of true classes to mappings of
        answers to costs; an answer named "no answer" is the column for none
    class_names : the classes in order

    >>> as_costs({"sick": {"sick": 0, "well": 5}, "well": {"sick": 1, "well": 0}}, ("sick", "well"))
    ((0.0, 5.0, 5.0), (1.0, 0.0, 1.0))
    """
    rows = _by_name(given, class_names) if isinstance(given, Mapping) else given
    classes = len(class_names)
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "costs: must be a matrix of numbers, true class by answer; rows differ or hold text"
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != classes or matrix.shape[1] not in (classes, classes + 1):
        raise InputError(
            f"costs: must have a row and a column for each of {classes} classes (and a column '{NO_ANSWER}', if you "
            f"like), got shape {' x '.join(map(str, matrix.shape))}"
        )
    if matrix.shape[1] == classes:
        matrix = np.column_stack([matrix, matrix.max(axis=1)])
    found = tuple(tuple(float(value) for value in row) for row in matrix)
    if fault := costs_fault(found):
        raise InputError(fault)
    return found


def _by_name(given: Mapping[Any, Any], class_names: tuple[str, ...]) -> list[list[float]]:
    """The rows of a mapping by names; a name that is missing or unknown is an error."""
    _require_names("row", given, class_names)
    rows = []
    for name in class_names:
        row = {str(key): value for key, value in given.items()}[name]
        if not isinstance(row, Mapping):
            raise InputError(f"costs: the row of '{name}' must map answers to costs, got {row!r}")
        _require_names(f"answer in the row of '{name}'", row, (*class_names, NO_ANSWER), optional=NO_ANSWER)
        cells = {str(key): _cost(value) for key, value in row.items()}
        own = [cells[answer] for answer in class_names]
        rows.append([*own, cells.get(NO_ANSWER, max(own))])
    return rows


def _cost(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"costs: must be numbers, got {value!r}") from None


def _require_names(
    what: str, given: Mapping[Any, Any], names: tuple[str, ...], optional: str | None = None
) -> None:
    found = [str(key) for key in given]
    if odd := next((name for name in found if name not in names), None):
        raise InputError(
            f"costs: '{odd}' is no {what}{nearest(odd, names)}; the classes are {', '.join(names)}"
        )
    if lacking := next((name for name in names if name not in found and name != optional), None):
        raise InputError(f"costs: no {what} for class '{lacking}'; give a cost for every pair of classes")


def costs_fault(costs: Costs) -> str | None:
    """Return what is wrong with a matrix of costs, or None."""
    values = [*chain.from_iterable(costs)]
    if odd := [value for value in values if not 0 <= value < np.inf]:
        return f"costs: must be at least 0 and finite, got {odd[0]:g}"
    if len({len(row) for row in costs}) != 1 or len(costs[0]) != len(costs) + 1:
        return f"costs: must have a row per class, and a column more than rows, got {len(costs)} rows"
    return None if max(values) > 0 else "costs: one must be above 0, or nothing costs anything"


def largest_cost(costs: Costs) -> float:
    """Return the largest cost there is.

    >>> largest_cost(((0.0, 5.0, 5.0), (1.0, 0.0, 1.0)))
    5.0
    """
    return max(chain.from_iterable(costs))


def as_matrix(costs: Costs | None) -> NDArray[np.float64] | None:
    """Return the costs as (C, C + 1), or None."""
    return None if costs is None else np.array(costs)
