"""The scikit-learn classifier: the conventions, the vote, and a certificate that rests on samples no member saw."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, ShuffleSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from comitia._errors import InputError
from comitia._votes import winners
from comitia.sklearn import CertificateWarning, WeightedVoteClassifier

MEMBERS = [
    ("stump", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
    ("bayes", GaussianNB()),
    ("line", make_pipeline(StandardScaler(), LogisticRegression())),
]
X, Y = make_classification(1500, 10, n_informative=5, random_state=0)
quiet = pytest.mark.filterwarnings("ignore::comitia.sklearn.CertificateWarning")
pytestmark = quiet
SETS = [
    WeightedVoteClassifier([MEMBERS[1]], random_state=0),
    WeightedVoteClassifier([("line", LogisticRegression()), ("bayes", GaussianNB())], random_state=0),
    WeightedVoteClassifier(
        [("near", KNeighborsClassifier(2)), ("svm", LinearSVC())], method="tandem", random_state=0
    ),
    WeightedVoteClassifier([("tree", MEMBERS[1][1]), ("bayes", GaussianNB())], cv=2, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@parametrize_with_checks(SETS)
def test_the_conventions_of_scikit_learn(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_the_vote_is_that_of_the_weights(vote: str) -> None:
    fitted = WeightedVoteClassifier(MEMBERS, vote=vote, random_state=0).fit(X, Y)
    assert fitted.ensemble_.vote == vote
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
    assert fitted.certificate_.vote == "average"
    fitted.set_params(vote="majority", estimators=[("other", GaussianNB())])
    assert np.array_equal(fitted.predict(X), classes)
    assert np.array_equal(fitted.predict_proba(X), shares)
    assert fitted.certificate_.vote == "average"


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


def test_defaults_are_those_of_weigh() -> None:
    """Blend, and the average where all members have probabilities; the majority where one has none."""
    soft = WeightedVoteClassifier(MEMBERS, random_state=0).fit(X, Y)
    hard = WeightedVoteClassifier([*MEMBERS, ("svm", LinearSVC())], random_state=0).fit(X, Y)
    assert (soft.ensemble_.weighting.method, soft.ensemble_.vote) == ("blend", "average")
    assert (hard.ensemble_.weighting.method, hard.ensemble_.vote) == ("blend", "majority")


@pytest.mark.parametrize(("voting", "vote"), [("hard", "majority"), ("soft", "average")])
def test_votes_as_scikit_learn_spells_them(voting: str, vote: str) -> None:
    ours = WeightedVoteClassifier(MEMBERS[:2], vote=vote, random_state=0).fit(X, Y)
    theirs = WeightedVoteClassifier(MEMBERS[:2], voting=voting, random_state=0).fit(X, Y)
    assert ours.ensemble_.vote == theirs.ensemble_.vote == vote
    assert ours.certificate_ == theirs.certificate_


@pytest.mark.parametrize("labels", [["no", "yes"], [1, 2], [-1, 1], [False, True], [0.5, 1.5]])
def test_labels_of_any_kind_give_the_same_vote(labels: list) -> None:
    names = np.array(labels)
    if names.dtype.kind == "f":
        with pytest.raises(ValueError, match="Unknown label type"):
            WeightedVoteClassifier(MEMBERS[:2]).fit(X, names[Y])
        return
    plain = WeightedVoteClassifier(MEMBERS[:2], random_state=0).fit(X, Y)
    fitted = WeightedVoteClassifier(MEMBERS[:2], random_state=0).fit(X, names[Y])
    assert fitted.classes_.tolist() == labels
    assert np.array_equal(fitted.predict(X), names[plain.predict(X)])
    assert fitted.ensemble_.class_names == tuple(map(str, labels))


def test_a_member_may_miss_a_class() -> None:
    """One that was fitted on two of three classes gives the third none of its probability."""
    iris = load_iris()
    order = np.random.default_rng(0).permutation(150)
    data, target = iris.data[order], iris.target_names[iris.target[order]]
    two = target != "virginica"
    half = FrozenEstimator(LogisticRegression().fit(data[two], target[two]))
    pairs = [("half", half), ("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    for vote in ("average", "majority"):
        fitted = WeightedVoteClassifier(pairs, vote=vote, method="uniform", random_state=0).fit(data, target)
        assert fitted.classes_.tolist() == ["setosa", "versicolor", "virginica"]
        assert fitted.score(data, target) > 0.9
    said = fitted.members_[0].probabilities(data, 3)
    assert (said[:, 2] == 0).all()
    assert said.sum(axis=1) == pytest.approx(1)


def test_a_class_that_only_the_hold_out_has_counts_as_errors() -> None:
    labels = np.zeros(400, int)
    labels[:200] = 1
    fitted = None
    for seed in range(50):
        some = labels.copy()
        some[7] = 2
        found = WeightedVoteClassifier(MEMBERS[:2], method="uniform", random_state=seed)
        found.fit(X[:400], some)
        if len(found.members_[0].known) == 2:
            fitted = found
            break
    assert fitted is not None
    assert fitted.classes_.tolist() == [0, 1, 2]
    errors = (fitted.predict(X[:400]) != some)[7]
    assert errors
    assert fitted.certificate_.inputs["errors"] >= 1


def test_probabilities_are_needed_for_the_average() -> None:
    pairs = [("tree", MEMBERS[0][1]), ("svm", LinearSVC())]
    with pytest.raises(InputError) as error:
        WeightedVoteClassifier(pairs, vote="average").fit(X, Y)
    assert str(error.value) == (
        "vote: 'average' needs predict_proba, which 'svm' (LinearSVC) lacks; use vote='majority', or put it into a "
        "CalibratedClassifierCV"
    )
    calibrated = CalibratedClassifierCV(LinearSVC(), ensemble=False, cv=3)
    fitted = WeightedVoteClassifier([pairs[0], ("svm", calibrated)], vote="average", random_state=0).fit(X, Y)
    assert fitted.ensemble_.vote == "average"


def test_frozen_members_are_certified_on_all_samples() -> None:
    members = [(name, FrozenEstimator(clone(member).fit(X[:700], Y[:700]))) for name, member in MEMBERS]
    frozen = WeightedVoteClassifier(members, random_state=0).fit(X[700:], Y[700:])
    assert frozen.ensemble_.data.samples == 800
    assert frozen.certificate_.samples == 800 - frozen.ensemble_.split.weighing
    assert all(own is given for own, (_, given) in zip(frozen.estimators_, members))
    before = [(name, member.estimator) for name, member in members]
    prefit = WeightedVoteClassifier(before, prefit=True, random_state=0).fit(X[700:], Y[700:])
    assert prefit.certificate_ == frozen.certificate_


def test_some_frozen_members_leave_the_others_to_be_fitted() -> None:
    members = [("frozen", FrozenEstimator(GaussianNB().fit(X[:500], Y[:500]))), MEMBERS[1]]
    fitted = WeightedVoteClassifier(members, random_state=0).fit(X[500:], Y[500:])
    assert fitted.ensemble_.data.samples == 300
    assert fitted.estimators_[0] is members[0][1]


def test_a_frozen_member_must_be_fitted() -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        WeightedVoteClassifier([("frozen", FrozenEstimator(GaussianNB()))]).fit(X, Y)


@pytest.mark.parametrize("labels", [np.array(["a", "b", "c"]), np.array([1, 2, 3])])
def test_trees_of_a_forest_answer_positions_and_are_refused(labels: np.ndarray) -> None:
    data, target = make_classification(400, 8, n_informative=6, n_classes=3, random_state=0)
    forest = RandomForestClassifier(30, random_state=0).fit(data[:200], labels[target[:200]])
    trees = [(f"tree {k}", tree) for k, tree in enumerate(forest.estimators_)]
    with pytest.raises(InputError, match=r"'tree 0' answers 0 to 2 and y holds .*WeightedForest.from_forest"):
        WeightedVoteClassifier(trees, prefit=True).fit(data[200:], labels[target[200:]])
    whole = WeightedVoteClassifier([("forest", forest)], prefit=True).fit(data[200:], labels[target[200:]])
    assert whole.score(data[200:], labels[target[200:]]) > 0.7


def test_texts_against_numbers_are_refused() -> None:
    member = FrozenEstimator(GaussianNB().fit(X[:500], np.array(["b", "a"])[Y[:500]]))
    with pytest.raises(InputError, match="'bayes' answers texts and y holds numbers; give y as it does"):
        WeightedVoteClassifier([("bayes", member)]).fit(X, Y)


class TestCrossValidation:
    def test_all_samples_that_train_choose_and_all_held_out_certify(self) -> None:
        fitted = WeightedVoteClassifier(MEMBERS, cv=5, holdout=0.2, random_state=0).fit(X, Y)
        assert fitted.ensemble_.data.samples == 1200
        assert fitted.ensemble_.data.folds == 5
        assert fitted.certificate_.name == "holdout"
        assert fitted.certificate_.samples == 300
        assert fitted.named_estimators_["tree"].tree_.n_node_samples[0] == 1200

    def test_the_certificate_counts_errors_on_the_hold_out_alone(self) -> None:
        """Computed again by hand: the same division, members fitted on all that train."""
        from scipy.stats import beta

        from comitia.sklearn.splitting import divide

        fitted = WeightedVoteClassifier(MEMBERS, cv=3, holdout=0.25, random_state=7).fit(X, Y)
        random = np.random.RandomState(7)
        random.randint(2**31 - 1)
        parts = divide(1500, 0.25, random, None, Y)
        shares = sum(
            weight * clone(member).fit(X[parts.train], Y[parts.train]).predict_proba(X[parts.held])
            for weight, (_, member) in zip(fitted.weights_, MEMBERS)
        )
        errors = int((shares.argmax(axis=1) != Y[parts.held]).sum())
        assert fitted.certificate_.inputs["errors"] == errors
        assert fitted.certificate_.risk == pytest.approx(beta.ppf(0.95, errors + 1, 375 - errors), abs=1e-9)

    def test_without_a_hold_out_nothing_is_promised(self) -> None:
        with pytest.warns(CertificateWarning, match="no promise: out-of-fold predictions choose weights"):
            fitted = WeightedVoteClassifier(MEMBERS, cv=3, holdout=0, random_state=0).fit(X, Y)
        assert fitted.certificate_ is None
        assert 0 < fitted.ensemble_.estimate < 0.3
        assert "no promise; estimate" in fitted.report()
        assert fitted.score(X, Y) > 0.8

    def test_out_of_fold_predictions_are_those_of_cross_val_predict(self) -> None:
        from sklearn.model_selection import StratifiedKFold, cross_val_predict

        from comitia.sklearn.fitting import Task, fit_members
        from comitia.sklearn.splitting import Parts

        member = DecisionTreeClassifier(max_depth=3, random_state=0)
        folds = np.empty(1500, int)
        splitter = StratifiedKFold(4)
        for fold, (_, test) in enumerate(splitter.split(X, Y)):
            folds[test] = fold
        everything = Parts(np.arange(1500), np.arange(0))
        task = Task(X, Y, np.array([0, 1]), everything, "average", folds, {})
        found = fit_members([("tree", member)], task, None)
        expected = cross_val_predict(member, X, Y, cv=splitter, method="predict_proba")
        assert np.array_equal(found.unfolded[0], expected)

    def test_a_splitter_must_predict_each_sample_once(self) -> None:
        vote = WeightedVoteClassifier(MEMBERS[:1], cv=ShuffleSplit(3, random_state=0))
        with pytest.raises(InputError, match="cv: each sample must be predicted in exactly one fold"):
            vote.fit(X, Y)
        partial = PredefinedSplit(np.r_[np.full(50, -1), np.arange(1000) % 2])
        with pytest.raises(InputError, match="this one leaves some out"):
            WeightedVoteClassifier(MEMBERS[:1], cv=partial).fit(X, Y)

    def test_it_is_refused_where_nothing_is_fitted(self) -> None:
        member = FrozenEstimator(GaussianNB().fit(X, Y))
        with pytest.raises(InputError, match="cv: must be left out where all members are fitted already"):
            WeightedVoteClassifier([("bayes", member)], cv=3).fit(X, Y)


class TestGroups:
    GROUP = np.repeat(np.arange(300), 5)

    def test_they_stay_whole_and_the_certificate_is_for_groups(self) -> None:
        fitted = WeightedVoteClassifier(MEMBERS, random_state=0).fit(X, Y, groups=self.GROUP)
        assert fitted.certificate_.name == "groups"
        assert fitted.certificate_.unit == "groups"
        assert fitted.ensemble_.data.groups == 90
        assert fitted.ensemble_.data.samples == 450

    def test_with_cross_validation_they_stay_whole_too(self) -> None:
        fitted = WeightedVoteClassifier(MEMBERS[:3], cv=3, random_state=0).fit(X, Y, groups=self.GROUP)
        assert fitted.certificate_.name == "groups"
        assert fitted.certificate_.samples == 90
        assert not any("groups have samples in several folds" in line for line in fitted.ensemble_.warnings)

    def test_one_per_sample_is_needed(self) -> None:
        with pytest.raises(InputError, match="groups: one per sample is required, got 3 for 1500 samples"):
            WeightedVoteClassifier(MEMBERS).fit(X, Y, groups=[1, 2, 3])


class TestTables:
    def test_members_get_the_columns_that_they_select(self) -> None:
        pandas = pytest.importorskip("pandas")
        table = pandas.DataFrame(X, columns=[f"x{k}" for k in range(10)])
        table["site"] = np.where(Y == 1, "north", "south")
        one = make_pipeline(
            ColumnTransformer([("numbers", "passthrough", ["x0", "x1"])]), DecisionTreeClassifier(max_depth=3)
        )
        two = make_pipeline(ColumnTransformer([("text", CountVectorizer(), "site")]), MultinomialNB())
        fitted = WeightedVoteClassifier([("numbers", one), ("text", two)], cv=2, random_state=0).fit(table, Y)
        assert fitted.feature_names_in_.tolist() == table.columns.tolist()
        assert fitted.score(table, Y) > 0.99

    def test_texts_need_no_columns(self) -> None:
        texts = [f"{'good' if k % 3 else 'bad'} film {k % 7}" for k in range(300)]
        labels = ["liked" if k % 3 else "not" for k in range(300)]
        pairs = [
            ("bayes", make_pipeline(CountVectorizer(), MultinomialNB())),
            ("line", make_pipeline(CountVectorizer(), LogisticRegression())),
        ]
        fitted = WeightedVoteClassifier(pairs, random_state=0).fit(texts, labels)
        assert fitted.predict(["good film", "bad film"]).tolist() == ["liked", "not"]

    def test_sparse_samples(self) -> None:
        from scipy.sparse import csr_array

        pairs = [
            ("line", LogisticRegression()),
            ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ]
        dense = WeightedVoteClassifier(pairs, random_state=0).fit(X, Y)
        thin = WeightedVoteClassifier(pairs, random_state=0).fit(csr_array(X), Y)
        assert np.array_equal(dense.predict(X), thin.predict(csr_array(X)))


class TestInside:
    """In other tools of scikit-learn."""

    def test_a_grid_search_over_a_member(self) -> None:
        vote = WeightedVoteClassifier(MEMBERS[1:3], random_state=0)
        search = GridSearchCV(vote, {"tree__max_depth": [1, 6], "voting": ["hard", "soft"]}, cv=2).fit(X, Y)
        assert (
            search.best_estimator_.named_estimators_["tree"].max_depth
            == search.best_params_["tree__max_depth"]
        )
        assert search.best_estimator_.certificate_.risk < 0.4

    def test_calibration(self) -> None:
        vote = WeightedVoteClassifier(MEMBERS[1:3], random_state=0)
        calibrated = CalibratedClassifierCV(vote, cv=2).fit(X, Y)
        assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(1)

    def test_a_pipeline_and_a_vote_of_votes(self) -> None:
        inner = WeightedVoteClassifier(MEMBERS[1:3], random_state=0)
        outer = WeightedVoteClassifier([("inner", inner), MEMBERS[3]], random_state=0)
        fitted = make_pipeline(StandardScaler(), outer).fit(X, Y)
        assert fitted.score(X, Y) > 0.8

    def test_pickle_keeps_the_certificate(self) -> None:
        fitted = WeightedVoteClassifier(MEMBERS, random_state=0).fit(X, Y)
        again = pickle.loads(pickle.dumps(fitted))
        assert again.certificate_ == fitted.certificate_
        assert np.array_equal(again.predict(X), fitted.predict(X))


def test_jobs_change_nothing() -> None:
    one = WeightedVoteClassifier(MEMBERS, cv=2, random_state=0).fit(X, Y)
    two = WeightedVoteClassifier(MEMBERS, cv=2, n_jobs=2, random_state=0).fit(X, Y)
    assert one.certificate_ == two.certificate_
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimators": []}, "estimators: at least one (name, classifier) pair is required, got none"),
        ({"estimators": [("stump",)]}, "estimators: must be (name, classifier) pairs"),
        ({"estimators": [MEMBERS[0], MEMBERS[0]]}, "estimators: names must differ, got ['stump', 'stump']"),
        (
            {"estimators": [("a__b", GaussianNB())]},
            "estimators: 'a__b' cannot be a name, for '__' leads to a member",
        ),
        (
            {"estimators": [("vote", GaussianNB())]},
            "estimators: 'vote' cannot be a name, for it is a parameter",
        ),
        ({"estimators": [("a", "drop")]}, "estimators: all are dropped; at least one is required"),
        (
            {"estimators": [("a", StandardScaler())]},
            "estimators: 'a' must be a classifier, got StandardScaler",
        ),
        (
            {"vote": "majority", "voting": "soft"},
            "vote: 'majority' contradicts voting='soft'; give one of the two",
        ),
        ({"voting": "softly"}, "voting: 'softly' is not one of hard, soft (did you mean 'soft'?)"),
        ({"vote": "avrage"}, "vote: 'avrage' is not one of majority, average"),
        (
            {"holdout": 0},
            "holdout: must lie strictly between 0 and 1, got 0; 0 needs cv, and promises nothing",
        ),
        ({"holdout": 1.0}, "holdout: must lie strictly between 0 and 1, got 1"),
        ({"method": "tandm"}, "method: 'tandm' is not one of"),
    ],
)
def test_wrong_settings(options: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        WeightedVoteClassifier(**{"estimators": MEMBERS, **options}).fit(X, Y)
    assert str(error.value).startswith(message)


def test_one_class_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"y: holds one class only \('a'\); two or more classes are required"
    ):
        WeightedVoteClassifier(MEMBERS).fit(X[:50], ["a"] * 50)


def test_a_member_without_the_columns_it_should_have() -> None:
    class Odd(DummyClassifier):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, :1]

    with pytest.raises(InputError, match=r"predict_proba of 'odd' must have shape \(n, 2\), got \(450, 1\)"):
        WeightedVoteClassifier([("odd", Odd())], random_state=0).fit(X, Y)
