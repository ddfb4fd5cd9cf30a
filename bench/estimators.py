"""Accuracy and promise of `WeightedVoteClassifier` beside scikit-learn's ensembles, on public tables.

Tables: those in the shared data (letter, satellite, dna, vehicle, pima, sonar). Each random split trains on 80% of a
table, at most 1,000 samples (COMITIA_TRAINED), and judges on the others, at most 5,000. Members: eight of different kinds, scaled where
that matters. All methods get the same training samples:

- *voting, hard* and *soft*, *stacking* (five folds, logistic regression): scikit-learn's, with their defaults.
- *greedy, five folds*: selection with replacement by out-of-fold predictions; no promise.
- *blend, five folds*: `cv=5, holdout=0`; no promise.
- *blend, hold-out*: the default, 30% of the samples are held out, choose and certify; the promise is at delta .05.
- *blend, five folds and hold-out*: `cv=5, holdout=0.2`; the promise is of 20% that only certify.

Ranks (1 is best) are by the error on the test samples of a split, ties share the mean rank. `times` is the mean promise
over the mean error, `broken` how many promises were below the error on the test samples; where these are few, that
error is itself uncertain.

A fit of the same member on the same samples is done once and used by all methods: they differ in what they do with the
members. COMITIA_SPLITS (10) says how many splits, COMITIA_TABLES which tables, COMITIA_KEEP names a file that keeps the
outcome of every split, so that a run that was cut short goes on.
"""

import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from comitia.sklearn import WeightedVoteClassifier

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
TABLES = ("letter", "satellite", "dna", "vehicle", "pima", "sonar")
MOST_TRAINED, MOST_TESTED = int(os.environ.get("COMITIA_TRAINED", "1000")), 5_000
Members = list[tuple[str, Any]]


