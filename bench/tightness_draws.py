"""Hold-outs and truths of `bench.tightness`, and what each weighting comes to on them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from comitia import Predictions, bounds
from comitia._pairing import assignment
from comitia._simplex import prune
from comitia._split import split_samples
from comitia._votes import certified_losses, vote_scores
from comitia.bounds.designation import foresee, prefers_unlabelled
from comitia.bounds.digital_paired import paired_values
from comitia.files import read_predictions
from comitia.weighting import Evidence, choose

DELTA = 0.05
SIZES = (500, 1000, 2000, 5000)
#: Unlabelled samples for each labelled one.
MANY = 10
#: Splits on which the slow weightings are tried too.
SLOW_SPLITS = 2
#: How many of n samples choose the weights.
RULES: dict[str, Callable[[int], int]] = {
    "n^3/4": lambda n: round(0.7 * n**0.75),
    "half to a fifth": lambda n: n - round(n * (1 - max(0.2, min(0.5, 1000 / n)))),
}
#: Weightings whose accuracy is compared, all chosen on the same samples.
ACCURACY = (
    "uniform",
    "limit",
    "best, n^3/4",
    "greedy, n^3/4",
    "stacking, n^3/4",
    "tandem, n^3/4",
    "blend, n^3/4",
    "auto, n^3/4",
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """A way to certify on one hold-out: its risk, the error on the truth, and the excess that it has on average."""

    pack: str
    vote: str
    size: str
    draw: int
    way: str
    error: float
    certified: float | None = None
    expected: float = 0.0

    @property
    def excess(self) -> float:
        """Certified risk less error."""
        assert self.certified is not None
        return self.certified - self.error


@dataclass(frozen=True, eq=False)
class Draw:
    """A hold-out and the samples that tell the truth."""

    pack: str
    vote: str
    size: str
    number: int
    holdout: Predictions
    truth: Predictions

    def outcome(self, way: str, weights: Array, kept: NDArray[np.int64] | None) -> Outcome:
        """Return what weights come to that are certified on the samples kept; None: on all."""
        part = self.holdout if kept is None else self.holdout.take(kept)
        wrong = certified_losses(part, weights, self.vote)
        risk = bounds.clopper_pearson(int(wrong.sum()), len(wrong), DELTA)
        error = float(certified_losses(self.truth, weights, self.vote).mean())
        return self._of(way, error, risk, mean_limit(error, len(wrong)) - error)

    def _of(self, way: str, error: float, risk: float | None = None, expected: float = 0.0) -> Outcome:
        return Outcome(self.pack, self.vote, self.size, self.number, way, error, risk, expected)

    def stacked(self, chosen: NDArray[np.int64]) -> Outcome:
        """Return the error of logistic regression on the members' outputs, fitted on the samples chosen."""
        part = self.holdout.take(chosen)
        if len(np.unique(part.labels)) < 2:
            return self._of("stacking, n^3/4", 0.5)
        model = LogisticRegression(max_iter=300).fit(_features(part, self.vote), part.labels)
        return self._of(
            "stacking, n^3/4",
            float((model.predict(_features(self.truth, self.vote)) != self.truth.labels).mean()),
        )


def mean_limit(error: float, n: int) -> float:
    """Return the mean of Clopper-Pearson's limit over k ~ Bin(n, error)."""
    low, high = (int(k) for k in binom.ppf([1e-7, 1 - 1e-7], n, error))
    counts = np.unique(np.linspace(low, high, 41).round().astype(int))
    limits = np.interp(
        np.arange(low, high + 1), counts, [bounds.clopper_pearson(int(k), n, DELTA) for k in counts]
    )
    chances = binom.pmf(np.arange(low, high + 1), n, error)
    return float(limits @ chances / chances.sum())


def _features(part: Predictions, vote: str) -> Array:
    """(n, ·) probabilities or votes of all members, without the last class, which follows from the others."""
    blocks = []
    for block in part.blocks():
        shares = block.probs if vote == "average" else np.eye(part.classes)[block.votes]
        assert shares is not None
        blocks.append(np.moveaxis(shares[:, :, :-1], 0, 1).reshape(shares.shape[1], -1))
    return np.concatenate(blocks)


def draws(path: Path, vote: str, splits: int) -> Iterator[Draw]:
    """Yield every hold-out of every split, with the other half."""
    whole = read_predictions(path)
    for split in range(splits):
        # packs share test samples, so that each needs permutations of its own
        order = np.random.default_rng([crc32(f"{path.stem} {vote}".encode()), split]).permutation(
            whole.samples
        )
        halves = np.array_split(order, 2)
        for turn, (one, other) in enumerate((halves, halves[::-1])):
            truth = whole.take(np.sort(other))
            for size in (*(n for n in SIZES if n < len(one)), len(one)):
                holdout = whole.take(np.sort(one[:size]))
                yield Draw(path.stem, vote, str(size), 2 * split + turn, holdout, truth)


