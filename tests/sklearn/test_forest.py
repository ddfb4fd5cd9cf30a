"""Weighted forests: certificates against an independent computation, what is refused, the conventions."""

import math
import pickle

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from comitia import certify
from comitia._errors import InputError
from comitia.sklearn import CertificateWarning, WeightedForest, from_forest
from shared_data import shared

pytestmark = pytest.mark.filterwarnings("ignore::comitia.sklearn.CertificateWarning")
X, NUMBERS = make_classification(900, 8, n_informative=6, n_classes=3, random_state=0)
Y = np.array(["cat", "dog", "emu"])[NUMBERS]
FOREST = RandomForestClassifier(25, random_state=0).fit(X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([WeightedForest(5, random_state=0)])
def test_the_conventions_of_scikit_learn(estimator, check) -> None:
    check(estimator)


def kl(q: float, p: float) -> float:
    parts = [(q, p), (1 - q, 1 - p)]
    return sum(a * math.log(a / b) for a, b in parts if a > 0)


def inverse(q: float, bound: float) -> float:
    return 1.0 if kl(q, 1 - 1e-12) <= bound else brentq(lambda p: kl(q, p) - bound, q, 1 - 1e-12, xtol=1e-14)


def by_hand(
    forest: RandomForestClassifier, X: np.ndarray, y: np.ndarray, weights: np.ndarray
) -> dict[str, float]:
    """The bounds of the weighted trees, written from their formulas, on out-of-bag samples found by loops."""
    members, n, delta = len(forest.estimators_), len(y), 0.05
    wrong, seen = np.zeros((members, n)), np.zeros((members, n), bool)
    for i, (tree, drawn) in enumerate(zip(forest.estimators_, forest.estimators_samples_)):
        seen[i, list(set(drawn.tolist()))] = True
        wrong[i] = forest.classes_[tree.predict(X.astype(np.float32)).astype(int)] != y
    gibbs = tandem = 0.0
    smallest, thinnest = n, n
    for i in range(members):
        own = ~seen[i]
        smallest = min(smallest, int(own.sum()))
        gibbs += weights[i] * wrong[i, own].mean()
        for j in range(members):
            both = own & ~seen[j]
            thinnest = min(thinnest, int(both.sum()))
            tandem += weights[i] * weights[j] * (wrong[i, both] * wrong[j, both]).mean()
    divergence = sum(w * math.log(w * members) for w in weights if w > 0)
    first = (divergence + math.log(2 * math.sqrt(smallest) / delta)) / smallest
    second = (2 * divergence + math.log(2 * math.sqrt(thinnest) / delta)) / thinnest
    share = 2 / (math.sqrt(2 * tandem / second + 1) + 1)
    return {
        "first-order-kl": 2 * inverse(gibbs, first),
        "tandem-kl": 4 * inverse(tandem, second),
        "tandem-lambda": 4 * (tandem / (1 - share / 2) + second / (share * (1 - share / 2))),
    }


def agree(forest: WeightedForest, X: np.ndarray, y: np.ndarray) -> None:
    expected = by_hand(forest.forest_, X, y, forest.weights_)
    found = {entry.name: entry.risk for entry in forest.oob_certification_.certificates}
    assert set(expected) <= set(found)
    for name, risk in expected.items():
        assert found[name] == pytest.approx(risk, rel=2e-6), name


@pytest.mark.parametrize("method", [None, "tandem", "uniform", "first-order"])
def test_out_of_bag_certificates_agree_with_an_independent_computation(method) -> None:
    agree(from_forest(FOREST, X, Y, method=method), X, Y)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["letter", "satellite", "dna", "vehicle", "pima"])
def test_forests_of_real_tables(name: str) -> None:
    """100 trees: all bounds by hand, and the promise at most twice the error where the table is large."""
    with np.load(shared(f"tables/{name}.npz")) as file:
        X, y = file["X"], file["y"]
    train, test = np.split(np.random.default_rng(0).permutation(len(y)), [round(0.8 * len(y))])
    forest = WeightedForest(100, random_state=0).fit(X[train], y[train])
    error = float((forest.predict(X[test]) != y[test]).mean())
    if name in ("letter", "satellite"):
        assert forest.certificate_.risk <= 2 * error
    whole = from_forest(
        RandomForestClassifier(100, random_state=0).fit(X[train], y[train]), X[train], y[train]
    )
    agree(whole, X[train], y[train])


def test_the_hold_out_certifies_the_deployed_vote() -> None:
    forest = WeightedForest(25, holdout=0.2, random_state=0).fit(X, Y)
    certificate = forest.certificate_
    assert (certificate.name, certificate.samples) == ("holdout", 180)
    errors = certificate.inputs["errors"]
    assert certificate.risk == pytest.approx(beta.ppf(0.95, errors + 1, 180 - errors), abs=1e-9)
    assert certificate.risk < forest.oob_certificate_.risk
    assert "out-of-bag: with probability 95%" in forest.report()
    assert "promise (holdout)" in forest.report()
    assert "\nweights: mixed, chosen on" in forest.report()


