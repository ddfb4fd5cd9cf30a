"""Seconds to draw the noise of one step of a chain: a table of normal quantiles against torch's normal draws.

Both draw as many numbers as the largest layer of the IMDB network has parameters, with a generator of their own. They
take turns in one process on one thread, as a worker has it, and the best of several rounds counts.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import torch

from comitia.deep.samplers.noise import standard_normal

NUMBERS = 2_560_000


def run(rounds: int = 15, numbers: int = NUMBERS) -> list[dict[str, Any]]:
    """One row of name, seconds, ratio (how many times quicker the table is) and against what."""
    like = torch.empty(numbers)
    table, plain = torch.Generator().manual_seed(0), torch.Generator().manual_seed(0)
    ways: dict[str, Callable[[], torch.Tensor]] = {
        "table": lambda: standard_normal(like, table),
        "randn": lambda: torch.randn(numbers, generator=plain),
    }
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        seconds = _best(ways, rounds)
    finally:
        torch.set_num_threads(threads)
    return [
        {
            "name": f"noise, {numbers} numbers: a table of quantiles",
            "seconds": seconds["table"],
            "ratio": seconds["randn"] / seconds["table"],
            "against": f"torch.randn {seconds['randn']:.4f} s",
        }
    ]


def _best(ways: dict[str, Callable[[], torch.Tensor]], rounds: int) -> dict[str, float]:
    for way in ways.values():
        way()  # makes the table, warms up
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            start = perf_counter()
            way()
            best[name] = min(best[name], perf_counter() - start)
    return best
