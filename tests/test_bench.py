"""`python -m bench`: what it lists is there, and the row that compares noise."""

from pathlib import Path

import pytest
from bench import __main__ as bench


def test_every_benchmark_is_listed() -> None:
    files = Path(bench.__file__).parent.glob("*.py")
    assert {file.stem for file in files if "\ndef run(" in file.read_text()} == set(bench.NAMES)


def test_noise_is_compared_with_the_draws_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from bench import noise

    threads = torch.get_num_threads()
    clock = iter([0.0, 1.0, 10.0, 14.0, 20.0, 22.0, 30.0, 33.0])  # table 1 s and 2 s, torch 4 s and 3 s
    monkeypatch.setattr(noise, "perf_counter", lambda: next(clock))
    (row,) = noise.run(rounds=2, numbers=2**16)
    assert row["name"] == "noise, 65536 numbers: a table of quantiles"
    assert (row["seconds"], row["ratio"]) == (1.0, 3.0)
    assert row["against"] == "torch.randn 3.0000 s"
    assert torch.get_num_threads() == threads
