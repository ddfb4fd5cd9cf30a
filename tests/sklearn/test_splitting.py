"""How samples are divided: shares, groups, and two classes on the side that trains without a bias of the other."""

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.sklearn.splitting import as_groups, divide


@pytest.mark.parametrize(
    ("samples", "share", "held"), [(1000, 0.3, 300), (10, 0.3, 3), (4, 0.1, 2), (5, 0.9, 3)]
)
def test_the_share_is_held_out(samples: int, share: float, held: int) -> None:
    parts = divide(samples, share, np.random.RandomState(0))
    assert len(parts.held) == held
    assert sorted([*parts.train, *parts.held]) == list(range(samples))
    assert (np.diff(parts.held) > 0).all()


def test_groups_stay_whole() -> None:
    groups = np.random.default_rng(0).integers(0, 40, 300)
    parts = divide(300, 0.25, np.random.RandomState(1), groups)
    assert not set(groups[parts.train]) & set(groups[parts.held])
    assert len(set(groups[parts.held])) == 10


def test_those_that_train_have_two_classes() -> None:
    labels = np.zeros(30, int)
    labels[:2] = 1
    for seed in range(200):
        parts = divide(30, 0.9, np.random.RandomState(seed), None, labels)
        assert len(set(labels[parts.train])) == 2


def test_waiting_for_a_second_class_leaves_the_others_a_fair_sample() -> None:
    """Over independent draws of all samples, those held out have each class as often as the distribution does."""
    rng, rates = np.random.default_rng(0), []
    for seed in range(3000):
        labels = (rng.random(12) < 0.15).astype(int)
        if len(set(labels.tolist())) < 2:
            continue
        order = np.random.RandomState(seed).permutation(12)
        # what happens with samples that are still to come is judged in the drawn order
        waited = max(6, int(np.argmax(labels[order] != labels[order[0]])) + 1)
        try:
            parts = divide(12, 0.5, np.random.RandomState(seed), None, labels)
        except InputError:
            assert waited == 12
            continue
        assert sorted(order[:waited]) == parts.train.tolist()
        if waited > 6:
            rates += labels[parts.held].tolist()
    assert np.mean(rates) == pytest.approx(0.15, abs=0.03)


def test_nothing_left_to_hold_out_is_an_error() -> None:
    labels = np.array([0] * 9 + [1])
    seeds = [seed for seed in range(50) if np.random.RandomState(seed).permutation(10)[-1] == 9]
    with pytest.raises(
        InputError, match="holdout: 10 samples leave none that no member is trained on; give more"
    ):
        divide(10, 0.5, np.random.RandomState(seeds[0]), None, labels)


def test_groups_are_one_per_sample() -> None:
    assert as_groups(None, 3) is None
    with pytest.raises(InputError, match="groups: one per sample is required, got 2 for 3 samples"):
        as_groups(["a", "b"], 3)
