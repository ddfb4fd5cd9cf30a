"""Does the promise still hold after deployment? Evidence from labels as they come in, valid at any time."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._certificate import percent_up
from comitia._ensemble import Ensemble
from comitia._predictions import Predictions
from comitia._records import to_plain
from comitia._watch import ALPHA, Batch, Watch, batch_of, unit_of, watch_over
from comitia.statistics.evidence import Stakes, follow, threshold

# Points of the path that are kept of one file.
POINTS = 200
# 10 to this power is the largest evidence that is written as a number.
LARGEST_POWER = 300
ASSUMPTION = (
    "labels come in for samples that were not picked by what the vote said of them; which samples a file holds does "
    "not depend on its errors; and the samples (or groups) are independent given those before"
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One file: how many new samples or groups it brought, their mean loss, and the evidence after it, as log10."""

    file: str
    labels: int
    seen_before: int
    error: float | None
    log10_evidence: float


@dataclass(frozen=True)
class Monitored:
    """How things stand after all labels so far.

    Attributes
    ----------
    alarm : whether the evidence ever reached 1/alpha; it stays on.
    alarm_at : after how many labels it did.
    labels : how many samples (or groups) were counted.
    error : their mean loss so far; None before the first.
    evidence : now; `log10_evidence` where that is too large for a number.
    p_value : anytime-valid, of the hypothesis that the risk is at most `risk`: 1 over the largest evidence so far.
    steps : file by file.
    path : (labels, log10 of the evidence, error so far) at some points of the way.
    """

    watch: Watch
    alarm: bool
    alarm_at: int | None
    labels: int
    error: float | None
    log10_evidence: float
    p_value: float
    steps: tuple[Step, ...]
    path: tuple[tuple[int, float, float], ...]

    @property
    def evidence(self) -> float:
        """The evidence now, at most 1e300."""
        return float(10 ** min(self.log10_evidence, LARGEST_POWER))

    @property
    def sentence(self) -> str:
        """How things stand, as one plain sentence."""
        watch = self.watch
        promised = f"at most {percent_up(watch.risk)}"
        if self.error is None:
            return f"no labels so far; the alarm goes on at evidence {1 / watch.alpha:g} against a risk of {promised}"
        so_far = f"{self.error:.2%} of {self.labels:,} {watch.unit} so far, promised {promised}"
        if watch.unit == "groups":
            so_far = f"{self.error:.2%} on average in {self.labels:,} groups so far, promised {promised}"
        if not self.alarm:
            return f"errors: {so_far}; evidence {self.shown}, the alarm goes on at {1 / watch.alpha:g}"
        return (
            f"alarm: the promise of {promised} does not hold any more, or an event of probability {watch.alpha:g} "
            f"happened (evidence reached {1 / watch.alpha:g} after {self.alarm_at:,} {watch.unit}); errors: {so_far}"
        )

    @property
    def shown(self) -> str:
        """The evidence in a few digits."""
        power = self.log10_evidence
        return f"{10**power:.3g}" if -4 < power < 6 else f"10^{power:.1f}"

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data, without the path."""
        record = to_plain(replace(self, path=()))
        record.pop("path")
        watch = record.pop("watch")
        return {
            **watch,
            **record,
            "evidence": self.evidence,
            "sentence": self.sentence,
            "assumption": ASSUMPTION,
        }


def monitor(
    ensemble: Ensemble,
    batches: Predictions | Sequence[Predictions],
    *,
    risk: float | None = None,
    alpha: float = ALPHA,
    seed: int = 0,
) -> Monitored:
    """Return the evidence that the ensemble's risk is above what was promised, from labels in the order they came.

    Parameters
    ----------
    ensemble : what is deployed.
    batches : its members on samples with labels: one batch, or several in the order in which they came. A batch that is
        given twice counts once, and so do samples with the same id, and groups with the same name.
    risk : what the risk is held against; by default the certified one.
    alpha : the probability of a false alarm, ever, however often one looks.
    seed : of the order in which the samples of one batch are counted.

    Examples
    --------
    >>> from comitia import weigh
    >>> rng = np.random.default_rng(1)
    >>> labels = rng.integers(0, 2, 4000)
    >>> votes = np.where(rng.random((5, 4000)) < 0.2, 1 - labels, labels)
    >>> pack = Predictions.from_arrays(votes=votes, labels=labels)
    >>> ensemble = weigh(pack.take(np.arange(2000)))
    >>> monitor(ensemble, pack.take(np.arange(2000, 4000))).alarm
    False
    """
    given = [batches] if isinstance(batches, Predictions) else list(batches)
    found = [batch_of(ensemble, one, f"batch {number}") for number, one in enumerate(given, 1)]
    watch = watch_over(ensemble, unit_of(found, ensemble), risk=risk, alpha=alpha, seed=seed)
    return stand(watch, found)


def stand(watch: Watch, batches: Iterable[Batch]) -> Monitored:
    """Return how things stand after those batches, whatever was given twice counted once."""
    return Progress(watch).after(batches)


class Progress:
    """Follows the evidence through batches; what it holds is the path so far."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.files: set[str] = set()
        self.marks: set[bytes] = set()
        self.stakes: Stakes | None = None
        self.counted, self.labels = 0, 0
        self.total, self.now, self.peak = 0.0, 0.0, 0.0
        self.alarm_at: int | None = None
        self.steps: list[Step] = []
        self.path: list[tuple[int, float, float]] = [(0, 0.0, 0.0)]

    def after(self, batches: Iterable[Batch]) -> Monitored:
        """Follow those batches and return how things stand."""
        for batch in batches:
            self._follow(batch)
        return Monitored(
            self.watch,
            self.alarm_at is not None,
            self.alarm_at,
            self.labels,
            self.total / self.labels if self.labels else None,
            self.now / math.log(10),
            min(1.0, math.exp(-self.peak)),
            tuple(self.steps),
            tuple(self.path),
        )

    def _follow(self, batch: Batch) -> None:
        losses = batch.losses()
        values = losses[self._new(batch, len(losses))]
        if len(values):
            order = np.random.default_rng([self.watch.seed, self.counted]).permutation(len(values))
            self.counted += 1
            self._walk(values[order])
        error = float(values.mean()) if len(values) else None
        seen = len(losses) - len(values)
        self.steps.append(Step(batch.file, len(values), seen, error, self.now / math.log(10)))

    def _new(self, batch: Batch, count: int) -> NDArray[np.bool_]:
        """Which samples or groups of the batch were not counted before."""
        if batch.sha256 in self.files:
            return np.zeros(count, bool)
        self.files.add(batch.sha256)
        marks = batch.marked()
        if marks is None:
            return np.ones(count, bool)
        new = np.array([mark not in self.marks for mark in marks])
        self.marks.update(marks)
        return new

    def _walk(self, values: Array) -> None:
        logs, self.stakes = follow(values, self.watch.risk, self.stakes)
        sums = self.total + np.cumsum(values)
        if self.alarm_at is None and (reached := logs >= threshold(self.watch.alpha)).any():
            self.alarm_at = self.labels + int(reached.argmax()) + 1
        shown = np.unique(np.linspace(0, len(values) - 1, min(POINTS, len(values))).astype(int))
        for place in {*shown.tolist(), int(logs.argmax())}:
            at = self.labels + place + 1
            self.path.append((at, float(logs[place]) / math.log(10), float(sums[place] / at)))
        self.path.sort()
        self.peak, self.now = max(self.peak, float(logs.max())), float(logs[-1])
        self.labels, self.total = self.labels + len(values), float(sums[-1])
