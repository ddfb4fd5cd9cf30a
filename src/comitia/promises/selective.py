"""A vote that declines: from which share on it answers, so that its errors among answers stay below a target.

Thresholds on the share behind the answer come from the samples that choose the weights. On those that certify they are
tried from strict to loose, each at full delta, up to the first that is not certified below the target.
"""

import math
from dataclasses import dataclass

import numpy as np

from comitia._certificate import percent_up
from comitia._errors import InputError
from comitia._records import to_plain
from comitia._votes import TIE
from comitia.bounds.clopper_pearson import clopper_pearson
from comitia.promises.answered import Answered
from comitia.promises.formulas import coverage_limit, sequence_risk
from comitia.promises.ground import Ground
from comitia.promises.rates import samples_without_error
from comitia.promises.record import Promise, Unpromised

# Thresholds that are looked at: one per half per cent of the samples answered.
MOST_THRESHOLDS = 200
# The strictest threshold that is tried accepts about this many samples, times 1/target: with fewer one error too many
# ends the sequence before it has begun, with many more it begins where the target is missed.
FIRST_ACCEPTED = 8.0


@dataclass(frozen=True)
class Curve:
    """Errors among answers by threshold, on samples that had no part in the vote, and which threshold is certified.

    Attributes
    ----------
    target : the share of errors among answers that is wanted
    thresholds : on the share behind the answer, from strict to loose
    accepted, errors : how many of the samples each answers, and how many of those answers are wrong
    start : the first that was tried
    chosen : the last of those that are certified below the target, one after the other; None where the first is not
    n : how many samples there are
    """

    target: float
    thresholds: tuple[float, ...]
    accepted: tuple[int, ...]
    errors: tuple[int, ...]
    start: int
    chosen: int | None
    n: int

    def fault(self, delta: float = 0.5) -> str | None:
        """Return what is wrong with a curve, or None; one that is certified must be so at that delta."""
        try:
            chosen = self.start if self.chosen is None else self.chosen
            found = sequence_risk(**{**vars(self), "chosen": chosen}, delta=delta)
        except (InputError, LookupError) as error:
            return str(error)
        wrong = self.chosen is not None and found > self.target
        return f"threshold {self.chosen} is not certified below {self.target:g}" if wrong else None


def risk_coverage(weighing: Answered, certifying: Answered, target: float, delta: float) -> Curve:
    """Return the curve of thresholds that the weighing samples give, tried on the certifying ones."""
    places = candidates(weighing)
    kept = [certifying.accepted(place) for place in places]
    accepted = tuple(int(some.sum()) for some in kept)
    errors = tuple(int(certifying.losses[some].sum()) for some in kept)
    start = first_tried(weighing, places, target, certifying.samples, delta)
    passed = start
    while passed < len(places) and _held(errors[passed], accepted[passed], target, delta):
        passed += 1
    chosen = passed - 1 if passed > start else None
    return Curve(target, places, accepted, errors, start, chosen, certifying.samples)


def selective(ground: Ground, target: float) -> Promise | Unpromised:
    """Return the promise of the vote that declines, or why there is none."""
    weighing, delta = ground.weighing, ground.delta
    assert weighing is not None
    curve = risk_coverage(weighing, ground.certifying, target, delta)
    if curve.chosen is None:
        return Unpromised("selective", "selective", None, curve.n, _not_reached(weighing, curve, delta))
    inputs, chosen = to_plain(curve), curve.chosen
    return Promise(
        "selective",
        "selective",
        ground.vote,
        sequence_risk(**inputs, delta=delta),
        delta,
        curve.n,
        inputs,
        threshold=curve.thresholds[chosen],
        coverage=curve.accepted[chosen] / curve.n,
        coverage_at_least=coverage_limit(curve.accepted[chosen], curve.n, delta),
    )


def candidates(weighing: Answered) -> tuple[float, ...]:
    """Return the thresholds from strict to loose: quantiles of the shares, rounded down, and 0, which answers all.

    >>> few = Answered(np.zeros(4, int), np.zeros(4, int), np.zeros(4, bool), np.array([0.5, 0.75, 1.0, 0.25]))
    >>> candidates(few)
    (1.0, 0.75, 0.5, 0.25, 0.0)
    """
    steps = min(MOST_THRESHOLDS, weighing.samples)
    places = np.ceil(np.arange(1, steps + 1) * (weighing.samples / steps) - 1e-9).astype(int) - 1
    found = np.sort(weighing.shares)[::-1][places]
    # rounded so that they can be read; not up, so that many equal shares stay on the side of those that are answered
    short = np.floor((found + TIE) * 1e6) / 1e6
    return tuple(np.unique(np.append(np.clip(short, 0.0, 1.0), 0.0))[::-1].tolist())


def first_tried(weighing: Answered, places: tuple[float, ...], target: float, n: int, delta: float) -> int:
    """Return the place of the strictest threshold that is tried, by how many of n samples are expected to be accepted.

    It depends on the weighing samples alone. Where even all n are too few for the usual start, it lies half-way between
    all of them and the fewest that can certify the target.
    """
    wanted = FIRST_ACCEPTED / target
    if wanted > n:
        wanted = (samples_without_error(target, delta) + n) / 2
    expected = [n * float(weighing.accepted(place).mean()) for place in places]
    return next((j for j, count in enumerate(expected) if count >= wanted), len(places) - 1)


def _held(errors: int, accepted: int, target: float, delta: float) -> bool:
    return accepted > 0 and clopper_pearson(errors, accepted, delta) <= target


def _not_reached(weighing: Answered, curve: Curve, delta: float) -> str:
    accepted, errors = curve.accepted[curve.start], curve.errors[curve.start]
    hoped = percent_up(_hoped(weighing, curve.thresholds, curve.n, delta))
    return (
        f"{curve.target:g} is not reached: the strictest threshold tried answers {accepted:,} of {curve.n:,} "
        f"certifying samples and errs on {errors:,}; by the weighing samples alone {hoped} is within reach, or give "
        "more samples (comitia plan)"
    )


def _hoped(weighing: Answered, places: tuple[float, ...], n: int, delta: float) -> float:
    """The smallest risk that n certifying samples would certify, if they were like the weighing ones.

    It must not look at the certifying samples: whoever asks again for what they show has chosen after looking.
    """
    found = [1.0]
    for place in places:
        some = weighing.accepted(place)
        count, share = (
            round(n * float(some.mean())),
            float(weighing.losses[some].mean()) if some.any() else 1.0,
        )
        if count:
            found.append(clopper_pearson(min(count, math.ceil(share * count)), count, delta))
    return min(found)
