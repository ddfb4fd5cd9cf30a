"""Which row of the paper a recipe stands for."""

import pytest

from comitia.paper.rows import bayes_reference, paper_row, references
from comitia.recipes import names


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


def test_bounds_are_given_as_risks_of_all_states_where_there_are_some() -> None:
    found = {(r.quantity, r.members, r.weights): r.value for r in references("cifar10-resnet20-simple")}
    assert found["bound", "all", "uniform"] == pytest.approx(1 - 0.425)
    assert found["bound", "all", "tandem"] == pytest.approx(1 - 0.743)
    last = {(r.quantity, r.members) for r in references("imdb-cnn_lstm-bagging")}
    assert ("bound", "last") in last


def test_bagging_takes_its_accuracy_from_the_table_of_bounds() -> None:
    found = [r for r in references("imdb-cnn_lstm-bagging") if r.vote == "average"]
    assert [(r.members, r.weights, r.value) for r in found] == [("last", "tandem", 0.869)]


def test_rows_of_the_bounds_alone_have_accuracies_too() -> None:
    for name, value in (("imdb-cnn_lstm-bagging", 0.869), ("cifar10-resnet20-epoch-budget", 0.937)):
        row = paper_row(name)
        assert row is not None
        assert row.cells["avg_tandem_last"] == value
    both = paper_row("eyepacs-resnet50-simple")
    assert both is not None
    assert both.cells["avg_tandem_last"] == 0.910


def test_every_recipe_but_the_demo_has_a_bayes_ensemble_beside_it() -> None:
    without = [name for name in names() if bayes_reference(name) is None]
    assert without == ["demo"]
    assert references("demo") == ()


def test_samplers_have_no_row_of_their_own() -> None:
    assert paper_row("imdb-cnn_lstm-csghmc-ap") is None
    assert paper_row("mine") is None
