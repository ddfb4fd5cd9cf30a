"""The checksum of a stretch of a file (CRC-32, as zip archives keep it), taken in threads and put together."""

import zlib
from pathlib import Path

from comitia._threads import in_threads

#: Bytes of a piece, and of one reading of it.
PIECE, READ = 2**25, 2**20
#: The polynomial of CRC-32, and x, with the coefficient of x^0 in the highest bit.
POLYNOMIAL, X = 0xEDB88320, 1 << 30


def crc_of(path: Path, start: int, size: int) -> int:
    """Return the CRC-32 of `size` bytes of a file from `start` on, or of those up to its end.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a").write_bytes(b"-123456789-")
    ...     hex(crc_of(Path(folder, "a"), 1, 9))
    '0xcbf43926'
    """

    def look(piece: tuple[int, int]) -> int:
        return _piece(path, *piece)

    pieces = [(start + low, min(PIECE, size - low)) for low in range(0, size, PIECE)]
    found = 0
    for (_, length), crc in zip(pieces, in_threads(look, pieces, large=len(pieces) > 1), strict=True):
        found = joined(found, crc, length)
    return found


def joined(first: int, second: int, length: int) -> int:
    """Return the CRC-32 of two stretches, one after the other, from those of each; `length` is of the second, in bytes.

    That of the first is multiplied by x^(8 length), modulo the polynomial.

    >>> joined(zlib.crc32(b"ab"), zlib.crc32(b"cde"), 3) == zlib.crc32(b"abcde")
    True
    """
    power, square = 1 << 31, X
    bits = 8 * length
    while bits:
        power = _times(power, square) if bits & 1 else power
        square, bits = _times(square, square), bits >> 1
    return _times(power, first) ^ second


def _times(one: int, other: int) -> int:
    """The product of two polynomials over GF(2), modulo the polynomial."""
    product = 0
    for place in range(31, -1, -1):
        if one >> place & 1:
            product ^= other
        other = (other >> 1) ^ (POLYNOMIAL if other & 1 else 0)
    return product


def _piece(path: Path, start: int, size: int) -> int:
    found, left = 0, size
    with path.open("rb") as stream:
        stream.seek(start)
        while left and (read := stream.read(min(READ, left))):
            found, left = zlib.crc32(read, found), left - len(read)
    return found
