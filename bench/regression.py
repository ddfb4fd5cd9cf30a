"""Errors and promises of `WeightedVoteRegressor` beside scikit-learn's ensembles for real targets.

Tables: scikit-learn's bundled diabetes (442 samples), and friedman1 (noise 1) and friedman2 (noise 125), of 1,000
samples each. Each random split trains on three quarters and judges on the others. Members: ridge, nearest neighbours,
SVR, forest, boosting, tree. All methods get the same training samples:

- *voting*: VotingRegressor, the mean of all members.
- *stacking*: StackingRegressor with its default, ridge on five-fold predictions.
- *best, five folds*: the one member that errs least out of fold.
- *tandem, five folds*: `cv=5, holdout=0`: out-of-fold predictions choose the weights; no promise.
- *tandem, hold-out*: the default: 30% of the training samples are held out, choose and certify; promises at delta .05.
- *tandem, five folds and hold-out*: `cv=5, holdout=0.2`; 20% only certify.

`rmse` is the root of the mean over splits of the mean squared error; `rank` the mean rank by it within a split (1 is
best). `promise` is the root of the mean certified mean squared error (of errors clipped where `clip` says, on average),
`broken` counts promises below the clipped error on the test samples, which is itself uncertain. `90%` is the mean
certified bound of 90% of errors, `covered` the mean share of test errors below it.

A fit of the same member on the same samples is done once and used by all methods.
COMITIA_SPLITS (10) says how many splits, COMITIA_KEEP names a file that keeps the outcome of every split, so that a run
that was cut short goes on.
"""

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2
from sklearn.ensemble import (
    GradientBoostingRegressor,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from comitia.sklearn import CertificateWarning, WeightedVoteRegressor

Members = list[tuple[str, Any]]
Array = NDArray[np.float64]

TABLES: dict[str, Callable[[], tuple[Array, Array]]] = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "friedman1": lambda: make_friedman1(1000, noise=1.0, random_state=1),
    "friedman2": lambda: make_friedman2(1000, noise=125.0, random_state=1),
}


class Remembered(MetaEstimatorMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor whose fits are kept, by the samples they were on."""

    fits: ClassVar[dict[str, Any]] = {}

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Array, y: Array) -> "Remembered":
        key = f"{self.estimator!r} {hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()}"
        if key not in self.fits:
            self.fits[key] = clone(self.estimator).fit(X, y)
        self.fitted_ = self.fits[key]
        return self

    def predict(self, X: Array) -> Array:
        return np.asarray(self.fitted_.predict(X))


def members() -> Members:
    """Six members of different kinds, scaled where that matters."""
    found = [
        ("ridge", make_pipeline(StandardScaler(), RidgeCV())),
        ("near", make_pipeline(StandardScaler(), KNeighborsRegressor(7))),
        ("svr", make_pipeline(StandardScaler(), SVR(C=50))),
        ("forest", RandomForestRegressor(50, random_state=0)),
        ("boosting", GradientBoostingRegressor(random_state=0)),
        ("tree", DecisionTreeRegressor(max_depth=4, random_state=0)),
    ]
    return [(name, Remembered(member)) for name, member in found]


def ours(**settings: Any) -> Callable[[], Any]:
    """Return how to make our estimator with those settings."""
    return lambda: WeightedVoteRegressor(members(), random_state=0, quantile=0.9, **settings)


METHODS: dict[str, Callable[[], Any]] = {
    "voting": lambda: VotingRegressor(members()),
    "stacking": lambda: StackingRegressor(members()),
    "best, five folds": ours(method="best", cv=5, holdout=0),
    "tandem, five folds": ours(cv=5, holdout=0),
    "tandem, hold-out": ours(),
    "tandem, five folds and hold-out": ours(cv=5, holdout=0.2),
}


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """A row per table and method."""
    splits = max(1, round(int(os.environ.get("COMITIA_SPLITS", "10")) * scale))
    place = os.environ.get("COMITIA_KEEP")
    kept = json.loads(Path(place).read_text()) if place and Path(place).exists() else {}
    for name, table in TABLES.items():
        for split in range(splits):
            key = f"{name} {split}"
            if key not in kept:
                kept[key] = one_split(*table(), split)
                print(key, file=sys.stderr, flush=True)
                if place:
                    Path(place).write_text(json.dumps(kept))
    return [row for name in TABLES for row in rows(name, [kept[f"{name} {k}"] for k in range(splits)])]


def one_split(X: Array, y: Array, split: int) -> dict[str, dict[str, float]]:
    """What each method does on one split."""
    order = np.random.default_rng(split).permutation(len(y))
    test, train = order[: len(y) // 4], order[len(y) // 4 :]
    Remembered.fits.clear()
    found = {}
    for name, make in METHODS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CertificateWarning)
            fitted = make().fit(X[train], y[train])
        found[name] = judged(fitted, np.abs(fitted.predict(X[test]) - y[test]))
    return found


def judged(fitted: Any, errors: Array) -> dict[str, float]:
    """The error on the test samples, and what was promised."""
    found = {"mse": float((errors**2).mean())}
    best = getattr(fitted, "certificate_", None)
    if best is not None:
        ninety = next(c for c in fitted.ensemble_.certificates if c.measure == "quantile")
        clipped = float((np.minimum(errors, best.limit.value) ** 2).mean())
        found |= {"promise": best.risk, "clip": best.limit.value, "clipped": clipped}
        found |= {"ninety": ninety.risk, "covered": float((errors <= ninety.risk).mean())}
    return found


def rows(table: str, splits: list[dict[str, dict[str, float]]]) -> list[dict[str, object]]:
    """A row per method of one table."""
    ranks = np.array([rankdata([split[name]["mse"] for name in METHODS]) for split in splits])
    found: list[dict[str, object]] = []
    for place, name in enumerate(METHODS):
        own = [split[name] for split in splits]
        row: dict[str, object] = {
            "name": f"{table}: {name}",
            "rmse": round(float(np.sqrt(np.mean([one["mse"] for one in own]))), 3),
            "rank": round(float(ranks[:, place].mean()), 2),
        }
        if all("promise" in one for one in own):
            row |= {
                "promise": round(float(np.sqrt(np.mean([one["promise"] for one in own]))), 3),
                "clip": round(float(np.mean([one["clip"] for one in own])), 1),
                "broken": f"{sum(one['promise'] < one['clipped'] for one in own)} of {len(own)}",
                "90%": round(float(np.mean([one["ninety"] for one in own])), 2),
                "covered": round(float(np.mean([one["covered"] for one in own])), 3),
            }
        found.append(row)
    return found
