"""What the networks require of the samples, said before the first batch fails."""

from comitia._errors import InputError


def image_shape(model: str, shape: tuple[int, ...], *, least: int) -> tuple[int, int, int]:
    """(H, W, C) of the images, if they are images of at least `least` pixels a side."""
    if len(shape) != 3 or min(shape[:2]) < least:
        raise InputError(
            f"model {model}: needs images (height, width, channels) of at least {least} × {least} pixels, "
            f"got samples of shape {shape}"
        )
    return shape[0], shape[1], shape[2]


def rate(model: str, dropout: float) -> float:
    """The dropout rate, if it is one."""
    if not 0 <= dropout < 1:
        raise InputError(f"model {model}: dropout must lie in [0, 1), got {dropout:g}")
    return dropout
