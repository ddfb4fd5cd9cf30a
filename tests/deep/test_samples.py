"""Which samples a run trains on, chooses its epoch by and is judged by."""

from dataclasses import replace

import numpy as np
import pytest

from comitia.deep.members import own_mask, predicted_parts
from comitia.deep.samples import holdout_index, holdout_mask, run_parts
from comitia.recipes import Recipe, plan, plans
from small_training import dataset, images, small_recipe

N = 90


def parts(recipe: Recipe, run: int):  # type: ignore[no-untyped-def]
    return run_parts(recipe, plan(recipe, run), N)


def test_runs_share_their_parts_unless_they_draw_their_own() -> None:
    shared, own = small_recipe(), small_recipe(data={"split": "per run"})
    assert np.array_equal(parts(shared, 1).holdout, parts(shared, 2).holdout)
    assert not np.array_equal(parts(own, 1).holdout, parts(own, 2).holdout)
    assert np.array_equal(parts(own, 2).holdout, parts(own, 2).holdout)
    other = parts(small_recipe(data={"split": "per run"}, runs=9), 2)
    assert np.array_equal(parts(own, 2).holdout, other.holdout), "run 2 is the same however many there are"


@pytest.mark.parametrize("split", ["shared", "per run"])
def test_what_judges_a_run_has_not_trained_it(split: str) -> None:
    recipe = small_recipe(
        data={"split": split, "holdout": 20, "select": 15},
        strategy="simple",
        early_stopping=True,
        save_every=0,
    )
    for run in (1, 2):
        found = parts(recipe, run)
        pieces = [found.train, found.select, found.holdout]
        assert sorted(np.concatenate(pieces).tolist()) == list(range(N))
        assert [len(piece) for piece in pieces] == [55, 15, 20]


@pytest.mark.parametrize(
    ("data", "stops", "members"),
    [
        ({"holdout": 30, "split": "per run"}, {}, N),
        ({"holdout": 0}, {"strategy": "bagging", "save_every": 0}, N),
        (
            {"holdout": 0, "select": 20, "split": "per run"},
            {"strategy": "bagging", "early_stopping": True},
            N,
        ),
        ({"holdout": 0, "select": 20}, {"strategy": "bagging", "early_stopping": True}, N - 20),
    ],
)
def test_a_mask_holds_what_the_run_has_seen_neither_in_training_nor_in_choosing(
    data: dict[str, object], stops: dict[str, object], members: int
) -> None:
    recipe = small_recipe(data=data, **{"save_every": 0 if stops else 1, **stops})  # type: ignore[arg-type]
    held = holdout_index(recipe, plan(recipe, 1), N)
    assert len(held) == members
    for one in plans(recipe):
        found, mask = run_parts(recipe, one, N), holdout_mask(recipe, one, N)
        assert np.array_equal(holdout_index(recipe, one, N), held), "the file holds the same samples for all"
        judging = set(held[mask].tolist())
        assert judging
        assert judging == set(found.holdout.tolist())
        assert not judging & set(found.train.tolist())
        assert not judging & set(found.select.tolist())


def test_samples_out_of_the_bag_that_chose_the_epoch_judge_nothing() -> None:
    recipe = small_recipe(
        data={"holdout": 0, "select": "out-of-bag"}, strategy="bagging", early_stopping=True, save_every=0
    )
    found = parts(recipe, 1)
    assert len(found.train) == N
    assert set(found.select.tolist()) == set(range(N)) - set(found.train.tolist())
    assert len(found.holdout) == 0
    assert len(holdout_index(recipe, plan(recipe, 1), N)) == 0


@pytest.mark.parametrize(
    ("select", "stops"), [(0, False), (20, True), ("out-of-bag", True)], ids=["plain", "select", "out of bag"]
)
def test_the_hold_out_of_the_data_judges_bagged_runs_too(select: object, stops: bool) -> None:
    held_x, held_y = images(12, seed=3)
    recipe = small_recipe(
        data={"holdout": 0, "select": select}, strategy="bagging", early_stopping=stops, save_every=0
    )
    having = replace(dataset(train=N), holdout_x=held_x, holdout_y=held_y)
    for one in plans(recipe):
        (name, samples, labels), _ = predicted_parts(recipe, one, having)
        assert name == "holdout"
        assert np.array_equal(samples[:], held_x)
        assert np.array_equal(labels, held_y)
        assert own_mask(recipe, one, having) is None, "no run has seen any of them"
    without = own_mask(recipe, plan(recipe, 1), dataset(train=N))
    assert (without is not None and without.any()) == (select != "out-of-bag")


def test_a_bag_holds_out_whole_groups_only() -> None:
    recipe = small_recipe(strategy="bagging", save_every=0, data={"holdout": 0})
    groups = np.repeat(np.arange(N // 2), 2)
    parts = run_parts(recipe, plan(recipe, 1), N, groups)
    assert len(parts.holdout)
    assert not set(groups[parts.holdout].tolist()) & set(groups[parts.train].tolist())
