"""Every certificate on simulated problems whose true risk is known: violated no more often than delta allows.

A problem is a large finite population; the hold-out is drawn from it with replacement, so the true risk of the
deployed vote is the mean of its loss over the population, exactly. Two tests at the end do what must not be
done, and must be seen to fail.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

from comitia import Predictions, bounds, weigh
from comitia._votes import certified_losses

DELTA = 0.1
DRAWS = 2000
POPULATION = 20_000


@dataclass(frozen=True)
class Setting:
    """Members, samples, classes, how much of the noise members share, and the vote."""

    members: int
    samples: int
    classes: int
    shared: float
    vote: str

    def population(self) -> Predictions:
        """All samples there are: logits with a signal, noise that members share, and noise of their own."""
        rng = np.random.default_rng(self.members * 1000 + self.samples)
        labels = rng.integers(0, self.classes, POPULATION)
        common = rng.normal(size=(1, POPULATION, self.classes)) * np.sqrt(self.shared)
        own = rng.normal(size=(self.members, POPULATION, self.classes)) * np.sqrt(1 - self.shared)
        skill = rng.uniform(1.0, 2.5, size=(self.members, 1, 1))
        logits = 2 * (common + own) + skill * np.eye(self.classes)[labels]
        probs = np.exp(logits - logits.max(axis=2, keepdims=True))
        return Predictions.from_arrays(probs=probs / probs.sum(axis=2, keepdims=True), labels=labels)


SETTINGS = [
    Setting(members, samples, classes, shared, vote)
    for members, samples, classes, shared in [(4, 60, 2, 0.1), (12, 150, 2, 0.6), (8, 100, 5, 0.3)]
    for vote in ("majority", "average")
]
# method, share kept for certifying, and options: together they reach every certificate
WAYS = {
    "fixed": {"method": "uniform"},
    "split": {"method": "tandem"},
    "auto": {"method": "auto"},
    "all": {"method": "tandem", "certify_fraction": 0},
    "rounded": {"method": "tandem", "certify_fraction": 0, "resolution": 5},
    "greedy": {"method": "greedy", "certify_fraction": 0},
    "best member": {"method": "best", "certify_fraction": 0},
    "early stopping": {"method": "early-stopping", "certify_fraction": 0},
}


def draws(setting: Setting, count: int, whole: Predictions) -> Iterator[Predictions]:
    """Hold-outs drawn from the population, with replacement."""
    rng = np.random.default_rng(7)
    probs = np.concatenate([block.probs for block in whole.blocks()], axis=1)
    for _ in range(count):
        chosen = rng.integers(0, POPULATION, setting.samples)
        states = np.arange(setting.members)  # two states of each run
        yield Predictions.from_arrays(
            probs=probs[:, chosen], labels=whole.labels[chosen], run=states // 2, step=states % 2
        )


def allowed(count: int, delta: float = DELTA) -> int:
    """Violations that a certificate which holds with probability 1 - delta stays below in all but 1 of 10^4 tests."""
    return int(binom.ppf(1 - 1e-4, count, delta))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.timeout(3000)
def test_no_certificate_is_violated_more_often_than_delta(setting: Setting, way: str) -> None:
    whole = setting.population()
    violated: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    risks: dict[bytes, float] = {}
    count = DRAWS if way != "auto" else DRAWS // 10
    for number, holdout in enumerate(draws(setting, count, whole)):
        ensemble = weigh(holdout, vote=setting.vote, delta=DELTA, seed=number, **WAYS[way])
        key = ensemble.weights.tobytes()
        if key not in risks:
            risks[key] = float(certified_losses(whole, ensemble.weights, setting.vote).mean())
        for certificate in ensemble.certification.certificates:
            seen[certificate.name] += 1
            violated[certificate.name] += risks[key] > certificate.risk
        seen["the best"] += 1
        violated["the best"] += risks[key] > ensemble.best.risk
    assert seen["the best"] == count
    for name, times in seen.items():
        assert violated[name] <= allowed(times), f"{name}: {violated[name]} of {times}"


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("shared", [0.1, 0.7])
def test_per_member_holdouts(shared: float) -> None:
    """Members that see different samples: n is the smallest overlap."""
    setting = Setting(6, 200, 2, shared, "majority")
    whole = setting.population()
    rng = np.random.default_rng(3)
    votes, violated = whole.votes(), Counter()
    for _ in range(DRAWS):
        chosen = rng.integers(0, POPULATION, setting.samples)
        mask = rng.random((setting.members, setting.samples)) < 0.6
        pack = Predictions.from_arrays(votes=votes[:, chosen], labels=whole.labels[chosen], mask=mask)
        ensemble = weigh(pack, method="tandem", delta=DELTA)
        risk = certified_losses(whole, ensemble.weights, "majority").mean()
        for certificate in (*ensemble.certification.certificates, ensemble.best):
            violated[certificate.name] += risk > certificate.risk
    assert max(violated.values(), default=0) <= allowed(DRAWS)


def best_of_many(draw: np.random.Generator, members: int, samples: int) -> tuple[int, int]:
    """Errors of the member that looks best, on the samples that chose it."""
    errors = draw.binomial(samples, 0.3, size=members)
    return int(errors.min()), samples


def test_best_of_fifty_without_paying_is_seen_to_violate() -> None:
    rng = np.random.default_rng(0)
    wrong = right = 0
    for _ in range(DRAWS):
        errors, samples = best_of_many(rng, 50, 100)
        wrong += bounds.clopper_pearson(errors, samples, 0.05) < 0.3
        right += bounds.best_member(errors, samples, 0.05, 50) < 0.3
    assert wrong > 0.8 * DRAWS
    assert right <= allowed(DRAWS, 0.05)


def test_a_leaky_split_is_seen_to_violate() -> None:
    """Clopper-Pearson on samples that also chose the weights; the honest split beside it holds."""
    setting = Setting(30, 60, 2, 0.0, "majority")
    whole = setting.population()
    leaky = honest = 0
    for number, holdout in enumerate(draws(setting, 500, whole)):
        leaked = weigh(holdout, method="greedy", certify_fraction=0).weights
        errors = int(certified_losses(holdout, leaked, "majority").sum())
        leaky += certified_losses(whole, leaked, "majority").mean() > bounds.clopper_pearson(
            errors, 60, DELTA
        )
        kept = weigh(holdout, method="greedy", certify_fraction=0.5, delta=DELTA, seed=number)
        honest += certified_losses(whole, kept.weights, "majority").mean() > kept.best.risk
    assert leaky > 2 * DELTA * 500
    assert honest <= allowed(500)
