"""Weights for members with hold-outs of their own."""

import numpy as np
import pytest

from comitia import Predictions, certify
from comitia.sklearn.mixing import _candidates, _losses, mixed
from comitia.weighting import Evidence, minimise_tandem


def pack(
    samples: int = 800, vote: str = "majority", seed: int = 0, errors=(0.1, 0.2, 0.3, 0.3)
) -> Predictions:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, samples)
    wrong = rng.random((len(errors), samples)) < np.array(errors)[:, None]
    votes = np.where(wrong, (labels + 1) % 3, labels)
    mask = rng.random((len(errors), samples)) < 0.6
    if vote == "average":
        return Predictions.from_arrays(probs=np.eye(3)[votes] * 0.7 + 0.1, labels=labels, mask=mask)
    return Predictions.from_arrays(votes=votes, labels=labels, mask=mask)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_losses_by_loops(vote: str) -> None:
    given = pack(60, vote)
    weights = np.array([[0.25] * 4, [0.7, 0.1, 0.1, 0.1]])
    expected = np.zeros(2)
    votes, mask = given.votes(), given.mask()
    for k, rho in enumerate(weights):
        for x in range(60):
            totals = np.zeros(3)
            for member in range(4):
                if mask[member, x]:
                    said = np.eye(3)[votes[member, x]]
                    totals += rho[member] * (said if vote == "majority" else 0.7 * said + 0.1)
            totals = totals / totals.sum() if totals.sum() else totals
            others = np.delete(totals, given.labels[x]).max()
            margin = totals[given.labels[x]] - others
            expected[k] += (margin <= 1e-9) + 1 / (1 + np.exp(margin / 0.3))
    assert _losses(given, weights, vote) == pytest.approx(expected, rel=1e-9)


def test_it_lies_between_equal_and_tandem_weights() -> None:
    evidence = Evidence(pack())
    known = evidence.statistics
    best = minimise_tandem(known.second, known.pair_samples, 0.05).weights
    found = mixed(evidence).weights
    share = (found - 0.25) / (best - 0.25)
    assert found.sum() == pytest.approx(1)
    assert share == pytest.approx(np.full(4, share[0]), abs=1e-6)
    assert -1e-9 <= share[0] <= 1 + 1e-9
    assert np.allclose(_candidates(evidence, evidence.predictions)[2], best)


def test_better_weights_get_more() -> None:
    """One good member among bad ones: tandem weights vote far better, and nearly all weight goes to them."""
    evidence = Evidence(pack(4000, errors=(0.02, 0.45, 0.45, 0.45)))
    equal, _, best = _candidates(evidence, evidence.predictions)
    found = mixed(evidence).weights
    assert np.abs(found - best).sum() < np.abs(found - equal).sum()


def test_what_it_chose_is_certified_as_all_samples_choose() -> None:
    given = pack()
    found = certify(given, mixed(Evidence(given)).weights, chosen_on="all")
    assert {entry.name for entry in found.certificates} >= {"tandem-kl", "first-order-kl"}
    assert "holdout" not in {entry.name for entry in found.certificates}
