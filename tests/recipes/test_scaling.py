import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia._errors import InputError
from comitia.recipes import Schedule, Training, names, read_recipe
from comitia.recipes.checks import check


def test_step_schedule_keeps_its_proportions() -> None:
    half = read_recipe("cifar10-resnet20-simple", epochs=100).training
    assert half.schedule.milestones == (40, 60, 80, 90)
    assert half.schedule.factors == (0.1, 0.01, 0.001, 0.0005)
    assert half.save_every == 20


def test_milestones_that_meet_take_the_later_factor_and_the_end_is_dropped() -> None:
    short = read_recipe("cifar10-resnet20-simple", epochs=3).training
    # 80, 120, 160, 180 of 200 are 1.2, 1.8, 2.4, 2.7 of 3: rounded 1, 2, 2, 3
    assert short.schedule.milestones == (1, 2)
    assert short.schedule.factors == (0.1, 0.001)
    assert short.save_every == 1


def test_cycles_stay_up_to_one_per_epoch() -> None:
    assert read_recipe("imdb-cnn_lstm-sse", epochs=20).training.schedule.cycles == 10
    assert read_recipe("imdb-cnn_lstm-sse", epochs=4).training.schedule.cycles == 4


def test_samplers_keep_their_number_of_cycles() -> None:
    recipe = read_recipe("imdb-cnn_lstm-csghmc-ap", epochs=50)
    assert recipe.sampler is not None
    assert (recipe.sampler.burn_in, recipe.sampler.cycle) == (15, 5)
    csgld = read_recipe("cifar10-resnet110-csgld", epochs=10).sampler
    assert csgld is not None
    assert (csgld.cycle, csgld.noise_epochs, csgld.samples_per_cycle) == (2, 1, 1)


@pytest.mark.parametrize(
    ("epochs", "expected"),
    [
        (1, (0, 1, 1, 0)),  # one epoch is averaged: all samples would be the same
        (2, (0, 1, 8, 0)),
        (3, (0, 1, 8, 2)),
        (4, (0, 1, 8, 3)),
        (8, (1, 1, 8, 6)),
        (160, (30, 10, 8, 12)),
    ],
)
def test_averaged_weights_keep_their_share_of_the_epochs(epochs: int, expected: tuple[int, ...]) -> None:
    sampler = read_recipe("imdb-cnn_lstm-swag", epochs=epochs, members=3).sampler
    assert sampler is not None
    assert (sampler.burn_in, sampler.collect_every, sampler.samples, sampler.rank) == expected


def test_budget_follows_the_epochs_and_members_limit_the_sizes() -> None:
    recipe = read_recipe("imdb-cnn_lstm-epoch-budget", epochs=5, members=10)
    assert (recipe.training.budget, recipe.training.sizes) == (50, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
    assert read_recipe("imdb-cnn_lstm-epoch-budget", members=1).training.sizes == (1,)


def test_members_are_runs_or_passes() -> None:
    assert read_recipe("demo", members=3).training.runs == 3
    dropout = read_recipe("eyepacs-resnet50-mc-dropout", members=9)
    assert dropout.sampler is not None
    assert (dropout.training.runs, dropout.sampler.passes) == (1, 9)
    drawn = read_recipe("imdb-cnn_lstm-swag", members=3)
    assert drawn.sampler is not None
    assert (drawn.training.runs, drawn.sampler.samples) == (3, 8)


@pytest.mark.parametrize(("members", "epochs"), [(0, None), (-2, None), (None, 0), (None, -1)])
def test_none_left(members: int | None, epochs: int | None) -> None:
    with pytest.raises(InputError, match="must be at least 1, got"):
        read_recipe("demo", members=members, epochs=epochs)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(names()), st.integers(1, 700), st.integers(2, 60))
def test_every_scaled_recipe_is_valid(name: str, epochs: int, members: int) -> None:
    check(read_recipe(name, epochs=epochs, members=members))


def test_lengths_of_an_epoch_budget() -> None:
    step = Schedule(shape="step", milestones=(80, 180), factors=(0.1, 0.0005))
    training = Training(strategy="epoch-budget", epochs=200, schedule=step)
    assert training.scaled(50).schedule.milestones == (20, 45)
    assert training.scaled(200) == training
    assert training.scaled(300).schedule.milestones == (120, 270)
