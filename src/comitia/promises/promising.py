"""Every further promise that was asked for."""

import numpy as np

from comitia.promises.asked import Asked
from comitia.promises.costs import largest_cost
from comitia.promises.ground import Ground
from comitia.promises.order import tallied
from comitia.promises.rates import rates
from comitia.promises.record import Promise, Unpromised
from comitia.promises.selective import selective
from comitia.promises.table import KINDS


def promise_all(ground: Ground) -> tuple[tuple[Promise, ...], tuple[Unpromised, ...]]:
    """Return what is promised, and what was asked for and is not."""
    asked = ground.asked
    found: list[Promise | Unpromised] = [one for name in asked.per for one in rates(ground, name)]
    if asked.target_risk is not None:
        found.append(selective(ground, asked.target_risk))
    if asked.costs is not None:
        found.append(costs(ground, asked))
    given = tuple(one for one in found if isinstance(one, Promise))
    return given, tuple(one for one in found if isinstance(one, Unpromised))


def costs(ground: Ground, asked: Asked) -> Promise:
    """Return the promise of the expected cost; in groups, of the mean over groups of the mean within a group."""
    assert asked.costs is not None
    assert ground.certifying.costs is not None
    paid, largest = ground.certifying.costs, largest_cost(asked.costs)
    if ground.groups is not None:
        codes = ground.groups.canonical()
        paid = np.minimum(np.bincount(codes, paid) / np.bincount(codes), largest)
    values, counts = tallied(paid)
    inputs = {
        "values": values,
        "counts": counts,
        "seed": ground.seed,
        "order": ground.key,
        "n": len(paid),
        "largest": largest,
    }
    risk = KINDS["costs"].value(inputs, ground.delta, ground.unit)
    return Promise("costs", "costs", ground.vote, risk, ground.delta, len(paid), inputs, ground.unit)
