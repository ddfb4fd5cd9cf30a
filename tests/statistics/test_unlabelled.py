import numpy as np
import pytest

from quorate import Predictions, certify, weigh
from quorate.errors import InputError
from quorate.statistics import measure
from quorate.statistics.unlabelled import pooled_disagreement
from simulated import simulated


@pytest.mark.parametrize("masked", [False, True])
def test_labelled_and_unlabelled_samples_count_alike(masked: bool) -> None:
    """Against a loop over all samples of both parts."""
    known = simulated(classes=2, votes=True, masked=masked)
    extra = simulated(classes=2, votes=True, masked=masked, seed=1, samples=300, labels=False)
    shares, m = pooled_disagreement(measure(known), extra)
    sizes = []
    for i in range(6):
        for j in range(6):
            apart = total = 0
            for part in (known, extra):
                mask = np.ones((6, part.samples), bool) if part.mask() is None else part.mask()
                both = mask[i] & mask[j]
                apart += int((part.votes()[i] != part.votes()[j])[both].sum())
                total += int(both.sum())
            sizes.append(total)
            assert shares[i, j] == pytest.approx(apart / total, rel=1e-12)
    assert m == min(sizes)


def test_unlabelled_samples_tighten_the_disagreement_certificate() -> None:
    known = simulated(classes=2, votes=True)
    extra = simulated(classes=2, votes=True, seed=1, samples=20_000, labels=False)
    weights = np.full(6, 1 / 6)
    risk = {c.name: c.risk for c in certify(known, weights).certificates}
    more = {c.name: c.risk for c in certify(known, weights, unlabelled=extra).certificates}
    assert more["disagreement"] < risk["disagreement"]
    assert more["c1"] < risk["c1"]
    assert more["tandem-kl"] == risk["tandem-kl"]


def test_the_method_takes_them_too() -> None:
    known = simulated(classes=2, votes=True)
    extra = simulated(classes=2, votes=True, seed=1, samples=5000, labels=False)
    assert weigh(known, method="disagreement", unlabelled=extra).weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("extra", [simulated(members=5, classes=2), simulated(classes=3)])
def test_other_members_or_classes(extra: Predictions) -> None:
    with pytest.raises(InputError, match="unlabelled: must hold the same 6 members and two classes"):
        pooled_disagreement(measure(simulated(classes=2)), extra)
