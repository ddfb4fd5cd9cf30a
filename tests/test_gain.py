"""The gain of one vote over another, against scipy's binomial test and loops over samples and groups."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from comitia._gain import Gain, measure_gain, points_down, sign_test
from comitia._samples import Groups
from comitia.bounds import digital


@pytest.mark.parametrize(
    "better, worse", [(0, 0), (1, 0), (0, 1), (3, 3), (2, 9), (40, 17), (150, 80), (900, 1100)]
)
def test_the_p_value_is_that_of_scipy(better: int, worse: int) -> None:
    count = better + worse
    expected = binomtest(better, count, 0.5).pvalue if count else 1.0
    assert sign_test(better, worse) == pytest.approx(expected, rel=1e-10)


def losses(seed: int, samples: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random(samples) < 0.1, rng.random(samples) < 0.2


def test_numbers_are_those_of_a_loop_over_samples() -> None:
    a, b = losses(0)
    found = measure_gain(a, b, None, delta=0.1, seed=3, over="B")
    better = sum(1 for one, other in zip(a, b) if other and not one)
    worse = sum(1 for one, other in zip(a, b) if one and not other)
    assert (found.better, found.worse, found.discordant) == (better, worse, better + worse)
    assert found.gain == pytest.approx((better - worse) / 300, abs=1e-15)
    order = np.random.default_rng(3).permutation(300)
    values = [(1 - (int(b[i]) - int(a[i]))) / 2 for i in order]
    assert found.gain_at_least == pytest.approx(1 - 2 * digital(values, 0.1), abs=1e-12)
    assert found.gain_at_least < found.gain
    assert found.unit == "samples"


def test_groups_are_averaged_first() -> None:
    a, b = losses(1)
    names = [f"g{i % 37}" for i in np.random.default_rng(2).integers(0, 10**6, 300)]
    found = measure_gain(a, b, Groups.of("groups", names, 300), delta=0.05, seed=0, over="B")
    means = []
    for name in dict.fromkeys(names):
        inside = [i for i in range(300) if names[i] == name]
        means.append(sum(int(b[i]) - int(a[i]) for i in inside) / len(inside))
    assert found.gain == pytest.approx(np.mean(means), abs=1e-12)
    assert found.better == sum(mean > 0 for mean in means)
    assert found.worse == sum(mean < 0 for mean in means)
    assert (found.samples, found.unit) == (len(means), "groups")
    order = np.random.default_rng(0).permutation(len(means))
    assert found.gain_at_least == pytest.approx(1 - 2 * digital((1 - np.array(means)[order]) / 2), abs=1e-9)


def test_the_same_vote_gains_nothing_and_is_not_certified() -> None:
    a, _ = losses(2)
    found = measure_gain(a, a, None, delta=0.05, seed=0, over="B")
    assert (found.gain, found.discordant, found.p_value, found.certified) == (0.0, 0, 1.0, False)


def test_a_smaller_delta_certifies_less() -> None:
    a, b = losses(3, 2000)
    bounds = [measure_gain(a, b, None, delta=d, seed=0, over="B").gain_at_least for d in (0.2, 0.05, 0.001)]
    assert bounds == sorted(bounds, reverse=True)


def test_sentences_hold_as_they_are_rounded() -> None:
    a, b = losses(4, 2000)
    found = measure_gain(a, b, None, delta=0.05, seed=0, over="B")
    shown = points_down(found.gain_at_least)
    assert float(shown) <= 100 * found.gain_at_least < float(shown) + 0.01
    assert f"A errs on at least {shown} percentage points fewer of new samples than B" in found.sentence("A")
    worse = measure_gain(b, a, None, delta=0.05, seed=0, over="B")
    assert worse.sentence("A").startswith("A is not certified to err less than B")
    more = points_down(worse.gain_at_least).removeprefix("-")
    assert f"at most {more} percentage points more of new samples" in worse.sentence("A")


GOOD = measure_gain(*losses(5), None, delta=0.05, seed=0, over="B")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"discordant": GOOD.discordant + 1}, "discordant"),
        ({"gain_at_least": GOOD.gain + 0.01}, "gain_at_least"),
        ({"delta": 1.0}, "delta"),
        ({"other_error": GOOD.other_error + 0.1}, "other_error"),
        ({"p_value": GOOD.p_value + 0.1}, "p_value"),
        ({"better": GOOD.better + 1, "worse": GOOD.worse - 1}, "better and worse"),
        ({"unit": "people"}, "samples or groups"),
    ],
)
def test_what_cannot_be_is_a_fault(change: dict, message: str) -> None:
    assert GOOD.fault() is None
    assert message in str(replace(GOOD, **change).fault())
    assert isinstance(GOOD, Gain)
