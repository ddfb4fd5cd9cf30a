"""Seconds to minimise the tandem bound: Newton against the paper's iRprop, with how far apart their bounds end.

The members are simulated checkpoints: runs of five states that get better, samples of different difficulty. Both
run in turn in one process on one BLAS thread; the median of the processor time of several rounds counts. iRprop
alternates: it sets lambda anew when the steps at one lambda have settled; in the rows "lambda anew at every step" it
does so after each step, which is quicker.
"""

import tracemalloc
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._threads import single_blas
from comitia.bounds.terms import log_term
from comitia.weighting import Minimum, minimise_tandem
from comitia.weighting.irprop import solve_irprop
from comitia.weighting.newton import Problem

SIZES = ((100, 25_000), (1000, 25_000), (1000, 100_000))
STATES = 5
LARGE = 5000


def run(rounds: int = 7) -> list[dict[str, Any]]:
    """Rows of name, seconds, ratio (how many times quicker Newton is) and bound difference (Newton less iRprop)."""
    compared = [row for members, samples in SIZES for row in _compare(members, samples, rounds)]
    return [*compared, _memory(LARGE)]


def _memory(members: int) -> dict[str, Any]:
    """One row: the memory at the peak against that of the matrix itself, which the caller holds."""
    T = simulated(members, 2000)
    tracemalloc.start()
    start = process_time()
    found = minimise_tandem(T, 2000)
    seconds = process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "name": f"tandem minimum, {members} members: memory at the peak, the matrix included",
        "seconds": seconds,
        "ratio": (T.nbytes + peak) / T.nbytes,
        "steps": found.iterations,
        "gap": found.gap,
    }


def _compare(members: int, samples: int, rounds: int) -> list[dict[str, Any]]:
    T = simulated(members, samples)
    ways: dict[str, Callable[[], Minimum]] = {
        "newton": lambda: minimise_tandem(T, samples),
        "irprop": lambda: minimise_tandem(T, samples, optimiser="irprop"),
        "irprop, lambda anew at every step": lambda: every_step(T, samples),
    }
    found = {name: way() for name, way in ways.items()}
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = process_time()
            way()
            took[name].append(process_time() - start)
    newton = median(took["newton"])
    return [
        {
            "name": f"tandem minimum, {members} members, n = {samples}: {name}",
            "seconds": median(took[name]),
            "ratio": median(took[name]) / newton,
            "steps": found[name].iterations,
            "gap": found[name].gap,
            "bound difference": found["newton"].bound - found[name].bound,
        }
        for name in ways
    ]


@single_blas
def every_step(T: NDArray[np.float64], samples: int) -> Minimum:
    """The minimum by iRprop that changes lambda after every step."""
    members = len(T)
    problem = Problem(T, samples, log_term(samples, 0.05), np.full(members, -np.log(members)))
    point, steps = solve_irprop(problem, problem.point(problem.log_prior), every_step=True)
    return Minimum(np.exp(point.log_weights), 4 * point.value, point.lam, point.kl, 4 * point.gap, steps)


def simulated(members: int, samples: int, seed: int = 0) -> NDArray[np.float64]:
    """(M, M) tandem losses of runs of `STATES` checkpoints each."""
    rng = np.random.default_rng(seed)
    difficulty = rng.standard_normal(samples, dtype=np.float32)
    wrong = np.empty((members, samples), dtype=np.float32)
    for i in range(members):
        if i % STATES == 0:
            of_run = rng.standard_normal(samples, dtype=np.float32)
        skill = -1.45 + 0.9 * (1 - (i % STATES + 1) / STATES) ** 2 + rng.normal(0, 0.03)
        own = rng.standard_normal(samples, dtype=np.float32)
        wrong[i] = np.sqrt(0.6) * difficulty + np.sqrt(0.15) * of_run + 0.5 * own < skill
    return (wrong @ wrong.T).astype(np.float64) / samples
