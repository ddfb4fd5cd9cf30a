"""Augmentation of whole batches of images, as they are stored (n, H, W, C).

An augmentation is a function of (images, random) that returns images of the same shape and type; `random` is the
generator of the run and epoch. A recipe may name one from outside by `module:function`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Augmentation = Callable[[NDArray[Any], np.random.Generator], NDArray[Any]]


def unchanged(images: NDArray[Any], random: np.random.Generator) -> NDArray[Any]:
    """Return the images themselves."""
    return images


def flip_shift(images: NDArray[Any], random: np.random.Generator, *, shift: int = 4) -> NDArray[Any]:
    """Return the images, each mirrored half the time and moved by up to `shift` pixels each way.

    Pixels that move in from outside repeat the edge.

    >>> flip_shift(np.zeros((5, 8, 8, 3), dtype=np.uint8), np.random.default_rng(0)).shape
    (5, 8, 8, 3)
    """
    count, height, width = images.shape[:3]
    moves = random.integers(-shift, shift + 1, size=(2, count, 1))
    mirrored = random.integers(0, 2, size=(count, 1)) == 1
    rows = np.clip(np.arange(height) + moves[0], 0, height - 1)  # (n, H)
    columns = np.clip(np.arange(width) + moves[1], 0, width - 1)  # (n, W)
    columns = np.where(mirrored, columns[:, ::-1], columns)
    moved: NDArray[Any] = images[np.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]
    return moved


AUGMENTATIONS: dict[str, Augmentation] = {"none": unchanged, "flip-shift": flip_shift}