def outcomes(path: Path, vote: str, splits: int) -> Iterator[Outcome]:
    """Yield the outcome of every way on every hold-out."""
    for draw in draws(path, vote, splits):
        holdout, members = draw.holdout, draw.holdout.members
        yield draw.outcome("limit", _on(holdout.last(), members), None)
        yield draw.outcome("uniform", np.full(members, 1 / members), None)
        for rule, choosing in RULES.items():
            slow = draw.number < 2 * SLOW_SPLITS
            methods = ("tandem", "blend") + (("best", "greedy", "auto") if slow and rule == "n^3/4" else ())
            methods += ("auto",) if slow and rule != "n^3/4" and holdout.samples >= 5000 else ()
            fraction = 1 - choosing(holdout.samples) / holdout.samples
            chosen, kept = split_samples(holdout.samples, fraction, draw.number)
            for method in methods:
                yield draw.outcome(f"{method}, {rule}", weigh(method, holdout.take(chosen), draw), kept)
            if slow and rule == "n^3/4":
                yield draw.stacked(chosen)


def weigh(method: str, part: Predictions, draw: Draw) -> Array:
    """Return the deployed weights."""
    return prune(choose(method, Evidence(part, vote=draw.vote, random_state=draw.number)).weights)


def _on(members: NDArray[np.int64], count: int) -> Array:
    weights = np.zeros(count)
    weights[members] = 1 / len(members)
    return weights


@dataclass(frozen=True, eq=False)
class Population:
    """A pack that samples are drawn from with replacement, and what fixed weights come to on all of it."""

    path: Path
    vote: str
    arrays: dict[str, NDArray[Any]]
    whole: Predictions

    @staticmethod
    def of(path: Path, vote: str) -> "Population":
        """Return the pack as a population."""
        with np.load(path) as stored:
            arrays = {key: stored[key] for key in ("probs", "labels", "run", "step") if key in stored}
        return Population(path, vote, arrays, read_predictions(path))

    def losses(self, weights: Array) -> NDArray[np.bool_]:
        """(N,) of the deployed vote."""
        return certified_losses(self.whole, weights, self.vote)

    def drawn(self, samples: NDArray[np.int64]) -> Predictions:
        """Those samples, some of them several times."""
        states = {key: self.arrays[key] for key in ("run", "step") if key in self.arrays}
        return Predictions.from_arrays(
            probs=self.arrays["probs"][:, samples], labels=self.arrays["labels"][samples], **states
        )


def paired_outcomes(path: Path, vote: str, splits: int) -> Iterator[Outcome]:
    """Yield what unlabelled samples, ten times as many as labelled ones, add to blend."""
    world = Population.of(path, vote)
    fixed = world.losses(_on(world.whole.last(), world.whole.members))
    for number in range(2 * splits):
        for n in SIZES:
            rng = np.random.default_rng([crc32(f"{path.stem} {vote}".encode()), 7, number, n])
            samples, others = (rng.integers(0, world.whole.samples, size) for size in (n, MANY * n))
            yield from _paired(world, fixed, samples, others, number)


def _paired(
    world: Population,
    fixed: NDArray[np.bool_],
    samples: NDArray[np.int64],
    others: NDArray[np.int64],
    number: int,
) -> Iterator[Outcome]:
    n, choosing = len(samples), RULES["n^3/4"](len(samples))
    chosen, kept = samples[:choosing], samples[choosing:]
    weights = prune(choose("blend", Evidence(world.drawn(chosen), world.vote, random_state=number)).weights)
    losses, scores = world.losses(weights), vote_scores(world.whole, weights, world.vote)
    order, places = assignment(len(kept), len(others), number)
    pairs = losses[kept[order]], scores[kept[order]], scores[others[places]]
    error, usual = float(losses.mean()), float(fixed.mean())

    def outcome(way: str, truth: float, risk: float, expected: float) -> Outcome:
        size = f"{n} drawn"
        return Outcome(world.path.stem, world.vote, size, number, way, truth, risk, expected)

    wrong = int(fixed[samples].sum())
    yield outcome("limit", usual, bounds.clopper_pearson(wrong, n, DELTA), mean_limit(usual, n) - usual)
    risk = bounds.clopper_pearson(int(losses[kept].sum()), len(kept), DELTA)
    alone = outcome("blend, n^3/4", error, risk, mean_limit(error, len(kept)) - error)
    risk = bounds.digital_paired(*pairs, DELTA)
    # the values that are bounded have the risk as their mean, so the bound less their mean has the same expectation
    helped = outcome("blend, n^3/4, unlabelled", error, risk, risk - float(paired_values(*pairs)[0].mean()))
    foreseen = foresee(losses[chosen], scores[chosen], len(kept))
    named = helped if prefers_unlabelled(foreseen, places.shape[1]) else alone
    yield from (alone, helped, replace(named, way="blend, n^3/4, designated"))
