"""Which row of the paper a recipe stands for."""

import pytest

from comitia.paper.rows import network_of, paper_row, paper_rows
from comitia.recipes import names, read_recipe


def test_cells_are_the_papers() -> None:
    row = paper_row("imdb-cnn_lstm-checkpoints")
    assert row is not None
    assert (row.model, row.dataset, row.experiment) == ("CNN-LSTM", "IMDB", "checkpoints")
    assert [row.cells[f"avg_{w}_{m}"] for m in ("last", "all") for w in ("uniform", "tandem")] == [
        0.872, 0.873, 0.868, 0.873
    ]  # fmt: skip
    assert (row.cells["bound_uniform"], row.cells["bound_tandem"]) == (0.576, 0.594)


def test_empty_cells_are_left_out() -> None:
    row = paper_row("imdb-cnn_lstm-simple")
    assert row is not None
    assert "avg_uniform_all" not in row.cells


@pytest.mark.parametrize(("budget", "bound"), [(None, 0.799), (1500, 0.799), (300, 0.735)])
def test_an_epoch_budget_has_a_row_for_each_budget(budget: int | None, bound: float) -> None:
    row = paper_row("cifar10-resnet110-epoch-budget", budget=budget)
    assert row is not None
    assert row.cells["bound_uniform"] == bound


def test_rows_of_the_bounds_alone_have_accuracies_too() -> None:
    for name, value in (("imdb-cnn_lstm-bagging", 0.869), ("cifar10-resnet20-epoch-budget", 0.937)):
        row = paper_row(name)
        assert row is not None
        assert row.cells["avg_tandem_last"] == value
    both = paper_row("eyepacs-resnet50-simple")
    assert both is not None
    assert both.cells["avg_tandem_last"] == 0.910


def test_samplers_have_no_row_of_their_own() -> None:
    assert paper_row("imdb-cnn_lstm-csghmc-ap") is None
    assert paper_row("mine") is None


def test_the_31_rows_are_trained_by_built_in_recipes_at_their_budgets() -> None:
    rows = paper_rows()
    assert len({row.key for row in rows}) == 31
    assert {row.recipe for row in rows} <= set(names())
    for row in rows:
        budget = read_recipe(row.recipe).training.budget
        assert (row.budget is None) == (budget == 0)
    first = {row.recipe: row.budget for row in reversed(rows)}
    assert all(read_recipe(name).training.budget == (budget or 0) for name, budget in first.items())


def test_bagging_is_drawn_as_often_as_the_simple_ensemble() -> None:
    for row in paper_rows():
        if row.experiment == "bagging":
            simple = paper_row(row.recipe.replace("bagging", "simple"))
            assert simple is not None
            assert row.cells["members_last"] == simple.cells["members_last"]


def test_a_network_has_the_papers_names() -> None:
    assert network_of("eyepacs-resnet50-mc-dropout") == ("ResNet50", "EyePACS")
    assert network_of("mnist5k-small_cnn-simple") is None