def test_the_vote_is_that_of_the_weights() -> None:
    for vote in ("majority", "average"):
        forest = from_forest(FOREST, X, Y, vote=vote, method="tandem")
        shares = np.zeros((900, 3))
        for weight, tree in zip(forest.weights_, FOREST.estimators_):
            said = tree.predict_proba(X)
            shares += weight * (said if vote == "average" else np.eye(3)[said.argmax(axis=1)])
        assert forest.predict_proba(X) == pytest.approx(shares, abs=1e-6)
        assert np.array_equal(forest.predict(X), FOREST.classes_[shares.argmax(axis=1)])
        assert forest.certificate_.vote == vote


def test_equal_weights_are_the_forest_of_scikit_learn() -> None:
    assert np.array_equal(from_forest(FOREST, X, Y, method="uniform").predict(X), FOREST.predict(X))


def test_untouched_samples_certify_a_fitted_forest() -> None:
    forest = RandomForestClassifier(25, random_state=0).fit(X[:600], Y[:600])
    found = from_forest(forest, X[:600], Y[:600], untouched=(X[600:], Y[600:]))
    assert (found.certificate_.name, found.certificate_.samples) == ("holdout", 300)
    same = certify_again(found, X[600:], Y[600:])
    assert found.certificate_.risk == pytest.approx(same, abs=1e-9)
    assert found.oob_certificate_ is not None


def certify_again(found: WeightedForest, X: np.ndarray, y: np.ndarray) -> float:
    from comitia import Predictions

    codes = np.searchsorted(found.classes_, y)
    votes = np.stack([tree.predict(X).astype(int) for tree in found.estimators_])
    pack = Predictions.from_arrays(votes=votes, labels=codes)
    return certify(pack, found.weights_, chosen_on="nothing").best.risk


@pytest.mark.parametrize(
    "forest",
    [
        ExtraTreesClassifier(15, bootstrap=True, random_state=0),
        BaggingClassifier(n_estimators=15, random_state=0),
        BaggingClassifier(SVC(), n_estimators=8, max_features=0.5, random_state=0),
        BaggingClassifier(n_estimators=15, bootstrap=False, max_samples=0.5, random_state=0),
        RandomForestClassifier(15, max_samples=0.4, class_weight="balanced_subsample", random_state=0),
    ],
    ids=["extra", "bagging", "svm", "subsamples", "balanced"],
)
def test_other_bagged_ensembles(forest) -> None:
    plain = clone(forest).fit(X[:700], Y[:700])
    found = from_forest(plain, X[:700], Y[:700])
    assert abs(found.score(X[700:], Y[700:]) - plain.score(X[700:], Y[700:])) < 0.06
    assert found.certificate_.risk > 0
    fitted = WeightedForest(8, forest=forest, random_state=0).fit(X, Y)
    assert fitted.certificate_.samples == 90


class TestRefused:
    def test_samples_in_another_order(self) -> None:
        order = np.random.default_rng(0).permutation(900)
        with pytest.raises(
            InputError, match="y: is not what the forest was fitted on; give the same samples"
        ):
            from_forest(FOREST, X[order], Y[order])

    def test_fewer_samples(self) -> None:
        with pytest.raises(InputError, match="X: must be the samples that the forest was fitted on, got 800"):
            from_forest(FOREST, X[:800], Y[:800])

    def test_other_features(self) -> None:
        with pytest.raises(InputError, match="X: the forest was fitted on 8 features, got 7"):
            from_forest(FOREST, X[:, :7], Y)

    @pytest.mark.parametrize(
        ("forest", "message"),
        [
            (
                GradientBoostingClassifier(),
                "forest: must be a RandomForestClassifier, .* got GradientBoosting",
            ),
            (ExtraTreesClassifier(), "forest: bootstrap=False trains every member on all samples"),
            (
                BaggingClassifier(bootstrap=False),
                "forest: bootstrap=False trains every member on all samples",
            ),
        ],
    )
    def test_ensembles_without_out_of_bag_samples(self, forest, message: str) -> None:
        with pytest.raises(InputError, match=message):
            WeightedForest(forest=forest).fit(X, Y)

    def test_draws_by_class(self) -> None:
        weighted = RandomForestClassifier(15, class_weight="balanced", random_state=0).fit(X, Y)
        with pytest.raises(InputError, match="class_weight draws samples by their labels"):
            from_forest(weighted, X, Y)
        kept = WeightedForest(15, forest=weighted, random_state=0).fit(X, Y)
        assert kept.certificate_.name == "holdout"
        assert kept.oob_certificate_ is None
        assert "class_weight draws samples" in kept.report()

    def test_draws_by_sample_weight(self) -> None:
        """Which samples are out-of-bag then depends on the weights, which may depend on the labels."""
        weights = np.where(Y == "cat", 9.0, 1.0)
        weighted = RandomForestClassifier(40, random_state=0).fit(X, Y, sample_weight=weights)
        with pytest.raises(InputError, match="drawn with weights|not what the forest was fitted on"):
            from_forest(weighted, X, Y)

    def test_several_outputs(self) -> None:
        both = RandomForestClassifier(5).fit(X, np.stack([NUMBERS, NUMBERS], axis=1))
        with pytest.raises(InputError, match="forest: must have one output, got 2"):
            from_forest(both, X, Y)

    def test_a_hold_out_of_everything(self) -> None:
        with pytest.raises(InputError, match="holdout: must be at least 0 and below 1, got 1"):
            WeightedForest(holdout=1.0).fit(X, Y)


