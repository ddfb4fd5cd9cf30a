"""Differences: intervals that cover what they say, and verdicts that follow from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from comitia.evaluation.findings import (
    HELD,
    MARGIN,
    NOT_HELD,
    Finding,
    better,
    finding,
    findings_markdown,
    half_width,
    not_worse,
    spread_width,
)

difference = st.floats(-0.05, 0.05)
width = st.floats(0, 0.04)


@given(difference, width)
@settings(max_examples=50, deadline=None)
def test_verdicts_agree_with_their_intervals(d: float, w: float) -> None:
    low, high = d - w, d + w
    assert (not_worse(d, w) == HELD) == (low >= -MARGIN)
    assert (better(d, w) == HELD) == (low > 0)
    if not_worse(d, w) == NOT_HELD:
        assert high < 0
    if better(d, w) == NOT_HELD:
        assert high < MARGIN
    if better(d, w) == HELD:
        assert not_worse(d, w) == HELD


def test_half_width_by_hand() -> None:
    samples, repeats = np.array([1.0, 0.0, 0.0, -1.0, 0.0]), np.array([0.01, 0.04, 0.02])
    wanted = 4 * (np.var(samples, ddof=1) + 2 / 5) / 5 + t.ppf(0.975, 2) ** 2 * np.var(repeats, ddof=1) / 3
    assert half_width(samples, repeats) == pytest.approx(np.sqrt(wanted))
    assert half_width(samples, repeats[:1]) == half_width(samples, np.zeros(4))
    assert spread_width(repeats[:1]) == 0


@pytest.mark.parametrize("repeats", [2, 3, 5])
@pytest.mark.parametrize("training", [0.0, 0.02])
def test_a_false_gain_is_rare_however_few_the_repeats(repeats: int, training: float) -> None:
    """No true difference: 'better' is held in at most 2.5% of the cases, and noise of training must not change that."""
    rng = np.random.default_rng(repeats)
    trials, n, held = 4000, 400, 0
    for _ in range(trials):
        by_repeat = rng.normal(0, training, repeats)
        by_sample = rng.normal(by_repeat.mean(), 0.4, n)
        by_repeat += by_sample.mean() - by_repeat.mean()
        held += better(float(by_sample.mean()), half_width(by_sample, by_repeat)) == HELD
    assert held / trials < 0.025 + 3 * np.sqrt(0.025 * 0.975 / trials)


def test_a_finding_says_what_was_asked_and_shows_it() -> None:
    found = finding("a | b", 0.91234, 0.9, 0.001, kind="better", decisive=False)
    assert found == Finding("a | b: better", 0.91234, 0.9, 0.01234, 0.001, HELD, decisive=False)
    row = findings_markdown([found]).splitlines()[2]
    assert row == "| a \\| b: better | 0.9123 | 0.9000 | +0.0123 | 0.0010 | held (context) |"
    assert finding("a", 0.9, 0.91234, 0.001, kind="not worse").verdict == NOT_HELD
