"""Forests of 100 trees on public tables: weighted against plain, and what each kind of certificate promises.

Ten random splits of a table (COMITIA_SPLITS says how many): 80% are given to `fit`, the rest is the test. Errors on it:

- *plain*: scikit-learn's forest on all samples given to `fit`
- *plain, fewer samples*: the same on 90% of them, the others being held out
- *weighted*, *tandem*, *uniform*: majority votes of the trees of that forest, with the default weights, with tandem
  weights, and with equal ones
- *promise*: of the hold-out; *out-of-bag*: the best bound for out-of-bag samples at delta .05, with the price of
  choosing it
- *broken*: promises of the hold-out below the error on the test samples

`cost` is what the hold-out costs in accuracy: the error with fewer samples less that with all.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from comitia.sklearn import WeightedForest, from_forest
from comitia.sklearn.splitting import divide

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
TABLES = ("sonar", "pima", "vehicle", "dna", "satellite", "letter")
TREES = 100


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Return a row per table: means over splits."""
    splits = max(1, round(int(os.environ.get("COMITIA_SPLITS", "10")) * scale))
    asked = os.environ.get("COMITIA_TABLES", ",".join(TABLES)).split(",")
    names = [name for name in asked if (DATA / "tables" / f"{name}.npz").exists()]
    if not names:
        return [{"name": "skipped: needs tables (COMITIA_SHARED_DATA says where)"}]
    return [_told(_row(name, [_split(name, seed) for seed in range(splits)])) for name in names]


def _told(row: dict[str, object]) -> dict[str, object]:
    """Return the row, and show it at once: all tables take minutes."""
    print(row, file=sys.stderr, flush=True)
    return row


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
    found["tandem"] = error(_tandem(forest, X[train], y[train], seed))
    votes = np.stack([tree.predict(X[test].astype(np.float32)) for tree in forest.estimators_]).astype(int)
    shares = np.stack([(votes == k).mean(axis=0) for k in range(len(forest.classes_))], axis=1)
    found["uniform"] = float((forest.classes_[shares.argmax(axis=1)] != y[test]).mean())
    return found


def _tandem(forest: WeightedForest, X: Any, y: Any, seed: int) -> WeightedForest:
    """Return the same forest with tandem weights; it refuses other samples than those it was fitted on."""
    random = np.random.RandomState(seed)
    random.randint(2**31 - 1)  # as in fit
    train = divide(len(y), forest.holdout, random, None, np.unique(y, return_inverse=True)[1]).train
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return from_forest(forest.forest_, X[train], y[train], method="tandem", n_jobs=forest.n_jobs)


def _row(name: str, found: list[dict[str, float]]) -> dict[str, object]:
    mean = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    apart = {way: np.array([one[way] - one["uniform"] for one in found]) for way in ("weighted", "tandem")}
    broken = sum(one["promise"] < one["weighted"] for one in found)
    return {
        "name": f"{name}, {len(found)} splits",
        "plain": round(mean["plain"], 4),
        "plain, fewer samples": round(mean["fewer"], 4),
        "cost": round(mean["fewer"] - mean["plain"], 4),
        "uniform": round(mean["uniform"], 4),
        "tandem": round(mean["tandem"], 4),
        "weighted": round(mean["weighted"], 4),
        "weighted less uniform": _spread(apart["weighted"]),
        "tandem less uniform": _spread(apart["tandem"]),
        "promise": round(mean["promise"], 4),
        "times the error": round(mean["promise"] / mean["weighted"], 2),
        "out-of-bag": round(mean["out_of_bag"], 4),
        "broken": f"{broken} of {len(found)}",
    }


def _spread(apart: NDArray[np.float64]) -> str:
    """Return the mean difference and its standard error."""
    error = float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else float("nan")
    return f"{apart.mean():+.4f} ± {error:.4f}"
