"""The page of a watched ensemble: headline, path with its threshold, nothing hostile."""

import math
from dataclasses import replace

import numpy as np
import pytest

from comitia._monitor import Monitored, Step
from comitia._watch import Watch
from comitia.pages.monitor_page import POINTS, monitor_page, monitor_verdict, path_figure, thinned
from report_records import HOSTILE

WATCH = Watch("x", 0.08, 0.05, "samples")
QUIET = Monitored(
    WATCH,
    False,
    None,
    200,
    0.075,
    -0.5,
    0.4,
    (Step("monday", 200, 0, 0.075, -0.5),),
    ((0, 0.0, 0.0), (200, -0.5, 0.075)),
)
LOUD = replace(QUIET, alarm=True, alarm_at=150, log10_evidence=12.0, p_value=1e-12)


def test_the_first_screen_says_whether_the_alarm_is_on() -> None:
    assert monitor_verdict(QUIET).headline == "No alarm"
    assert monitor_verdict(LOUD).headline.startswith("Alarm")
    assert [fact.value for fact in monitor_verdict(QUIET).facts] == ["200", "7.50%", "0.316", "0.4"]


def test_the_path_is_drawn_as_powers_of_ten_with_the_threshold() -> None:
    above, below = path_figure(QUIET).panels
    assert above.series[0].y == (0.0, -0.5)
    assert above.references[0].value == pytest.approx(math.log10(20))
    assert below.series[0].y == (0.075,)
    assert below.references[0].value == 0.08


def test_long_paths_keep_their_peak() -> None:
    rng = np.random.default_rng(0)
    path = tuple((i, float(power), 0.1) for i, power in enumerate(rng.normal(size=5000)))
    found = thinned(path)
    assert len(found) <= POINTS
    assert max(power for _, power, _ in found) == max(power for _, power, _ in path)
    assert (found[0], found[-1]) == (path[0], path[-1])
    assert thinned(path[:10]) == path[:10]


def test_names_of_files_cannot_become_markup() -> None:
    steps = tuple(Step(name, 10, 0, 0.1, 0.0) for name in HOSTILE)
    page = monitor_page(replace(QUIET, steps=steps), HOSTILE[0])
    for text in HOSTILE[:4]:
        assert text not in page
    assert "monitor-path" in page
    assert page.count("<script>") == 1


def test_before_the_first_label() -> None:
    empty = replace(QUIET, labels=0, error=None, steps=(), path=((0, 0.0, 0.0),), log10_evidence=0.0)
    assert "No alarm" in monitor_page(empty, "t")
