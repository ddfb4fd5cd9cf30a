import itertools
import math

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.bounds import betting_kernel, clopper_pearson, digital

# imported, so that the compiled loop is used where numba is installed
assert betting_kernel


def zeros_and_ones(ones, n):
    return np.repeat([1.0, 0.0], [ones, n - ones])


def excess(values, delta=0.05):
    return digital(values, delta) - values.mean()


def most_misses(bounds, chance):
    """The largest P(bound < mean) over all means where it can be largest: the bounds themselves, and just above."""
    found = sorted(set(bounds.values()))
    means = [mean for bound in found for mean in (bound, min(bound + 1e-9, 1.0))]
    return max(
        math.fsum(chance(point, mean) for point, bound in bounds.items() if bound < mean) for mean in means
    )


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.4])
def test_the_exact_share_of_misses_over_all_sequences(delta):
    """All sequences of nine zeros and ones, for every mean: no simulation, and nearly as many misses as allowed."""

    def chance(point, mean):
        return mean ** sum(point) * (1 - mean) ** (len(point) - sum(point))

    sequences = list(itertools.product([0, 1], repeat=9))
    right = most_misses({point: digital(point, delta) for point in sequences}, chance)
    wrong = most_misses({point: digital(point, 2 * delta) for point in sequences}, chance)
    assert 0.7 * delta < right <= delta < wrong


def test_the_exact_share_of_misses_with_values_between():
    """Sequences of 0, .5 and 1, drawn with chances (1 - q)^2, 2q(1 - q), q^2, so that the mean is q."""

    def chance(point, mean):
        single = {0.0: (1 - mean) ** 2, 0.5: 2 * mean * (1 - mean), 1.0: mean**2}
        return math.prod(single[value] for value in point)

    sequences = list(itertools.product([0.0, 0.5, 1.0], repeat=6))
    right, wrong = (
        most_misses({point: digital(point, delta) for point in sequences}, chance) for delta in (0.1, 0.4)
    )
    assert 0.02 < right <= 0.1 < wrong


def test_an_order_chosen_by_the_values_is_not_covered():
    """Zeros first: the bets are won before the first one. The larger mean of the values is returned."""
    values = zeros_and_ones(600, 2000)
    assert digital(values[::-1]) == pytest.approx(0.3, abs=1e-12)
    assert digital(values) > clopper_pearson(600, 2000, 0.05)


@pytest.mark.parametrize("ones", [140, 600, 1000])
def test_zeros_and_ones_have_about_the_excess_of_clopper_pearson(ones):
    rng, values = np.random.default_rng(ones), zeros_and_ones(ones, 2000)
    limit = clopper_pearson(ones, 2000, 0.05) - ones / 2000
    ratios = np.array([excess(rng.permutation(values)) for _ in range(60)]) / limit
    assert 0.93 < ratios.mean() < 1.05
    assert ratios.std() < 0.16
    assert 0.5 < ratios.min() < ratios.max() < 1.35


def test_values_that_vary_less_have_less_excess():
    rng = np.random.default_rng(1)
    spread = np.array([0.5, 0.2, 0.05])
    widths = [
        np.mean([excess(0.3 + width * (rng.random(1000) - 0.5)) for _ in range(20)]) for width in spread
    ]
    normal = 1.645 * spread / math.sqrt(12 * 1000)
    assert widths[0] / normal[0] == pytest.approx(1, abs=0.35)
    assert widths[0] > widths[1] > widths[2]


@pytest.mark.parametrize("seed", range(6))
def test_it_falls_with_delta_and_stays_between_the_mean_and_the_limit(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 500))
    values = rng.beta(0.3, 1, n) if seed % 2 else (rng.random(n) < rng.random()).astype(float)
    bounds = [digital(values, delta) for delta in (1e-12, 1e-3, 0.02, 0.05, 0.1, 0.2, 0.4)]
    assert bounds == sorted(bounds, reverse=True)
    assert values.mean() <= bounds[-1] <= bounds[0] <= 1.0
    assert max(bounds) > min(bounds) or n < 3


@pytest.mark.parametrize("n", [1, 2, 10, 500, 20_000])
@pytest.mark.parametrize("delta", [0.2, 0.05, 1e-3])
def test_zeros_alone(n, delta):
    best = 1 - delta ** (1 / n)
    assert best < digital(np.zeros(n), delta) <= min(1.12 * best, 1.0)


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_ones_alone(n):
    assert digital(np.ones(n)) == 1.0
    assert digital(np.full(n, 2.5), upper=2.5) == 2.5


def test_more_values_have_less_excess():
    rng = np.random.default_rng(3)
    means = [np.mean([excess(rng.random(n)) for _ in range(20)]) for n in (50, 200, 800, 3200)]
    assert means == sorted(means, reverse=True)
    assert means[-1] < means[0] / 6


def test_many_values():
    values = (np.random.default_rng(4).random(200_000) < 0.07).astype(float)
    limit = clopper_pearson(int(values.sum()), len(values), 0.05) - values.mean()
    assert excess(values) == pytest.approx(limit, rel=0.2)


def test_another_limit_is_another_unit():
    values = np.random.default_rng(5).random(300)
    for upper in (3.0, 1e-300, 1e300):
        assert digital(upper * values, upper=upper) == pytest.approx(upper * digital(values), rel=1e-9)
    assert digital(values, upper=2.0) > digital(values)


def test_values_below_zero():
    values = np.random.default_rng(6).random(400)
    values[::40] = -3.0
    assert values.mean() < digital(values) < digital(np.maximum(values, 0.0))
    assert 0 < digital(np.full(50, -1e308)) < 0.1
    assert 0 < digital(np.full(50, -1.0), upper=1e-320) <= 1e-320


def test_a_tiny_delta_certifies_nothing_and_breaks_nothing():
    assert digital(np.zeros(100), 1e-290) == pytest.approx(1 - 1e-290**0.01, rel=1e-2)
    assert digital(np.zeros(100), 1e-305) == 1.0


def test_arguments_stay_as_they_are():
    values = np.array([0.0, 1.0, 0.5, -0.0])
    before = values.tobytes()
    digital(values)
    assert values.tobytes() == before
    assert digital([False, True, False]) == digital([0, 1, 0])


@pytest.mark.parametrize(
    "values, message",
    [
        ([], r"values: must be a list of one or more numbers, got shape \(0,\)"),
        (0.5, r"values: must be a list of one or more numbers, got shape \(\)"),
        ([[0.5, 0.1]], r"values: must be a list of one or more numbers, got shape \(1, 2\)"),
        (["a"], r"values: must be numbers, got \['a'\]"),
        ([0.0, math.nan], "values: must be finite, got nan at index 1"),
        ([-math.inf, 0.0], "values: must be finite, got -inf at index 0"),
        ([0.0, 1.0, 1.5], "values: must be at most 1, got 1.5 at index 2"),
    ],
)
def test_wrong_values_are_refused(values, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        digital(values)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_a_wrong_delta_is_refused(delta):
    with pytest.raises(InputError, match="^delta: must lie strictly between 0 and 1, got"):
        digital([0.5], delta)


@pytest.mark.parametrize("upper", [0.0, -1.0, math.inf, math.nan])
def test_a_wrong_limit_is_refused(upper):
    with pytest.raises(InputError, match="^upper: must be a finite number above 0, got"):
        digital([0.0], upper=upper)
