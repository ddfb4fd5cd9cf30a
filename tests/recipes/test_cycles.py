"""Cycles against the schedules of the papers, epoch by epoch."""

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comitia._errors import InputError
from comitia.recipes.cycles import Cycles
from comitia.recipes.schedules import cyclic


def test_one_sample_at_the_end_of_each_cycle_after_the_burn_in() -> None:
    cycles = Cycles(burn_in=150, cycle=50)
    assert cycles.sampled_epochs(500) == (199, 249, 299, 349, 399, 449, 499)
    assert all(cycles.factor(t) == 1.0 for t in range(151))
    assert cycles.factor(175) == pytest.approx(0.5)
    assert cycles.factor(200 - 1 / 625) < 1e-8
    assert all(cycles.noise_on(t) for t in range(500))


def test_noise_and_samples_in_the_last_epochs_of_each_cycle() -> None:
    cycles = Cycles(cycle=50, samples_per_cycle=3, noise_epochs=5)
    assert [t for t in range(100) if cycles.noise_on(t)] == [45, 46, 47, 48, 49, 95, 96, 97, 98, 99]
    assert cycles.sampled_epochs(100) == (47, 48, 49, 97, 98, 99)
    assert cycles.noise_on(45.0)
    assert not cycles.noise_on(44.99)


@given(burn_in=st.integers(0, 7), cycle=st.integers(1, 9), epoch=st.floats(0, 60))
def test_after_the_burn_in_it_is_the_cyclic_rate(burn_in: int, cycle: int, epoch: float) -> None:
    shifted = Cycles(burn_in=burn_in, cycle=cycle).factor(burn_in + math.floor(epoch))
    assert shifted == pytest.approx(cyclic(math.floor(epoch), epochs=4 * cycle, cycles=4))


@given(burn_in=st.integers(0, 7), cycle=st.integers(1, 9), samples=st.integers(1, 9), noise=st.integers(0, 9))
def test_samples_are_taken_with_noise_and_after_the_burn_in(
    burn_in: int, cycle: int, samples: int, noise: int
) -> None:
    samples, noise = min(samples, cycle), min(noise, cycle)
    if 0 < noise < samples:
        noise = samples
    cycles = Cycles(burn_in=burn_in, cycle=cycle, samples_per_cycle=samples, noise_epochs=noise)
    found = cycles.sampled_epochs(burn_in + 3 * cycle)
    assert len(found) == 3 * samples
    assert min(found) >= burn_in
    assert all(cycles.noise_on(epoch) for epoch in found)
    assert burn_in + 3 * cycle - 1 in found


def test_an_unfinished_cycle_gives_no_sample() -> None:
    assert Cycles(burn_in=1, cycle=4).sampled_epochs(8) == (4,)


def test_masses_are_refreshed_when_a_cycle_begins() -> None:
    assert [t for t in range(12) if Cycles(burn_in=5, cycle=3).refreshes(t)] == [2, 5, 8, 11]
    assert not Cycles(cycle=3).refreshes(0)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"cycle": 0}, "cycle: must be at least 1 epoch, got 0"),
        ({"cycle": 3, "burn_in": -1}, "burn_in: must be at least 0 epochs, got -1"),
        ({"cycle": 3, "samples_per_cycle": 4}, "samples_per_cycle: must be 1 to 3"),
        ({"cycle": 3, "samples_per_cycle": 0}, "samples_per_cycle: must be 1 to 3"),
        ({"cycle": 3, "noise_epochs": 4}, r"noise_epochs: must be 0 to 3 \(the cycle\), got 4"),
        ({"cycle": 3, "noise_epochs": 1, "samples_per_cycle": 2}, "a state without noise is not a sample"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Cycles(**given)


def test_a_chain_that_never_samples_is_refused() -> None:
    message = "epochs: no sample falls into 199 epochs, the first is due after 200 epochs"
    with pytest.raises(InputError, match=message):
        Cycles(burn_in=150, cycle=50).sampled_epochs(199)
    assert Cycles(burn_in=150, cycle=50).sampled_epochs(200) == (199,)


def test_planning_imports_no_torch() -> None:
    planned = "from comitia.recipes import read_recipe, plans; plans(read_recipe('imdb-cnn_lstm-csghmc-ap'))"
    script = f"import sys; {planned}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
