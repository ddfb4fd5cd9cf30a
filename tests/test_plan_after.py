"""Plans of a comparison and of an alarm, against the bound itself and against simulation."""

import numpy as np
import pytest

from comitia import InputError
from comitia._plan_after import plan_alarm, plan_gain
from comitia.bounds import digital


@pytest.mark.parametrize("gain, discordant", [(0.01, 0.03), (0.03, 0.1), (0.05, 0.08)])
def test_the_planned_number_is_about_enough(gain: float, discordant: float) -> None:
    """Draws that show exactly what is expected, in several orders: certified with a fifth more than planned."""
    n = round(1.2 * plan_gain(gain, discordant=discordant).samples)
    better, worse = round(n * (discordant + gain) / 2), round(n * (discordant - gain) / 2)
    values = np.full(n, 0.5)
    values[:better], values[better : better + worse] = 0.0, 1.0
    limits = [1 - 2 * digital(np.random.default_rng(s).permutation(values)) for s in range(9)]
    assert np.median(limits) > 0
    half = plan_gain(gain, discordant=discordant, samples=n // 3)
    assert half.gain_at_least < 0


def test_samples_and_gain_are_inverse() -> None:
    plan = plan_gain(0.02, discordant=0.05, at_least=0.01, delta=0.01)
    assert plan_gain(0.02, discordant=0.05, samples=plan.samples, delta=0.01).gain_at_least >= 0.01
    assert plan_gain(0.02, discordant=0.05, samples=plan.samples - 1, delta=0.01).gain_at_least < 0.01


def test_without_the_discordant_share_the_most_is_taken() -> None:
    assert plan_gain(0.01, error=0.05).discordant == pytest.approx(0.11)
    assert plan_gain(0.01, error=0.05).samples == plan_gain(0.01, discordant=0.11).samples


def test_alarms_by_simulation() -> None:
    """Bets that begin anew make the true median a little earlier than the plan, never much."""
    from comitia.statistics.evidence import follow, threshold

    rng, first = np.random.default_rng(0), []
    for _ in range(300):
        reached = follow((rng.random(1500) < 0.15).astype(float), 0.0765)[0] >= threshold(0.05)
        first.append(int(reached.argmax()) if reached.any() else 1500)
    found = plan_alarm(0.0765, 0.15)
    assert found.median is not None
    assert np.median(first) == pytest.approx(found.median, rel=0.2)
    assert found.nine_tenths is not None
    assert np.mean(np.array(first) < found.nine_tenths) > 0.85


def test_an_alarm_that_takes_too_long_is_said_to() -> None:
    found = plan_alarm(0.3, 0.301)
    assert (found.median, found.nine_tenths) == (None, None)
    assert "more than 50,000 labels" in found.sentence


BAD = {
    "gain": (lambda: plan_gain(0.0, discordant=0.1), "gain: must lie strictly between 0 and 1"),
    "less than the gain": (
        lambda: plan_gain(0.1, discordant=0.05),
        "discordant: must be at least the gain of 0.1",
    ),
    "nothing expected": (lambda: plan_gain(0.1), "discordant: give the share"),
    "error": (lambda: plan_gain(0.1, error=1.0), "error: must be at least 0 and below 1"),
    "at least": (
        lambda: plan_gain(0.1, discordant=0.2, at_least=0.1),
        "at_least: must be below the gain of 0.1",
    ),
    "too many": (lambda: plan_gain(0.1, discordant=0.2, at_least=0.0999999), "needs more than 1,000,000,000"),
    "delta": (lambda: plan_gain(0.1, discordant=0.2, delta=1.0), "delta: must lie strictly"),
    "delta one half": (lambda: plan_gain(0.1, discordant=0.2, delta=0.5), "delta: must be below one half"),
    "samples": (lambda: plan_gain(0.1, discordant=0.2, samples=0), "samples: must be at least 1"),
    "risk": (lambda: plan_alarm(0.0, 0.1), "risk: must lie strictly"),
    "true risk below": (lambda: plan_alarm(0.1, 0.1), "true_risk: must be above the promised risk of 0.1"),
    "alpha": (lambda: plan_alarm(0.1, 0.2, alpha=0.0), "alpha: must lie strictly"),
}


@pytest.mark.parametrize("case", BAD)
def test_one_clear_line(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(InputError, match=message):
        call()
