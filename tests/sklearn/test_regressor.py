"""The scikit-learn regressor: the conventions, the mean, and certificates that rest on samples no member saw."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_friedman1
from sklearn.dummy import DummyRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from comitia import InputError, RealPredictions, verify
from comitia.sklearn import CertificateWarning, WeightedVoteRegressor

TREE = ("tree", DecisionTreeRegressor(max_depth=6, random_state=0))
LINE = ("line", make_pipeline(StandardScaler(), Ridge()))
MEMBERS = [("stump", DecisionTreeRegressor(max_depth=1, random_state=0)), TREE, LINE]
X, Y = make_friedman1(1200, 8, noise=1.0, random_state=0)
quiet = pytest.mark.filterwarnings("ignore::comitia.sklearn.CertificateWarning")
pytestmark = quiet
SETS = [
    WeightedVoteRegressor([TREE], random_state=0),
    WeightedVoteRegressor([("line", LinearRegression()), ("near", KNeighborsRegressor(1))], random_state=0),
    WeightedVoteRegressor([("ridge", Ridge()), LINE], method="best", random_state=0),
    WeightedVoteRegressor([TREE, ("line", Ridge())], cv=2, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(SETS)
def test_the_conventions_of_scikit_learn(estimator, check) -> None:
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_the_conventions_hold_for_members_that_are_fitted_already() -> None:
    check_estimator(WeightedVoteRegressor([("line", FrozenEstimator(LinearRegression().fit(X, Y))), TREE]))


def test_the_prediction_is_the_weighted_mean() -> None:
    fitted = WeightedVoteRegressor(MEMBERS, random_state=0).fit(X, Y)
    by_hand = sum(
        w * member.predict(X) for w, member in zip(fitted.weights_, fitted.estimators_, strict=True)
    )
    np.testing.assert_allclose(fitted.predict(X), by_hand, rtol=1e-12)
    assert fitted.weights_[0] < min(fitted.weights_[1:])


def test_the_certificate_rests_on_samples_that_no_member_saw() -> None:
    fitted = WeightedVoteRegressor(MEMBERS, quantile=[0.9], holdout=0.4, random_state=3).fit(X, Y)
    found = fitted.ensemble_
    assert (found.best.name, found.data.samples) == ("split", 480)
    fresh, truth = make_friedman1(20_000, 8, noise=1.0, random_state=9)
    errors = np.abs(fitted.predict(fresh) - truth)
    squared = np.minimum(errors, found.limit.value) ** 2
    assert squared.mean() <= fitted.certificate_.risk <= 1.5 * squared.mean()
    assert (errors <= found.certificates[2].risk).mean() >= 0.9
    assert fitted.certificate_.promise in fitted.report()


@pytest.mark.parametrize("prefit", [True, False])
def test_fitted_members_are_certified_on_all_samples(prefit: bool) -> None:
    members = [(name, clone(member).fit(X[:600], Y[:600])) for name, member in MEMBERS]
    if not prefit:
        members = [(name, FrozenEstimator(member)) for name, member in members]
    fitted = WeightedVoteRegressor(members, prefit=prefit).fit(X[600:], Y[600:])
    assert fitted.ensemble_.data.samples == 600
    pack = RealPredictions.from_arrays(
        [m.predict(X[600:]) for _, m in members], Y[600:], [n for n, _ in members]
    )
    assert verify(fitted.ensemble_, pack).holds


def test_out_of_fold_predictions_choose_and_the_holdout_certifies() -> None:
    fitted = WeightedVoteRegressor(MEMBERS, cv=3, holdout=0.2, random_state=0).fit(X, Y)
    found = fitted.ensemble_
    assert (found.chosen_on, found.best.name, found.best.samples) == ("apart", "holdout", 240)
    assert found.data.out_of_fold
    assert found.data.samples == 960
    with pytest.warns(CertificateWarning, match="no promise"):
        alone = WeightedVoteRegressor(MEMBERS, cv=3, holdout=0).fit(X, Y)
    assert alone.certificate_ is None


def test_groups_stay_whole() -> None:
    fitted = WeightedVoteRegressor(MEMBERS, random_state=0).fit(X, Y, groups=np.arange(1200) // 4)
    assert fitted.certificate_.unit == "groups"
    assert fitted.ensemble_.data.groups == 90


def test_weights_of_samples_reach_the_members() -> None:
    weight = np.where(np.median(Y) < Y, 1.0, 1e-6)
    members = [TREE, ("ridge", Ridge())]
    heavy = WeightedVoteRegressor(members, random_state=0).fit(X, Y, sample_weight=weight)
    assert (
        heavy.predict(X).mean()
        > WeightedVoteRegressor(members, random_state=0).fit(X, Y).predict(X).mean() + 1
    )
    with pytest.raises(InputError, match=r"sample_weight: 'near' \(KNeighborsRegressor\) takes none"):
        WeightedVoteRegressor([("near", KNeighborsRegressor())]).fit(X, Y, sample_weight=weight)
    with pytest.raises(InputError, match="fit: colour cannot be passed on"):
        WeightedVoteRegressor(members).fit(X, Y, colour=1)


def test_settings_changed_after_fitting_do_not_change_the_mean() -> None:
    fitted = WeightedVoteRegressor(MEMBERS, random_state=0).fit(X, Y)
    before = fitted.predict(X)
    fitted.set_params(method="uniform", tree="drop")
    assert np.array_equal(fitted.predict(X), before)
    assert "tree" not in fitted.fit(X, Y).ensemble_.names


def test_nested_parameters_searches_and_copies() -> None:
    search = GridSearchCV(WeightedVoteRegressor(MEMBERS, random_state=0), {"tree__max_depth": [1, 6]}, cv=2)
    fitted = search.fit(X[:400], Y[:400]).best_estimator_
    assert fitted.named_estimators_["tree"].max_depth == 6
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(X), fitted.predict(X))


def test_two_jobs_are_the_same_as_one() -> None:
    one, two = (WeightedVoteRegressor(MEMBERS, n_jobs=k, random_state=0).fit(X, Y) for k in (1, 2))
    assert np.array_equal(one.predict(X), two.predict(X))


def test_columns_of_a_data_frame_reach_the_members() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(8)])
    some = make_pipeline(ColumnTransformer([("kept", "passthrough", ["x0", "x3"])]), Ridge())
    fitted = WeightedVoteRegressor([("some", some), TREE], random_state=0).fit(frame, Y)
    assert fitted.predict(frame).shape == (1200,)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"estimators": []}, "estimators: at least one"),
        ({"estimators": [TREE, TREE]}, "names must differ"),
        ({"estimators": [("a", DummyRegressor()), ("b", 3)]}, "'b' must be a regressor, got int"),
        ({"holdout": 0}, "holdout: must lie strictly between 0 and 1, got 0; 0 needs cv"),
        ({"method": "greedy"}, "method: 'greedy' is not one of"),
        ({"clip": 0}, "clip: must be above 0"),
        ({"prefit": True, "cv": 3}, "cv: must be left out"),
    ],
)
def test_wrong_settings(settings: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WeightedVoteRegressor(**{"estimators": MEMBERS, **settings}).fit(X, Y)


def test_targets_must_be_numbers() -> None:
    with pytest.raises((InputError, ValueError), match="y: must hold real numbers|could not convert"):
        WeightedVoteRegressor(MEMBERS).fit(X, np.full(1200, "a"))


def test_weights_changed_after_fitting_change_neither_the_ensemble_nor_the_mean() -> None:
    found = WeightedVoteRegressor(MEMBERS, random_state=0).fit(X, Y)
    before, certified = found.predict(X), found.ensemble_.weights.copy()
    found.weights_[:] = 5.0
    assert np.array_equal(found.predict(X), before)
    assert np.array_equal(found.ensemble_.weights, certified)
