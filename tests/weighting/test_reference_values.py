"""The authors' optimised weights on real networks, reached or beaten, and their votes on the test set."""

import json
from functools import cache

import numpy as np
import pytest

from comitia._predictions import Predictions
from comitia._votes import deployed_classes
from comitia.bounds import first_order_kl, tandem_kl
from comitia.bounds.terms import kl_divergence
from comitia.weighting import Evidence, choose
from shared_data import shared

CHECKPOINTS = "cifar10-resnet20-checkpoints-validation"
PACKS = [CHECKPOINTS, "cifar10-resnet20-bagging-outofbag"]


@cache
def load(name):
    with np.load(shared(f"predictions/{name}.npz"), allow_pickle=False) as pack:
        return Predictions.from_arrays(**dict(pack))


@cache
def weighed(name, method):
    evidence = Evidence(load(name))
    return choose(method, evidence), evidence.statistics


def stated(name, row):
    return json.loads(shared("predictions/reference-values.json").read_text())[name][row]


@pytest.mark.parametrize("name", PACKS)
def test_tandem_weights_reach_the_authors_bound(name):
    found, s = weighed(name, "tandem")
    ours = tandem_kl(s.tandem(found.weights), kl_divergence(found.weights), s.pair_samples, 0.05)
    reference = stated(name, "tandem")
    assert reference["tnd"] - 1e-4 <= ours <= reference["tnd"] + 5e-6
    assert found.lam == pytest.approx(reference["lamda"], abs=1e-4)
    assert s.gibbs(found.weights) == pytest.approx(reference["gibbs"], abs=1e-4)
    assert s.tandem(found.weights) == pytest.approx(reference["tandem_risk"], abs=1e-4)
    assert s.disagreement_of(found.weights) == pytest.approx(reference["disagreement"], abs=1e-4)


@pytest.mark.parametrize("name", PACKS)
def test_first_order_weights_reach_the_authors_bound(name):
    found, s = weighed(name, "first-order")
    ours = first_order_kl(s.gibbs(found.weights), kl_divergence(found.weights), s.first_samples, 0.05)
    reference = stated(name, "first_order")
    assert reference["pbkl"] - 1e-4 <= ours <= reference["pbkl"] + 5e-6
    assert found.lam == pytest.approx(reference["lamda"], abs=1e-4)
    assert s.gibbs(found.weights) == pytest.approx(reference["gibbs"], abs=1e-4)
    assert s.tandem(found.weights) == pytest.approx(reference["tandem_risk"], abs=1e-4)


@pytest.mark.parametrize(
    ("method", "row"), [("uniform", "uniform"), ("first-order", "first_order"), ("tandem", "tandem")]
)
@pytest.mark.parametrize(
    ("vote", "value"), [("majority", "mv_risk_maj_vote"), ("average", "mv_risk_softmax_avg")]
)
def test_the_votes_on_the_test_set(method, row, vote, value):
    found, _ = weighed(CHECKPOINTS, method)
    test = load("cifar10-resnet20-checkpoints")
    risk = float((deployed_classes(test, found.weights, vote) != test.labels).mean())
    assert risk == pytest.approx(stated(CHECKPOINTS, row)[value], abs=1e-9 if method == "uniform" else 2e-4)
