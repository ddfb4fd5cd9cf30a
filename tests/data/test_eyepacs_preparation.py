import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from comitia.data.eyepacs_preparation import NoRetina, preprocess, radius


def photo(r: int = 60, size: tuple[int, int] = (160, 200), seed: int | None = None) -> np.ndarray:
    """A reddish disc of radius r on black; with a seed, of random brightness."""
    height, width = size
    y, x = np.mgrid[:height, :width]
    disc = (y - height / 2 + 0.5) ** 2 + (x - width / 2 + 0.5) ** 2 < r * r
    colour = np.array([180, 90, 40])
    if seed is None:
        return (disc[..., None] * colour).astype(np.uint8)
    noise = np.random.default_rng(seed).integers(-30, 30, (height, width, 1))
    return (disc[..., None] * (colour + noise)).clip(0, 255).astype(np.uint8)


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 70))
def test_radius_is_found(r: int) -> None:
    assert abs(radius(photo(r)) - r) <= 1


def test_uniform_disc_becomes_grey_inside_and_outside() -> None:
    result = preprocess(Image.fromarray(photo()), blur=5.0, size=64)
    assert result.shape == (64, 64, 3)
    assert result.dtype == np.uint8
    assert (result[20:44, 20:44] == 128).all()  # equal to its own average
    assert (result[0, 0] == 128).all()  # outside of what is kept


def test_what_is_kept_is_the_inner_nine_tenths() -> None:
    """At size 540 nothing is resized: the disc has radius 270 of 300."""
    pixels = photo(seed=1)
    result = preprocess(Image.fromarray(pixels), size=540).astype(int)
    y, x = np.mgrid[:540, :540] - 269.5
    distance = np.hypot(y, x)
    # 160 rows become 800: the photograph covers the whole disc.
    assert (result[distance > 270.5] == 128).all()
    inside = np.abs(result[(distance > 255) & (distance < 269)] - 128)
    assert inside.mean() > 5


def test_middle_pixel_against_a_loop() -> None:
    """4·(image - Gaussian average) + 128 at one pixel, summed by hand on the rescaled photograph."""
    pixels = photo(r=100, size=(220, 240), seed=2)
    factor = 300 / radius(pixels)
    width, height = round(240 * factor), round(220 * factor)
    scaled = np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR), float)
    row, column, sigma = height // 2 + 7, width // 2 - 11, 3.0
    total = weights = 0.0
    for dy in range(-12, 13):
        for dx in range(-12, 13):
            weight = math.exp(-(dy * dy + dx * dx) / (2 * sigma * sigma))
            total += weight * scaled[row + dy, column + dx, 1]
            weights += weight
    expected = 4 * (scaled[row, column, 1] - total / weights) + 128
    result = preprocess(Image.fromarray(pixels), blur=sigma, size=540)
    assert abs(expected - 128) > 3
    assert abs(int(result[270 + 7, 270 - 11, 1]) - expected) <= 1


def test_photograph_cut_off_above_and_below_is_padded_with_grey() -> None:
    result = preprocess(Image.fromarray(photo(r=90, size=(100, 200), seed=3)), size=540)
    assert (result[:80] == 128).all()
    assert (result[-80:] == 128).all()
    assert np.abs(result[250:290, 250:290].astype(int) - 128).mean() > 3


def test_grey_photographs_are_taken_as_colour() -> None:
    grey = Image.fromarray(photo(seed=4)).convert("L")
    assert preprocess(grey, size=32).shape == (32, 32, 3)


@pytest.mark.parametrize("pixels", [np.zeros((50, 60, 3), np.uint8), photo(r=1, size=(300, 2000))])
def test_no_retina(pixels: np.ndarray) -> None:
    with pytest.raises(NoRetina):
        preprocess(Image.fromarray(pixels))
