"""The local engine with two processes of one thread against one process with torch's default threads.

Both train the same runs with the same loop on arrays of the sizes of IMDB and CIFAR; they take turns in one run of the
benchmark, and the time counts from the first run's start to the last run's end, without the imports.
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

from quorate.engines.training import train
from quorate.recipes import Recipe, recipe_from_dict

RUNS, ROUNDS, PROCESSES = 4, 3, 2
PLAIN = """
import sys, torch
from quorate.engines.work import train_one
for run in range(1, int(sys.argv[2]) + 1):
    train_one(sys.argv[1], run, threads=torch.get_num_threads(), device="cpu", report=lambda event: None)
"""


def run() -> list[dict[str, object]]:
    """A row a network: seconds of both, and how many times as fast the engine is (median of the rounds)."""
    with tempfile.TemporaryDirectory() as folder:
        cases = [("cnn_lstm", _texts(), 32, 1.2), ("resnet", _images(), 128, 1.3)]
        return [_compare(Path(folder), *case) for case in cases]


def _compare(
    folder: Path, model: str, arrays: dict[str, np.ndarray[Any, Any]], batch: int, wanted: float
) -> dict[str, object]:
    np.savez(folder / f"{model}.npz", **arrays)
    recipe = _recipe(model, folder / f"{model}.npz", batch)
    engine, plain = [], []
    for turn in range(ROUNDS):
        plain.append(_plain(recipe, folder / f"{model}-plain-{turn}"))
        engine.append(_engine(recipe, folder / f"{model}-engine-{turn}"))
    ratio = statistics.median(a / b for a, b in zip(plain, engine))
    samples = RUNS * len(arrays["train_y"])
    return {
        "name": f"{model}, {RUNS} runs × {len(arrays['train_y']):,} samples",
        "seconds": statistics.median(engine),
        "plain_seconds": statistics.median(plain),
        "ratio": ratio,
        "samples_per_second": samples / statistics.median(engine),
        "wanted": wanted,
        "holds": ratio >= wanted,
    }


def _engine(recipe: Recipe, out: Path) -> float:
    train(recipe, out, workers=PROCESSES, device="cpu")
    return _seconds(out)


def _plain(recipe: Recipe, out: Path) -> float:
    out.mkdir()
    (out / "recipe.toml").write_text(recipe.to_toml())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", PLAIN, str(out), str(RUNS)], check=True, env=environment)
    return _seconds(out)


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
    samples = random.integers(0, 256, size=(1088, 32, 32, 3)).astype(np.uint8)
    return _split(samples, random.integers(10, size=1088))


def _split(samples: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    return {"train_x": samples[64:], "train_y": labels[64:], "test_x": samples[:64], "test_y": labels[:64]}
