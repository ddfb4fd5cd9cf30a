"""The scikit-learn classifier: the conventions, the vote, and a certificate that rests on samples no member saw."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from comitia._errors import InputError
from comitia._votes import winners
from comitia.sklearn import WeightedVoteClassifier

MEMBERS = [
    ("stump", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
    ("bayes", GaussianNB()),
    ("line", make_pipeline(StandardScaler(), LogisticRegression())),
]
X, Y = make_classification(1500, 10, n_informative=5, random_state=0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([WeightedVoteClassifier([MEMBERS[1]], random_state=0)])
def test_the_conventions_of_scikit_learn(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_the_vote_is_that_of_the_weights(vote: str) -> None:
    fitted = WeightedVoteClassifier(MEMBERS, vote=vote, random_state=0).fit(X, Y)
    shares = fitted.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1)
    by_hand = np.zeros_like(shares)
    for weight, member in zip(fitted.weights_, fitted.estimators_, strict=True):
        by_hand += weight * (member.predict_proba(X) if vote == "average" else np.eye(2)[member.predict(X)])
    assert shares == pytest.approx(by_hand)
    assert np.array_equal(fitted.predict(X), winners(by_hand))


def test_settings_changed_after_fitting_do_not_change_the_certified_vote() -> None:
    fitted = WeightedVoteClassifier(MEMBERS, random_state=0).fit(X, Y)
    classes, shares = fitted.predict(X), fitted.predict_proba(X)
    fitted.set_params(vote="average", estimators=[("other", GaussianNB())])
    assert np.array_equal(fitted.predict(X), classes)
    assert np.array_equal(fitted.predict_proba(X), shares)
    assert fitted.certificate_.vote == "majority"


def test_the_certificate_rests_on_samples_that_no_member_saw() -> None:
    fitted = WeightedVoteClassifier(MEMBERS, holdout=0.4, random_state=0).fit(X, Y)
    assert fitted.ensemble_.data.samples == 600
    assert fitted.certificate_.name == "split"
    assert fitted.certificate_.samples == 515
    assert fitted.ensemble_.names == ("stump", "tree", "bayes", "line")


def test_members_fitted_before() -> None:
    members = [(name, member.fit(X[:700], Y[:700])) for name, member in MEMBERS]
    fitted = WeightedVoteClassifier(members, prefit=True, random_state=0).fit(X[700:], Y[700:])
    assert fitted.ensemble_.data.samples == 800
    assert fitted.score(X[:700], Y[:700]) > 0.7


def test_a_class_that_no_fitted_member_knows_counts_as_errors() -> None:
    members = [(name, member.fit(X[:700], Y[:700])) for name, member in MEMBERS]
    labels = Y[700:].copy()
    labels[:80] = 2
    known = WeightedVoteClassifier(members, prefit=True, random_state=0).fit(X[700:], Y[700:])
    fitted = WeightedVoteClassifier(members, prefit=True, random_state=0).fit(X[700:], labels)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.certificate_.risk > known.certificate_.risk + 0.05


def test_text_classes_and_more_than_two_of_them() -> None:
    iris = load_iris()
    names = iris.target_names[iris.target]
    fitted = WeightedVoteClassifier(MEMBERS, vote="average", random_state=0).fit(iris.data, names)
    assert set(fitted.predict(iris.data)) <= set(names)
    assert fitted.score(iris.data, names) > 0.85


def test_it_takes_part_in_cross_validation() -> None:
    scores = cross_val_score(WeightedVoteClassifier(MEMBERS, random_state=0), X, Y, cv=3)
    assert scores.min() > 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimators": []}, "estimators: at least one (name, classifier) pair is required, got none"),
        ({"estimators": [("stump",)]}, "estimators: must be (name, classifier) pairs"),
        ({"estimators": [MEMBERS[0], MEMBERS[0]]}, "estimators: names must differ, got ['stump', 'stump']"),
        ({"holdout": 1.0}, "holdout: must lie strictly between 0 and 1, got 1"),
        ({"method": "tandm"}, "method: 'tandm' is not one of"),
    ],
)
def test_wrong_settings(options: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        WeightedVoteClassifier(**{"estimators": MEMBERS, **options}).fit(X, Y)
    assert str(error.value).startswith(message)
