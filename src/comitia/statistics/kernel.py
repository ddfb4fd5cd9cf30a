"""Counting of packed bits, compiled by numba where it is installed (`AVAILABLE`).

Register tiles of 4 × 4 members load 8 words for 16 counts; blocks of words keep a tile's rows in the first
cache; LLVM turns the population counts into vector instructions where the processor has them. The compiled
functions release the interpreter's lock and are run by plain threads, which is safe in forked processes and
in threads of the caller, where numba's own parallel loops are not.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels import AVAILABLE, compiled
from comitia._threads import threads

if AVAILABLE:
    from numba.core import types
    from numba.extending import intrinsic

#: Words of 64 samples per pass: 8 rows of 4 KB lie in a first cache of 32 KB or more.
WORDS = 512
TILE = 4

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


def co_occurrences(words: Words) -> Counts:
    """Return, as (M, M), how many bits each pair of rows has in common; words (M, W) uint64."""
    members = len(words)
    padded = np.zeros((-(-members // TILE) * TILE, words.shape[1]), np.uint64)
    padded[:members] = words
    counts = np.zeros((len(padded), len(padded)), np.int64)
    _in_threads(_co_occurrences, padded, counts, 16 if members <= 256 else 32)
    return _whole(counts[:members, :members])


def differences(planes: Words, keep: Words) -> Counts:
    """Return, as (M, M), on how many kept bits each pair differs in any plane; planes (M, B, W), keep (M, W) uint64."""
    counts = np.zeros((len(planes), len(planes)), np.int64)
    _in_threads(_differences, planes, keep, counts, 16)
    return _whole(counts)


def _whole(lower: Counts) -> Counts:
    # Tiles on the diagonal hold a few counts above it as well: only the lower triangle is complete.
    below = np.tril(lower, -1)
    return below + below.T + np.diag(np.diag(lower))


def _in_threads(task: Callable[..., None], *arguments: Any) -> None:
    workers = threads()
    # A first call on nothing compiles, so that the threads do not do so side by side.
    task(*(argument[:0] if isinstance(argument, np.ndarray) else argument for argument in arguments), 0, 1)
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(task, *arguments, first, workers) for first in range(workers)]:
            done.result()


if AVAILABLE:

    def _popcount(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

    popcount: Any = intrinsic(_popcount)


def _count_co_occurrences(words: Words, counts: Counts, side: int, first: int, step: int) -> None:
    pair = -1
    for top in range(0, words.shape[0], side):
        for left in range(0, top + 1, side):
            pair += 1
            if pair % step != first:
                continue
            for start in range(0, words.shape[1], WORDS):
                stop = min(start + WORDS, words.shape[1])
                for i in range(top, min(top + side, words.shape[0]), TILE):
                    for j in range(left, min(left + side, i + 1), TILE):
                        _tile(words, start, stop, counts, i, j)


def _count_tile(words: Words, start: int, stop: int, counts: Counts, i: int, j: int) -> None:
    # Rows sliced singly are known to be contiguous; otherwise the loop is not vectorised (ten times slower).
    a0, a1 = words[i, start:stop], words[i + 1, start:stop]
    a2, a3 = words[i + 2, start:stop], words[i + 3, start:stop]
    b0, b1 = words[j, start:stop], words[j + 1, start:stop]
    b2, b3 = words[j + 2, start:stop], words[j + 3, start:stop]
    zero = np.uint64(0)
    c00 = c01 = c02 = c03 = c10 = c11 = c12 = c13 = zero
    c20 = c21 = c22 = c23 = c30 = c31 = c32 = c33 = zero
    for w in range(len(a0)):
        c00, c01 = c00 + popcount(a0[w] & b0[w]), c01 + popcount(a0[w] & b1[w])
        c02, c03 = c02 + popcount(a0[w] & b2[w]), c03 + popcount(a0[w] & b3[w])
        c10, c11 = c10 + popcount(a1[w] & b0[w]), c11 + popcount(a1[w] & b1[w])
        c12, c13 = c12 + popcount(a1[w] & b2[w]), c13 + popcount(a1[w] & b3[w])
        c20, c21 = c20 + popcount(a2[w] & b0[w]), c21 + popcount(a2[w] & b1[w])
        c22, c23 = c22 + popcount(a2[w] & b2[w]), c23 + popcount(a2[w] & b3[w])
        c30, c31 = c30 + popcount(a3[w] & b0[w]), c31 + popcount(a3[w] & b1[w])
        c32, c33 = c32 + popcount(a3[w] & b2[w]), c33 + popcount(a3[w] & b3[w])
    rows = ((c00, c01, c02, c03), (c10, c11, c12, c13), (c20, c21, c22, c23), (c30, c31, c32, c33))
    for k in range(4):
        for l in range(4):
            counts[i + k, j + l] += np.int64(rows[k][l])


def _count_differences(planes: Words, keep: Words, counts: Counts, side: int, first: int, step: int) -> None:
    differs = np.empty(WORDS, np.uint64)
    pair = -1
    for top in range(0, planes.shape[0], side):
        for left in range(0, top + 1, side):
            pair += 1
            if pair % step != first:
                continue
            for start in range(0, planes.shape[2], WORDS):
                stop = min(start + WORDS, planes.shape[2])
                for i in range(top, min(top + side, planes.shape[0])):
                    for j in range(left, min(left + side, i)):
                        counts[i, j] += _differing(planes, keep, start, stop, i, j, differs)


def _count_differing(
    planes: Words, keep: Words, start: int, stop: int, i: int, j: int, differs: Words
) -> np.int64:
    differs[:] = np.uint64(0)
    for plane in range(planes.shape[1]):
        a, b = planes[i, plane, start:stop], planes[j, plane, start:stop]
        for w in range(len(a)):
            differs[w] |= a[w] ^ b[w]
    a, b = keep[i, start:stop], keep[j, start:stop]
    total = np.uint64(0)
    for w in range(len(a)):
        total += popcount(differs[w] & a[w] & b[w])
    return np.int64(total)


_tile = compiled(_count_tile)
_co_occurrences = compiled(_count_co_occurrences)
_differing: Any = compiled(_count_differing)
_differences = compiled(_count_differences)
