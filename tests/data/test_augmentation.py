"""Augmentation against a plain loop."""

import numpy as np
import pytest

from comitia.data.augmentation import flip_shift

IMAGES = np.random.default_rng(3).integers(0, 256, size=(40, 9, 7, 3)).astype(np.uint8)


def slow(image: np.ndarray, down: int, right: int, mirrored: bool) -> np.ndarray:
    """One image moved pixel by pixel, the edge repeated, then mirrored."""
    height, width = image.shape[:2]
    moved = np.empty_like(image)
    for row in range(height):
        for column in range(width):
            source = min(max(row + down, 0), height - 1), min(max(column + right, 0), width - 1)
            moved[row, column] = image[source]
    return moved[:, ::-1] if mirrored else moved


def test_every_image_is_one_of_its_moves() -> None:
    changed = flip_shift(IMAGES, np.random.default_rng(0), shift=2)
    moves = [(d, r, m) for d in range(-2, 3) for r in range(-2, 3) for m in (False, True)]
    used = set()
    for image, result in zip(IMAGES, changed):
        matches = [move for move in moves if np.array_equal(slow(image, *move), result)]
        assert len(matches) == 1
        used.add(matches[0])
    assert {mirrored for _, _, mirrored in used} == {False, True}
    assert len({down for down, _, _ in used}) == len({right for _, right, _ in used}) == 5


def test_the_generator_decides() -> None:
    first = flip_shift(IMAGES, np.random.default_rng(5))
    assert np.array_equal(first, flip_shift(IMAGES, np.random.default_rng(5)))
    assert not np.array_equal(first, flip_shift(IMAGES, np.random.default_rng(6)))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_type_and_argument_stay(dtype: type) -> None:
    images = IMAGES.astype(dtype)
    before = images.copy()
    assert flip_shift(images, np.random.default_rng(0)).dtype == dtype
    assert np.array_equal(images, before)
