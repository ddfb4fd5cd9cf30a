"""Seconds to count co-errors: packed bits (numba and numpy, packing included) against a float32 BLAS product.

All ways run interleaved in one process and the best of several rounds counts. The BLAS product is given its
float32 matrix for nothing (conversion is not timed); ours starts from the bool matrix.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.statistics import bits, kernel

SIZES = ((1000, 100_000), (100, 1_000_000))


def run(rounds: int = 3) -> list[dict[str, Any]]:
    """Rows of name, seconds, ratio (how many times quicker) and against what, for both sizes."""
    return [row for members, samples in SIZES for row in _compare(members, samples, rounds)]


def _compare(members: int, samples: int, rounds: int) -> list[dict[str, Any]]:
    errors = np.random.default_rng(0).random((members, samples), dtype=np.float32) < 0.1
    floats = errors.astype(np.float32)
    ways: dict[str, Callable[[], NDArray[Any]]] = {"float32 BLAS": lambda: floats @ floats.T}
    if kernel.AVAILABLE:
        ways["packed bits, numba"] = lambda: kernel.co_occurrences(bits.pack(errors))
    ways["packed bits, numpy"] = lambda: bits.co_occurrences_numpy(bits.pack(errors))
    seconds = _best(ways, rounds)
    slow = seconds.pop("float32 BLAS")
    size = f"co-errors, {members} members × {samples} samples"
    return [
        {
            "name": f"{size}: {way}",
            "seconds": took,
            "ratio": slow / took,
            "against": f"float32 BLAS {slow:.3f} s",
        }
        for way, took in seconds.items()
    ]


def _best(ways: dict[str, Callable[[], NDArray[Any]]], rounds: int) -> dict[str, float]:
    expected = {name: way() for name, way in ways.items()}  # compiles, warms up, and is compared
    first = next(iter(expected.values()))
    assert all(np.array_equal(first, counts) for counts in expected.values())
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            start = perf_counter()
            way()
            best[name] = min(best[name], perf_counter() - start)
    return best


if __name__ == "__main__":
    for row in run():
        print(f"{row['name']}: {row['seconds']:.3f} s, {row['ratio']:.1f} times {row['against']}")
