"""How many samples a vote answers at 1% certified errors among answers, on the CIFAR-10 packs, average vote.

The 10,000 samples of a pack are the population: hold-outs of 5,000 are drawn from them with replacement, divided as
`weigh` does; weights are uniform over the last states. The true risk and coverage of the rule are sums over all 10,000.
A miss is a true risk above 1%; at delta .05 at most a twentieth of the hold-outs may miss.
"""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comitia import Predictions
from comitia._split import default_fraction
from comitia.files import read_predictions
from comitia.promises.answered import Answered, answer
from comitia.promises.formulas import coverage_limit
from comitia.promises.selective import risk_coverage

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
PACKS = tuple(
    DATA / "predictions" / f"cifar10-resnet20-{name}.npz" for name in ("checkpoints", "simple", "bagging")
)
SPLITS = int(os.environ.get("COMITIA_SPLITS", "200"))
HOLDOUT, TARGET, DELTA = 5000, 0.01, 0.05
#: Coverage at 1% published for selective guaranteed risk (SGR) on CIFAR-10, for scale.
PUBLISHED = 0.746


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """A row per pack: mean coverage, its deviation, the share of misses and of hold-outs without a rule."""
    missing = [path.name for path in PACKS if not path.exists()]
    if missing:
        return [{"name": f"skipped: needs {missing[0]} (COMITIA_SHARED_DATA says where)"}]
    return [_row(path, max(2, round(SPLITS * scale))) for path in PACKS]


def _row(path: Path, splits: int) -> dict[str, object]:
    whole = read_predictions(path)
    population = answer(whole, _uniform_last(whole), "average")
    found = np.array([_trial(population, seed) for seed in range(splits)])
    ruled = ~np.isnan(found[:, 0])
    coverage = np.where(ruled, found[:, 0], 0.0)
    return {
        "name": path.stem.removeprefix("cifar10-resnet20-"),
        "coverage": round(float(coverage.mean()), 4),
        "sd": round(float(coverage.std()), 4),
        "misses": round(float((found[:, 1] > TARGET).mean()), 4),
        "coverage misses": round(float((found[:, 2] > found[:, 0]).mean()), 4),
        "no rule": round(float((~ruled).mean()), 4),
        "hold-outs": splits,
        "ratio": round(float(coverage.mean()) / PUBLISHED, 3),
        "against": "published SGR, .746",
    }


def _uniform_last(whole: Predictions) -> NDArray[np.float64]:
    weights = np.zeros(whole.members)
    weights[whole.last()] = 1 / len(whole.last())
    return weights


def _trial(population: Answered, seed: int) -> tuple[float, float, float]:
    """True coverage and risk of the rule that a hold-out gives, and the coverage that it certifies; NaN without one."""
    some = np.random.default_rng(seed).integers(0, population.samples, HOLDOUT)
    kept = round(default_fraction(HOLDOUT) * HOLDOUT)
    curve = risk_coverage(population.take(some[kept:]), population.take(some[:kept]), TARGET, DELTA)
    if curve.chosen is None:
        return np.nan, np.nan, np.nan
    accepted = population.accepted(curve.thresholds[curve.chosen])
    certified = coverage_limit(curve.accepted[curve.chosen], curve.n, DELTA)
    return float(accepted.mean()), float(population.losses[accepted].mean()), certified
