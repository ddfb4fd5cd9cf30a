"""Error against cost, against weighing and counting by hand."""

import json

import numpy as np
import pytest

from comitia import InputError, evaluate, weigh
from comitia._split import split_samples
from comitia.evaluation import Evaluation
from comitia.evaluation.cost_curve import fewest_in_words, sizes_of
from comitia.evaluation.cost_records import CostCurve, CostPoint
from comitia.pages.evaluation_figures import evaluation_figures
from evaluation.synthetic import ensemble


def curves(**options):
    pack = ensemble(runs=4, states=2, samples=1200)
    return pack, evaluate(pack, sizes=[4], repeats=1, seed=3, weightings=("uniform", "tandem"), **options)


def test_each_point_is_the_error_of_a_limited_ensemble_on_the_other_half() -> None:
    pack, found = curves()
    curve = next(c for c in found.costs if (c.weights, c.vote) == ("tandem", "majority"))
    halves = split_samples(1200, 0.5, 3)
    for point in curve.points:
        errors = []
        for chose, judged in (halves, halves[::-1]):
            few = weigh(
                pack.take(chose), method="tandem", vote="majority", certify_fraction=0, at_most=point.members
            )
            totals = np.zeros((600, pack.classes))
            for weight, votes in zip(few.weights, pack.take(judged).votes()):
                totals[np.arange(600), votes] += weight
            errors.append((totals.argmax(axis=1) != pack.labels[judged]).mean())
        assert point.error == pytest.approx(np.mean(errors), abs=1e-9)
        assert point.cost == point.members
    assert [point.members for point in curve.points] == sizes_of(8)
    assert curve.points[-1].more == 0
    assert Evaluation.from_json(json.dumps(found.to_json())) == found


def test_costs_of_several_kinds_are_curves_of_their_own() -> None:
    pack = ensemble(runs=4, states=2, samples=1200)
    costs = {name: {"seconds": 1.0 + i, "bytes": 10.0} for i, name in enumerate(pack.names)}
    found = evaluate(
        pack, sizes=[4], repeats=1, weightings=("tandem",), votes=["majority"], member_costs=costs
    )
    assert [curve.unit for curve in found.costs] == ["members", "seconds", "bytes"]
    seconds, count = found.costs[1].points, found.costs[0].points
    assert seconds[-1].cost == sum(range(1, 9))
    assert [10 * point.cost for point in count] == [point.cost for point in found.costs[2].points]
    figure = next(f for f in evaluation_figures(found) if f.key == "cost-1-majority")
    assert figure.panels[0].series[0].x == tuple(point.cost for point in seconds)
    assert fewest_in_words(found.costs[1]) in figure.caption


def test_the_fewest_that_lose_nothing_and_those_not_shown_to_lose() -> None:
    points = [(1, 0.3, 0.1, 0.02), (2, 0.21, 0.01, 0.02), (3, 0.2, 0.0, 0.02), (4, 0.2, 0.0, 0.0)]
    curve = CostCurve("members", "tandem", "majority", tuple(CostPoint(k, k, *rest) for k, *rest in points))
    assert (curve.fewest.members, curve.unproven.members) == (3, 2)
    assert "3 of 4 members are the fewest that lose nothing" in fewest_in_words(curve)
    assert "from 2 on no loss is shown" in fewest_in_words(curve)


def test_a_forged_curve_is_refused() -> None:
    _, found = curves()
    record = found.to_json()
    record["costs"][0]["points"][-1]["more"] = 0.1
    with pytest.raises(InputError, match="the last one of all"):
        Evaluation.from_json(json.dumps(record))


def test_no_curve_where_none_is_wanted() -> None:
    assert curves(cost_curve=False)[1].costs == ()
