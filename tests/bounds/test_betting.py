"""Both loops against exact fractions, and against each other to the last bit."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from comitia.bounds import betting, betting_kernel

compiled = pytest.mark.skipif(not betting_kernel.AVAILABLE, reason="numba is not installed")
NORMAL = NormalDist()


def streams(seed, n):
    rng = np.random.default_rng(seed)
    rare = (rng.random(n) < 0.03).astype(float)
    return [rare, 1 - rare, rng.random(n), rng.beta(0.2, 3, n), rng.integers(0, 3, n) / 2 - 0.4, np.zeros(n)]


def limits_of(n, seed=None):
    """1, or limits that differ from block to block."""
    blocks = len(betting.blocks(n)) - 1
    return np.ones(blocks) if seed is None else 1 + np.random.default_rng(seed).random(blocks)


def bet(wealth, m, past, n, limit):
    """What is bet on m after the values before the block: the formula, a sum over the past."""
    width = 2.0 ** math.floor(math.log2(wealth)) / 64
    goal = (math.floor(wealth / width) + 0.5) * width / 1.01
    spread = (30 * m * (1 - m) + math.fsum((x - m) ** 2 for x in past)) / (30 + len(past))
    left = max(n - len(past) - math.sqrt(n), (n - len(past)) / 4, 1)
    hedge = NORMAL.pdf(NORMAL.inv_cdf(goal)) / (goal * math.sqrt(spread * left))
    return min(hedge, 0.999 / (limit - m))


def exact_wealth(values, limits, m, delta):
    """The largest delta K on the way, in fractions, up to where the hypothesis is rejected or given up."""
    starts, n = betting.blocks(len(values)).tolist(), len(values)
    wealth = most = Fraction(delta)
    for limit, start, stop in zip(limits, starts[:-1], starts[1:]):
        stake = Fraction(bet(float(wealth), m, values[:start], n, limit))
        for value in values[start:stop]:
            wealth *= 1 + stake * (Fraction(m) - Fraction(float(value)))
            most = max(most, wealth)
            if wealth >= 1 or wealth < Fraction(1e-6) * Fraction(delta):
                return most
    return most


@pytest.mark.parametrize("delta", [0.2, 0.01])
@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("kind", range(6))
def test_against_fractions(kind, seed, delta):
    n = 70
    values, limits = streams(kind, n)[kind], limits_of(n, seed)
    grid = betting.hypotheses(n)
    count = betting.count_rejected(*betting.prepare(values, limits, delta))
    near = range(max(0, count - 12), min(count + 1, len(grid)))
    wealth = [exact_wealth(values.tolist(), limits, float(grid[i]), delta) for i in near]
    assert all(most >= 1 for most in wealth[: count - near.start])
    assert count == len(grid) or wealth[-1] < 1


@compiled
@pytest.mark.parametrize("n", [1, 2, 17, 300, 2000])
@pytest.mark.parametrize("delta", [0.3, 0.05, 1e-9])
def test_the_compiled_loop_counts_as_numpy_does(n, delta):
    for seed, values in enumerate(streams(n, n)):
        for limits in (limits_of(n), limits_of(n, seed)):
            walk = betting.prepare(values, limits, delta)
            assert betting.count_rejected(*walk) == betting_kernel.count_rejected(*walk)


@compiled
def test_the_last_bit_of_the_wealth(monkeypatch):
    """Compared where a hypothesis is nearly rejected: at a bar that numpy's own wealth just reaches."""
    values, limits = streams(0, 400)[2], limits_of(400)
    walk = betting.prepare(values, limits, 0.05)
    seen = []
    judge = betting._judge
    monkeypatch.setattr(
        betting, "_judge", lambda paths, *ends: seen.append(paths.max(axis=0)) or judge(paths, *ends)
    )
    betting.count_rejected(*walk)
    monkeypatch.undo()
    for top in [float(found[-1]) for found in seen[40:300:20]]:
        for bar in (top, math.nextafter(top, 2)):
            changed = walk._replace(bar=max(bar, 0.06))
            assert betting.count_rejected(*changed) == betting_kernel.count_rejected(*changed)


def test_many_pieces_are_one(monkeypatch):
    values = streams(3, 6000)[3]
    walk = betting.prepare(values, limits_of(6000), 0.05)
    whole = betting.count_rejected(*walk)
    monkeypatch.setattr(betting, "HELD", 500)
    assert betting.count_rejected(*walk) == whole


def test_a_path_that_leaves_on_both_sides_counts_by_the_first():
    paths = np.array([[0.1, 2.0, 1e-9, 0.5], [0.1, 1e-9, 2.0, 0.5], [0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 3, 0.4]])
    assert betting._judge(paths.T, 1.0, 1e-6).tolist() == [math.inf, 0.0, 0.4, math.inf]


@pytest.mark.parametrize("n", [1, 10, 1000, 12345])
def test_the_grid_falls_in_steps_of_standard_errors(n):
    grid = betting.hypotheses(n)
    middle = (grid[1:] + grid[:-1]) / 2
    steps = -np.diff(grid) / np.sqrt(middle * (1 - middle) / n)
    assert 0 < grid[-1] < grid[0] < 1
    assert steps.min() > 0
    assert steps.max() <= 0.03


@pytest.mark.parametrize("n", [1, 2, 130, 5000, 10**6])
def test_blocks_cover_all_values_and_are_short_at_both_ends(n):
    starts = betting.blocks(n)
    sizes = np.diff(starts)
    assert (starts[0], starts[-1]) == (0, n)
    assert sizes.min() == 1
    assert np.all((sizes == 1) | ((sizes <= starts[:-1] / 16) & (sizes <= (n - starts[:-1]) / 128)))
    assert len(starts) < 400 + 200 * math.log(n)


def test_numba_is_imported_only_where_it_is_worth_it(monkeypatch):
    monkeypatch.delitem(betting.sys.modules, "comitia.bounds.betting_kernel")
    assert betting._loop(100) is betting.count_rejected
    expected = betting_kernel.AVAILABLE
    assert (betting._loop(betting.WORTH_COMPILING) is not betting.count_rejected) == expected
