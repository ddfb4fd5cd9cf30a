"""What a difference in accuracy says: its 95% interval, and the rule that turns it into a verdict.

For a difference d (ours less the other) whose 95% interval is d ± w:

- "not worse": held if d - w >= -MARGIN, not held if that fails and d + w < 0, else not decidable;
- "better": held if d - w > 0, not held if that fails and d + w < MARGIN, else not decidable.

MARGIN, half a percentage point, is the difference that is taken to matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from comitia._samples import Groups

HELD, NOT_HELD, UNDECIDED = "held", "not held", "not decidable at this scale"
#: The verdict of a claim that has no findings.
NOT_JUDGED = "not judged"
MARGIN = 0.005
# Decimals kept: far beyond any meaning, short of what another order of summation could change.
DECIMALS = 10
RULE = (
    f"Rule, for a difference d whose 95% interval is d ± w: *not worse* is held if d − w ≥ −{MARGIN}, not held if that "
    f"fails and d + w < 0; *better* is held if d − w > 0, not held if that fails and d + w < {MARGIN}; all else is "
    "not decidable at this scale. w² = 4(v + 2/n)/n + t²r/R: v is the variance over the n test samples, compared one "
    "by one, with one discordant sample more each way, so that ensembles that agree on every sample do not pass for "
    "equal; r is the variance over R draws or repeats, with Student's t for so few."
)
#: What to bear in mind where many comparisons of trained ensembles stand together.
MANY = (
    "Each comparison is judged alone: of many intervals about one in twenty misses. With a single repeat ensembles "
    "that were trained apart are not told apart: what training them again would give is unknown."
)


@dataclass(frozen=True)
class Finding:
    """One comparison behind a claim: the numbers, their difference, half of its 95% interval and what follows.

    `half_width` is None where there is none: bounds computed once are numbers, not estimates. Only `decisive` findings
    enter a claim's verdict; the others are context.
    """

    text: str
    ours: float
    other: float
    difference: float
    half_width: float | None
    verdict: str
    decisive: bool = True

    def cells(self) -> tuple[str, ...]:
        """Return its text, its numbers (a dash where it has no half-width) and its verdict, as tables show them."""
        reach = "–" if self.half_width is None else f"{self.half_width:.4f}"
        context = "" if self.decisive else " (context)"
        numbers = (f"{self.ours:.4f}", f"{self.other:.4f}", f"{self.difference:+.4f}", reach)
        return (self.text, *numbers, f"{self.verdict}{context}")


#: The titles of `Finding.cells`.
COLUMNS = ("comparison", "ours", "other", "difference", "95% ±", "verdict")


def finding(
    text: str, ours: float, other: float, half_width: float, *, kind: str, decisive: bool = True
) -> Finding:
    """Return the finding of a comparison of that kind, "not worse" or "better"."""
    decide = not_worse if kind == "not worse" else better
    difference = rounded(ours - other)
    verdict = decide(difference, half_width)
    return Finding(f"{text}: {kind}", ours, other, difference, rounded(half_width), verdict, decisive)


def rounded(value: float | np.floating) -> float:
    """Return the number with the decimals that records keep.

    >>> rounded(np.float64(1) / 3)
    0.3333333333
    """
    return round(float(value), DECIMALS)


def half_width(by_sample: NDArray[np.float64], by_repeat: NDArray[np.float64]) -> float:
    """Return half of the 95% interval of a mean difference, √(4·(v + 2/n)/n + t²·r/R).

    The noise of the n samples reaches two standard errors (v: variance of `by_sample`, with one discordant sample more
    each way: ensembles that never differ on n samples may differ on others). That of R draws or repeats (r: variance of
    `by_repeat`) reaches t, the quantile of Student's distribution with R - 1 degrees of freedom; a single
    one has none that could be known.

    >>> [round(half_width(np.zeros(200), np.array(repeats)), 4) for repeats in ([0.01], [0.01, 0.03])]
    [0.0141, 0.1278]
    """
    n = len(by_sample)
    squared = 4 * (float(by_sample.var(ddof=1)) + 2 / n) / n
    return float(np.sqrt(squared + spread_width(by_repeat) ** 2))


def by_unit(by_sample: NDArray[np.float64], groups: Groups | None) -> NDArray[np.float64]:
    """Return what `half_width` takes: values whose mean is that of the samples and whose units are independent.

    Samples themselves, or one value per group: d + (G/n)·Σ_{i in g} (x_i − d), of mean d. Their variance over G is
    that of the mean of samples that err together within groups (the linearised ratio estimator of cluster samples).

    >>> by_unit(np.array([1.0, 1.0, 0.0, 0.0]), Groups.of("groups", ["a", "a", "b", "c"], 4)).tolist()
    [1.25, 0.125, 0.125]
    """
    if groups is None:
        return by_sample
    mean = by_sample.mean()
    totals = np.bincount(groups.canonical(), by_sample - mean)
    return np.asarray(mean + totals * len(totals) / len(by_sample))


def spread_width(values: NDArray[np.float64]) -> float:
    """Return half of the 95% interval of a mean by Student's distribution, 0 for a single value.

    >>> round(spread_width(np.array([0.01, 0.03])), 4)
    0.1271
    """
    count = len(values)
    if count < 2:
        return 0.0
    return float(stdtrit(count - 1, 0.975) * values.std(ddof=1) / np.sqrt(count))


def not_worse(difference: float, half_width: float) -> str:
    """Return whether ours is not worse than the other.

    >>> not_worse(0.001, 0.002), not_worse(-0.01, 0.004), not_worse(-0.004, 0.006)
    ('held', 'not held', 'not decidable at this scale')
    """
    if difference - half_width >= -MARGIN:
        return HELD
    return NOT_HELD if difference + half_width < 0 else UNDECIDED


def better(difference: float, half_width: float) -> str:
    """Return whether ours is better than the other.

    >>> better(0.01, 0.004), better(-0.001, 0.002), better(0.004, 0.006)
    ('held', 'not held', 'not decidable at this scale')
    """
    if difference - half_width > 0:
        return HELD
    return NOT_HELD if difference + half_width < MARGIN else UNDECIDED


def findings_markdown(findings: Sequence[Finding]) -> str:
    """Return the findings as a Markdown table."""
    rows = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in f.cells())} |" for f in findings]
    return "\n".join([f"| {' | '.join(COLUMNS)} |", "|---|--:|--:|--:|--:|---|", *rows])
