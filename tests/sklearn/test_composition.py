"""What users of VotingClassifier know: members by name, nested parameters, routing of metadata, how it is shown."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from comitia._errors import InputError
from comitia.sklearn import WeightedVoteClassifier

pytestmark = pytest.mark.filterwarnings("ignore::comitia.sklearn.CertificateWarning")
IRIS = load_iris()
ORDER = np.random.default_rng(0).permutation(150)
X, Y = StandardScaler().fit_transform(IRIS.data)[ORDER], IRIS.target[ORDER]
LINE, TREE, BAYES = LogisticRegression(), DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()


def vote(*pairs, **options):
    return WeightedVoteClassifier(list(pairs), random_state=0, **options)


@pytest.mark.parametrize("estimators", [[], [LINE], [(213, LINE)], None, [("line", LINE, 3)], "line"])
def test_members_must_be_pairs(estimators) -> None:
    with pytest.raises(InputError, match="^estimators: "):
        WeightedVoteClassifier(estimators).fit(X, Y)


def test_before_fit() -> None:
    for method in ("predict", "predict_proba", "report"):
        with pytest.raises(NotFittedError):
            getattr(vote(("line", LINE)), method)(*([X] if method != "report" else []))
    assert not hasattr(vote(("line", LINE)), "n_features_in_")


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_accuracy_on_iris(voting: str) -> None:
    three = vote(
        ("line", LINE),
        ("forest", RandomForestClassifier(10, random_state=0)),
        ("bayes", BAYES),
        voting=voting,
    )
    assert cross_val_score(three, X, Y, scoring="accuracy").mean() >= 0.9


def test_a_tie_goes_to_the_smaller_class() -> None:
    class Always(ClassifierMixin, BaseEstimator):
        def __init__(self, answer=0):
            self.answer = answer

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.answer)

    fitted = vote(("two", Always(2)), ("one", Always(1)), method="uniform").fit(X, Y)
    assert set(fitted.predict(X)) == {1}


def test_uniform_weights_give_the_vote_of_scikit_learn() -> None:
    """Members fitted before, so that both have the same ones."""
    from sklearn.frozen import FrozenEstimator

    pairs = [
        (name, FrozenEstimator(clone(m).fit(X[:75], Y[:75])))
        for name, m in (("l", LINE), ("t", TREE), ("b", BAYES))
    ]
    for voting in ("hard", "soft"):
        ours = vote(*pairs, voting=voting, method="uniform").fit(X[75:], Y[75:])
        theirs = VotingClassifier(pairs, voting=voting).fit(X[75:], Y[75:])
        assert np.array_equal(ours.predict(X), theirs.predict(X))
        if voting == "soft":
            assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X))


def test_several_outputs_are_refused() -> None:
    with pytest.raises(ValueError, match="1d array|multilabel"):
        vote(("tree", TREE)).fit(X, np.stack([Y, Y], axis=1))


def test_nested_parameters() -> None:
    two = vote(("line", LogisticRegression(C=2)), ("tree", DecisionTreeClassifier()))
    found = two.get_params()
    assert found["line__C"] == 2
    assert found["tree"] is two.estimators[1][1]
    assert found["holdout"] == 0.3
    assert "line" not in two.get_params(deep=False)
    two.set_params(line__C=5, tree__max_depth=1, holdout=0.4)
    assert (two.estimators[0][1].C, two.estimators[1][1].max_depth, two.holdout) == (5, 1, 0.4)
    again = clone(two)
    assert again.get_params()["line__C"] == 5
    assert again.estimators[0][1] is not two.estimators[0][1]


def test_a_member_is_replaced_by_its_name() -> None:
    given = [("line", LINE), ("tree", TREE)]
    two = WeightedVoteClassifier(given, random_state=0)
    two.set_params(tree=BAYES)
    assert two.estimators == [("line", LINE), ("tree", BAYES)]
    assert given[1] == ("tree", TREE)
    assert isinstance(two.fit(X, Y).named_estimators_["tree"], GaussianNB)
    two.set_params(estimators=[("new", TREE)], new__max_depth=1)
    assert two.get_params()["new__max_depth"] == 1
    with pytest.raises(ValueError, match="Invalid parameter 'old'"):
        two.set_params(old=TREE)


def test_a_dropped_member_neither_fits_nor_votes() -> None:
    three = vote(("line", LINE), ("tree", TREE), ("bayes", BAYES)).set_params(tree="drop").fit(X, Y)
    two = vote(("line", LINE), ("bayes", BAYES)).fit(X, Y)
    assert np.array_equal(three.predict_proba(X), two.predict_proba(X))
    assert (len(three.estimators), len(three.estimators_), len(three.weights_)) == (3, 2, 2)
    assert three.named_estimators_["tree"] == "drop"
    assert three.named_estimators["tree"] == "drop"
    assert three.named_estimators_.line is three.estimators_[0]


class TestSampleWeights:
    def test_they_reach_the_members(self) -> None:
        weights = np.random.default_rng(0).uniform(size=150)
        fitted = vote(("line", LINE), method="uniform").fit(X, Y, sample_weight=weights)
        from comitia.sklearn.splitting import divide

        random = np.random.RandomState(0)
        random.randint(2**31 - 1)
        parts = divide(150, 0.3, random, None, Y)
        alone = clone(LINE).fit(X[parts.train], Y[parts.train], weights[parts.train])
        assert fitted.predict_proba(X) == pytest.approx(alone.predict_proba(X))

    def test_a_member_that_takes_none_is_named(self) -> None:
        near = vote(("line", LINE), ("near", KNeighborsClassifier()))
        with pytest.raises(InputError, match=r"sample_weight: 'near' \(KNeighborsClassifier\) takes none"):
            near.fit(X, Y, sample_weight=np.ones(150))

    def test_errors_of_members_are_theirs(self) -> None:
        class Broken(ClassifierMixin, BaseEstimator):
            def fit(self, X, y, sample_weight=None):
                raise TypeError("Error unrelated to sample_weight.")

            def predict(self, X):
                return np.zeros(len(X))

        with pytest.raises(TypeError, match="Error unrelated"):
            vote(("broken", Broken())).fit(X, Y, sample_weight=np.ones(150))


class Recording(ClassifierMixin, BaseEstimator):
    """Keeps what it was fitted with."""

    def fit(self, X, y, sample_weight=None, metadata=None):
        self.got_ = (sample_weight, metadata)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


class TestRouting:
    def test_without_it_only_weights_are_passed_on(self) -> None:
        with pytest.raises(
            InputError, match="fit: metadata can be passed on to members with scikit-learn's metadata"
        ):
            vote(("a", Recording())).fit(X, Y, metadata="x")

    def test_members_get_what_they_request(self) -> None:
        with sklearn.config_context(enable_metadata_routing=True):
            both = Recording().set_fit_request(sample_weight=True, metadata=True)
            none = Recording().set_fit_request(sample_weight=False, metadata=False)
            fitted = vote(("both", both), ("none", none)).fit(
                X, Y, sample_weight=np.arange(150), metadata="x"
            )
            got = fitted.named_estimators_["both"].got_
            assert (len(got[0]), got[1]) == (105, "x")
            assert fitted.named_estimators_["none"].got_ == (None, None)

    def test_what_nobody_speaks_of_is_an_error(self) -> None:
        with sklearn.config_context(enable_metadata_routing=True):
            with pytest.raises(UnsetMetadataPassedError):
                vote(("a", Recording())).fit(X, Y, sample_weight=np.ones(150))
            vote(("a", Recording())).get_metadata_routing()

    def test_groups_come_through_cross_validation(self) -> None:
        groups = np.repeat(np.arange(75), 2)
        with sklearn.config_context(enable_metadata_routing=True):
            two = vote(("line", LINE), ("tree", TREE)).set_fit_request(groups=True)
            found = cross_validate(two, X, Y, cv=2, params={"groups": groups}, return_estimator=True)
        assert {one.certificate_.unit for one in found["estimator"]} == {"groups"}


def test_tags_follow_the_members() -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.utils import get_tags

    missing = get_tags(vote(("boost", HistGradientBoostingClassifier()))).input_tags
    assert (missing.allow_nan, missing.sparse) == (True, False)
    plain = get_tags(vote(("line", LINE), ("boost", HistGradientBoostingClassifier()))).input_tags
    assert (plain.allow_nan, plain.sparse) == (False, False)
    assert get_tags(vote(("line", LINE))).input_tags.sparse


def test_the_diagram_names_the_members() -> None:
    before = vote(("line", LINE), ("tree", TREE))
    text = before._repr_html_()
    assert "line" in text
    assert "tree" in text
    assert "promise" not in text
    after = before.fit(X, Y)._repr_mimebundle_()
    assert "with probability 95%" in after["text/html"]
    assert after["text/plain"].startswith("WeightedVoteClassifier(")
    with sklearn.config_context(display="text"):
        assert "text/html" not in before._repr_mimebundle_()
    assert WeightedVoteClassifier([LINE])._repr_mimebundle_()["text/plain"]
