"""A matrix as an image of one pixel per square: a PNG written by hand, the same bytes everywhere."""

import base64
import struct
import zlib
from collections.abc import Sequence

# Colours of equal steps, even for colour-blind readers: cividis of Nuñez, Anderton and Renslow (2018), between anchors.
ANCHORS = (
    *("#00224e", "#083370", "#35456c", "#4f576c", "#666970", "#7d7c78"),
    *("#948e77", "#aea371", "#c8b866", "#e5cf52", "#fee838"),
)
SHADES = 256
WHITE_UNTIL = 0.55  # up to this share of the scale, white text is easier to read than black


def image(matrix: Sequence[Sequence[float]], low: float, high: float) -> str:
    """Return the matrix as the address of an image; values beyond the ends get the colour of the end.

    >>> image([[0.0, 1.0]], 0.0, 1.0)[:32]
    'data:image/png;base64,iVBORw0KGg'
    """
    rows = b"".join(b"\0" + bytes(round(255 * share(v, low, high)) for v in row) for row in matrix)
    head = struct.pack(">IIBBBBB", len(matrix[0]), len(matrix), 8, 3, 0, 0, 0)
    # level 0: compressors differ between versions, and then the page would too
    parts = ((b"IHDR", head), (b"PLTE", _palette()), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    written = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)
    return f"data:image/png;base64,{base64.b64encode(written).decode()}"


def share(value: float, low: float, high: float) -> float:
    """Return where between low and high the value lies, from 0 to 1.

    >>> share(3.0, 2.0, 4.0), share(9.0, 2.0, 4.0), share(2.0, 2.0, 2.0)
    (0.5, 1.0, 1.0)
    """
    return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else float(value >= low)


def ramp() -> str:
    """Return the colours as a CSS gradient, for the scale beside the figure."""
    return f"linear-gradient(to right,{','.join(ANCHORS)})"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _palette() -> bytes:
    """Return red, green and blue of every shade, between the anchors."""
    return bytes(part for i in range(SHADES) for part in _shade(i / (SHADES - 1)))


def _shade(at: float) -> tuple[int, ...]:
    place = at * (len(ANCHORS) - 1)
    left = min(int(place), len(ANCHORS) - 2)
    one, other = (bytes.fromhex(ANCHORS[i][1:]) for i in (left, left + 1))
    return tuple(round(a + (place - left) * (b - a)) for a, b in zip(one, other))
