"""Weights under a limit: who votes, what it costs, and that samples which certify have no part in it."""

from itertools import combinations

import numpy as np
import pytest

from comitia import InputError, Predictions, count, read_ensemble, verify, weigh
from comitia.cli.output import write_json
from comitia.statistics import measure
from comitia.weighting import METHODS, Evidence
from comitia.weighting.limit import Limit, read_limit
from comitia.weighting.selection import picking_order, pooled, select

LIMITED = [name for name in METHODS if name not in ("disagreement", "early-stopping")]


def pack(members=8, samples=600, classes=3, seed=0, **further):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, samples)
    quality = rng.uniform(0.5, 3.0, members)[:, None]
    scores = rng.normal(size=(members, samples, classes)) + rng.normal(size=(1, samples, classes))
    scores[:, np.arange(samples), labels] += quality
    probs = np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True)
    return Predictions.from_arrays(probs=probs, labels=labels, **further)


@pytest.mark.parametrize("method", LIMITED)
@pytest.mark.parametrize("vote", ["majority", "average"])
def test_at_most_k_members_vote_and_verify_finds_them_again(method, vote):
    found = weigh(pack(), method=method, vote=vote, at_most=3)
    assert 1 <= len(found.active) <= 3
    assert found.chosen_on == "part"
    assert found.best.name == "split"
    assert verify(found, pack()).holds


def test_a_limit_that_admits_all_changes_no_weight():
    free, limited = weigh(pack()), weigh(pack(), at_most=8)
    assert limited.weights.tolist() == free.weights.tolist()


def test_uniform_weights_under_a_limit_are_chosen_on_samples():
    free, limited = weigh(pack(), method="uniform"), weigh(pack(), method="uniform", at_most=3)
    assert (free.chosen_on, limited.chosen_on) == ("nothing", "part")
    assert set(limited.weights) == {0.0, 1 / 3}
    assert limited.weighting.samples == limited.split.weighing


def test_samples_that_certify_have_no_part_in_who_votes():
    given = pack()
    first = weigh(given, at_most=3)
    labels = given.labels.copy()
    from comitia._split import split_samples

    _, kept = split_samples(given.samples, first.split.fraction, 0)
    labels[kept] = (labels[kept] + 1) % 3
    probs = np.concatenate([block.probs for block in given.blocks()], axis=1)
    turned = weigh(Predictions.from_arrays(probs=probs, labels=labels), at_most=3)
    assert turned.weights.tolist() == first.weights.tolist()
    assert turned.best.risk > first.best.risk


def test_the_budget_is_kept_and_costs_go_by_name(tmp_path):
    costs = {f"m{i}": {"seconds": 1.0 + i, "parameters": 10} for i in range(8)}
    given = pack(names=[f"m{i}" for i in range(8)])
    found = weigh(given, budget="seconds=9", member_costs=costs)
    spent = sum(1.0 + i for i in found.active)
    assert 0 < spent <= 9
    assert found.limit.unit == "seconds"
    write_json(str(tmp_path / "e.json"), found.to_json())
    again = read_ensemble(tmp_path / "e.json")
    assert again.limit == found.limit
    assert verify(again, given).holds


def test_a_file_whose_members_exceed_the_limit_is_refused(tmp_path):
    path = tmp_path / "e.json"
    write_json(str(path), weigh(pack(), at_most=3).to_json())
    text = path.read_text()
    assert '"at_most": 3' in text
    path.write_text(text.replace('"at_most": 3', '"at_most": 2'))
    with pytest.raises(InputError, match="the members that vote exceed it"):
        read_ensemble(path)


def test_a_changed_limit_does_not_verify():
    from dataclasses import replace

    given = pack()
    found = weigh(given, at_most=3)
    assert not verify(replace(found, limit=Limit(5)), given).holds


def test_counts_choose_the_same_members_as_their_predictions():
    given = pack(run=[1, 1, 2, 2, 3, 3, 4, 4], step=[1, 2] * 4)
    apart = pack(seed=7, run=[1, 1, 2, 2, 3, 3, 4, 4], step=[1, 2] * 4)
    options = {"method": "tandem", "vote": "majority", "certify": apart, "at_most": 3}
    assert weigh(count(given), **options).weights.tolist() == weigh(given, **options).weights.tolist()


def test_members_with_hold_outs_of_their_own_have_a_limit_too():
    rng = np.random.default_rng(0)
    given = pack(mask=rng.random((8, 600)) < 0.7)
    found = weigh(given, at_most=3)
    assert len(found.active) <= 3
    assert verify(found, given).holds


def test_first_k_of_the_order_are_those_selected():
    evidence = Evidence(pack())
    order = picking_order(evidence)
    assert sorted(order) == list(range(8))
    for k in range(1, 9):
        assert select(evidence, Limit(k)).tolist() == sorted(order[:k])


