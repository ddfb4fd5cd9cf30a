"""The test martingale, against exact fractions and against its own definition."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from comitia import InputError
from comitia.statistics import evidence
from comitia.statistics.evidence import AGAIN, BETS, bets, follow, not_yet_bet, stake, threshold


def by_definition(losses: list[float], risk: float) -> float:
    """E after those losses: every beginning and every bet on its own, in exact arithmetic."""
    grid = [Fraction(float(value)) for value in bets(risk)]
    t, r = len(losses), Fraction(risk)
    begun = range(t // AGAIN + 1)
    total = Fraction(not_yet_bet(t // AGAIN))
    for number in begun:
        for bet in grid:
            wealth = Fraction(stake(number)) / BETS
            for loss in losses[number * AGAIN :]:
                wealth *= 1 + bet * (Fraction(loss) - r)
            total += wealth
    return float(total)


def test_against_fractions() -> None:
    losses = [0.0, 1.0, 1.0, 0.25, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0]
    path, _ = follow(np.array(losses), 0.2)
    for t in range(1, len(losses) + 1):
        assert path[t - 1] == pytest.approx(math.log(by_definition(losses[:t], 0.2)), abs=1e-10)


def test_bets_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "AGAIN", 3)
    monkeypatch.setitem(globals(), "AGAIN", 3)
    losses = np.random.default_rng(0).integers(0, 2, 14).astype(float).tolist()
    path, stakes = follow(np.array(losses), 0.3)
    # at a multiple of 3 the new bets have just begun: the stake is the same as cash or as a bet
    for t in range(1, 15):
        assert path[t - 1] == pytest.approx(math.log(by_definition(losses[:t], 0.3)), abs=1e-10)
    assert stakes.losses == 14


def test_expectation_is_exactly_one_at_the_risk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all sequences of 0/1 losses: a martingale, beginnings included."""
    monkeypatch.setattr(evidence, "AGAIN", 2)
    total = 0.0
    for losses in product([0.0, 1.0], repeat=9):
        chance = math.prod(0.3 if loss else 0.7 for loss in losses)
        total += chance * math.exp(follow(np.array(losses), 0.3)[0][-1])
    assert total == pytest.approx(1.0, abs=1e-12)


def test_all_that_is_staked_is_one() -> None:
    assert stake(0) + not_yet_bet(0) == pytest.approx(1.0, abs=1e-15)
    for number in (1, 2, 50):
        assert not_yet_bet(number - 1) - not_yet_bet(number) == pytest.approx(stake(number), rel=1e-9)


@pytest.mark.parametrize("cut", [1, 499, 500, 501, 1300])
def test_going_on_is_the_same_as_never_stopping(cut: int) -> None:
    losses = (np.random.default_rng(1).random(1700) < 0.1).astype(float)
    whole, end = follow(losses, 0.08)
    first, stakes = follow(losses[:cut], 0.08)
    second, other = follow(losses[cut:], 0.08, stakes)
    assert np.concatenate([first, second]) == pytest.approx(whole, abs=1e-9)
    assert other.losses == end.losses
    assert other.logs == pytest.approx(end.logs, abs=1e-9)


def test_the_order_within_one_beginning_does_not_matter() -> None:
    losses = np.random.default_rng(2).random(400)
    ends = [follow(np.random.default_rng(s).permutation(losses), 0.4)[0][-1] for s in range(3)]
    assert ends == pytest.approx([ends[0]] * 3, abs=1e-9)


def test_long_streams_stay_finite() -> None:
    for loss in (0.0, 1.0):
        path, stakes = follow(np.full(200_000, loss), 0.05)
        assert np.isfinite(path).all()
        assert np.isfinite(stakes.logs).all()
    assert path[-1] > 1e5


def test_a_rise_after_a_long_quiet_time_is_noticed_soon() -> None:
    """With bets from the start alone it would take thousands of losses to win back what was lost."""
    rng = np.random.default_rng(3)
    losses = np.concatenate([rng.random(20_000) < 0.03, rng.random(1500) < 0.15]).astype(float)
    path, _ = follow(losses, 0.0765)
    assert not (path[:20_000] >= threshold(0.05)).any()
    assert (path >= threshold(0.05)).any()


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 2.0])
def test_risk_and_alpha_must_lie_inside(value: float) -> None:
    with pytest.raises(InputError, match="risk: must lie strictly between 0 and 1"):
        bets(value)
    with pytest.raises(InputError, match="alpha: must lie strictly between 0 and 1"):
        threshold(value)


@pytest.mark.parametrize("risk", [1e-4, 0.05, 0.5, 0.99])
def test_no_factor_is_below_seven_tenths(risk: float) -> None:
    assert (1 - bets(risk) * risk >= 0.7 - 1e-12).all()
    assert (np.diff(bets(risk)) > 0).all()
