"""What at most K of an ensemble's members lose against all of them, on real ensembles.

Each pack is split as `comitia weigh` splits it by default, ten times. Weights of at most K members and of all of them
(`blend`) are chosen on the weighing part; errors are counted on the certifying part. Without the packs no row is made.
"""

import os
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from comitia import Predictions, read_predictions, weigh
from comitia._split import split_samples
from comitia._votes import certified_losses

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
PACKS = ("cifar10-resnet20-checkpoints", "cifar10-resnet20-simple", "imdb-cnn_lstm-checkpoints")
KEPT, SPLITS = (4, 8, 16), 10


def run() -> list[dict[str, Any]]:
    """One row per ensemble, vote and K."""
    rows = []
    for name in PACKS:
        path = DATA / "predictions" / f"{name}.npz"
        if path.exists():
            pack = read_predictions(path)
            rows += [row for vote in ("average", "majority") for row in _rows(name, pack, vote)]
    return rows


def _rows(name: str, pack: Predictions, vote: str) -> list[dict[str, Any]]:
    found: dict[int, list[tuple[float, float, float]]] = {kept: [] for kept in KEPT}
    for seed in range(SPLITS):
        began = perf_counter()
        whole = weigh(pack, vote=vote, seed=seed)
        middle = perf_counter()
        _, rest = split_samples(pack.samples, whole.split.fraction, seed)
        apart, seconds = pack.take(rest), middle - began
        error = float(certified_losses(apart, whole.weights, vote).mean())
        for kept in KEPT:
            began = perf_counter()
            few = weigh(pack, vote=vote, seed=seed, at_most=kept)
            ratio = (perf_counter() - began) / seconds
            lost = float(certified_losses(apart, few.weights, vote).mean()) - error
            found[kept].append((error, lost, ratio))
    return [_row(f"{name}, {vote}, at most {kept} of {pack.members}", found[kept]) for kept in KEPT]


def _row(name: str, splits: list[tuple[float, float, float]]) -> dict[str, Any]:
    errors, lost, ratios = np.array(splits).T
    return {
        "name": name,
        "error_of_all": round(float(errors.mean()), 4),
        "lost_mean": round(float(lost.mean()), 4),
        "lost_largest": round(float(lost.max()), 4),
        "splits_within_.002": int((lost <= 0.002).sum()),
        "time_over_all": round(float(np.median(ratios)), 2),
    }