def test_two_members_are_those_that_follow_the_best_one():
    evidence = Evidence(pack())
    tandem = measure(evidence.predictions, "hard").second
    first = min(range(8), key=lambda i: tandem[i, i])
    second = min(
        (j for j in range(8) if j != first),
        key=lambda j: tandem[first, first] + tandem[j, j] + 2 * tandem[first, j],
    )
    assert select(evidence, Limit(2)).tolist() == sorted([first, second])


def test_within_a_budget_cheap_members_are_found_that_cost_little_more_error():
    evidence = Evidence(pack(members=6, seed=3))
    every = measure(evidence.predictions, "hard").second
    dear = int(np.argmin(every.diagonal()))
    chosen = select(evidence, Limit(None, 3.0, tuple(2.5 if i == dear else 1.0 for i in range(6))))
    cheap = [i for i in range(6) if i != dear]
    best = min(every[np.ix_(s, s)].mean() for s in map(list, combinations(cheap, 3)))
    alone = every[dear, dear]
    assert every[np.ix_(chosen, chosen)].mean() <= 1.1 * min(best, alone)


def test_pooling_leaves_the_mean_of_each_kind_of_pair():
    rng = np.random.default_rng(0)
    raw = rng.random((6, 6))
    tandem = (raw + raw.T) / 2
    given = pack(members=6, run=[1, 1, 1, 2, 2, 2], step=[1, 2, 3] * 2)
    found = pooled(tandem, given)
    assert np.allclose(found, found.T)
    for i in range(6):
        for j in range(6):
            alike = [
                tandem[a, b]
                for a in range(6)
                for b in range(6)
                if (a % 3, b % 3) == (i % 3, j % 3) and (a // 3 == b // 3) == (i // 3 == j // 3)
            ]
            assert found[i, j] == pytest.approx((tandem[i, j] + np.mean(alike)) / 2)


def test_a_prior_of_zero_keeps_a_member_out():
    prior = [0.0, *[1 / 7] * 7]
    assert weigh(pack(), method="tandem", prior=prior, at_most=7).weights[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at_most": 0}, "at_most: must be at least 1, got 0"),
        ({"budget": 1.0}, "budget: needs what each member costs"),
        ({"member_costs": [1.0] * 8}, "member_costs: have no effect without a budget"),
        ({"budget": "much", "member_costs": [1.0] * 8}, "budget: must be a number, or COLUMN=NUMBER"),
        ({"budget": -1.0, "member_costs": [1.0] * 8}, "budget: must be above 0 and finite, got -1"),
        (
            {"budget": 1.0, "member_costs": [1.0] * 3},
            "member_costs: must be 8 numbers, one per member, got 3",
        ),
        ({"budget": 1.0, "member_costs": [-1.0] * 8}, "must be a finite number of at least 0, got -1.0"),
        ({"budget": 1.0, "member_costs": {"x": 1.0}}, "member_costs: has no cost of 'member 0'"),
        ({"budget": 0.5, "member_costs": [1.0] * 8}, "budget: 0.5 pays for no member; the cheapest costs 1"),
        ({"weights": [0.125] * 8, "at_most": 3}, "at_most: given weights say which members vote"),
    ],
)
def test_bad_limits_are_one_clear_line(options, message):
    with pytest.raises(InputError, match=message):
        weigh(pack(), **options)


def test_early_stopping_keeps_its_states_or_is_refused():
    given = pack(run=[1, 1, 2, 2, 3, 3, 4, 4], step=[1, 2] * 4)
    assert len(weigh(given, method="early-stopping", at_most=4).active) == 4
    with pytest.raises(InputError, match="'early-stopping' keeps one state of every run"):
        weigh(given, method="early-stopping", at_most=3)


def test_columns_of_costs_are_named_by_the_budget():
    costs = {"a": {"s": 1, "p": 2}, "b": {"s": 1, "p": 2}}
    assert read_limit(None, "p=3", costs, ("a", "b")).costs == (2.0, 2.0)
    with pytest.raises(
        InputError, match=r"the costs have several columns \(s, p\); name one, such as s=NUMBER"
    ):
        read_limit(None, 3, costs, ("a", "b"))
    with pytest.raises(InputError, match="no column 'q' in the costs; there are s, p"):
        read_limit(None, "q=3", costs, ("a", "b"))


def test_a_missing_cost_suggests_only_names_that_are_no_members():
    with pytest.raises(InputError, match=r"has no cost of 'run1/e4'$"):
        read_limit(None, 3, {"run1/e3": 1.0}, ("run1/e3", "run1/e4"))
    with pytest.raises(InputError, match="did you mean 'run1-e4'"):
        read_limit(None, 3, {"run1/e3": 1.0, "run1-e4": 1.0}, ("run1/e3", "run1/e4"))
