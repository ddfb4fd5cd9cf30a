"""Promises per class, per answer and per value of a column: error rates of disjoint groups, all at once."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._certificate import percent_up
from comitia._classes import ordered
from comitia.promises.formulas import shared_delta
from comitia.promises.ground import Ground
from comitia.promises.order import tallied
from comitia.promises.record import Promise, Unpromised
from comitia.promises.table import KINDS

# A group is too small where even without an error more than this would be promised.
MOST_EMPTY = 0.5
# What too small a group is told that it would need, without an error.
EXAMPLE = 0.1
# Of two classes, what the error rates in the first and in the second are called.
NAMED = ("false-positive rate", "false-negative rate")


def rates(ground: Ground, name: str) -> Iterator[Promise | Unpromised]:
    """Yield a promise for each class, answer or value of a column, or why there is none."""
    kind = name if name in ("class", "predicted") else "column"
    codes, values = _codes(ground, name)
    delta = ground.delta / len(ground.asked.per)
    named = NAMED if kind == "class" and len(values) == 2 else (None,) * len(values)
    rate_of = dict(zip(values, named))
    for value in values if kind != "column" else ordered(list(values)):
        here, rate = np.flatnonzero(codes == values.index(value)), rate_of[value]
        inputs = {**_inputs(ground, here), "at_once": len(values)}
        n = int(inputs["n"])
        if why := _too_small(n, delta, len(values), ground.unit):
            yield Unpromised(kind, name, value, n, why)
            continue
        risk = KINDS[kind].value(inputs, delta, ground.unit)
        yield Promise(kind, name, ground.vote, risk, delta, n, inputs, ground.unit, value, rate)


def _codes(ground: Ground, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Which value each sample has, and all values."""
    if name == "class":
        return ground.certifying.labels, ground.class_names
    if name == "predicted":
        return ground.certifying.answers, ground.class_names
    return ground.strata[name].codes, ground.strata[name].names


def _inputs(ground: Ground, here: NDArray[np.int64]) -> dict[str, Any]:
    """What the formula is given of those samples: counts, or how often each rate within a group occurs."""
    losses = ground.certifying.losses[here]
    if ground.groups is None:
        return {"errors": int(losses.sum()), "n": len(losses)}
    codes = ground.groups.codes[here]
    sizes = np.bincount(codes)
    there = sizes > 0
    found = np.bincount(codes, losses, len(sizes))[there] / sizes[there]
    values, counts = tallied(found)
    return {"values": values, "counts": counts, "seed": ground.seed, "order": ground.key, "n": len(found)}


def _too_small(n: int, delta: float, groups: int, unit: str) -> str | None:
    """Return why so few samples promise nothing that is of use, and what would; None for enough.

    Groups of dependent samples are judged by the same rule: with as many of them the digital bound is about as wide.
    """
    share = shared_delta(delta, groups) if unit == "samples" else delta / groups
    need = samples_without_error(EXAMPLE, share)
    if n >= samples_without_error(MOST_EMPTY, share):
        return None
    remedy = f"{need} certifying {unit} of it without an error would promise {EXAMPLE:.0%}"
    if not n:
        return f"no certifying sample is of it; {remedy}"
    few = f"{n} certifying {unit if n > 1 else unit[:-1]}"
    return f"{few} would promise {percent_up(1 - share ** (1 / n))} even without an error; {remedy}"


def samples_without_error(risk: float, delta: float) -> int:
    """Return how many samples without an error certify a risk.

    >>> samples_without_error(0.1, 0.05)
    29
    """
    return math.ceil(math.log(delta) / math.log1p(-risk) - 1e-9)
