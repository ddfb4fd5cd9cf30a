"""Matrices of costs: in which forms they are given, which are refused, and what a sample costs."""

import numpy as np
import pytest

from comitia import InputError, Predictions
from comitia.promises.answered import answer
from comitia.promises.costs import as_costs, as_matrix

NAMES = ("cat", "dog", "eel")


def test_names_and_rows_say_the_same() -> None:
    named = {
        "dog": {"eel": 3, "cat": 2, "dog": 0},
        "cat": {"cat": 0, "dog": 1, "eel": 9},
        "eel": {"cat": 4, "dog": 5, "eel": 0.5},
    }
    rows = [[0, 1, 9], [2, 0, 3], [4, 5, 0.5]]
    assert as_costs(named, NAMES) == as_costs(rows, NAMES) == ((0, 1, 9, 9), (2, 0, 3, 3), (4, 5, 0.5, 5))


def test_no_answer_has_its_own_column_where_one_is_given() -> None:
    assert as_costs([[0, 1, 0.2], [1, 0, 0.3]], ("a", "b")) == ((0, 1, 0.2), (1, 0, 0.3))
    named = {"a": {"a": 0, "b": 1, "no answer": 0.2}, "b": {"a": 1, "b": 0}}
    assert as_costs(named, ("a", "b")) == ((0, 1, 0.2), (1, 0, 1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, 1], [1, 0]], "for each of 3 classes"),
        ([[0, 1, 2, 3, 4]] * 3, "got shape 3 x 5"),
        ([[0, 1, 2], [1, 0], [1, 1, 1]], "rows differ"),
        ([["a", "b", "c"]] * 3, "rows differ or hold text"),
        ([[0, -1, 2], [1, 0, 1], [1, 1, 0]], "at least 0 and finite, got -1"),
        ([[0, np.nan, 2], [1, 0, 1], [1, 1, 0]], "at least 0 and finite, got nan"),
        ([[0, np.inf, 2], [1, 0, 1], [1, 1, 0]], "at least 0 and finite, got inf"),
        (np.zeros((3, 3)), "one must be above 0"),
        ({"cat": {}, "dog": {}, "bird": {}}, "'bird' is no row"),
        ({"cat": {}, "dog": {}}, "no row for class 'eel'"),
        (
            {"cat": {"cat": 0, "dog": 1}, "dog": {}, "eel": {}},
            "no answer in the row of 'cat' for class 'eel'",
        ),
        ({"cat": 3, "dog": {}, "eel": {}}, "the row of 'cat' must map answers to costs"),
        ({name: dict.fromkeys(NAMES, "x") for name in NAMES}, "must be numbers, got 'x'"),
    ],
)
def test_what_cannot_be_costs(given: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        as_costs(given, NAMES)
    assert str(caught.value).startswith("costs: ")
    assert message in str(caught.value)


def test_what_samples_cost() -> None:
    """An answer costs its cell, a tie the dearer of its answers, silence its own column."""
    votes = [[0, 1, 0, 0], [0, 1, 2, 0]]
    silent = [[False, False, False, True], [False, False, False, True]]
    pack = Predictions.from_arrays(votes=votes, labels=[0, 2, 1, 1], abstained=silent, classes=3)
    costs = as_matrix(as_costs([[0.5, 1, 9, 20], [2, 0, 3, 30], [4, 5, 0, 40]], NAMES))
    assert answer(pack, [0.5, 0.5], "majority", None, costs).costs.tolist() == [0.5, 5.0, 3.0, 30.0]


def test_costs_of_one_per_error_are_the_certified_losses() -> None:
    rng = np.random.default_rng(0)
    pack = Predictions.from_arrays(votes=rng.integers(0, 3, (4, 500)), labels=rng.integers(0, 3, 500))
    costs = as_matrix(as_costs(1 - np.eye(3), NAMES))
    found = answer(pack, [0.25] * 4, "majority", None, costs)
    assert np.array_equal(found.costs, found.losses)
    assert 0 < found.losses.sum() < 500
