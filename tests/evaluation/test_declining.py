"""Errors among answers of an evaluated ensemble, against counting by hand."""

import json

import numpy as np
import pytest

from comitia import InputError, Predictions, evaluate, weigh
from comitia._split import split_samples
from comitia.evaluation import Evaluation
from comitia.evaluation.declining import declined_in_words
from comitia.pages.evaluation_figures import evaluation_figures
from evaluation.synthetic import ensemble


def test_curves_are_of_the_half_that_did_not_choose() -> None:
    pack = ensemble(runs=4, states=2, samples=1200)
    found = evaluate(pack, sizes=[4], repeats=1, seed=3, weightings=("uniform", "tandem"), target_risk=0.2)
    assert len(found.declining) == 8
    chose, judged = split_samples(1200, 0.5, 3)
    own = weigh(pack.take(chose), method="tandem", vote="majority", certify_fraction=0).weights
    row = next(r for r in found.declining if (r.members, r.weights, r.vote) == ("all", "tandem", "average"))
    blocks = [block.probs for block in pack.take(judged).blocks(2000)]
    mean = np.tensordot(own, blocks[0], 1)
    wrong = mean.argmax(axis=1) != pack.labels[judged]
    for place, threshold in enumerate(row.curve.thresholds):
        kept = mean.max(axis=1) >= threshold - 1e-9
        assert (row.curve.accepted[place], row.curve.errors[place]) == (kept.sum(), wrong[kept].sum())
    assert Evaluation.from_json(json.dumps(found.to_json())) == found


def test_figures_show_every_curve_and_the_certified_point() -> None:
    pack = ensemble(runs=4, states=1, samples=1200)
    found = evaluate(pack, sizes=[4], repeats=1, weightings=("uniform",), target_risk=0.2)
    figure = next(f for f in evaluation_figures(found) if f.key == "declining-average")
    line, point = figure.panels[0].series
    curve = next(r.curve for r in found.declining if r.vote == "average")
    assert point.y == (0.2,)
    assert point.x == (100 * curve.accepted[curve.chosen] / curve.n,)
    assert len(line.x) <= 60
    assert "at most 20.00% of the answers are wrong" in figure.caption
    assert f"{curve.accepted[curve.chosen] / curve.n:.2%}" in declined_in_words(
        next(r for r in found.declining if r.vote == "average")
    )


def test_a_forged_curve_is_refused() -> None:
    pack = ensemble(runs=3, states=1, samples=1200)
    record = evaluate(pack, sizes=[3], repeats=1, weightings=("uniform",), target_risk=0.2).to_json()
    record["declining"][0]["curve"]["chosen"] = len(record["declining"][0]["curve"]["thresholds"]) - 1
    record["declining"][0]["curve"]["target"] = 0.01
    with pytest.raises(InputError, match="is not certified below 0.01"):
        Evaluation.from_json(json.dumps(record))


@pytest.mark.parametrize("what", ["groups", "folds"])
def test_dependent_samples_are_refused(what: str) -> None:
    votes, labels = np.array([[0, 1] * 20] * 2), [0, 1] * 20
    pack = Predictions.from_arrays(votes=votes, labels=labels, **{what: np.arange(40) // 4})
    with pytest.raises(InputError, match="target_risk: needs independent samples"):
        evaluate(pack, target_risk=0.1)
