"""Seconds of our estimators for scikit-learn, as ratios to scikit-learn's own in the same run.

- *from_forest*: weighing and certifying a fitted forest of 500 trees on the 50,000 samples it was fitted on, against
  scikit-learn's own `oob_score` computation and prediction of these samples. At most 1.3 times.
- *fit, two jobs*: eight members, against VotingClassifier with the same jobs. Not slower.

Both ways take turns, and the medians are compared.
"""

import time
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from bench.estimators import members
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, VotingClassifier

from comitia.sklearn import WeightedVoteClassifier, from_forest

TREES, SAMPLES, ROUNDS = 500, 50_000, 3
FITTED = 4_000


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Return both rows; `scale` makes forest and samples smaller."""
    return [
        _forest(max(20, int(TREES * scale)), max(1000, int(SAMPLES * scale))),
        _fit(max(500, int(FITTED * scale))),
    ]


def _forest(trees: int, samples: int) -> dict[str, object]:
    X, y = make_classification(samples, 20, n_informative=10, flip_y=0.05, random_state=0)
    X = X.astype(np.float32)
    forest = RandomForestClassifier(trees, n_jobs=-1, random_state=0).fit(X, y).set_params(n_jobs=1)

    def ours() -> None:
        from_forest(forest, X, y, n_jobs=1)

    def theirs() -> None:
        _score_out_of_bag(forest, X, y)
        forest.predict(X)

    return _row(f"from_forest, {trees} trees × {samples:,} samples", ours, theirs, 1.3)


def _score_out_of_bag(forest: Any, X: Any, y: Any) -> None:
    """Do what `fit` does with oob_score=True; there is no public name for it alone, and then classes lie in lists."""
    forest.n_classes_, forest.classes_ = [forest.n_classes_], [forest.classes_]
    forest._set_oob_score_and_attributes(X, y[:, None].astype(np.float64))
    forest.n_classes_, forest.classes_ = forest.n_classes_[0], forest.classes_[0]


def _fit(samples: int) -> dict[str, object]:
    X, y = make_classification(samples, 20, n_informative=10, n_classes=3, random_state=0)
    some = [(name, remembered.estimator) for name, remembered in members()]

    def ours() -> None:
        WeightedVoteClassifier(some, n_jobs=2, random_state=0).fit(X, y)

    def theirs() -> None:
        VotingClassifier(some, n_jobs=2).fit(X, y)

    return _row(f"fit, two jobs, 8 members × {samples:,} samples", ours, theirs, 1.0)


def _row(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], most: float) -> dict[str, object]:
    seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(ROUNDS):
            for way, call in (("ours", ours), ("theirs", theirs)):
                start = time.perf_counter()
                call()
                seconds[way].append(time.perf_counter() - start)
    ratio = median(seconds["ours"]) / median(seconds["theirs"])
    return {
        "name": name,
        "seconds": median(seconds["ours"]),
        "sklearn_seconds": median(seconds["theirs"]),
        "ratio": ratio,
        "at most": most,
        "holds": ratio <= most,
    }
