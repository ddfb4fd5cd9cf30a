"""The decision threshold of two classes: given as a number, or chosen for a cost ratio or a rate.

The vote answers the second class where its share is above the threshold. A threshold is chosen on the samples that
choose the weights, so the certifying samples have no part in it.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._votes import LEAST_THRESHOLD, TIE, ensemble_probabilities, require_threshold

FORMS = "a number in (0, 1), cost=MISS:ALARM (such as cost=5:1), sensitivity=S or specificity=S"
_FORM = re.compile(r"(cost)=([^:]+):([^:]+)|(sensitivity|specificity)=([^:]+)")


@dataclass(frozen=True)
class Wanted:
    """How a threshold is found: `fixed`, or by what a missed second class and a false alarm cost, or by a rate."""

    text: float | str | None
    fixed: float | None = None
    costs: tuple[float, float] | None = None
    rate: tuple[str, float] | None = None

    @property
    def chosen(self) -> bool:
        """Whether samples choose it."""
        return self.costs is not None or self.rate is not None


def read_threshold(given: object) -> Wanted:
    """Return how the threshold is found.

    >>> read_threshold("cost=5:1").costs, read_threshold(".3").fixed, read_threshold("sensitivity=.95").rate
    ((5.0, 1.0), 0.3, ('sensitivity', 0.95))
    """
    if given is None:
        return Wanted(None)
    if not isinstance(given, str):
        number = _number(given)
        return Wanted(number, fixed=require_threshold(number, 2))
    text = given.strip()
    if (found := _FORM.fullmatch(text)) is None:
        number = _number(text)
        return Wanted(number, fixed=require_threshold(number, 2))
    if found[1]:
        miss, alarm = _number(found[2]), _number(found[3])
        if not (0 < miss < np.inf and 0 < alarm < np.inf):
            raise InputError(f"threshold: costs must be above 0, got '{text}'; such as cost=5:1")
        return Wanted(text, costs=(miss, alarm))
    rate = _number(found[5])
    if not 0 < rate <= 1:
        raise InputError(f"threshold: {found[4]} must be above 0 and at most 1, got '{text}'")
    return Wanted(text, rate=(found[4], rate))


def _number(given: object) -> float:
    try:
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"threshold: must be {FORMS}, got {given!r}") from None
    if isinstance(given, bool) or number != number:
        raise InputError(f"threshold: must be {FORMS}, got {given!r}")
    return number


def threshold_on(
    predictions: Predictions, weights: ArrayLike, vote: str, given: float | str | None
) -> float | None:
    """Return the threshold of that vote, chosen on those samples unless it is a number; None if not asked for."""
    wanted = read_threshold(given)
    if wanted.text is None:
        return None
    require_threshold(0.5, predictions.classes)
    if not wanted.chosen:
        return wanted.fixed
    assert predictions.labels is not None
    totals = ensemble_probabilities(predictions, weights, vote)
    whole = totals.sum(axis=1)
    shares = np.where(whole > TIE, totals[:, 1] / np.where(whole > TIE, whole, 1.0), np.nan)
    return choose_threshold(shares, predictions.labels, wanted)


def choose_threshold(shares: NDArray[np.float64], labels: NDArray[np.int64], wanted: Wanted) -> float | None:
    """Return the threshold for those shares (n,) of the second class and labels; shares of NaN had no answer.

    Candidates lie half-way between neighbouring shares. For costs the cheapest is taken; of several the one nearest to
    ALARM/(MISS + ALARM), which is best for shares that are true probabilities. For a sensitivity the largest threshold
    that reaches it is taken, for a specificity the smallest.

    >>> choose_threshold(np.array([0.1, 0.3, 0.4, 0.9]), np.array([0, 1, 0, 1]), read_threshold("cost=5:1"))
    0.2
    """
    if not wanted.chosen:
        return wanted.fixed
    known = ~np.isnan(shares)
    if len(set(labels[known].tolist())) < 2:
        raise InputError(
            "threshold: samples of both classes must choose it, these are of one; give more samples"
        )
    places = _candidates(shares[known])
    positive, negative = (np.sort(shares[known & (labels == label)]) for label in (1, 0))
    # answered as the second class: shares above the threshold
    missed = np.searchsorted(positive, places, side="right")
    alarms = len(negative) - np.searchsorted(negative, places, side="right")
    if wanted.costs is not None:
        miss, alarm = wanted.costs
        price = miss * missed + alarm * alarms
        best = places[price <= price.min() * (1 + 1e-12)]
        return float(best[np.argmin(np.abs(best - alarm / (miss + alarm)))])
    assert wanted.rate is not None
    name, rate = wanted.rate
    reached = 1 - (missed / len(positive) if name == "sensitivity" else alarms / len(negative))
    enough = places[reached >= rate - 1e-12]
    if not enough.size:
        raise InputError(
            f"threshold: no threshold reaches a {name} of {rate:g} on the samples that choose it, the most is "
            f"{reached.max():.4g}; ask for less"
        )
    return float(enough.max() if name == "sensitivity" else enough.min())


def _candidates(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Thresholds between neighbouring different shares, and beyond both ends; rounded, so that they can be read."""
    levels = np.unique(np.concatenate([[0.0], shares, [1.0]]))
    apart = np.flatnonzero(np.diff(levels) > 4 * TIE)
    low, high = levels[apart], levels[apart + 1]
    middles = (low + high) / 2
    short = np.round(middles, 6)
    found = np.where((short > low + TIE) & (short < high - TIE), short, middles)
    return np.unique(np.clip(found, LEAST_THRESHOLD, 1 - LEAST_THRESHOLD))
