"""One contract for all methods: what goes in, what comes out, whatever the method."""

import dataclasses
import inspect

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.weighting import METHODS, Evidence, Weighting, choose
from weighting_cases import predictions

WITHOUT_PRIOR = ("uniform", "best", "early-stopping", "greedy")
JOINT = ("greedy", "likelihood", "blend", "auto")
VOTES = ("majority", "average")


def binary(**more):
    return predictions(5, 240, 2, seed=3, **states(5), **more)


def states(members):
    """Two runs, in turns, so that every method has what it needs."""
    return {"run": np.arange(members) % 2, "step": np.arange(members) // 2}


def test_the_names_in_the_order_of_the_documents():
    listed = (
        "uniform best early-stopping first-order tandem cantelli disagreement greedy likelihood blend auto"
    )
    assert tuple(listed.split()) == METHODS


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("method", METHODS)
class TestContract:
    def test_weights_on_the_simplex(self, method, vote):
        found = choose(method, Evidence(binary(), vote=vote))
        assert isinstance(found, Weighting)
        assert found.method == method
        assert found.weights.shape == (5,)
        assert found.weights.dtype == np.float64
        assert (found.weights >= 0).all()
        assert found.weights.sum() == pytest.approx(1, abs=1e-12)

    def test_the_samples_that_chose_are_stated(self, method, vote):
        assert choose(method, Evidence(binary(), vote=vote)).samples == (0 if method == "uniform" else 240)

    def test_counts_are_the_weights(self, method, vote):
        found = choose(method, Evidence(binary(), vote=vote))
        if method in WITHOUT_PRIOR:
            assert found.counts is not None
        if found.counts is not None:
            assert found.counts.dtype == np.int64
            np.testing.assert_allclose(found.counts / found.counts.sum(), found.weights)

    def test_the_same_seed_the_same_weights(self, method, vote):
        one, other = (choose(method, Evidence(binary(), vote=vote, random_state=7)) for _ in range(2))
        assert np.array_equal(one.weights, other.weights)
        assert one.chosen == other.chosen

    def test_permuting_members_permutes_weights(self, method, vote):
        order = np.array([3, 0, 4, 1, 2])
        given = binary()
        moved = choose(method, Evidence(given.pick(order), vote=vote)).weights
        np.testing.assert_allclose(
            moved, choose(method, Evidence(given, vote=vote)).weights[order], atol=1e-6
        )

    def test_one_member(self, method, vote):
        evidence = Evidence(binary().pick([2]), vote=vote)
        if method == "early-stopping":
            with pytest.raises(InputError, match="'early-stopping' .* every run has a single one here"):
                choose(method, evidence)
        else:
            assert choose(method, evidence).weights.tolist() == [1.0]

    def test_nothing_is_mutated(self, method, vote):
        given = binary()
        evidence = Evidence(given, vote=vote, prior=None)
        before = given.fingerprint()
        kept = {k: np.copy(v) for k, v in vars(evidence.statistics).items() if isinstance(v, np.ndarray)}
        choose(method, evidence)
        assert given.fingerprint() == before
        assert all(np.array_equal(getattr(evidence.statistics, k), v) for k, v in kept.items())

    def test_ten_classes(self, method, vote):
        evidence = Evidence(predictions(4, 150, 10, seed=1, **states(4)), vote=vote)
        if method == "disagreement":
            with pytest.raises(
                InputError, match="'disagreement' rests on two classes, these predictions have 10"
            ):
                choose(method, evidence)
        else:
            assert choose(method, evidence).weights.sum() == pytest.approx(1)

    def test_a_prior_is_used_or_refused(self, method, vote):
        prior = np.array([0.0, 0.4, 0.3, 0.2, 0.1])
        evidence = Evidence(binary(), vote=vote, prior=prior)
        if method in WITHOUT_PRIOR:
            with pytest.raises(InputError, match=f"prior: method '{method}' uses none"):
                choose(method, evidence)
        else:
            assert choose(method, evidence).weights[0] == 0

    def test_the_uniform_prior_is_no_prior(self, method, vote):
        given = Evidence(binary(), vote=vote, prior=np.full(5, 0.2))
        np.testing.assert_allclose(
            choose(method, given).weights, choose(method, Evidence(binary(), vote=vote)).weights, atol=1e-9
        )

    def test_members_that_are_always_right(self, method, vote):
        labels = np.arange(40) % 2
        from comitia._predictions import Predictions

        perfect = Predictions.from_arrays(
            probs=np.tile(labels * 0.8 + 0.1, (3, 1)), labels=labels, **states(3)
        )
        found = choose(method, Evidence(perfect, vote=vote))
        assert found.weights.sum() == pytest.approx(1)

    def test_members_that_are_always_wrong(self, method, vote):
        labels = np.arange(40) % 2
        from comitia._predictions import Predictions

        hopeless = Predictions.from_arrays(
            probs=np.tile(0.9 - labels * 0.8, (3, 1)), labels=labels, **states(3)
        )
        assert choose(method, Evidence(hopeless, vote=vote)).weights.sum() == pytest.approx(1)

    def test_own_hold_outs(self, method, vote):
        mask = np.random.default_rng(0).random((5, 240)) < 0.7
        evidence = Evidence(binary(mask=mask), vote=vote)
        if method in JOINT:
            with pytest.raises(InputError, match=f"method: '{method}' scores members together") as caught:
                choose(method, evidence)
            assert "\n" not in str(caught.value)
        else:
            found = choose(method, evidence)
            assert found.weights.sum() == pytest.approx(1)
            assert found.gap is None


@pytest.mark.parametrize("method", METHODS)
def test_votes_are_enough_for_the_majority(method):
    evidence = Evidence(binary(probs=False))
    if method == "likelihood":
        with pytest.raises(InputError, match="'likelihood' needs probabilities"):
            choose(method, evidence)
    else:
        assert choose(method, evidence).weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("method", METHODS)
def test_two_samples(method):
    assert choose(method, Evidence(binary().take([4, 9]))).weights.sum() == pytest.approx(1)


def test_an_unknown_method_suggests_the_nearest():
    with pytest.raises(InputError, match="method: 'tandm' is not one of .* \\(did you mean 'tandem'\\?\\)"):
        choose("tandm", Evidence(binary()))


def test_every_method_is_one_function_of_the_evidence():
    from comitia import weighting

    for method in METHODS:
        module = __import__(f"comitia.weighting.{method.replace('-', '_')}", fromlist=["x"])
        function = getattr(module, method.replace("-", "_"))
        assert list(inspect.signature(function).parameters) == ["evidence"]
    assert set(weighting.__all__) == {
        "METHODS",
        "Evidence",
        "Minimum",
        "Weighting",
        "choose",
        "minimise_tandem",
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 1.5}, "delta: must lie strictly between 0 and 1, got 1.5"),
        ({"prior": [0.5, 0.5]}, "prior: must be 5 numbers, one per member, got shape \\(2,\\)"),
        ({"vote": "mean"}, "vote: 'mean' is not one of majority, average"),
        (
            {"predictions": predictions(5, 20, probs=False), "vote": "average"},
            "vote: 'average' needs probabilities",
        ),
        (
            {"predictions": dataclasses.replace(binary(), labels=None)},
            "labels: weighing needs the true classes",
        ),
    ],
)
def test_wrong_evidence(change, message):
    with pytest.raises(InputError, match=message):
        Evidence(**({"predictions": binary()} | change))
