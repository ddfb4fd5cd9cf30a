"""Predictions written and read again are the same."""

import numpy as np
import pytest

from comitia import InputError, Predictions
from comitia.files import read_predictions, write_predictions

RNG = np.random.default_rng(8)
SHARES = RNG.random((2, 30))
LABELS = RNG.integers(0, 2, 30)
VALUES = {
    "votes": {"votes": (SHARES > 0.5).astype(int)},
    "binary": {"probs": SHARES},
    "probs": {"probs": RNG.dirichlet([1, 1], (2, 30)).astype(np.float32)},
}
FACTS = {
    "nothing": {},
    "classes": {"classes": ["no", "yes"]},
    "groups": {"groups": [f"p{k // 3}" for k in range(30)]},
    "folds": {"folds": np.arange(30) % 3},
    "ids": {"ids": [f"s{k}" for k in range(30)]},
    "abstained": {"abstained": RNG.random((2, 30)) < 0.3},
    "mask": {"mask": RNG.random((2, 30)) < 0.9},
}
FACTS["all"] = {key: value for facts in FACTS.values() for key, value in facts.items()}


def same(one, other):
    if one is None or other is None:
        return one is other
    return np.asarray(one).tolist() == np.asarray(other).tolist()


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("facts", FACTS)
def test_a_round_trip(kind, facts, tmp_path):
    made = Predictions.from_arrays(**VALUES[kind], labels=LABELS, **FACTS[facts])
    write_predictions(tmp_path / "a.npz", made)
    found = read_predictions(tmp_path / "a.npz")
    assert found.fingerprint() == made.fingerprint()
    assert (found.class_names, found.declared) == (made.class_names, made.declared)
    assert same(found.votes(), made.votes())
    assert same(found.mask(), made.mask())
    assert same(found.abstained(), made.abstained())
    assert same(found.ids, made.ids)
    for one, other in ((found.groups, made.groups), (found.folds, made.folds)):
        assert (one is None) == (other is None)
        assert one is None or (one.names, one.codes.tolist()) == (other.names, other.codes.tolist())
    with np.load(tmp_path / "a.npz") as pack:
        assert set(pack) - {"votes", "probs", "labels", "names"} == set(FACTS[facts])


def test_only_packs_are_written(tmp_path):
    with pytest.raises(InputError, match=r"a.csv: predictions are written as .npz"):
        write_predictions(tmp_path / "a.csv", Predictions.from_arrays(votes=[[0, 1]]))
