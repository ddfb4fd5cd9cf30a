import json

import numpy as np
import pytest

from comitia import InputError, evaluate
from comitia.regression import RealEvaluation
from comitia.regression.weighting import tandem
from real_drawn import drawn


def test_rows_against_a_loop():
    pack = drawn(200)
    found = evaluate(pack, weightings=["tandem", "uniform"], repeats=2, seed=4)
    assert [row.weights for row in found.rows] == ["tandem", "uniform"]
    scores = []
    for seed in (4, 5):
        order = np.random.default_rng(seed).permutation(200)
        halves = np.sort(order[:100]), np.sort(order[100:])
        for chooses, scored in (halves, halves[::-1]):
            weights = tandem(pack.take(chooses), 0.05, None).weights
            scores.append(((weights @ pack.values - pack.targets)[scored] ** 2).mean())
    assert found.rows[0].mse_mean == pytest.approx(np.mean(scores), rel=1e-12)
    assert found.rows[0].bound_mean > found.rows[0].mse_mean
    assert found.names[found.single_best] == "a"


def test_it_is_read_as_it_was_written():
    text = json.dumps(evaluate(drawn(100), repeats=1).to_json())
    assert json.dumps(RealEvaluation.from_json(text).to_json()) == text


def test_wrong_input():
    with pytest.raises(InputError, match="weightings: 'greedy' is not one of"):
        evaluate(drawn(), weightings=["greedy"])
    with pytest.raises(InputError, match="out-of-fold"):
        evaluate(drawn(out_of_fold=True))
    with pytest.raises(InputError, match="at least 4"):
        evaluate(drawn(3))
    with pytest.raises(InputError, match="sizes: is for members that predict classes"):
        evaluate(drawn(), sizes=[2])
