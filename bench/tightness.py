"""How close certificates come to the limit, on random halves of the CIFAR-10 checkpoint predictions, average vote.

The limit is Clopper-Pearson on all samples of a half for a classifier fixed beforehand: the uniform average of
the last states. Excess = certified risk less the error that the certified vote has on the other half, averaged
over halves; the ratio is against the excess of the limit.
"""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comitia import Predictions, bounds, weigh
from comitia._votes import certified_losses
from comitia.files import read_predictions

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
PACK = DATA / "predictions" / "cifar10-resnet20-checkpoints.npz"
SPLITS = int(os.environ.get("COMITIA_SPLITS", "10"))
WAYS: list[dict[str, object]] = [
    *({"method": "tandem", "certify_fraction": f} for f in (0.5, 0.8, 0.9)),
    *({"method": "auto", "certify_fraction": f} for f in (0.5, 0.8, 0.9)),
    {"method": "greedy", "certify_fraction": 0},
    *({"method": "tandem", "certify_fraction": 0, "resolution": k} for k in (5, 10, 20)),
    {"method": "tandem", "certify_fraction": 0},
]


def run() -> list[dict[str, object]]:
    """A row for the limit and for each way: mean certified risk, mean error on the other half, excess, ratio."""
    if not PACK.exists():
        return [{"name": f"skipped: needs {PACK.name} (COMITIA_SHARED_DATA says where)"}]
    whole = read_predictions(PACK)
    fixed = np.zeros(whole.members)
    fixed[whole.last()] = 1 / len(whole.last())
    limit = np.array([_limit(a, b, fixed) for a, b, _ in _halves(whole)])
    excess = float((limit[:, 0] - limit[:, 1]).mean())
    rows = [_row("limit: uniform last, fixed beforehand", limit, excess)]
    for way in WAYS:
        found = np.array([_weighed(a, b, seed, way) for a, b, seed in _halves(whole)])
        rows.append(_row(" ".join(f"{key}={value}" for key, value in way.items()), found, excess))
    return rows


def _halves(whole: Predictions) -> list[tuple[Predictions, Predictions, int]]:
    """Both halves of each of `SPLITS` random splits, each once as hold-out and once as test."""
    pairs = []
    for seed in range(SPLITS):
        order = np.random.default_rng(1000 + seed).permutation(whole.samples)
        a, b = (whole.take(np.sort(part)) for part in np.array_split(order, 2))
        pairs += [(a, b, seed), (b, a, seed)]
    return pairs


def _limit(holdout: Predictions, test: Predictions, weights: NDArray[np.float64]) -> tuple[float, float]:
    losses = certified_losses(holdout, weights, "average")
    risk = bounds.clopper_pearson(int(losses.sum()), len(losses), 0.05)
    return risk, float(certified_losses(test, weights, "average").mean())


def _weighed(
    holdout: Predictions, test: Predictions, seed: int, way: dict[str, object]
) -> tuple[float, float]:
    ensemble = weigh(holdout, vote="average", seed=seed, **way)  # type: ignore[arg-type]
    return ensemble.best.risk, float(certified_losses(test, ensemble.weights, "average").mean())


def _row(name: str, found: NDArray[np.float64], limit: float) -> dict[str, object]:
    excess = float((found[:, 0] - found[:, 1]).mean())
    return {
        "name": name,
        "certified": round(float(found[:, 0].mean()), 5),
        "error": round(float(found[:, 1].mean()), 5),
        "excess": round(excess, 5),
        "ratio": round(excess / limit, 3),
        "against": "excess of the limit",
    }
