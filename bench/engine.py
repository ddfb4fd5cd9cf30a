"""The local engine, two processes of one thread each, against training one member after another in one process.

Two opponents (`bench/sequential.py`): a plain PyTorch loop, and our own loop with torch's default threads, which leaves
the gain of the processes alone. All train the same networks on arrays of the sizes of IMDB and CIFAR; they take turns
in one run of the benchmark, and the time leaves out the imports.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from comitia.engines.training import train
from comitia.recipes import Recipe, recipe_from_dict

RUNS, ROUNDS, PROCESSES = 4, 3, 2
OPPONENTS = {"plain": "a plain PyTorch loop", "own": "our loop in one process"}


def run() -> list[dict[str, object]]:
    """Two rows a network, one an opponent: seconds of both, and how many times as fast the engine is (median)."""
    with tempfile.TemporaryDirectory() as folder:
        cases = [("cnn_lstm", _texts(), 32, 1.2), ("resnet", _images(), 128, 1.3)]
        return [row for case in cases for row in _compare(Path(folder), *case)]


def _compare(
    folder: Path, model: str, arrays: dict[str, np.ndarray[Any, Any]], batch: int, wanted: float
) -> list[dict[str, object]]:
    np.savez(folder / f"{model}.npz", **arrays)
    recipe = _recipe(model, folder / f"{model}.npz", batch)
    engine: list[float] = []
    others: dict[str, list[float]] = {"plain": [], "own": []}
    for turn in range(ROUNDS):
        for way, seconds in others.items():
            seconds.append(_sequential(way, recipe, folder / f"{model}-{way}-{turn}"))
        engine.append(_engine(recipe, folder / f"{model}-engine-{turn}"))
    name = f"{model}, {RUNS} runs × {len(arrays['train_y']):,} samples"
    return [_row(f"{name}, against {OPPONENTS[way]}", engine, others[way], wanted) for way in others]


def _row(name: str, engine: list[float], other: list[float], wanted: float) -> dict[str, object]:
    ratio = statistics.median(slow / fast for slow, fast in zip(other, engine))
    seconds = {"seconds": statistics.median(engine), "sequential_seconds": statistics.median(other)}
    return {"name": name, **seconds, "ratio": ratio, "wanted": wanted, "holds": ratio >= wanted}


def _engine(recipe: Recipe, out: Path) -> float:
    train(recipe, out, workers=PROCESSES, device="cpu")
    return _seconds(out)


def _sequential(way: str, recipe: Recipe, out: Path) -> float:
    out.mkdir()
    (out / "recipe.toml").write_text(recipe.to_toml())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "bench.sequential", way, str(out), str(RUNS)]
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return float(done.stdout) if way == "plain" else _seconds(out)


def _seconds(out: Path) -> float:
    """From the first run's start to the last run's end, as their logs tell."""
    logs = out.glob("runs/*/log.jsonl")
    times = [json.loads(line)["time"] for log in logs for line in log.read_text().splitlines()]
    return float(max(times) - min(times))


def _recipe(model: str, path: Path, batch: int) -> Recipe:
    options = {"depth": 20} if model == "resnet" else {}
    training = {"strategy": "simple", "runs": RUNS, "epochs": 1, "batch": batch, "lr": 0.05, "momentum": 0.9}
    return recipe_from_dict(
        {
            "name": model,
            "data": {"name": "arrays", "folder": str(path)},
            "model": {"name": model, "options": options},
            "training": {**training, "nesterov": True, "prior_scale": 1.0},
        }
    )


def _texts() -> dict[str, np.ndarray[Any, Any]]:
    random = np.random.default_rng(0)
    samples = random.integers(0, 20_000, size=(4864, 100)).astype(np.int32)
    return _split(samples, random.integers(2, size=4864))


def _images() -> dict[str, np.ndarray[Any, Any]]:
    random = np.random.default_rng(0)
    samples = random.integers(0, 256, size=(2112, 32, 32, 3)).astype(np.uint8)
    return _split(samples, random.integers(10, size=2112))


def _split(samples: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    return {"train_x": samples[64:], "train_y": labels[64:], "test_x": samples[:64], "test_y": labels[:64]}
