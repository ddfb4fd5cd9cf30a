"""The rule by which a certificate is named before looking where there are unlabelled samples."""

from dataclasses import replace

import numpy as np
import pytest

from comitia import InputError
from comitia.bounds.designation import (
    adjusted_mean,
    designate,
    expected_share,
    foresee,
    kept_foreseen,
    of_pairs,
    prefers_unlabelled,
)
from comitia.bounds.row import Facts, Foreseen, Paired
from comitia.bounds.table import BOUNDS

FACTS = Facts("majority", 3, True, "part", 5, 0.7, 0.1, 0.04, 0.22, 900, 900)


def test_what_is_foreseen_against_numpy():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 3, 80)
    losses = rng.random(80) < scores
    found = foresee(losses, scores, 1000)
    r2 = np.corrcoef(losses, scores)[0, 1] ** 2
    assert found.errors == pytest.approx(1000 * losses.sum() / 80)
    assert found.r2 == pytest.approx(1 - (1 - r2) * 79 / 78)
    assert 0.05 < found.r2 < 0.9


@pytest.mark.parametrize(
    ("losses", "scores"),
    [([0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4]), ([1, 0, 1, 0], [0.2] * 4), ([1, 0], [0.5, 0.1])],
)
def test_nothing_is_foreseen_of_the_score_where_nothing_varies(losses, scores):
    assert foresee(np.array(losses, bool), np.array(scores), 10).r2 == 0


def test_the_expected_share():
    assert expected_share(Foreseen(40.0, 0.3), 10) == pytest.approx(1.05 * (1 - 0.3 * 10 / 11) ** 0.5)
    assert expected_share(Foreseen(0.0, 0.3), 10) == float("inf")


@pytest.mark.parametrize(
    ("errors", "r2", "kappa", "preferred"),
    [
        (300.0, 0.3, 10, True),
        (20.0, 0.3, 10, True),
        (19.9, 0.9, 10, False),  # too few errors for the digital bound
        (300.0, 0.0, 10, False),
        (40.0, 0.1, 10, False),  # 1.05 · .953 is above 1
        (40.0, 0.11, 10, True),
        (40.0, 0.11, 1, False),
    ],
)
def test_the_rule(errors, r2, kappa, preferred):
    assert prefers_unlabelled(Foreseen(errors, r2), kappa) is preferred


def test_nothing_foreseen_designates_what_counts_all_samples():
    assert not prefers_unlabelled(None, 10)


def pairs(foreseen):
    rng = np.random.default_rng(1)
    return Paired(rng.random(900) < 0.1, rng.random(900), rng.random((900, 4)), foreseen)


def test_one_of_two_that_may_be_designated():
    rows = [BOUNDS[name] for name in ("tandem-kl", "split", "unlabelled")]
    for foreseen, name in ((None, "split"), (Foreseen(90, 0.0), "split"), (Foreseen(90, 0.4), "unlabelled")):
        found = designate(rows, replace(FACTS, paired=pairs(foreseen)))
        assert found is not None
        assert found.name == name
    assert designate(rows[:1], FACTS) is None
    assert designate(rows[:2], FACTS) is rows[1]


@pytest.mark.parametrize("foreseen", [None, Foreseen(90.0, 0.4)])
def test_what_a_certificate_keeps(foreseen):
    given = pairs(foreseen)
    kept = of_pairs(replace(FACTS, paired=given))
    assert (kept["errors"], kept["n"], kept["kappa"]) == (given.losses.sum(), 900, 4)
    assert kept_foreseen(kept) == (foreseen, 4)
    # slopes lie between 0 and 1.5, so the adjusted error lies near the rate
    assert 0 < abs(kept["adjusted"] - given.losses.mean()) < 0.05
    assert adjusted_mean(**kept) == kept["adjusted"]
    assert BOUNDS["unlabelled"](replace(FACTS, paired=given), 0.05) > kept["adjusted"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"errors": 901}, "errors: must be at most n"),
        ({"kappa": 0}, "errors: must be at most n, kappa at least 1"),
        ({"adjusted": -1.5}, "the adjusted error near their rate"),
        ({"adjusted": float("nan")}, "the adjusted error near their rate"),
        ({"foreseen_r2": None}, "foreseen_errors: goes with foreseen_r2"),
        ({"foreseen_r2": 1.2}, "foreseen_r2: must be a share"),
        ({"foreseen_errors": 1000.0}, "foreseen_r2: must be a share, and foreseen_errors at most n"),
    ],
)
def test_numbers_that_cannot_be(change, message):
    kept = of_pairs(replace(FACTS, paired=pairs(Foreseen(90.0, 0.4))))
    with pytest.raises(InputError, match=message):
        adjusted_mean(**{**kept, **change})
