"""Counts over pairs of rows of packed bits: 64 samples per word; numba where installed, else numpy."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._threads import threads

Words = NDArray[np.uint64]

#: Bytes of a temporary array of the numpy path: what a second cache holds beside its operands.
CACHE = 2**18
#: Every second byte of a word, to add neighbouring counts without overflow.
EVEN = np.uint64(0x00FF00FF00FF00FF)
#: Words per pass of the numpy path: sums of 16-bit lanes stay below 2^16 (8 words per lane group, 2·64 each).
PASS = 2048
#: Pairs of words up to which numpy has counted them before numba would be imported.
SMALL = 2**26
#: Pairs of words for which starting threads takes longer than counting them.
FEW = 2**20


def pack(bits: NDArray[Any]) -> Words:
    """Return the rows packed into words: (…, n), zero or not → (…, ⌈n/64⌉) uint64, zeros behind the end.

    >>> import numpy as np
    >>> pack(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    packed = np.packbits(bits, axis=-1, bitorder="little")
    if packed.shape[-1] % 8 == 0:
        return packed.view(np.uint64)
    whole = np.zeros((*packed.shape[:-1], -(-packed.shape[-1] // 8) * 8), np.uint8)
    whole[..., : packed.shape[-1]] = packed
    return whole.view(np.uint64)


def compiled() -> bool:
    """Whether numba is installed and works here, so that the compiled path counts."""
    from comitia import _kernels  # inside, for importing numba takes a while

    return _kernels.AVAILABLE


def _worth_compiling(pairs: int) -> bool:
    """Whether the compiled path is the quicker one for that many pairs of words, its import included."""
    return (pairs > SMALL or "comitia.statistics.kernel" in sys.modules) and compiled()


def co_occurrences(words: Words) -> NDArray[np.int64]:
    """Return, as (M, M), how many bits each pair of rows has in common; words (M, W)."""
    if _worth_compiling(len(words) * words.size):
        from comitia.statistics import kernel

        return kernel.co_occurrences(words)
    return co_occurrences_numpy(words)


def differences(planes: Words, keep: Words) -> NDArray[np.int64]:
    """Return, as (M, M), on how many kept bits each pair differs in any plane; planes (M, B, W), keep (M, W)."""
    if _worth_compiling(len(planes) * planes.size):
        from comitia.statistics import kernel

        return kernel.differences(planes, keep)
    return differences_numpy(planes, keep)


def co_occurrences_numpy(words: Words) -> NDArray[np.int64]:
    """Return the same counts as `co_occurrences`, without numba."""
    counts = np.zeros((len(words), len(words)), np.int64)
    for start, stop, rows in _passes(words.shape[1], len(words)):
        part = _padded(words[:, start:stop])

        def add(i: int, low: int, high: int, part: Words = part) -> None:
            counts[i, low:high] += _sum_bits(part[low:high] & part[i])

        _in_threads(add, len(words), rows, part.size)
    return _mirror(counts)


def differences_numpy(planes: Words, keep: Words) -> NDArray[np.int64]:
    """Return the same counts as `differences`, without numba."""
    counts = np.zeros((len(planes), len(planes)), np.int64)
    for start, stop, rows in _passes(planes.shape[2], len(planes)):
        part, kept = _padded(planes[:, :, start:stop]), _padded(keep[:, start:stop])

        def add(i: int, low: int, high: int, part: Words = part, kept: Words = kept) -> None:
            differs = np.bitwise_or.reduce(part[low:high] ^ part[i], axis=1)
            counts[i, low:high] += _sum_bits(differs & kept[low:high] & kept[i])

        _in_threads(add, len(planes), rows, part.size)
    return _mirror(counts)


def _in_threads(add: Callable[[int, int, int], None], members: int, rows: int, words: int) -> None:
    # Every thread owns rows of the result, and numpy lets go of the interpreter's lock inside its loops.
    def row(i: int) -> None:
        for low in range(0, i + 1, rows):
            add(i, low, min(low + rows, i + 1))

    if members * words < FEW:
        for i in range(members):
            row(i)
        return
    with ThreadPoolExecutor(threads()) as pool:
        list(pool.map(row, range(members)))


def _passes(words: int, members: int) -> list[tuple[int, int, int]]:
    width = min(PASS, max(8, -(-words // 8) * 8))
    rows = max(1, min(members, CACHE // (8 * width)))
    return [(start, min(start + width, words), rows) for start in range(0, words, width)]


def _padded(words: Words) -> Words:
    short = -words.shape[-1] % 8
    if not short:
        return np.ascontiguousarray(words)
    return np.concatenate([words, np.zeros((*words.shape[:-1], short), np.uint64)], axis=-1)


def _sum_bits(words: Words) -> NDArray[np.int64]:
    # Eight counts of a byte each lie in a word of `eight`; adding 16-bit lanes is quicker than summing bytes.
    eight = np.bitwise_count(words).view(np.uint64)
    lanes: NDArray[Any] = (eight & EVEN) + ((eight >> np.uint64(8)) & EVEN)
    sums = np.ascontiguousarray(lanes.sum(axis=1)).view(np.uint16).reshape(len(words), 4)
    return np.asarray(sums.sum(axis=1), dtype=np.int64)


def _mirror(lower: NDArray[np.int64]) -> NDArray[np.int64]:
    return lower + np.tril(lower, -1).T
