"""The page "What can go wrong": its numbers are those of the record, which the simulation gives again."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia import Predictions, weigh

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
import broken_assumptions as broken  # noqa: E402


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return dict(json.loads((DOCS / "assets" / broken.RECORD).read_text(encoding="utf-8")))


def test_the_page_says_what_the_record_says(record: dict[str, Any]) -> None:
    text = (DOCS / broken.PAGE).read_text(encoding="utf-8")
    assert broken.page_of(text, record) == text
    assert (DOCS / "assets" / broken.FIGURE).read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("fraction", [None, 0.5])
def test_the_promise_is_that_of_weigh(fraction: float | None) -> None:
    for seed in range(5):
        errors = broken.drawn_errors(np.random.default_rng(seed), 200)
        labels = np.arange(200) % 2
        pack = Predictions.from_arrays(votes=np.where(errors, 1 - labels, labels), labels=labels)
        ensemble = weigh(pack, method="best", seed=seed, certify_fraction=fraction)
        assert broken.certified(errors, seed, fraction) == ensemble.promised.risk


def test_a_smaller_simulation_agrees_with_the_record(record: dict[str, Any]) -> None:
    again = broken.simulate(100, seed=7)
    for one, other in zip(record["rows"], again["rows"], strict=True):
        assert (one["assumption"], one["how"]) == (other["assumption"], other["how"])
        share = one["failed"] / one["problems"]
        assert abs(other["failed"] / other["problems"] - share) <= 4 * np.sqrt(
            max(share * (1 - share), 0.01) / 100
        )


def test_promises_hold_where_the_assumptions_do_and_fail_where_they_do_not(record: dict[str, Any]) -> None:
    rates = {row["how"]: row["failed"] / row["problems"] for row in record["rows"]}
    noise = 3 * np.sqrt(0.05 * 0.95 / record["rows"][0]["problems"])
    assert rates[""] <= 0.05 + noise
    assert min(rates["best of 50 seeds"], rates["10 samples per group"], rates["errors × 1.5"]) > 0.2
