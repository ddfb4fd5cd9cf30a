"""Samples in groups that err together: no certificate fails more often than delta, if it is told of the groups.

The risk is the mean over groups of the error rate within a group. The same samples taken as independent must be seen
to fail.
"""

from typing import Any

import numpy as np
import pytest

from comitia import bounds, weigh
from comitia.bounds.group_mean import group_mean
from long.populations import DELTA, PROBLEMS, Population, Tally, allowed, random_population

MOMENTS = ("first-order-kl", "first-order-lambda", "tandem-kl", "tandem-lambda", "moment", "cantelli")
COUNTED = ("groups", "groups-any")
# what is asked of `weigh`, and certificates that must be among those it gives
WAYS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "fixed": ({"method": "uniform"}, (*COUNTED, *MOMENTS)),
    "split": ({"method": "tandem"}, (*COUNTED, *MOMENTS)),
    "split, greedy": ({"method": "greedy"}, (*COUNTED, *MOMENTS)),
    "auto": ({"method": "auto"}, (*COUNTED, *MOMENTS)),
    "all": ({"method": "tandem", "certify_fraction": 0}, MOMENTS),
    "best member": ({"method": "best", "certify_fraction": 0}, MOMENTS),
    "greedy": ({"method": "greedy", "certify_fraction": 0}, MOMENTS),
}
# Proved for members that always answer, the last two for two classes.
MAJORITY = ("ctd", "disagreement", "c1")
# Proved for samples that are independent one by one.
NEVER = {"holdout", "split", "occam", "best-member", "c2"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.timeout(3000)
def test_no_certificate_fails_more_often_than_delta(vote: str, way: str) -> None:
    asked, names = WAYS[way]
    tally, problems = Tally(), PROBLEMS // 10 if way == "auto" else PROBLEMS
    for number in range(problems):
        rng = np.random.default_rng([11, number])
        whole = random_population(rng, largest=20, groups=100, declining=number % 4 == 0)
        pack = whole.draw(rng, 60, vote, grouped=True)
        found = weigh(pack, vote=vote, delta=DELTA, seed=number, **asked)
        risk, hit = whole.risk(found.weights, vote), whole.share_of_hit_groups(found.weights, vote)
        tally.add(found.certification, risk, hit)
    assert tally.given["best"] == problems
    tally.require_valid(*names, *(MAJORITY if vote == "majority" else ()))
    assert not NEVER & set(tally.given)


def err_together(rng: np.random.Generator) -> Population:
    """Groups of ten samples, on which each of three members is right on all or wrong on all, mostly with the others."""
    labels = rng.integers(0, 2, 10_000)
    common, own = (np.repeat(rng.random((count, 1000)), 10, axis=1) for count in (1, 3))
    wrong = np.where(own < 0.2, own < 0.04, common < 0.25)
    votes = np.where(wrong, 1 - labels, labels)
    return Population(np.eye(2)[votes], labels, np.zeros_like(wrong), np.full(1000, 10))


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("method", ["uniform", "tandem"])
def test_grouped_samples_taken_as_independent_are_seen_to_fail(method: str) -> None:
    """Two hundred groups of ten: the promise fails several times as often as it may; told of the groups, it holds."""
    grouped, taken_apart = Tally(), Tally()
    for number in range(300):
        whole = err_together(np.random.default_rng([12, number]))
        for tally, told in ((grouped, True), (taken_apart, False)):
            pack = whole.draw(np.random.default_rng([13, number]), 200, "majority", grouped=told)
            found = weigh(pack, method=method, delta=0.05, seed=number)
            risk = whole.risk(found.weights, "majority")
            tally.add(found.certification, risk, whole.share_of_hit_groups(found.weights, "majority"))
    grouped.require_valid("groups", delta=0.05)
    assert taken_apart.missed["best"] > 3 * 0.05 * 300, taken_apart.missed


@pytest.mark.timeout(3000)
def test_a_split_through_groups_is_seen_to_fail() -> None:
    """Of each group one sample chooses the luckiest of forty members, and the other certifies it."""
    torn = honest = 0
    for number in range(500):
        # on a group a member is right on both samples or wrong on both
        wrong = np.random.default_rng([14, number]).random((40, 50)) < 0.4
        lucky = int(wrong.sum(axis=1).argmin())
        torn += bounds.clopper_pearson(int(wrong[lucky].sum()), 50, DELTA) < 0.4
        chosen = int(wrong[:, :25].sum(axis=1).argmin())
        honest += group_mean(2 * wrong[chosen, 25:], np.full(25, 2), 25, DELTA) < 0.4
    assert torn > 3 * DELTA * 500
    assert honest <= allowed(500)


@pytest.mark.timeout(3000)
def test_the_mean_over_samples_is_not_what_is_promised() -> None:
    """Where large groups are the hard ones, the share of all samples that are lost is above the promise."""
    above = within = 0
    for number in range(300):
        rng = np.random.default_rng([15, number])
        sizes, labels = np.repeat([1, 20], 200), np.zeros(4200, int)
        lost = np.repeat(rng.random(400) < np.repeat([0.05, 0.4], 200), sizes)
        votes = np.stack([lost, lost]).astype(int)
        whole = Population(np.eye(2)[votes], labels, np.zeros_like(votes, bool), sizes)
        found = weigh(whole.draw(rng, 100, "majority", grouped=True), method="uniform", delta=DELTA)
        above += lost.mean() > found.best.risk
        within += whole.risk(found.weights, "majority") > found.best.risk
    assert above > 3 * DELTA * 300
    assert within <= allowed(300)
