import numpy as np
import pytest

from quorate import Predictions, certify, weigh
from quorate.errors import InputError
from quorate.statistics import measure
from quorate.statistics.unlabelled import matched, pooled_disagreement
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


def test_members_are_found_by_their_names_not_their_order() -> None:
    names = list("abcdef")
    known = simulated(classes=2, votes=True, names=names)
    extra = simulated(classes=2, votes=True, seed=1, samples=3000, labels=False, names=names)
    shuffled = extra.pick([3, 0, 5, 1, 4, 2])
    straight = certify(known, np.full(6, 1 / 6), unlabelled=extra)
    assert certify(known, np.full(6, 1 / 6), unlabelled=shuffled).certificates == straight.certificates


def test_other_names_and_the_labelled_samples_again_are_refused() -> None:
    known = simulated(classes=2, votes=True, names=list("abcdef"))
    with pytest.raises(InputError, match="'g' is not among the labelled ones"):
        matched(simulated(classes=2, votes=True, seed=1, names=list("abcdeg")), known)
    with pytest.raises(InputError, match="these are the labelled samples again"):
        matched(simulated(classes=2, votes=True, names=list("abcdef"), labels=False), known)


@pytest.mark.parametrize("extra", [simulated(members=5, classes=2), simulated(classes=3)])
def test_other_members_or_classes(extra: Predictions) -> None:
    with pytest.raises(InputError, match="unlabelled: must hold the same 6 members and two classes"):
        matched(extra, simulated(classes=2))
