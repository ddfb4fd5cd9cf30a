import numpy as np
import pytest

from comitia._errors import InputError
from comitia.bounds import digital
from comitia.bounds.group_mean import group_mean


def test_it_is_the_digital_bound_of_the_rates():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 9, 60)
    errors = rng.binomial(sizes, 0.2)
    rates = [int(wrong) / int(size) for wrong, size in zip(errors, sizes)]
    assert group_mean(errors, sizes, 60, 0.1) == digital(rates, 0.1)


def test_large_groups_count_as_much_as_small_ones():
    few, many = group_mean([1, 0] * 40, [1, 1] * 40, 80), group_mean([100, 0] * 40, [100, 100] * 40, 80)
    assert few == many


def test_groups_that_err_whole_need_as_many_groups_as_samples_would():
    """Ten samples that err together are worth one, not ten."""
    rng = np.random.default_rng(2)
    hit = rng.random(200) < 0.1
    as_groups = group_mean(10 * hit, np.full(200, 10), 200)
    as_samples = digital(np.repeat(hit, 10).astype(float))
    assert as_groups - hit.mean() > 2 * (as_samples - hit.mean())


@pytest.mark.parametrize(
    ("errors", "sizes", "groups", "message"),
    [
        ([0, 1], [2], 2, "one number for each of 2 groups"),
        ([0], [2], 2, "one number for each of 2 groups"),
        ([], [], 0, "one number for each of 0 groups"),
        ([3], [2], 1, "between 0 and the size"),
        ([-1], [2], 1, "between 0 and the size"),
        ([0], [0], 1, "between 0 and the size"),
    ],
)
def test_impossible_groups_are_refused(errors, sizes, groups, message):
    with pytest.raises(InputError, match=message):
        group_mean(errors, sizes, groups)
