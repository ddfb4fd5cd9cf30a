"""How sure the vote is and how much members disagree, against a loop over pairs of members."""

import numpy as np
import pytest

from comitia import Predictions
from comitia._profile import EDGES, Scored, profile_of, score
from simulated import simulated


def scores(pack: Predictions, rho: np.ndarray, vote: str) -> tuple[np.ndarray, np.ndarray]:
    found = score(pack, rho, vote)
    assert isinstance(found, Scored)
    return found.top, found.apart


RHO = np.array([0.3, 0.25, 0.2, 0.15, 0.1, 0.0])


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_scores_are_those_of_a_loop(vote: str) -> None:
    pack = simulated(samples=50)
    top, apart = scores(pack, RHO, vote)
    votes = pack.votes()
    probs = next(iter(pack.blocks(10**6))).probs
    for t in range(50):
        pairs = [(i, j) for i in range(6) for j in range(6)]
        assert apart[t] == pytest.approx(
            sum(RHO[i] * RHO[j] * (votes[i, t] != votes[j, t]) for i, j in pairs)
        )
        shares = [sum(RHO[i] for i in range(6) if votes[i, t] == c) for c in range(3)]
        means = [sum(RHO[i] * probs[i, t, c] for i in range(6)) for c in range(3)]
        assert top[t] == pytest.approx(max(shares if vote == "majority" else means))
        assert score(pack, RHO, vote).classes[t] == int(np.argmax(shares if vote == "majority" else means))


def test_no_answer_is_an_answer_of_its_own() -> None:
    pack = Predictions.from_arrays(
        votes=[[0, 1], [0, 1]], classes=2, abstained=[[False, False], [True, False]]
    )
    top, apart = scores(pack, np.array([0.75, 0.25]), "majority")
    assert top.tolist() == [0.75, 1.0]
    assert apart == pytest.approx([2 * 0.75 * 0.25, 0.0])


def test_every_sample_is_counted_once_in_the_cell_of_its_score() -> None:
    pack = simulated(samples=200)
    top, apart = scores(pack, RHO, "average")
    found = profile_of(pack, RHO, "average")
    for counts, values in ((found.unsure, 1 - top), (found.disagreeing, apart)):
        for cell, count in enumerate(counts):
            low = EDGES[cell - 1] if cell else -1.0
            high = EDGES[cell] if cell < len(EDGES) else 2.0
            assert count == sum(low < value <= high for value in values)
    assert found.mean_share == pytest.approx(top.mean())
    assert found.fault() is None


def test_groups_are_averaged_first() -> None:
    groups = np.repeat(np.arange(40), 5)
    found = profile_of(simulated(samples=200, groups=groups), RHO, "majority")
    _, apart = scores(simulated(samples=200), RHO, "majority")
    assert (found.samples, found.unit) == (40, "groups")
    assert found.mean_disagreement == pytest.approx(apart.reshape(40, 5).mean())


def test_equal_weights_never_fall_on_an_edge() -> None:
    for members in range(1, 200):
        shares = np.arange(members + 1) / members
        assert (np.abs(EDGES[1:, None] - shares) > 1e-12).all()
