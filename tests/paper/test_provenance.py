"""How members were trained, and whether numbers from the literature may judge them."""

from dataclasses import replace
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.evaluation.references import Provenance
from comitia.files import read_predictions
from comitia.paper.provenance import (
    changes,
    notes_on,
    recipe_beside,
    require_classes,
    row_key,
    stored,
    trained_here,
)
from comitia.paper.rows import paper_rows, read_table
from comitia.recipes import read_recipe
from evaluation.synthetic import ensemble
from shared_data import shared


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("imdb-cnn_lstm-epoch-budget", ["training.budget=100"], ("training.budget", "100", "500")),
        ("imdb-cnn_lstm-checkpoints", ["training.lr=0.001"], ("training.lr", "0.001", "0.1")),
        ("imdb-cnn_lstm-checkpoints", ["data.holdout=1"], ("data.holdout", "1", "5000")),
    ],
)
def test_whatever_trains_otherwise_is_told(name: str, given: list[str], told: tuple[str, str, str]) -> None:
    assert changes(read_recipe(name, given)) == [told]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("imdb-cnn_lstm-simple", ["seed=3", "keep='predictions'", "training.runs=3", "training.patience=5"]),
        ("imdb-cnn_lstm-checkpoints", ["data.split='shared'"]),
        ("imdb-cnn_lstm-epoch-budget", ["training.sizes=[10]"]),
        ("cifar10-resnet110-epoch-budget", ["training.budget=300"]),
    ],
)
def test_what_the_authors_varied_is_as_the_paper(name: str, given: list[str]) -> None:
    assert changes(read_recipe(name, given)) == []


def test_the_schedule_of_fewer_epochs_is_told_by_the_epochs_alone() -> None:
    short = read_recipe("cifar10-resnet20-simple", epochs=20)
    assert changes(short) == [("training.epochs", "20", "200")]
    other = replace(short, training=replace(short.training, save_every=5))
    assert ("training.save_every", "5", "40") in changes(other)


def test_a_recipe_of_ones_own_under_a_name_of_the_papers_data_is_not_the_papers() -> None:
    mine = replace(read_recipe("imdb-cnn_lstm-checkpoints"), name="imdb-cnn_lstm-mine")
    assert row_key(mine) == ""
    found = trained_here(mine, runs=3)
    assert (found.row, found.as_paper) == ("", False)
    assert found.scale == "3 runs × 5 states, name = imdb-cnn_lstm-mine (the paper: the built-in recipes)"


def test_a_row_is_named_with_its_budget_and_how_it_was_trained() -> None:
    small = read_recipe("cifar10-resnet110-epoch-budget", ["training.budget=300", "training.sizes=[2, 3]"])
    assert trained_here(small, runs=5) == Provenance(
        "trained", "cifar10-resnet110-epoch-budget-300", "M = 2, 3", True
    )
    patient = read_recipe("imdb-cnn_lstm-simple", ["training.patience=5"])
    assert trained_here(patient, runs=50).scale == "50 runs, each stopped after 5 epochs without improvement"


@pytest.mark.parametrize(
    ("given", "scale"),
    [
        ([], "1 run × 7 states at T = 1"),
        (["sampler.temperature=0.01"], "1 run × 7 states at T = 0.01"),
        (["training.lr=0.2"], "1 run × 7 states at T = 1, training.lr = 0.2 (the built-in recipe: 0.1)"),
    ],
)
def test_the_temperature_of_a_chain_is_always_told(given: list[str], scale: str) -> None:
    found = trained_here(read_recipe("imdb-cnn_lstm-csghmc-ap", given), runs=1)
    assert found == Provenance("trained", "", scale, not given)


def test_stored_predictions_are_judged_only_if_it_is_known_that_they_may(tmp_path: Path) -> None:
    recipe, pack = read_recipe("imdb-cnn_lstm-checkpoints"), ensemble(classes=2, samples=50)
    unknown = stored(recipe, pack, beside=None, told=None)
    assert (unknown.as_paper, unknown.scale) == (False, "it is not known how its members were trained")
    assert stored(recipe, pack, beside=None, told="paper").as_paper
    other = stored(recipe, pack, beside=None, told="with dropout .5")
    assert (other.as_paper, other.scale) == (False, "with dropout .5")
    assert stored(recipe, pack, beside=recipe, told=None).as_paper
    changed = read_recipe("imdb-cnn_lstm-checkpoints", ["training.lr=0.01"])
    assert not stored(recipe, pack, beside=changed, told=None).as_paper


