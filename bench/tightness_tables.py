"""How close certificates come to the limit, and how accurate weightings are, on ensembles that fitted no constant.

As `bench.tightness`, on members trained here on public tables (letter, satellite, dna) and on the demo's 5,000 digits:
a part trains, the rest is split into hold-outs and truths. Members have no runs and steps, so the limit's classifier is
the uniform weighting. Three ensembles per table:

- *diverse*: 30 members of different families (trees, forests, neighbours, linear models, naive Bayes, discriminants,
  networks), some weak, each on a random half of the training samples;
- *forest*: the 30 trees of a random forest;
- *bagging*: 30 logistic regressions, each on a bootstrap sample and a third of the columns.

Which ensembles there are was fixed before any was weighed.
"""

import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from bench import tightness
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from comitia.data.mnist5k import read_mnist5k

#: Samples that train, of each table; the rest is what members are judged on.
TRAINING = {"letter": 4000, "satellite": 1435, "dna": 686, "mnist5k": 1500}
MEMBERS = 30

Array = NDArray[np.float32]
Labels = NDArray[np.int64]


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Rows as those of `bench.tightness`: by size, by weighting, then by table and ensemble."""
    names = [name for name in TRAINING if _here(name)]
    splits = max(1, round(tightness.SPLITS * scale))
    with TemporaryDirectory() as folder, ProcessPoolExecutor(tightness.PROCESSES) as pool:
        made = [(Path(folder), *pair) for pair in product(names, ENSEMBLES)]
        paths = list(pool.map(write, made))
        jobs = [tightness.Job(path, vote, splits) for path in paths for vote in ("majority", "average")]
        table = [outcome for part in pool.map(tightness.measured, jobs) for outcome in part]
    return tightness.rows(table)


def write(made: tuple[Path, str, str]) -> Path:
    """Train an ensemble and write its probabilities on all samples that did not train it."""
    folder, name, kind = made
    inputs, labels = read(name)
    order = np.random.default_rng(0).permutation(len(labels))
    train, rest = order[: TRAINING[name]], order[TRAINING[name] :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # networks that did not converge, collinear columns: weak members
        probs = ENSEMBLES[kind](inputs[train], labels[train], inputs[rest])
    path = folder / f"{name}-{kind}.npz"
    np.savez(path, probs=probs.astype(np.float32), labels=labels[rest])
    return path


def _here(name: str) -> bool:
    return name == "mnist5k" or (tightness.DATA / "tables" / f"{name}.npz").exists()


def read(name: str) -> tuple[Array, Labels]:
    """Return inputs (n, columns), standardised, and labels (n,) from 0 on."""
    if name == "mnist5k":
        digits = read_mnist5k()
        images = np.concatenate([digits.train_x, digits.test_x]).reshape(-1, 784)[:, ::2]
        return images.astype(np.float32) / 255, np.concatenate([digits.train_y, digits.test_y])
    with np.load(tightness.DATA / "tables" / f"{name}.npz") as stored:
        inputs, labels = stored["X"], np.unique(stored["y"], return_inverse=True)[1]
    return np.asarray(StandardScaler().fit_transform(inputs), np.float32), labels.astype(np.int64)


def _diverse(inputs: Array, labels: Labels, others: Array) -> NDArray[Any]:
    rng, found = np.random.default_rng(1), []
    for seed, model in zip(range(MEMBERS), _families() * 2):
        half = rng.permutation(len(labels))[: len(labels) // 2]
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        found.append(_spread(model.fit(inputs[half], labels[half]), others, int(labels.max()) + 1))
    return np.stack(found)


def _families() -> list[Any]:
    return [
        *(DecisionTreeClassifier(max_depth=depth) for depth in (4, 8, None)),
        *(RandomForestClassifier(count) for count in (5, 25)),
        ExtraTreesClassifier(15),
        *(KNeighborsClassifier(k) for k in (1, 5, 15)),
        *(LogisticRegression(C=c, max_iter=200) for c in (0.01, 1.0)),
        GaussianNB(),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        GaussianNB(var_smoothing=0.1),
        MLPClassifier((32,), max_iter=60),
    ]


def _forest(inputs: Array, labels: Labels, others: Array) -> NDArray[Any]:
    forest = RandomForestClassifier(MEMBERS, min_samples_leaf=2, random_state=0).fit(inputs, labels)
    return np.stack([tree.predict_proba(others) for tree in forest.estimators_])


def _bagging(inputs: Array, labels: Labels, others: Array) -> NDArray[Any]:
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    bag = BaggingClassifier(model, MEMBERS, max_features=1 / 3, random_state=0).fit(inputs, labels)
    parts = zip(bag.estimators_, bag.estimators_features_)
    return np.stack([_spread(one, others[:, columns], int(labels.max()) + 1) for one, columns in parts])


def _spread(model: ClassifierMixin, others: Array, classes: int) -> NDArray[Any]:
    """Probabilities of all classes, 0 for those that the model was not shown; rows of no number are uniform."""
    probs = np.zeros((len(others), classes))
    probs[:, model.classes_] = model.predict_proba(others)
    probs[~np.isfinite(probs).all(axis=1)] = 1 / classes
    return probs / probs.sum(axis=1, keepdims=True)


ENSEMBLES: dict[str, Callable[[Array, Labels, Array], NDArray[Any]]] = {
    "diverse": _diverse,
    "forest": _forest,
    "bagging": _bagging,
}
