"""Checksums of archive members: put together from pieces as zlib gives them, and enforced for mapped arrays."""

import zlib
from pathlib import Path

import numpy as np
import pytest

import comitia.files.crc as crc
from comitia._errors import InputError
from comitia.files.npz import read_npz


@pytest.mark.parametrize(("start", "size"), [(0, 0), (0, 1), (3, 999), (1, 65_535), (17, 100_000)])
def test_pieces_make_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: int, size: int
) -> None:
    monkeypatch.setattr(crc, "PIECE", 1000)
    content = np.random.default_rng(0).bytes(100_100)
    (tmp_path / "a").write_bytes(content)
    assert crc.crc_of(tmp_path / "a", start, size) == zlib.crc32(content[start : start + size])


@pytest.mark.parametrize("key", ["votes", "labels"])
def test_one_flipped_bit_is_not_certified(tmp_path: Path, key: str) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, votes=np.tile([[0, 1, 1, 0]], (3, 20)), labels=np.tile([0, 1, 1, 0], 20))
    content = bytearray(path.read_bytes())
    content[content.index(f"{key}.npy".encode()) + 300] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"a\.npz: is not a whole \.npz file \(bad CRC-32 of {key}"):
        read_npz(path)