def test_the_authors_predictions_are_recognised_whatever_is_said_of_them() -> None:
    pack = read_predictions([shared("predictions/cifar10-resnet20-checkpoints.npz")])
    recipe = read_recipe("cifar10-resnet20-simple")
    found = stored(recipe, pack, beside=recipe, told="paper")
    assert (found.source, found.row, found.as_paper) == ("stored", "cifar10-resnet20-simple", False)
    assert "40,000 images" in found.scale
    message = "^predictions: these are stored predictions of cifar10-resnet20-simple, got the recipe .*-sse$"
    with pytest.raises(InputError, match=message):
        stored(read_recipe("cifar10-resnet20-sse"), pack, beside=None, told=None)


def test_other_predictions_of_the_authors_are_as_the_paper() -> None:
    pack = read_predictions([shared("predictions/imdb-cnn_lstm-checkpoints.npz")])
    found = stored(read_recipe("imdb-cnn_lstm-checkpoints"), pack, beside=None, told="otherwise")
    assert (found.as_paper, found.scale.partition(" by ")[0]) == (True, "10 runs × 5 epochs")


def test_every_stored_pack_is_of_a_row_of_the_paper() -> None:
    known = read_table("stored")
    assert len({row["sha256"] for row in known}) == len(known) > 0
    assert {row["as_paper"] for row in known} <= {"yes", "no"}
    assert {row["recipe"] for row in known} <= {row.recipe for row in paper_rows()}


def test_predictions_of_other_data_are_refused() -> None:
    message = "^predictions: imdb, the data of imdb-cnn_lstm-sse, has 2 classes, got 3; give predictions of these data"
    with pytest.raises(InputError, match=message):
        require_classes(read_recipe("imdb-cnn_lstm-sse"), ensemble(samples=50))


def test_samples_and_training_other_than_the_papers_are_noted() -> None:
    recipe, pack = read_recipe("imdb-cnn_lstm-sse"), ensemble(classes=2, samples=50)
    as_paper = Provenance("stored", recipe.name, "8 runs", True)
    assert notes_on(recipe, pack, as_paper) == ("50 samples; the official test set of imdb has 25,000",)
    first, _ = notes_on(recipe, pack, replace(as_paper, as_paper=False))
    assert first.startswith("8 runs: not judged by numbers from the literature")


def test_a_word_against_the_recipe_beside_is_refused_and_so_is_none() -> None:
    recipe, pack = read_recipe("imdb-cnn_lstm-simple"), ensemble(classes=2, samples=50)
    short = read_recipe("imdb-cnn_lstm-simple", epochs=2)
    with pytest.raises(InputError, match="trained: 'paper' contradicts the recipe .*: 2 of 50 epochs; leave"):
        stored(recipe, pack, beside=short, told="paper")
    with pytest.raises(InputError, match="trained: 'paper' or a description is required, got ' '"):
        stored(recipe, pack, beside=None, told=" ")


def test_little_patience_is_not_as_the_paper() -> None:
    assert changes(read_recipe("imdb-cnn_lstm-simple", ["training.patience=5"])) == []
    few = changes(read_recipe("imdb-cnn_lstm-simple", ["training.patience=1"]))
    assert few == [("training.patience", "1", "none")]


def test_the_recipe_beside_a_file_of_a_training_is_found(tmp_path: Path) -> None:
    recipe = read_recipe("demo")
    assert recipe_beside(tmp_path / "test.npz") is None
    (tmp_path / "recipe.toml").write_text(recipe.to_toml())
    assert recipe_beside(tmp_path / "test.npz") == recipe
    assert recipe_beside(tmp_path / "other.npz") is None
    assert recipe_beside(tmp_path / "holdout.npz") is None  # not what the paper's tables rest on
