"""Forests of 100 trees on public tables: weighted against plain, and what each kind of certificate promises.

Ten random splits of a table (COMITIA_SPLITS says how many): 80% are given to `fit`, the rest is the test. Errors on it:

- *plain*: scikit-learn's forest on all samples given to `fit`
- *plain, fewer samples*: the same on 90% of them, the others being held out
- *weighted*, *uniform*: majority votes of the trees of that forest, with tandem weights by out-of-bag samples and with
  equal ones
- *promise*: of the hold-out; *out-of-bag*: the best bound for out-of-bag samples at delta .05, with the price of
  choosing it
- *broken*: promises of the hold-out below the error on the test samples

`cost` is what the hold-out costs in accuracy: the error with fewer samples less that with all.
"""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from comitia.sklearn import WeightedForest

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
TABLES = ("letter", "satellite", "dna", "vehicle", "pima", "sonar")
TREES = 100


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Return a row per table: means over splits."""
    splits = max(1, round(int(os.environ.get("COMITIA_SPLITS", "10")) * scale))
    asked = os.environ.get("COMITIA_TABLES", ",".join(TABLES)).split(",")
    names = [name for name in asked if (DATA / "tables" / f"{name}.npz").exists()]
    if not names:
        return [{"name": "skipped: needs tables (COMITIA_SHARED_DATA says where)"}]
    return [_row(name, [_split(name, seed) for seed in range(splits)]) for name in names]


def _split(name: str, seed: int) -> dict[str, float]:
    with np.load(DATA / "tables" / f"{name}.npz") as file:
        X, y = file["X"], file["y"]
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = np.split(order, [round(0.8 * len(y))])

    def error(fitted: Any) -> float:
        return float((fitted.predict(X[test]) != y[test]).mean())

    jobs = int(os.environ.get("COMITIA_PROCESSES", str(os.cpu_count() or 1)))
    plain = RandomForestClassifier(TREES, random_state=seed, n_jobs=jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = WeightedForest(TREES, forest=plain, n_jobs=jobs, random_state=seed).fit(X[train], y[train])
    assert forest.certificate_ is not None
    assert forest.oob_certificate_ is not None
    found = {
        "plain": error(clone(plain).fit(X[train], y[train])),
        "fewer": error(forest.forest_),
        "weighted": error(forest),
        "promise": forest.certificate_.risk,
        "out_of_bag": forest.oob_certificate_.risk,
    }
    votes = np.stack([tree.predict(X[test].astype(np.float32)) for tree in forest.estimators_]).astype(int)
    shares = np.stack([(votes == k).mean(axis=0) for k in range(len(forest.classes_))], axis=1)
    found["uniform"] = float((forest.classes_[shares.argmax(axis=1)] != y[test]).mean())
    return found


def _row(name: str, found: list[dict[str, float]]) -> dict[str, object]:
    mean = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    apart = np.array([one["weighted"] - one["uniform"] for one in found])
    spread = float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else float("nan")
    broken = sum(one["promise"] < one["weighted"] for one in found)
    return {
        "name": f"{name}, {len(found)} splits",
        "plain": round(mean["plain"], 4),
        "plain, fewer samples": round(mean["fewer"], 4),
        "cost": round(mean["fewer"] - mean["plain"], 4),
        "uniform": round(mean["uniform"], 4),
        "weighted": round(mean["weighted"], 4),
        "less uniform": f"{apart.mean():+.4f} ± {spread:.4f}",
        "promise": round(mean["promise"], 4),
        "times the error": round(mean["promise"] / mean["weighted"], 2),
        "out-of-bag": round(mean["out_of_bag"], 4),
        "broken": f"{broken} of {len(found)}",
    }
