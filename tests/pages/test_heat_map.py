"""The image of a matrix, read back by another library."""

import base64
import io

import numpy as np
import pytest

from comitia.pages.heat_map import ANCHORS, image


def read(address: str) -> np.ndarray:
    pillow = pytest.importorskip("PIL.Image")
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    return np.asarray(pillow.open(io.BytesIO(data)).convert("RGB"))


def test_one_pixel_per_square_in_the_colour_of_its_value() -> None:
    found = read(image([[0.0, 0.5, 1.0], [2.0, -1.0, 0.25]], 0.0, 1.0))
    assert found.shape == (2, 3, 3)
    first, last = (tuple(bytes.fromhex(ANCHORS[i][1:])) for i in (0, -1))
    assert tuple(found[0, 0]) == tuple(found[1, 1]) == first
    assert tuple(found[0, 2]) == tuple(found[1, 0]) == last


def test_the_colours_are_those_of_matplotlib() -> None:
    maps = pytest.importorskip("matplotlib").colormaps
    shades = np.linspace(0, 1, 256)
    found = read(image([shades.tolist()], 0.0, 1.0))[0].astype(int)
    wanted = np.rint(255 * maps["cividis"](shades)[:, :3])
    assert np.abs(found - wanted).max() <= 9  # between eleven anchors


def test_brighter_is_more() -> None:
    found = read(image([np.linspace(0, 1, 64).tolist()], 0.0, 1.0))[0]
    brightness = found @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(brightness) > 0).all()


def test_levels_that_coincide_do_not_divide_by_zero() -> None:
    assert read(image([[0.1, 0.2]], 0.2, 0.2)).shape == (1, 2, 3)
