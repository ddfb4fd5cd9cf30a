"""Numbers to set beside ours: the paper's cells and those of the literature."""

import pytest

from comitia.paper.literature import of_literature, references
from comitia.paper.rows import paper_rows
from comitia.recipes import names


def _kind(name: str, kind: str) -> dict[str, float]:
    return {r.label: r.value for r in of_literature(name) if r.kind == kind and r.quantity == "accuracy"}


def test_three_of_four_cifar_references_are_swag() -> None:
    found = {
        name: next(iter(_kind(f"{name}-simple", "bayes").items()))
        for name in ("cifar10-resnet110", "cifar10-wrn28_10", "cifar100-resnet110", "cifar100-wrn28_10")
    }
    assert found == {
        "cifar10-resnet110": ("Bayes: SWAG[10]", 0.9554),
        "cifar10-wrn28_10": ("Bayes: SWAG[10]", 0.9666),
        "cifar100-resnet110": ("Bayes: cSGLD[10]", 0.7808),
        "cifar100-wrn28_10": ("Bayes: SWAG[10]", 0.8279),
    }


def test_eyepacs_has_its_lines_with_auroc() -> None:
    found = of_literature("eyepacs-resnet50-simple")
    assert _kind("eyepacs-resnet50-simple", "literature") == {
        "MC-dropout ensemble[15]": 0.916,
        "deep ensemble[3]": 0.903,
        "single network": 0.886,
    }
    assert [r.value for r in found if r.quantity == "auroc"] == [0.914, 0.925, 0.903, 0.874]


def test_references_agree_with_the_papers_column_to_its_digits() -> None:
    for row in paper_rows():
        if "bayesian_reference" in row.cells:
            (value,) = _kind(row.recipe, "bayes").values()
            assert value == pytest.approx(row.cells["bayesian_reference"], abs=5.1e-4)


def test_bounds_are_given_as_risks_of_all_states_where_there_are_some() -> None:
    found = {(r.quantity, r.members, r.weights): r.value for r in references("cifar10-resnet20-simple")}
    assert found["bound", "all", "uniform"] == pytest.approx(1 - 0.425)
    assert found["bound", "all", "tandem"] == pytest.approx(1 - 0.743)
    last = {(r.quantity, r.members) for r in references("imdb-cnn_lstm-bagging")}
    assert ("bound", "last") in last


def test_bagging_takes_its_accuracy_from_the_table_of_bounds() -> None:
    found = [r for r in references("imdb-cnn_lstm-bagging") if r.vote == "average"]
    assert [(r.members, r.weights, r.value) for r in found] == [("last", "tandem", 0.869)]


def test_every_recipe_but_the_demo_has_a_bayes_ensemble_beside_it() -> None:
    kinds = {name: [reference.kind for reference in of_literature(name)] for name in names()}
    assert [name for name, found in kinds.items() if not found] == ["demo"]
    for name, found in kinds.items():
        assert name == "demo" or found[0] == "bayes"
    assert references("demo") == ()
