from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia._errors import InputError
from comitia.data import data_folder, divide, mean_image


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 200), st.integers(0, 1), st.floats(0, 0.3), st.integers(0, 5))
def test_parts_are_disjoint_sorted_and_cover_all(n: int, holdout: int, select: float, seed: int) -> None:
    parts = divide(n, holdout=holdout, select=select, seed=seed)
    together = [*parts.train.tolist(), *parts.select.tolist(), *parts.holdout.tolist()]
    assert sorted(together) == list(range(n))
    assert len(parts.holdout) == holdout
    assert abs(len(parts.select) - select * n) <= 0.5
    for part in (parts.train, parts.select, parts.holdout):
        assert part.tolist() == sorted(part.tolist())


def test_seed_decides_and_holdout_does_not_depend_on_select() -> None:
    first = divide(1000, holdout=200, seed=3)
    assert np.array_equal(first.holdout, divide(1000, holdout=0.2, select=100, seed=3).holdout)
    assert not np.array_equal(first.holdout, divide(1000, holdout=200, seed=4).holdout)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"holdout": 10}, r"must leave samples to train on, got 10 \+ 0 of 10"),
        ({"holdout": 5, "select": 0.5}, r"got 5 \+ 5 of 10"),
        ({"holdout": -1}, "data.holdout: a count must be at least 0, got -1"),
        ({"select": 1.5}, r"data.select: a fraction must lie in \[0, 1\), got 1.5"),
    ],
)
def test_impossible_parts(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        divide(10, **options)


def test_mean_image_of_some() -> None:
    images = np.random.default_rng(0).integers(0, 256, (9000, 2, 2, 1), dtype=np.uint8)
    index = np.arange(100, 9000)
    assert np.allclose(mean_image(images, index), images[100:].mean(axis=0) / 255, atol=1e-6)
    assert not np.allclose(mean_image(images, index), mean_image(images), atol=1e-6)


def test_variables_move_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMITIA_DATA", str(tmp_path / "a"))
    assert data_folder(None) == tmp_path / "a"
    monkeypatch.delenv("COMITIA_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_folder(None) == tmp_path / "comitia"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder(None) == tmp_path / ".cache" / "comitia"
    assert data_folder("~/b") == tmp_path / "b"


def test_groups_stay_whole_in_every_part() -> None:
    groups = np.random.default_rng(0).integers(0, 40, 100)
    for seed in range(5):
        parts = divide(100, holdout=0.2, select=10, seed=seed, groups=groups)
        three = [parts.train, parts.select, parts.holdout]
        assert np.array_equal(np.sort(np.concatenate(three)), np.arange(100))
        found = [set(groups[part].tolist()) for part in three]
        assert not found[0] & found[1]
        assert not found[0] & found[2]
        assert not found[1] & found[2]
        assert 20 <= len(parts.holdout) < 30
        assert 10 <= len(parts.select) < 20
    assert len(divide(100, holdout=5, groups=groups).select) == 0
