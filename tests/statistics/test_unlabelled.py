import numpy as np
import pytest

from comitia import Predictions, certify, weigh
from comitia._errors import InputError
from comitia.statistics import measure
from comitia.statistics.unlabelled import matched, pooled_disagreement
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
    with pytest.raises(InputError, match="'g' is not among the known ones"):
        matched(simulated(classes=2, votes=True, seed=1, names=list("abcdeg")), known)
    with pytest.raises(InputError, match="these are the labelled samples again"):
        matched(simulated(classes=2, votes=True, names=list("abcdef"), labels=False), known)


@pytest.mark.parametrize("extra", [simulated(members=5, classes=2), simulated(classes=3)])
def test_other_members_or_classes(extra: Predictions) -> None:
    message = "unlabelled: must hold the same 6 members, got 5|classes: must be 0, 1, got 0, 1, 2"
    with pytest.raises(InputError, match=message):
        matched(extra, simulated(classes=2))


def test_classes_that_the_labelled_samples_do_not_know() -> None:
    known = Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1])
    with pytest.raises(
        InputError, match="unlabelled: holds classes that the labelled samples do not know: 2"
    ):
        matched(Predictions.from_arrays(votes=[[0, 2], [1, 1]]), known)
    fewer = matched(Predictions.from_arrays(votes=[[0, 1], [1, 1]]), simulated(2, 9, 3, votes=True))
    assert fewer.classes == 3


def test_samples_with_ids_of_labelled_ones_are_refused() -> None:
    known = Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1], ids=["a", "b"])
    extra = Predictions.from_arrays(votes=[[0, 1, 1], [1, 1, 0]], ids=["c", "b", "d"])
    with pytest.raises(InputError, match="unlabelled: 1 samples are also labelled, such as 'b'; give others"):
        matched(extra, known)


def packs(known: np.ndarray, extra: np.ndarray) -> tuple[Predictions, Predictions]:
    """Two packs of samples of one table of probabilities."""
    table = np.random.default_rng(3).beta(2, 2, (9, 1000))
    labels = np.arange(len(known)) % 2
    return Predictions.from_arrays(probs=table[:, known], labels=labels), Predictions.from_arrays(
        probs=table[:, extra]
    )


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (np.arange(300)[::-1], "300 samples are also labelled; counting them twice makes"),
        (np.r_[np.arange(300), np.arange(300)], "300 samples are also labelled; counting them twice makes"),
        (np.r_[np.arange(500, 1000), 40:10:-1], "30 samples are also labelled; counting them twice makes"),
        (
            np.r_[np.arange(300, 1000), np.arange(300, 500)],
            "200 samples repeat others among them; give each once",
        ),
    ],
)
def test_copies_are_refused_in_whatever_order(extra: np.ndarray, message: str) -> None:
    known, more = packs(np.arange(300), extra)
    with pytest.raises(InputError, match=f"unlabelled: {message}"):
        matched(more, known)


def test_further_samples_of_probabilities_are_taken() -> None:
    known, more = packs(np.arange(300), np.arange(300, 1000))
    assert matched(more, known).samples == 700


def test_members_without_names_are_taken_by_order() -> None:
    known, more = simulated(classes=2, seed=1), simulated(classes=2, seed=2, labels=False)
    order = [2, 0, 1]
    new = Predictions.from_arrays(votes=more.votes()[order])
    assert np.array_equal(matched(new, known.pick(order)).votes(), more.votes()[order])
    named = simulated(classes=2, seed=1, names=list("abcdef"))
    assert np.array_equal(matched(more, named).votes(), more.votes())