class Remembered(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A member whose fits are remembered, by the samples that it is fitted on."""

    fits: dict[tuple[str, str], Any] = {}  # noqa: RUF012

    def __init__(self, name: str, estimator: Any) -> None:
        self.name = name
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> "Remembered":
        """Fit, unless that was done before."""
        digest = hashlib.sha256(np.ascontiguousarray(X).tobytes() + np.asarray(y, np.int64).tobytes())
        key = (self.name, digest.hexdigest())
        if key not in self.fits:
            self.fits[key] = clone(self.estimator).fit(X, y)
        self.fitted_ = self.fits[key]
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the classes."""
        return self.fitted_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities."""
        return self.fitted_.predict_proba(X)


def members() -> Members:
    """Eight members of different kinds."""
    scaled = StandardScaler()
    found: Members = [
        ("linear", make_pipeline(scaled, LogisticRegression(max_iter=1000))),
        ("neighbours", make_pipeline(scaled, KNeighborsClassifier())),
        ("svm", make_pipeline(scaled, CalibratedClassifierCV(SVC(), cv=3, ensemble=False))),
        ("forest", RandomForestClassifier(100, random_state=0)),
        ("boosting", HistGradientBoostingClassifier(max_iter=40, random_state=0)),
        ("bayes", GaussianNB()),
        ("network", make_pipeline(scaled, MLPClassifier((50,), max_iter=100, random_state=0))),
        ("tree", DecisionTreeClassifier(min_samples_leaf=3, random_state=0)),
    ]
    return [(name, Remembered(name, estimator)) for name, estimator in found]


def methods() -> dict[str, Callable[[Members, int], Any]]:
    """Return what is compared: a function of members and seed each."""
    ours = WeightedVoteClassifier
    return {
        "voting, hard": lambda some, seed: VotingClassifier(some),
        "voting, soft": lambda some, seed: VotingClassifier(some, voting="soft"),
        "stacking": lambda some, seed: StackingClassifier(some, LogisticRegression(max_iter=1000), cv=5),
        "greedy, five folds": lambda some, seed: ours(
            some, method="greedy", cv=5, holdout=0, random_state=seed
        ),
        "blend, five folds": lambda some, seed: ours(some, cv=5, holdout=0, random_state=seed),
        "blend, hold-out": lambda some, seed: ours(some, random_state=seed),
        "blend, five folds and hold-out": lambda some, seed: ours(some, cv=5, holdout=0.2, random_state=seed),
    }


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Rows: of all tables the mean rank and error of each method, then each table."""
    names = [name for name in _asked() if (DATA / "tables" / f"{name}.npz").exists()]
    if not names:
        return [{"name": "skipped: needs tables (COMITIA_SHARED_DATA says where)"}]
    splits = max(1, round(int(os.environ.get("COMITIA_SPLITS", "10")) * scale))
    found = [outcome for seed in range(splits) for name in names for outcome in _outcomes(name, seed)]
    return [*_ranks(found), *_by_table(found)]


def _asked() -> list[str]:
    return os.environ.get("COMITIA_TABLES", ",".join(TABLES)).split(",")


def _outcomes(name: str, seed: int) -> list[dict[str, Any]]:
    """Return what each method came to on that split of that table; kept ones are read."""
    place = os.environ.get("COMITIA_KEEP")
    kept = (
        [json.loads(line) for line in Path(place).read_text().splitlines()]
        if place and Path(place).exists()
        else []
    )
    known = [row for row in kept if (row["table"], row["split"]) == (name, seed)]
    if {row["method"] for row in known} == set(methods()):
        return known
    rows = list(_split(name, seed))
    if place:
        with Path(place).open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return rows


def _split(name: str, seed: int) -> Iterator[dict[str, Any]]:
    """Yield error, promise and seconds of each method on that split."""
    with np.load(DATA / "tables" / f"{name}.npz") as file:
        X, y = file["X"].astype(np.float64), file["y"]
    order = np.random.default_rng(seed).permutation(len(y))
    trained = min(MOST_TRAINED, round(0.8 * len(y)))
    train, test = order[:trained], order[trained : trained + MOST_TESTED]
    Remembered.fits.clear()
    for method, make in methods().items():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = make(members(), seed).fit(X[train], y[train])
        error = float((fitted.predict(X[test]) != y[test]).mean())
        certificate = getattr(fitted, "certificate_", None)
        promise = None if certificate is None else certificate.risk
        seconds = round(time.perf_counter() - start, 2)
        print(f"{name} {seed} {method}: {error:.4f} {promise} {seconds}s", file=sys.stderr, flush=True)
        yield {"table": name, "split": seed, "method": method, "error": error, "promise": promise}


def _ranks(found: list[dict[str, Any]]) -> list[dict[str, object]]:
    """Mean ranks over all tables and splits."""
    errors = _errors(found)
    ranks = rankdata(errors, axis=1)
    spread = _spread(found, ranks)
    return [
        {
            "name": f"all tables: {method}",
            "mean_rank": round(float(ranks[:, k].mean()), 2),
            "rank_error": round(spread[k], 2),
            "error": round(float(errors[:, k].mean()), 4),
            **_promised([row for row in found if row["method"] == method]),
        }
        for k, method in enumerate(methods())
    ]


def _errors(found: list[dict[str, Any]]) -> NDArray[np.float64]:
    """Errors (splits of tables, methods)."""
    cells = dict.fromkeys((row["table"], row["split"]) for row in found)
    known = {(row["table"], row["split"], row["method"]): row["error"] for row in found}
    return np.array([[known[(*cell, method)] for method in methods()] for cell in cells])


def _spread(found: list[dict[str, Any]], ranks: NDArray[np.float64]) -> list[float]:
    """Standard errors of the mean ranks over tables, whose splits share their samples."""
    tables = [cell[0] for cell in dict.fromkeys((row["table"], row["split"]) for row in found)]
    means = np.array([ranks[np.array(tables) == name].mean(axis=0) for name in dict.fromkeys(tables)])
    if len(means) < 2:
        return [float("nan")] * ranks.shape[1]
    return [float(x) for x in means.std(axis=0, ddof=1) / np.sqrt(len(means))]


def _by_table(found: list[dict[str, Any]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name in dict.fromkeys(row["table"] for row in found):
        here = [row for row in found if row["table"] == name]
        errors = _errors(here)
        ranks = rankdata(errors, axis=1).mean(axis=0)
        for k, method in enumerate(methods()):
            rows.append(
                {
                    "name": f"{name}: {method}",
                    "mean_rank": round(float(ranks[k]), 2),
                    "error": round(float(errors[:, k].mean()), 4),
                    **_promised([row for row in here if row["method"] == method]),
                }
            )
    return rows


def _promised(rows: list[dict[str, Any]]) -> dict[str, object]:
    """Mean promise, as a multiple of the mean error too, and how many were below the error on the test samples."""
    if any(row["promise"] is None for row in rows):
        return {}
    promise, error = (float(np.mean([row[key] for row in rows])) for key in ("promise", "error"))
    broken = sum(row["promise"] < row["error"] for row in rows)
    return {
        "promise": round(promise, 4),
        "times": round(promise / error, 2),
        "broken": f"{broken} of {len(rows)}",
    }
