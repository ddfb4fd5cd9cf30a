"""Weights of few members: no certificate fails more often than delta, and one that forgets the choice of members does.

Who votes is chosen by the samples that choose the weights, by every method and even for uniform weights.
"""

from typing import Any

import numpy as np
import pytest

from comitia import Predictions, certify, weigh
from comitia.bounds import betting_kernel
from long.populations import DELTA, PROBLEMS, Tally, allowed, random_population

# imported, so that the compiled loop is used where numba is installed
assert betting_kernel

MOMENTS = ("first-order-kl", "first-order-lambda", "tandem-kl", "tandem-lambda", "moment", "cantelli")
# what is asked of `weigh`, and certificates that must be among those it gives
WAYS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "uniform, part": ({"method": "uniform", "at_most": 2}, ("split", *MOMENTS)),
    "tandem, part": ({"method": "tandem", "at_most": 2}, ("split", *MOMENTS)),
    "blend, part": ({"at_most": 1}, ("split", *MOMENTS)),
    "uniform, all": ({"method": "uniform", "at_most": 2, "certify_fraction": 0}, ("occam", *MOMENTS)),
    "greedy, all": ({"method": "greedy", "at_most": 2, "certify_fraction": 0}, ("occam", *MOMENTS)),
    "rounded, all": (
        {"method": "tandem", "resolution": 4, "at_most": 2, "certify_fraction": 0},
        ("occam", *MOMENTS),
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.timeout(3000)
def test_no_certificate_fails_more_often_than_delta(vote: str, way: str) -> None:
    asked, names = WAYS[way]
    tally = Tally()
    for number in range(PROBLEMS):
        rng = np.random.default_rng([41, number])
        whole = random_population(rng)
        found = weigh(whole.draw(rng, 120, vote), vote=vote, delta=DELTA, seed=number, **asked)
        assert len(found.active) <= asked["at_most"]
        tally.add(found.certification, whole.risk(found.weights, vote))
    tally.require_valid(*names)


@pytest.mark.timeout(3000)
def test_members_chosen_on_the_samples_that_certify_break_the_promise() -> None:
    """Equal weights look as if no sample chose them; the members that have them were chosen."""
    missed, problems = 0, 400
    for number in range(problems):
        rng = np.random.default_rng([42, number])
        labels = rng.integers(0, 2, 4000)
        whole = np.where(rng.random((60, 4000)) < 0.3, 1 - labels, labels)
        drawn = rng.integers(0, 4000, 60)
        pack = Predictions.from_arrays(votes=whole[:, drawn], labels=labels[drawn])
        weights = weigh(pack, method="uniform", at_most=1, certify_fraction=0).weights
        risk = float((whole[int(np.argmax(weights))] != labels).mean())
        missed += certify(pack, weights, delta=DELTA, chosen_on="nothing").promised.risk < risk
    assert missed > allowed(problems)
