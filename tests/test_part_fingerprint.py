"""Checksums of parts: the same for the same samples however they are written, else different."""

import numpy as np
import pytest

from comitia import Predictions
from comitia._fingerprint import part_fingerprints

RNG = np.random.default_rng(3)
WORDS = np.array(["cat", "dog", "eel"])
LABELS = RNG.integers(0, 3, 60)
VOTES = RNG.integers(0, 3, (4, 60))
MASK = RNG.random((4, 60)) < 0.8
SILENT = RNG.random((4, 60)) < 0.2
SEEN = MASK & ~SILENT
IDS = [f"s{k}" for k in range(60)]
PLAIN = {"votes": WORDS[VOTES], "labels": WORDS[LABELS], "mask": MASK, "abstained": SILENT}


def mark(**arrays):
    (found,) = part_fingerprints(Predictions.from_arrays(**arrays))
    return found


SAME = {
    "members in another order": {key: PLAIN[key][::-1] for key in ("votes", "mask", "abstained")},
    "other names": {"names": ["a", "b", "c", "d"]},
    "classes in another order": {"classes": ["eel", "cat", "dog"]},
    "a class that nobody answers": {"classes": ["ant", "cat", "dog", "eel", "fox"]},
    "other labels": {"labels": WORDS[LABELS[::-1]]},
    "no labels": {"labels": None},
    "states": {"run": [1, 1, 2, 2], "step": [1, 2, 1, 2]},
    "folds": {"folds": LABELS},
    "other values where nobody looks": {"votes": np.where(SEEN, PLAIN["votes"], "fox"), "classes": [*WORDS, "fox"]},
}  # fmt: skip
OTHER = {
    "a vote": {"votes": np.where(np.arange(60) == SEEN.all(axis=0).argmax(), "cow", PLAIN["votes"])},
    "another class in place of one": {"votes": np.where(PLAIN["votes"] == "cat", "ant", PLAIN["votes"])},
    "samples in another order": {key: PLAIN[key][:, ::-1] for key in ("votes", "mask", "abstained")},
    "another mask": {"mask": MASK | (np.arange(60) > 50)},
    "another silence": {"abstained": SILENT & (np.arange(60) < 50)},
    "silent in place of unseen": {"mask": None, "abstained": SILENT | ~MASK},
    "ids": {"ids": IDS},
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_the_same_samples(case):
    assert mark(**{**PLAIN, **SAME[case]}) == mark(**PLAIN)


@pytest.mark.parametrize("case", OTHER)
def test_other_samples(case):
    assert mark(**{**PLAIN, **OTHER[case], "labels": None}) != mark(**PLAIN)


def test_other_ids_are_other_samples():
    assert mark(**PLAIN, ids=IDS) != mark(**PLAIN, ids=[f"t{k}" for k in range(60)])


def test_probabilities_are_the_votes_that_they_stand_for():
    probs = RNG.dirichlet(np.ones(3), (4, 60)) / 2 + np.eye(3)[VOTES] / 2
    assert mark(probs=probs.astype(np.float32)) == mark(votes=VOTES)
    ones = np.where(VOTES > 0, 0.9, 0.1)
    assert mark(probs=ones) == mark(votes=VOTES.clip(0, 1))


def test_more_classes_than_a_byte_holds():
    votes = np.arange(600).reshape(2, 300)
    assert mark(votes=votes) == mark(votes=votes[::-1])
    assert mark(votes=votes) != mark(votes=votes % 256)


def test_each_shard_has_its_own():
    parts = [
        Predictions.from_arrays(votes=VOTES[:, where], ids=IDS[where])
        for where in (slice(0, 20), slice(20, 60))
    ]
    together = Predictions.concatenate(parts)
    assert part_fingerprints(together) == (*part_fingerprints(parts[0]), *part_fingerprints(parts[1]))
    assert part_fingerprints(together.take(np.arange(20, 60))) == part_fingerprints(parts[1])
