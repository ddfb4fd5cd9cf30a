"""Counts of packed bits agree with integer products, compiled or not, at every awkward size."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia.statistics import bits, kernel

needs_numba = pytest.mark.skipif(not kernel.AVAILABLE, reason="needs numba (extra fast)")
WAYS = [
    pytest.param((kernel.co_occurrences, kernel.differences), marks=needs_numba, id="numba"),
    pytest.param((bits.co_occurrences_numpy, bits.differences_numpy), id="numpy"),
]


@given(st.integers(1, 9), st.integers(1, 300), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_packing_keeps_every_bit(members, samples, seed):
    flags = np.random.default_rng(seed).random((members, samples)) < 0.5
    words = bits.pack(flags)
    unpacked = [[bool(int(row[k // 64]) >> (k % 64) & 1) for k in range(samples)] for row in words]
    assert words.shape == (members, -(-samples // 64))
    assert unpacked == flags.tolist()
    assert np.bitwise_count(words).sum() == flags.sum()


@pytest.mark.parametrize("ways", WAYS)
@given(st.integers(1, 40), st.integers(1, 700), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_counts_are_those_of_integer_products(ways, members, samples, seed):
    rng = np.random.default_rng(seed)
    flags, kept = rng.random((members, samples)) < 0.4, rng.random((members, samples)) < 0.7
    classes = rng.integers(0, 11, (members, samples))
    planes = np.stack([bits.pack((classes >> digit & 1).astype(bool)) for digit in range(4)], axis=1)
    products = flags.astype(int) @ flags.T.astype(int)
    differing = (classes[:, None] != classes) & kept[:, None] & kept
    assert np.array_equal(ways[0](bits.pack(flags)), products)
    assert np.array_equal(ways[1](planes, bits.pack(kept)), differing.sum(-1))


@pytest.mark.parametrize("ways", WAYS)
def test_counts_are_exact_beyond_one_pass_and_one_tile(ways):
    # 300 members take the large tiles; 140,000 samples take several passes over the words; all bits set is the
    # case in which a narrow lane would overflow.
    full = np.full((3, 2**18 // 64 + 5), 2**64 - 1, dtype=np.uint64)
    assert (ways[0](full) == 2**18 + 320).all()
    flags = np.random.default_rng(0).random((300, 5000)) < 0.2
    assert np.array_equal(ways[0](bits.pack(flags)), flags.astype(float) @ flags.T.astype(float))
    long = np.random.default_rng(1).random((5, 140_000)) < 0.2
    assert np.array_equal(ways[0](bits.pack(long)), long.astype(float) @ long.T.astype(float))


WITHOUT = """
import sys
sys.modules["numba"] = None
import numpy as np
from comitia.statistics import bits, co_errors
print(bits.compiled(), co_errors(np.array([[True, True, False], [False, True, True]])).tolist())
"""


def test_counts_need_no_numba():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout == "False [[2, 1], [1, 2]]\n"
    assert bits.compiled() == kernel.AVAILABLE


def test_numba_is_not_imported_for_a_count_that_is_quicker_without_it() -> None:
    program = """
import sys
import numpy as np
from comitia.statistics import co_errors
co_errors(np.ones((50, 10_000), bool))
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
