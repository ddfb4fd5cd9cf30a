"""Promises of the estimators over many draws of all samples: broken at most as often as delta allows.

The truth is the error of the fitted vote on 20,000 further samples. A leak must break them: members certified on the
samples that they were fitted on.
"""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from comitia.sklearn import WeightedForest, WeightedVoteClassifier

pytestmark = [
    pytest.mark.filterwarnings("ignore::comitia.sklearn.CertificateWarning"),
    pytest.mark.filterwarnings("ignore:The least populated class:UserWarning"),
]
DELTA, DRAWS, FURTHER = 0.1, 200, 20_000
# Sound promises exceed it with probability 1e-3.
MOST_BROKEN = int(binom.isf(1e-3, DRAWS, DELTA))
PAIRS = [("tree", DecisionTreeClassifier(max_depth=3, random_state=0)), ("bayes", GaussianNB())]


def draw(samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Samples of three classes that overlap, one of them rare."""
    y = rng.choice(3, samples, p=[0.5, 0.42, 0.08])
    return rng.normal(size=(samples, 4)) + np.eye(3, 4)[y] * 1.6, y


def broken(make, samples: int, which: str = "certificate_") -> int:
    found = 0
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        X, y = draw(samples, rng)
        vote = make(seed).fit(X, y)
        further, labels = draw(FURTHER, rng)
        found += getattr(vote, which).risk < float((vote.predict(further) != labels).mean())
    return found


@pytest.mark.parametrize("samples", [60, 400])
@pytest.mark.parametrize(
    "options",
    [{}, {"vote": "majority", "method": "tandem"}, {"cv": 3}, {"method": "greedy", "certify_fraction": 0.5}],
    ids=["default", "tandem", "folds", "greedy"],
)
def test_weighted_votes(samples: int, options: dict) -> None:
    def make(seed: int) -> WeightedVoteClassifier:
        return WeightedVoteClassifier(PAIRS, delta=DELTA, random_state=seed, **options)

    assert broken(make, samples) <= MOST_BROKEN


@pytest.mark.parametrize("which", ["certificate_", "oob_certificate_"])
def test_forests(which: str) -> None:
    def make(seed: int) -> WeightedForest:
        return WeightedForest(15, holdout=0.2, delta=DELTA, random_state=seed)

    assert broken(make, 300, which) <= MOST_BROKEN


def test_members_certified_on_what_they_were_fitted_on_break_it() -> None:
    class Leaking(WeightedVoteClassifier):
        def fit(self, X, y):
            deep = DecisionTreeClassifier(random_state=0).fit(X, y)
            self.set_params(estimators=[("deep", deep)], prefit=True)
            return super().fit(X, y)

    assert broken(lambda seed: Leaking(PAIRS, delta=DELTA, random_state=seed), 200) > MOST_BROKEN
