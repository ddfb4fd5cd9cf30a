"""Copies of whole files of votes: shuffled ones are told, different samples that look alike are not refused."""

from math import comb
from pathlib import Path

import numpy as np
import pytest

from comitia import Predictions, read_predictions, weigh
from comitia._copied_votes import same_samples, vote_mark
from comitia._errors import InputError
from comitia.statistics.counts_of_kinds import log_probability_of_counts


def votes(rng: np.random.Generator, labels: np.ndarray, members: int = 5, right: float = 0.8) -> np.ndarray:
    wrong = rng.integers(0, 3, (members, len(labels)))
    return np.where(rng.random(wrong.shape) < right, labels, wrong)


def save(path: Path, **arrays: object) -> Path:
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return path


def test_a_shuffled_copy_is_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    said, order = votes(rng, labels), rng.permutation(300)
    one = save(tmp_path / "one.npz", votes=said, labels=labels)
    two = save(tmp_path / "two.npz", votes=said[:, order], labels=labels[order])
    with pytest.raises(InputError, match=r"two\.npz: holds the same samples as .*one\.npz"):
        read_predictions([one, two])
    whole = read_predictions(one)
    with pytest.raises(InputError, match="certify: 300 samples also choose the weights"):
        weigh(whole, certify=read_predictions(two))


def test_shards_sorted_by_class_that_begin_alike_are_read(tmp_path: Path) -> None:
    """Perfect members on the first class: 64 equal samples at the beginning of both."""
    rng, paths = np.random.default_rng(1), []
    for name in "ab":
        labels = np.sort(rng.integers(0, 3, 300))
        said = votes(rng, labels)
        said[:, labels == 0] = 0
        paths.append(save(tmp_path / f"{name}.npz", votes=said, labels=labels))
    assert read_predictions(paths).samples == 600


def test_members_that_are_always_right_look_alike_everywhere(tmp_path: Path) -> None:
    """Equal counts of perfect votes are no evidence, in another order; the same order is a copy unless ids differ."""
    labels = np.repeat([0, 1], 50)
    shuffled = np.random.default_rng(2).permutation(labels)
    pack = {"votes": np.tile(labels, (3, 1)), "labels": labels}
    one = save(tmp_path / "one.npz", **pack)
    other = save(tmp_path / "other.npz", votes=np.tile(shuffled, (3, 1)), labels=shuffled)
    assert read_predictions([one, other]).samples == 200
    ids = np.char.add("x", np.arange(200).astype(str))
    first, again = (save(tmp_path / f"{k}.npz", **pack, ids=ids[k : k + 100]) for k in (0, 100))
    assert read_predictions([first, again]).samples == 200
    with pytest.raises(InputError, match="the same samples"):
        read_predictions([one, save(tmp_path / "copy.npz", **pack)])


def test_the_probability_is_that_of_the_most_favourable_distribution() -> None:
    """By enumeration of two kinds: no p makes the counts (3, 7) more probable."""
    kinds, labels = np.array([1] * 3 + [2] * 7), np.zeros(10, int)
    grid = np.linspace(0.001, 0.999, 999)
    best = (comb(10, 3) * grid**3 * (1 - grid) ** 7).max()
    assert np.exp(log_probability_of_counts(kinds, labels)) == pytest.approx(best, rel=1e-5)


def test_different_samples_are_hardly_ever_called_copies() -> None:
    """Small shards of few kinds: 2,000 pairs, hundreds of them equal in their counts."""
    rng, equal, refused = np.random.default_rng(3), 0, 0
    for _ in range(2000):
        pair = []
        for _ in range(2):
            labels = np.repeat([0, 1], 4)
            said = np.where(rng.random((1, 8)) < 0.9, labels, 1 - labels)
            order = rng.permutation(8)
            pair.append(Predictions.from_arrays(votes=said[:, order], labels=labels[order], classes=2))
        if vote_mark(pair[0]) == vote_mark(pair[1]):
            equal += 1
            ordered = pair[0].fingerprint() == pair[1].fingerprint()
            refused += same_samples(*pair) and not ordered
    assert equal > 300
    assert refused == 0
