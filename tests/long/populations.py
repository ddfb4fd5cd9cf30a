"""Finite populations whose true risks are sums, hold-outs drawn from them, and a tally of broken promises.

Samples come in groups (of one, where they are independent). A hold-out is some groups, drawn with replacement, so the
risk of a vote is the mean over all groups of its error rate within a group, exactly. Votes are added up here by a
product of matrices over one-hot answers, not by the package.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import binom

from comitia import Predictions
from comitia._certify import Certification
from comitia.bounds import betting_kernel

# imported, so that the compiled loop is used where numba is installed: it takes half of the time of `weigh` otherwise
assert betting_kernel

DELTA = 0.1
PROBLEMS = 2000
# As the package defines them: totals nearer than this are tied, and a tie is an error.
TIED = 1e-9


@dataclass(frozen=True, eq=False)
class Population:
    """All samples there are: `probs` (M, N, C), `labels` (N,), `silent` (M, N), and the `sizes` (G,) of the groups."""

    probs: np.ndarray
    labels: np.ndarray
    silent: np.ndarray
    sizes: np.ndarray

    @cached_property
    def starts(self) -> np.ndarray:
        """(G,) the first sample of each group."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def chances(self) -> np.ndarray:
        """(N,) how much a sample counts: its group is one of G, and it is one of that group's samples."""
        return np.repeat(1 / (len(self.sizes) * self.sizes), self.sizes)

    @cached_property
    def answers(self) -> dict[str, np.ndarray]:
        """By vote, (M, N·C): what each member adds to each class, nothing where it does not answer."""
        hard = np.eye(self.probs.shape[2])[self.probs.argmax(axis=2)]
        spoken = ~self.silent[:, :, None]
        flat = {"majority": hard * spoken, "average": self.probs * spoken}
        return {vote: found.reshape(len(self.probs), -1) for vote, found in flat.items()}

    def lost(self, weights: np.ndarray, vote: str) -> np.ndarray:
        """(N,) True where the true class does not lead: the vote errs, ties, or nobody answers."""
        totals = (weights @ self.answers[vote]).reshape(self.probs.shape[1:])
        places = np.arange(len(self.labels))
        right = totals[places, self.labels].copy()
        totals[places, self.labels] = -1.0
        return np.asarray(right <= totals.max(axis=1) + TIED)

    def risk(self, weights: np.ndarray, vote: str) -> float:
        """The mean over groups of the vote's error rate within a group."""
        return float(self.chances @ self.lost(weights, vote))

    def share_of_hit_groups(self, weights: np.ndarray, vote: str) -> float:
        """The share of groups in which the vote errs at all."""
        return float(np.logical_or.reduceat(self.lost(weights, vote), self.starts).mean())

    def draw(
        self, rng: np.random.Generator, count: int, vote: str, *, grouped: bool = False, **more: Any
    ) -> Predictions:
        """Return a hold-out of that many groups, drawn with replacement; which samples belong together if asked."""
        chosen = rng.integers(0, len(self.sizes), count)
        sizes = self.sizes[chosen]
        first = np.repeat(self.starts[chosen] - np.cumsum(sizes) + sizes, sizes)
        samples = first + np.arange(sizes.sum())
        probs, states = self.probs[:, samples], np.arange(len(self.probs))
        return Predictions.from_arrays(
            **({"probs": probs} if vote == "average" else {"votes": probs.argmax(axis=2)}),
            labels=self.labels[samples],
            classes=self.probs.shape[2],
            abstained=self.silent[:, samples] if self.silent.any() else None,
            groups=np.repeat(np.arange(count), sizes) if grouped else None,
            run=states // 2,  # two states of each run
            step=states % 2,
            **more,
        )


def random_population(
    rng: np.random.Generator, *, largest: int = 1, groups: int = 1000, declining: bool = False
) -> Population:
    """Return members of differing skill on samples of differing difficulty, in groups of up to `largest` samples.

    Noise is the group's, the sample's and the member's in shares that differ from problem to problem; large groups are
    the hard ones in half of the problems.
    """
    members, classes = int(rng.integers(2, 8)), int(rng.choice([2, 2, 3, 5]))
    sizes, hard = rng.integers(1, largest + 1, groups), rng.random(groups)
    if rng.random() < 0.5:
        sizes.sort()
        hard.sort()
    group, items = np.repeat(np.arange(groups), sizes), int(sizes.sum())
    labels = rng.choice(classes, items, p=rng.dirichlet(np.full(classes, 2.0)))
    shares = np.sqrt(rng.dirichlet([1.0, 1.0, 1.0]))
    noise = shares[0] * rng.normal(size=(groups, classes))[group] + shares[1] * rng.normal(
        size=(items, classes)
    )
    noise = noise + shares[2] * rng.normal(size=(members, items, classes))
    skill = rng.choice([1.0, 2.0, 8.0]) * rng.uniform(0.7, 1.3, (members, 1, 1))
    logits = 2 * noise + skill * (1.5 - hard[group])[:, None] * np.eye(classes)[labels]
    probs = np.exp(logits - logits.max(axis=2, keepdims=True))
    silent = _silent(rng, members, labels, hard[group]) if declining else np.zeros((members, items), bool)
    return Population(probs / probs.sum(axis=2, keepdims=True), labels, silent, sizes)


def _silent(rng: np.random.Generator, members: int, labels: np.ndarray, hard: np.ndarray) -> np.ndarray:
    """(M, N) True where a member declines: more often on hard samples and on some classes, alone or all together.

    Members that are right or decline together have W of 0 or 1/2: the bounds from moments then have no slack but that
    of their samples. Members that hardly ever decline may seem never to.
    """
    rate = rng.choice([0.003, 0.3, 1.0])
    inclined = rate * rng.random(labels.max() + 1)[labels] * hard  # (N,)
    if rng.random() < 0.5:
        return np.broadcast_to(rng.random(len(labels)) < inclined, (members, len(labels)))
    return rng.random((members, len(labels))) < inclined * rng.uniform(0.3, 1.0, (members, 1))


@dataclass
class Tally:
    """How often each certificate was given, and how often the true risk was above it."""

    given: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    def add(self, found: Certification, risk: float, hit_groups: float = 0.0) -> None:
        """Count the certificates of one problem; `groups-any` is about groups with an error, all others the risk."""
        assert found.best is not None
        for name, certificate in (
            *((entry.name, entry) for entry in found.certificates),
            ("best", found.best),
        ):
            truth = hit_groups if certificate.name == "groups-any" else risk
            self.given[name] += 1
            self.missed[name] += truth > certificate.risk

    def require_valid(self, *names: str, delta: float = DELTA) -> None:
        """Assert that those certificates were among those given, and that none failed too often."""
        assert set(names) <= set(self.given), f"not given: {set(names) - set(self.given)}"
        broken = {
            name: f"{self.missed[name]} of {times}"
            for name, times in self.given.items()
            if self.missed[name] > allowed(times, delta)
        }
        assert not broken, f"missed too often at delta = {delta}: {broken}"


def allowed(count: int, delta: float = DELTA) -> int:
    """Return the misses that a certificate which holds with probability 1 - delta exceeds in 1 of 10^4 tests."""
    return int(binom.ppf(1 - 1e-4, count, delta))
