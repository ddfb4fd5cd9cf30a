"""How long the whole protocol takes: 50 members, sizes 2 to 10, 5 draws, both folds, 3 weightings, 2 votes.

Target: under 20 s on two cores. The pack is made here: 10 runs × 5 states, 10,000 samples, 10 classes.
"""

from time import perf_counter
from typing import Any

import numpy as np

from comitia._predictions import Predictions
from comitia.evaluation import evaluate

TARGET = 20.0


def run() -> list[dict[str, Any]]:
    """One row for ten classes (probabilities, both votes) and one for two."""
    return [_timed(classes, samples) for classes, samples in ((10, 10_000), (2, 25_000))]


def _timed(classes: int, samples: int) -> dict[str, Any]:
    pack = _pack(classes, samples)
    begin = perf_counter()
    found = evaluate(pack, sizes=range(2, 11), repeats=5)
    seconds = perf_counter() - begin
    name = f"protocol, 50 members, {samples} samples, {classes} classes"
    return {"name": name, "seconds": round(seconds, 2), "target": TARGET, "rows": len(found.rows)}


def _pack(classes: int, samples: int, runs: int = 10, states: int = 5) -> Predictions:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, samples)
    shared = rng.normal(0.0, 1.0, (samples, classes))
    skill = np.tile(np.linspace(0.5, 3.0, states), runs)
    logits = shared + rng.normal(0.0, 1.0, (runs * states, samples, classes))
    logits[:, np.arange(samples), labels] += skill[:, None]
    probs = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probs = (probs / probs.sum(axis=-1, keepdims=True)).astype(np.float32)
    run, step = np.repeat(np.arange(1, runs + 1), states), np.tile(np.arange(1, states + 1), runs)
    return Predictions.from_arrays(probs=probs, labels=labels, run=run, step=step)


if __name__ == "__main__":
    for row in run():
        print(row)
