r"""By how much one vote errs less than another on the same samples, counted and certified.

.. math:: g = E[\ell_B - \ell_A] \ge 1 - 2 U_\delta(X), \qquad X_t = (1 - (\ell_{B,t} - \ell_{A,t}))/2

U is the digital bound of a mean, of the values in an order that was drawn from a seed. Losses are 0/1 by the answers
that are deployed; with groups they are averaged within each group first, and groups are what is counted. The p-value is
McNemar's, exact: under the hypothesis that each vote is as often the better one, the count of samples (or groups) on
which A errs less, among those on which the two differ, is Bin(discordant, 1/2).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from comitia._certificate import UNITS, confidence_down
from comitia._records import to_plain
from comitia._samples import Groups
from comitia.bounds.digital import digital

# What floats may differ by where a share follows from counts.
AGREE = 1e-9


@dataclass(frozen=True)
class Gain:
    """By how much A errs less than B: `gain` on these samples, `gain_at_least` with probability 1 - delta.

    Attributes
    ----------
    over : what B is, in words.
    gain : the error rate of B less that of A, averaged within groups first where there are any.
    gain_at_least : the lower bound; above 0 means that A is certified better.
    p_value : exact McNemar test, two-sided; a sign test over groups where there are any.
    discordant : on how many samples (or groups) the two do not err alike.
    better, worse : on how many of those A errs less, and B.
    samples : how many independent draws were counted: samples, or groups.
    unit : ``"samples"`` or ``"groups"``.
    error, other_error : the error rates of A and B there.
    delta : the probability with which the lower bound may fail.
    """

    over: str
    gain: float
    gain_at_least: float
    p_value: float
    discordant: int
    better: int
    worse: int
    samples: int
    unit: str
    error: float
    other_error: float
    delta: float

    @property
    def certified(self) -> bool:
        """Whether A is certified to err less than B."""
        return self.gain_at_least > 0

    def sentence(self, a: str = "the weighted vote") -> str:
        """Return the result as one plain sentence, rounded so that it still holds."""
        sure = f"with probability {confidence_down(self.delta)} over the draw of {self.samples:,} {self.unit}"
        new = "new samples" if self.unit == "samples" else "the samples of a new group, on average"
        if self.certified:
            points = points_down(self.gain_at_least)
            return f"{sure}, {a} errs on at least {points} percentage points fewer of {new} than {self.over}"
        short = points_down(self.gain_at_least).removeprefix("-")
        return (
            f"{a} is not certified to err less than {self.over}: {sure}, it errs on at most {short} percentage points "
            f"more of {new}"
        )

    def fault(self) -> str | None:
        """Return what is wrong with the numbers, or None."""
        counts = (self.better, self.worse, self.samples - self.discordant)
        if min(counts) < 0 or self.discordant != self.better + self.worse or self.unit not in UNITS:
            return "discordant must be better + worse, of all samples or groups"
        if not (0 < self.delta < 1 and self.gain_at_least <= self.gain + AGREE):
            return "gain_at_least must not be above gain, and delta must lie between 0 and 1"
        if abs(self.gain - (self.other_error - self.error)) > AGREE:
            return "gain must be other_error - error"
        if abs(self.p_value - sign_test(self.better, self.worse)) > AGREE:
            return "p_value is not that of better and worse"
        counted = self.unit == "samples" and self.samples > 0
        if counted and abs(self.gain - (self.better - self.worse) / self.samples) > AGREE:
            return "gain is not that of better and worse"
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        record: dict[str, Any] = to_plain(self)
        return {**record, "certified": self.certified}


def measure_gain(
    errs: NDArray[np.bool_],
    other: NDArray[np.bool_],
    groups: Groups | None,
    *,
    delta: float,
    seed: int,
    over: str,
) -> Gain:
    """Return the gain of a vote over another, from where each errs on the same samples, (n,) and (n,).

    >>> wrong = np.arange(400) % 20 == 0
    >>> found = measure_gain(wrong, wrong | (np.arange(400) % 25 == 1), None, delta=0.05, seed=0, over="B")
    >>> round(found.gain, 4), found.discordant, found.certified
    (0.04, 16, True)
    """
    differ = by_unit(other.astype(np.float64) - errs, groups)
    order = np.random.default_rng(seed).permutation(len(differ))
    limit = digital((1.0 - differ[order]) / 2.0, delta)
    error, other_error = (float(by_unit(one.astype(np.float64), groups).mean()) for one in (errs, other))
    better, worse = int((differ > 0).sum()), int((differ < 0).sum())
    return Gain(
        over,
        other_error - error,
        min(math.nextafter(1.0 - 2.0 * limit, -2.0), other_error - error),
        sign_test(better, worse),
        better + worse,
        better,
        worse,
        len(differ),
        "samples" if groups is None else "groups",
        error,
        other_error,
        delta,
    )


def by_unit(values: NDArray[np.float64], groups: Groups | None) -> NDArray[np.float64]:
    """Return the values, or their mean within each group in the order in which the groups occur.

    >>> by_unit(np.array([1.0, 0.0, 0.0]), Groups.of("groups", ["a", "b", "a"], 3))
    array([0.5, 0. ])
    """
    if groups is None:
        return values
    codes = groups.canonical()
    return np.asarray(np.bincount(codes, values) / np.bincount(codes))


def sign_test(better: int, worse: int) -> float:
    """Return the exact two-sided p-value of that many against that many, each side equally likely (McNemar).

    >>> sign_test(1, 7), sign_test(3, 3)
    (0.0703125, 1.0)
    """
    fewer, count = min(better, worse), better + worse
    if 2 * fewer >= count:
        return 1.0
    return min(1.0, 2.0 * float(betainc(count - fewer, fewer + 1, 0.5)))


def points_down(gain: float) -> str:
    """Return the gain in percentage points, rounded down to two decimals, to four if it is that small.

    >>> points_down(0.00719), points_down(-0.00391), points_down(0.000043)
    ('0.71', '-0.40', '0.0043')
    """
    decimals = 4 if 0 < gain < 1e-4 else 2
    scale = 10**decimals
    return f"{math.floor(round(gain * 100 * scale, 9)) / scale:.{decimals}f}"
