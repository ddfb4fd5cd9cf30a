"""Blend with the default split, and promises with unlabelled samples: they fail no more often than delta allows.

Two tests do what must not be done, and must be seen to fail: unlabelled samples of another distribution, and a
certificate that is designated after looking.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from comitia import Predictions, bounds, weigh
from comitia.bounds.designation import foresee, prefers_unlabelled
from long.populations import DELTA, PROBLEMS, Population, Tally, allowed, random_population


def some(number: int) -> tuple[np.random.Generator, Population, str, int]:
    """Return a problem: its generator, population, vote and number of hold-out samples."""
    rng = np.random.default_rng([41, number])
    whole = random_population(rng, groups=800, declining=number % 4 == 0)
    return rng, whole, ("majority", "average")[number % 2], int(rng.choice([30, 100, 400]))


@pytest.mark.timeout(3000)
def test_blend_with_the_default_split() -> None:
    tally = Tally()
    for number in range(PROBLEMS):
        rng, whole, vote, count = some(number)
        found = weigh(whole.draw(rng, count, vote), method="blend", vote=vote, delta=DELTA, seed=number)
        tally.add(found.certification, whole.risk(found.weights, vote))
    assert tally.given["split"] == PROBLEMS
    tally.require_valid("split", "best", "tandem-kl", "moment")


@pytest.mark.timeout(3000)
def test_blend_with_the_default_split_of_groups() -> None:
    tally = Tally()
    for number in range(PROBLEMS):
        rng = np.random.default_rng([42, number])
        whole, vote = random_population(rng, largest=10, groups=100), ("majority", "average")[number % 2]
        pack = whole.draw(rng, 60, vote, grouped=True)
        found = weigh(pack, method="blend", vote=vote, delta=DELTA, seed=number)
        risk, hit = whole.risk(found.weights, vote), whole.share_of_hit_groups(found.weights, vote)
        tally.add(found.certification, risk, hit)
    tally.require_valid("groups", "groups-any", "best")


@pytest.mark.timeout(3000)
def test_unlabelled_samples_and_the_rule_that_designates() -> None:
    """Every fourth problem chooses its weights on samples apart."""
    tally, named = Tally(), Counter()
    for number in range(PROBLEMS):
        rng, whole, vote, count = some(number)
        pack, extra = (
            whole.draw(rng, count, vote),
            further(rng, whole, count * int(rng.choice([1, 3, 10])), vote),
        )
        more = {"certify": whole.draw(rng, count, vote)} if number % 4 == 1 else {}
        found = weigh(
            pack,
            method=("blend", "tandem")[number % 3 == 0],
            vote=vote,
            delta=DELTA,
            seed=number,
            unlabelled=extra,
            **more,
        )
        tally.add(found.certification, whole.risk(found.weights, vote))
        named[found.best.name] += 1
    assert named["unlabelled"] > PROBLEMS / 10
    assert named["split"] > PROBLEMS / 10
    tally.require_valid("split", "holdout", "unlabelled", "best")


def further(rng: np.random.Generator, whole: Population, count: int, vote: str) -> Predictions:
    """Return unlabelled samples, a hair off: a population drawn from with replacement has copies, which are refused."""
    pack = replace(whole.draw(rng, count, vote), labels=None)
    if vote == "majority":
        return pack
    probs = np.concatenate([block.probs for block in pack.blocks()], axis=1)
    moved = probs * (1 + 1e-5 * rng.random(probs.shape))
    total = moved.sum(axis=2, keepdims=True)
    return Predictions.from_arrays(
        probs=np.divide(moved, total, out=moved, where=total > 0),
        run=pack.run,
        step=pack.step,
        abstained=pack.abstained(),
    )


def drawn(rng: np.random.Generator, n: int, kappa: int, spread: float) -> tuple[np.ndarray, ...]:
    """Return losses whose chances are the scores, the scores, and others; the mean is .3."""
    scores = rng.beta(0.3 * spread, 0.7 * spread, (n, 1 + kappa))
    return rng.random(n) < scores[:, 0], scores[:, 0], scores[:, 1:]


@pytest.mark.timeout(3000)
def test_the_designation_after_looking_is_seen_to_fail() -> None:
    """The smaller of two bounds that each hold; one of them, named by other samples, holds.

    Each alone misses less often than delta (.09 and .07 to .09), the smaller one in .13 of problems: 2,000 of them
    would often not show it.
    """
    rng, looked, named, problems = np.random.default_rng(43), 0, 0, 3 * PROBLEMS
    for number in range(problems):
        spread = (0.3, 1.0)[number % 2]
        losses, scores, others = drawn(rng, 400, 5, spread)
        counted = bounds.clopper_pearson(int(losses.sum()), 400, DELTA)
        paired = bounds.digital_paired(losses, scores, others, DELTA)
        looked += min(counted, paired) < 0.3
        before = foresee(*drawn(rng, 60, 0, spread)[:2], 400)
        named += (paired if prefers_unlabelled(before, 5) else counted) < 0.3
    assert looked > allowed(problems), looked
    assert named <= allowed(problems), named


@pytest.mark.timeout(3000)
def test_unlabelled_samples_of_another_distribution_are_seen_to_fail() -> None:
    """Samples that are easier than those of the hold-out; the same problems with samples like them do not fail."""
    easy, alike, problems = Tally(), Tally(), 500
    for number in range(problems):
        rng = np.random.default_rng([44, number])
        whole = doubtful(rng)
        pack, every = whole.draw(rng, 600, "average"), further(rng, whole, 4000, "average")
        sure = next(every.blocks()).probs.max(axis=2).mean(axis=0)
        simple = every.take(np.flatnonzero(sure >= np.quantile(sure, 0.5)))
        for tally, extra in ((easy, simple), (alike, every.take(np.arange(2000)))):
            found = weigh(pack, method="blend", vote="average", delta=DELTA, seed=number, unlabelled=extra)
            tally.add(found.certification, whole.risk(found.weights, "average"))
    assert easy.missed["unlabelled"] > 2 * allowed(problems), easy.missed
    assert easy.missed["best"] > allowed(problems), easy.missed
    assert alike.missed["unlabelled"] <= allowed(problems), alike.missed


def doubtful(rng: np.random.Generator) -> Population:
    """Four members that err on about a fifth of the samples, and doubt where they err."""
    labels, hard = rng.integers(0, 3, 5000), rng.beta(0.7, 0.7, (1, 5000, 1))
    noise = rng.normal(size=(4, 5000, 3)) + hard * rng.normal(size=(1, 5000, 3))
    logits = 4 * (1 - hard) * np.eye(3)[labels] + 0.7 * noise
    probs = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    return Population(probs, labels, np.zeros((4, 5000), bool), np.ones(5000, np.int64))