def test_groups_stay_whole_and_out_of_bag_samples_certify_nothing() -> None:
    groups = np.repeat(np.arange(300), 3)
    forest = WeightedForest(15, holdout=0.2, random_state=0).fit(X, Y, groups=groups)
    assert (forest.certificate_.name, forest.certificate_.samples) == ("groups", 60)
    assert forest.oob_certificate_ is None
    assert "of the same groups" in forest.report()
    with pytest.raises(InputError, match="holdout: must be above 0 with groups"):
        WeightedForest(15, holdout=0).fit(X, Y, groups=groups)


def test_few_samples_give_equal_weights_and_say_so() -> None:
    with pytest.warns(CertificateWarning, match="out-of-bag samples in common, so all have the same weight"):
        forest = WeightedForest(10, random_state=0).fit(X[:60], Y[:60])
    assert forest.weights_ == pytest.approx(0.1)


def test_in_other_tools_of_scikit_learn() -> None:
    forest = WeightedForest(10, random_state=0)
    assert cross_val_score(forest, X, Y, cv=2).min() > 0.6
    nested = WeightedForest(5, forest=RandomForestClassifier(max_depth=3))
    assert nested.set_params(forest__max_depth=2).forest.max_depth == 2
    fitted = forest.fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(X), fitted.predict(X))
    assert "with probability 95%" in fitted._repr_html_()


def test_jobs_change_nothing() -> None:
    one, two = (WeightedForest(10, n_jobs=jobs, random_state=0).fit(X, Y) for jobs in (1, 2))
    assert one.certificate_ == two.certificate_
    assert np.array_equal(one.weights_, two.weights_)


def _noisy() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(400, flip_y=0.4, random_state=0)


def test_samples_of_one_class_in_another_order_are_refused() -> None:
    # labels and their order are then as in the fit, but out-of-bag samples are others
    X, y = _noisy()
    order = np.arange(len(y))
    for label in (0, 1):
        order[y == label] = np.random.default_rng(0).permutation(np.flatnonzero(y == label))
    for made in (
        RandomForestClassifier(20, random_state=0),
        BaggingClassifier(n_estimators=20, random_state=0),
    ):
        forest = made.fit(X, y)
        from_forest(forest, X, y, random_state=0)
        with pytest.raises(InputError, match="same samples in the same order"):
            from_forest(forest, X[order], y, random_state=0)


def test_shuffled_samples_of_a_forest_with_weights_of_classes_are_refused() -> None:
    X, y = _noisy()
    order = np.random.default_rng(0).permutation(len(y))
    forest = RandomForestClassifier(20, class_weight="balanced_subsample", random_state=0).fit(X, y)
    from_forest(forest, X, y, random_state=0)
    with pytest.raises(InputError, match="same samples in the same order"):
        from_forest(forest, X[order], y[order], random_state=0)


def test_trees_that_warm_start_added_on_other_samples_are_refused() -> None:
    X, y = _noisy()
    order = np.random.default_rng(0).permutation(len(y))
    forest = RandomForestClassifier(10, warm_start=True, random_state=0).fit(X, y)
    forest.set_params(n_estimators=30).fit(X[order], y[order])
    with pytest.raises(InputError, match="20 of 30 trees were fitted on other samples"):
        from_forest(forest, X, y, random_state=0)


def test_forests_with_monotonic_trees_are_taken() -> None:
    X, y = _noisy()
    constraints = [1] + [0] * (X.shape[1] - 1)
    forest = RandomForestClassifier(20, monotonic_cst=constraints, random_state=0).fit(X, y)
    assert from_forest(forest, X, y, random_state=0).oob_certificate_ is not None
    with pytest.raises(InputError, match="same samples in the same order"):
        from_forest(forest, X[::-1], y[::-1], random_state=0)
