"""Seconds of the digital bound: its loop over all hypotheses, compiled and by numpy; and with unlabelled samples.

Values are 0/1 with mean .07. Both loops give the same bits, which is checked. The ratio is how many times quicker
than numpy's loop; where numba is installed, numpy's is not run on a million values. Each labelled sample is paired with
two unlabelled ones; all that the certificate `unlabelled` computes from losses and scores is in the seconds.

A fresh process has compiled nothing. Its first bound of 10,000 values is timed there, once without and once with the
import of `comitia.bounds`.
"""

import subprocess
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from comitia.bounds import betting, betting_kernel, digital
from comitia.bounds.row import Facts, Paired
from comitia.bounds.table import BOUNDS

#: How many values, and the seconds that may be asked for them.
LIMITS = {10_000: 1.0, 1_000_000: 10.0}
#: Values up to which the numpy loop is run as well.
LARGEST_FOR_NUMPY = 100_000


FRESH = """
from time import perf_counter
start = perf_counter()
import numpy as np
from comitia.bounds import digital
values = (np.random.default_rng(0).random(10_000) < 0.07).astype(float)
ready = perf_counter()
digital(values)
print(perf_counter() - ready, perf_counter() - start)
"""


def run(rounds: int = 3) -> list[dict[str, Any]]:
    """Rows of name, seconds, their limit and, where both loops run, ratio of numpy to the compiled loop."""
    return [row for n in LIMITS for row in _compare(n, rounds)] + _fresh(rounds)


def _fresh(rounds: int) -> list[dict[str, Any]]:
    ways = ("without imports", "with the import of comitia.bounds")
    found = [
        subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True).stdout
        for _ in range(rounds)
    ]
    seconds = np.array([[float(part) for part in line.split()] for line in found]).min(axis=0)
    return [
        {"name": f"first digital bound of a process, n = 10000, {way}", "seconds": took, "limit_seconds": 1.0}
        for way, took in zip(ways, seconds.tolist())
    ]


def _compare(n: int, rounds: int) -> list[dict[str, Any]]:
    values = (np.random.default_rng(0).random(n) < 0.07).astype(float)
    walk = betting.prepare(values, np.ones(len(betting.blocks(n)) - 1), 0.05)
    ways: dict[str, Callable[[], Any]] = {}
    facts = _facts(n)
    if n <= LARGEST_FOR_NUMPY or not betting_kernel.AVAILABLE:
        ways["numpy"] = lambda: betting.count_rejected(*walk)
    if betting_kernel.AVAILABLE:
        ways["numba"] = lambda: betting_kernel.count_rejected(*walk)
        ways["numba, with all checks"] = lambda: digital(values)
    ways["certificate with unlabelled samples"] = lambda: _certificate(facts)
    if {"numpy", "numba"} <= set(ways):
        assert ways["numpy"]() == ways["numba"]()
    seconds = _best(ways, rounds)
    return [
        {
            "name": f"digital bound, n = {n}: {way}",
            "seconds": took,
            "limit_seconds": LIMITS[n],
            **({"ratio": seconds["numpy"] / took} if "numpy" in seconds else {}),
        }
        for way, took in seconds.items()
    ]


def _facts(n: int) -> Facts:
    """Losses whose chances are the scores, mean .07, and two unlabelled samples each."""
    rng = np.random.default_rng(1)
    scores = rng.beta(0.21, 2.79, (n, 3))
    pairs = Paired(rng.random(n) < scores[:, 0], scores[:, 0], scores[:, 1:])
    return Facts("average", 10, True, "part", 5, 0.7, 0.1, 0.04, 0.22, n, n, paired=pairs)


def _certificate(facts: Facts) -> tuple[float, dict[str, Any]]:
    row = BOUNDS["unlabelled"]
    return row(facts, 0.05), row.stored(facts)


def _best(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    digital([0.0, 1.0])  # compiles, where numba is installed
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            start = perf_counter()
            way()
            best[name] = min(best[name], perf_counter() - start)
    return best
