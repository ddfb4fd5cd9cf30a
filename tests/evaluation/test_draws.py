"""Draws: without replacement, seeded, the same whatever else is asked for."""

import pytest

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.evaluation.draws import default_sizes, draw_all, runs_of
from evaluation.synthetic import ensemble


def test_last_is_the_latest_step_and_all_every_state_of_the_drawn_runs() -> None:
    pack = Predictions.from_arrays(
        votes=[[0]] * 6, labels=[0], run=[7, 3, 7, 3, 7, 9], step=[10, 2, 9, 10, 2, 1]
    )
    runs = runs_of(pack)
    draw = runs.draw([0, 1])
    assert runs.numbers == (3, 7, 9)
    assert (draw.last, draw.all) == ((3, 0), (1, 3, 4, 2, 0))


def test_members_without_run_and_step_are_runs_of_their_own() -> None:
    runs = runs_of(Predictions.from_arrays(votes=[[0]] * 3, labels=[0]))
    assert runs.draw([2, 0]).last == runs.draw([0, 2]).all == (0, 2)


def test_draws_are_without_replacement_and_do_not_depend_on_other_sizes() -> None:
    runs = runs_of(ensemble(runs=8, samples=10))
    many, one = draw_all(runs, [2, 5], 6, 3), draw_all(runs, [5], 6, 3)
    assert many[5] == one[5]
    assert len(set(many[5])) > 1
    assert all(len(set(draw.last)) == draw.size == 5 for draw in one[5])
    assert draw_all(runs, [5], 6, 4) != one


def test_groups_name_the_runs_of_each_size() -> None:
    runs = runs_of(ensemble(runs=3, states=1, samples=10))
    found = draw_all(runs, [1, 2], 5, 0, groups={1: [1], 2: [2, 3]})
    assert [draw.last for draws in found.values() for draw in draws] == [(0,), (1, 2)]
    with pytest.raises(InputError, match="run 9 is not among"):
        draw_all(runs, [1], 5, 0, groups={1: [9]})
    with pytest.raises(InputError, match="sizes: must be one of those trained, 1, got 3"):
        draw_all(runs, [3], 5, 0, groups={1: [1]})


def test_default_sizes_end_with_all_runs() -> None:
    assert default_sizes(40)[-4:] == (25, 30, 35, 40)
    assert default_sizes(40)[:9] == tuple(range(2, 11))


@pytest.mark.parametrize("size", [0, 9])
def test_impossible_sizes_are_refused(size: int) -> None:
    with pytest.raises(InputError, match=f"sizes: must be from 1 to 8, the number of runs, got {size}"):
        draw_all(runs_of(ensemble(runs=8, samples=10)), [size], 1, 0)
