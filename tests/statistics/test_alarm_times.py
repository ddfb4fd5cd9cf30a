"""When the alarm goes on: the exact distribution, against all sequences and against simulation."""

import math
from itertools import product

import numpy as np
import pytest

from comitia.statistics.alarm_times import AlarmTimes, alarm_times, boundary
from comitia.statistics.evidence import bets, follow, stake, threshold


def plain_evidence(losses: tuple[int, ...], risk: float) -> float:
    """What the bets from the start hold, by a loop."""
    grid, total = bets(risk).tolist(), 0.0
    for bet in grid:
        wealth = stake(0) / len(grid)
        for loss in losses:
            wealth *= 1 + bet * (loss - risk)
        total += wealth
    return total


def test_against_all_sequences() -> None:
    p, risk, alpha, length = 0.5, 0.2, 0.2, 8
    waiting = np.zeros(length + 1)
    for losses in product([0, 1], repeat=length):
        chance = math.prod(p if loss else 1 - p for loss in losses)
        alarmed = [plain_evidence(losses[:t], risk) >= 1 / alpha for t in range(length + 1)]
        waiting += chance * np.array([not any(alarmed[: t + 1]) for t in range(length + 1)])
    assert alarm_times(p, risk, alpha, length).waiting == pytest.approx(waiting, abs=1e-12)


def test_the_boundary_is_the_fewest_ones_that_are_enough() -> None:
    found = boundary(0.1, 0.05, 40)
    for t, ones in enumerate(found.tolist(), start=1):
        enough = plain_evidence((1,) * min(ones, t) + (0,) * (t - min(ones, t)), 0.1) >= 20
        assert enough == (ones <= t)
        assert plain_evidence((1,) * (ones - 1) + (0,) * (t - ones + 1), 0.1) < 20


def test_leaving_out_what_is_improbable_changes_nothing() -> None:
    found = alarm_times(0.1, 0.0765, 0.05, 3000)
    rng = np.random.default_rng(0)
    limits = boundary(0.0765, 0.05, 3000)
    ones = np.cumsum(rng.random((2000, 3000)) < 0.1, axis=1)
    share = float((ones >= limits).any(axis=1).mean())
    assert found.chance(3000) == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 2000))


def test_bets_that_begin_anew_only_make_it_earlier() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        losses = (rng.random(3000) < 0.12).astype(float)
        full = follow(losses, 0.0765)[0] >= threshold(0.05)
        plain = np.cumsum(losses) >= boundary(0.0765, 0.05, 3000)
        assert full[plain.argmax()] or not plain.any() or full[: plain.argmax()].any()


def test_quantiles_and_the_end() -> None:
    times = AlarmTimes(np.array([1.0, 0.9, 0.5, 0.2]))
    assert [times.quantile(share) for share in (0.05, 0.5, 0.75, 0.9)] == [1, 2, 3, None]
    assert times.chance(99) == pytest.approx(0.8)
    stopped = alarm_times(0.3, 0.05, 0.05, 10_000, until=0.9)
    assert len(stopped.waiting) < 200
    assert stopped.quantile(0.9) == len(stopped.waiting) - 1


def test_false_alarms_stay_below_alpha() -> None:
    found = alarm_times(0.0765, 0.0765, 0.05, 10_000)
    assert 0.02 < found.chance(4000) < found.chance(10_000) < 0.05
