from pathlib import Path

import pytest

import comitia
from comitia.data import NAMES
from comitia.recipes import about, names, plans, read_recipe
from comitia.recipes.schedules import rate

CIFAR = [
    "cifar10-resnet20",
    "cifar10-resnet110",
    "cifar10-wrn28_10",
    "cifar100-resnet110",
    "cifar100-wrn28_10",
]
EXPECTED = {
    *(f"imdb-cnn_lstm-{s}" for s in ("simple", "checkpoints", "sse", "bagging", "epoch-budget")),
    *(f"{row}-{s}" for row in CIFAR for s in ("simple", "sse", "bagging", "epoch-budget")),
    "eyepacs-resnet50-simple",
    "eyepacs-resnet50-bagging",
    "imdb-cnn_lstm-csghmc-ap",
    "cifar10-resnet20-csghmc-ap",
    *(f"{row}-csgld" for row in CIFAR[1:]),
    *(
        f"{row}-swag"
        for row in ("imdb-cnn_lstm", "cifar10-resnet110", "cifar10-wrn28_10", "cifar100-wrn28_10")
    ),
    "eyepacs-resnet50-mc-dropout",
    "eyepacs-resnet50-mc-dropout-ensemble",
    "demo",
}
FOLDER = Path(comitia.__file__).parent / "recipes" / "library"


def test_every_row_of_the_paper_has_a_recipe() -> None:
    assert set(names()) == EXPECTED


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_recipe_is_valid_sourced_and_described(name: str) -> None:
    recipe = read_recipe(name)
    assert recipe.name == name
    assert recipe.data.name in NAMES
    assert name == "demo" or name.endswith(recipe.training.strategy)
    assert (FOLDER / f"{name}.toml").read_text().startswith("# Numbers: ")
    assert len(about(name)) > 20
    for epochs in (1, 2, 3, 7, 40):
        small = read_recipe(name, epochs=epochs, members=2)
        assert small.training.epochs == epochs


# Model of the paper's table, learning rate, states a run, epochs, L2, schedule, runs.
TABLE = """
imdb-cnn_lstm-simple       0.1     1  50 0       constant 50
imdb-cnn_lstm-checkpoints  0.1     5   5 0       constant 50
imdb-cnn_lstm-bagging      0.1     1  50 0       constant 50
imdb-cnn_lstm-sse          0.1    10  50 0       cyclic   50
cifar10-resnet20-simple    0.1     5 200 0.002   step     30
cifar10-resnet20-bagging   0.1     5 200 0.002   step     30
cifar10-resnet20-sse       0.2     5 200 0.002   cyclic   30
cifar10-resnet110-simple   0.1     5 300 0.0003  linear   30
cifar10-wrn28_10-bagging   0.1     5 300 0.0003  linear   30
cifar100-wrn28_10-simple   0.1     5 300 0.0003  linear   30
cifar100-resnet110-sse     0.1     5 300 0.0003  cyclic   30
eyepacs-resnet50-simple    0.00023 6  90 0.000107 step    10
eyepacs-resnet50-bagging   0.00023 6  90 0.000107 step    10
"""


@pytest.mark.parametrize("line", TABLE.strip().splitlines())
def test_numbers_are_those_of_the_papers_table(line: str) -> None:
    name, lr, states, epochs, l2, shape, runs = line.split()
    training = read_recipe(name).training
    saved = training.schedule.cycles if training.strategy == "sse" else 1
    if training.save_every:
        saved = training.epochs // training.save_every
    assert (training.lr, saved, training.epochs) == (float(lr), int(states), int(epochs))
    assert (training.l2, training.schedule.shape, training.runs) == (float(l2), shape, int(runs))
    assert training.prior_scale == (1.0 if name.startswith("imdb") else 0.0)


def test_bayesian_references_yield_the_papers_number_of_members() -> None:
    wanted = {
        "imdb-cnn_lstm-csghmc-ap": 7,
        "cifar10-resnet20-csghmc-ap": 27,
        "cifar10-resnet110-csgld": 10,
        "cifar100-wrn28_10-csgld": 10,
        "eyepacs-resnet50-mc-dropout": 5,
    }
    for name, members in wanted.items():
        recipe = read_recipe(name)
        sampler = recipe.sampler
        assert sampler is not None
        cycles = (recipe.training.epochs - sampler.burn_in) // sampler.cycle
        samples = sampler.passes if "dropout" in name else cycles * sampler.samples_per_cycle
        assert samples == members


@pytest.mark.parametrize(("name", "low"), [("cifar10-resnet110", 0.01), ("cifar100-wrn28_10", 0.05)])
def test_swag_averages_at_the_constant_rate_of_its_authors(name: str, low: float) -> None:
    recipe = read_recipe(f"{name}-swag")
    (one,) = plans(recipe)
    assert (one.members, one.collects) == (10, tuple(range(162, 301)))
    rates = [rate(recipe.training, epoch) for epoch in range(300)]
    assert rates[:81] == [0.1] * 81
    assert 0.1 > rates[81] > rates[144] > low
    assert rates[145:] == pytest.approx([low] * 155)


def test_selection_samples_never_certify() -> None:
    for name in names():
        recipe = read_recipe(name)
        assert bool(recipe.data.select) == recipe.training.early_stopping
