"""What the authors of the paper computed for uniform weights on real networks, to their five decimals."""

import json
from functools import cache

import numpy as np
import pytest

from comitia.bounds import ctd, first_order_kl, tandem_kl
from shared_data import shared

PACKS = ["cifar10-resnet20-checkpoints-validation", "cifar10-resnet20-bagging-outofbag"]


@cache
def measured(name):
    """Matrix products of the masked errors: every member has its own hold-out samples, every pair its own."""
    with np.load(shared(f"predictions/{name}.npz"), allow_pickle=False) as pack:
        votes, labels, mask = pack["votes"], pack["labels"], pack["mask"]
    held = mask.astype(np.float32)
    wrong = (votes != labels) * held
    common = held @ held.T
    agreeing = sum((same := (votes == c) * held) @ same.T for c in np.unique(votes))
    return {
        "gibbs": float(np.mean(wrong.sum(1, dtype=np.float64) / held.sum(1, dtype=np.float64))),
        "tandem_risk": float(np.mean((wrong @ wrong.T).astype(np.float64) / common)),
        "disagreement": float(np.mean(1 - agreeing.astype(np.float64) / common)),
        "n_min": int(mask.sum(1).min()),
        "pair_n_min": int(common.min()),
    }


def reference(name):
    return json.loads(shared("predictions/reference-values.json").read_text())[name]


@pytest.mark.parametrize("name", PACKS)
def test_the_sample_sizes(name):
    stated, ours = reference(name), measured(name)
    assert (ours["n_min"], ours["pair_n_min"]) == (stated["n_min"], stated["pair_n_min"])


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.parametrize("value", ["gibbs", "tandem_risk", "disagreement"])
def test_the_statistics_of_uniform_weights(name, value):
    assert round(measured(name)[value], 5) == reference(name)["uniform"][value]


@pytest.mark.parametrize("name", PACKS)
def test_the_bounds_of_uniform_weights(name):
    ours, stated = measured(name), reference(name)["uniform"]
    gibbs, tandem, first, pair = (ours[k] for k in ("gibbs", "tandem_risk", "n_min", "pair_n_min"))
    assert round(first_order_kl(gibbs, 0.0, first, 0.05), 5) == stated["pbkl"]
    assert round(tandem_kl(tandem, 0.0, pair, 0.05), 5) == stated["tnd"]
    # The authors clip at 1; each quantity has its own sample size, which is the valid choice.
    assert round(min(ctd(gibbs, tandem, 0.0, first, pair, 0.05), 1.0), 5) == stated["ctd"]
