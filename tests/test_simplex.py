import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia._errors import InputError
from comitia._simplex import as_counts, as_prior, as_weights, prune, round_to


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5, 0.5, 0.0], "weights: must be 2 numbers, one per member, got shape (3,)"),
        ([[0.5, 0.5]], "weights: must be 2 numbers, one per member, got shape (1, 2)"),
        ([0.5, float("nan")], "weights: must be finite and not negative"),
        ([1.5, -0.5], "weights: must be finite and not negative"),
        ([0.5, 0.4], "weights: must sum to 1, got 0.9; divide by the sum"),
        (["a", "b"], "weights: must be 2 numbers, one per member"),
    ],
)
def test_weights_off_the_simplex(weights: list[float], message: str) -> None:
    with pytest.raises(InputError) as error:
        as_weights(weights, 2)
    assert str(error.value) == message


def test_the_prior_is_uniform_unless_given() -> None:
    assert as_prior(None, 4).tolist() == [0.25] * 4
    assert as_prior([0.9, 0.1], 2).tolist() == [0.9, 0.1]


def test_pruning_keeps_the_rest_on_the_simplex() -> None:
    pruned = prune(np.array([0.7, 0.3 - 1e-7, 1e-7]))
    assert pruned[2] == 0
    assert pruned.sum() == pytest.approx(1, abs=1e-15)


def test_pruning_never_drops_all() -> None:
    assert prune(np.full(2_000_000, 5e-7)).sum() == pytest.approx(1)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(lambda c: 0 < sum(c) <= 60))
def test_counts_are_found_again(counts: list[int]) -> None:
    k = sum(counts)
    found = as_counts(np.array(counts) / k)
    assert found is not None
    assert found.sum() <= k
    assert found / found.sum() == pytest.approx(np.array(counts) / k, abs=1e-12)


def test_irregular_weights_have_no_counts() -> None:
    assert as_counts(np.array([1 / np.pi, 1 - 1 / np.pi])) is None


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=12), st.integers(1, 100))
@settings(deadline=None)
def test_rounding_moves_each_weight_by_less_than_one_part(raw: list[float], k: int) -> None:
    weights = np.array(raw) / np.sum(raw)
    rounded = round_to(weights, k)
    assert rounded.sum() == pytest.approx(1)
    assert np.abs(rounded - weights).max() < 1 / k + 1e-12
    assert as_counts(rounded) is not None
