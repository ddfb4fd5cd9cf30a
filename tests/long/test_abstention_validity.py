"""Members that decline, more often on hard samples and on some classes: no certificate fails more often than delta.

Two tests at the end do what must not be done, and must be seen to fail.
"""

from typing import Any

import numpy as np
import pytest

from comitia import Predictions, bounds, weigh
from long.populations import DELTA, PROBLEMS, Population, Tally, allowed, random_population

MOMENTS = ("first-order-kl", "first-order-lambda", "tandem-kl", "tandem-lambda", "moment", "cantelli")
# what is asked of `weigh`, and certificates that must be among those it gives
WAYS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "fixed": ({"method": "uniform"}, ("holdout", "occam", *MOMENTS)),
    "split": ({"method": "tandem"}, ("split", *MOMENTS)),
    "split, first order": ({"method": "first-order"}, ("split", *MOMENTS)),
    "auto": ({"method": "auto"}, ("split", *MOMENTS)),
    "all": ({"method": "tandem", "certify_fraction": 0}, MOMENTS),
    "all, cantelli": ({"method": "cantelli", "certify_fraction": 0}, MOMENTS),
    "rounded": ({"method": "tandem", "certify_fraction": 0, "resolution": 4}, ("occam", *MOMENTS)),
    "greedy": ({"method": "greedy", "certify_fraction": 0}, ("occam", *MOMENTS)),
    "best member": ({"method": "best", "certify_fraction": 0}, ("best-member", "occam", *MOMENTS)),
}
SIZES = (40, 100, 400)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.timeout(3000)
def test_no_certificate_fails_more_often_than_delta(vote: str, way: str) -> None:
    asked, names = WAYS[way]
    tally, problems = Tally(), PROBLEMS // 10 if way == "auto" else PROBLEMS
    for number in range(problems):
        rng = np.random.default_rng([1, number])
        whole = random_population(rng, declining=True)
        pack = whole.draw(rng, int(rng.choice(SIZES)), vote)
        found = weigh(pack, vote=vote, delta=DELTA, seed=number, **asked)
        tally.add(found.certification, whole.risk(found.weights, vote))
    assert tally.given["best"] == problems
    tally.require_valid(*names)


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("vote", ["majority", "average"])
def test_members_with_holdouts_of_their_own_that_decline_as_well(vote: str) -> None:
    tally = Tally()
    for number in range(PROBLEMS):
        rng = np.random.default_rng([2, number])
        whole = random_population(rng, declining=True)
        mask = rng.random((len(whole.probs), 150)) < 0.7
        found = weigh(whole.draw(rng, 150, vote, mask=mask), vote=vote, delta=DELTA)
        tally.add(found.certification, whole.risk(found.weights, vote))
    tally.require_valid(*MOMENTS)


def who_decline_on_hard_samples(rng: np.random.Generator) -> Population:
    """Three members, right on easy samples; on hard ones, three of ten, each declines or guesses."""
    labels, hard = rng.integers(0, 2, 2000), rng.random(2000) < 0.3
    guesses = np.where(hard & (rng.random((3, 2000)) < 0.5), 1 - labels, labels)
    silent = hard & (rng.random((3, 2000)) < 0.7)
    return Population(np.eye(2)[guesses], labels, silent, np.ones(2000, int))


def test_leaving_out_samples_that_somebody_declined_is_seen_to_fail() -> None:
    wrong = right = 0
    for number in range(500):
        rng = np.random.default_rng([3, number])
        whole, uniform = who_decline_on_hard_samples(rng), np.full(3, 1 / 3)
        pack, risk = whole.draw(rng, 200, "majority"), whole.risk(uniform, "majority")
        complete = pack.take(np.flatnonzero(~pack.abstained().any(axis=0)))
        wrong += weigh(complete, method="uniform", delta=DELTA).best.risk < risk
        right += weigh(pack, method="uniform", delta=DELTA).best.risk < risk
    assert wrong > 0.9 * 500
    assert right <= allowed(500)


def test_counting_no_answer_as_right_is_seen_to_fail() -> None:
    """The same bound on the Gibbs risk, once with 0 and once with 1/2 for no answer."""
    wrong = right = 0
    for number in range(500):
        rng = np.random.default_rng([4, number])
        labels = rng.integers(0, 2, 1000)
        together = np.broadcast_to(rng.random(1000) < 0.3, (3, 1000))
        whole = Population(np.eye(2)[np.stack([labels] * 3)], labels, together, np.ones(1000, int))
        pack = whole.draw(rng, 400, "majority")
        risk = whole.risk(np.full(3, 1 / 3), "majority")
        silent = pack.abstained()
        gibbs = float((np.where(silent, 0, pack.votes() != pack.labels)).mean())
        wrong += bounds.first_order_kl(gibbs, 0.0, 400, DELTA) < risk
        right += bounds.first_order_kl(gibbs + silent.mean() / 2, 0.0, 400, DELTA) < risk
    assert wrong > 0.9 * 500
    assert right <= allowed(500)


def test_a_panel_that_is_right_or_declines_together_leaves_moments_no_slack() -> None:
    """With many samples the bounds from moments come down to the risk itself, so the tests above can fail."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 100_000)
    silent = np.broadcast_to(rng.random(100_000) < 0.2, (2, 100_000))
    pack = Predictions.from_arrays(votes=np.stack([labels] * 2), labels=labels, abstained=silent)
    found = weigh(pack, method="uniform", delta=DELTA).certification.certificates
    risks = {entry.name: entry.risk for entry in found if entry.name in MOMENTS}
    assert all(silent.mean() < risk < 0.22 for risk in risks.values()), risks
