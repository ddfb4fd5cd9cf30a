"""Models of LightGBM and XGBoost as members: texts as classes, columns of a table, frozen ones."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from comitia.sklearn import WeightedVoteClassifier

pytestmark = pytest.mark.filterwarnings("ignore::comitia.sklearn.CertificateWarning")
X, NUMBERS = make_classification(600, 8, n_informative=6, n_classes=3, random_state=0)
Y = np.array(["cat", "dog", "emu"])[NUMBERS]


def booster(kind: str):
    if kind == "lightgbm":
        return pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1)
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=10, n_jobs=1)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize("kind", ["lightgbm", "xgboost"])
@pytest.mark.parametrize(
    "options", [{}, {"vote": "majority"}, {"cv": 2}], ids=["average", "majority", "folds"]
)
def test_a_model_as_a_member(kind: str, options: dict) -> None:
    pairs = [("boosting", booster(kind)), ("bayes", GaussianNB())]
    fitted = WeightedVoteClassifier(pairs, random_state=0, **options).fit(X, Y)
    assert set(fitted.predict(X)) <= {"cat", "dog", "emu"}
    assert fitted.score(X, Y) > 0.7
    assert fitted.certificate_.risk < 0.6


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize("kind", ["lightgbm", "xgboost"])
def test_a_model_that_was_fitted_before(kind: str) -> None:
    pairs = [("boosting", FrozenEstimator(booster(kind).fit(X[:300], NUMBERS[:300])))]
    fitted = WeightedVoteClassifier(pairs, random_state=0).fit(X[300:], NUMBERS[300:])
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.ensemble_.data.samples == 300


@pytest.mark.parametrize("kind", ["lightgbm", "xgboost"])
def test_a_data_frame_reaches_the_model(kind: str) -> None:
    table = pytest.importorskip("pandas").DataFrame(X, columns=[f"x{k}" for k in range(8)])
    fitted = WeightedVoteClassifier([("boosting", booster(kind))], random_state=0).fit(table, Y)
    names = fitted.estimators_[0].feature_names_in_
    assert list(names) == list(table.columns)
