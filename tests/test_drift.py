"""A warning without labels: permutations by loops and by enumeration, levels of looks, what is refused."""

import math
from itertools import combinations

import numpy as np
import pytest

from comitia import InputError, drift, weigh
from comitia._drift import level_of, permutation_test
from comitia._profile import EDGES, profile_of
from comitia._untouched import untouched
from simulated import simulated


def largest_difference(reference: list[int], new: list[int], cells: int) -> float:
    """The statistic from the cells of single samples, by loops."""
    return max(
        abs(sum(c <= cell for c in new) / len(new) - sum(c <= cell for c in reference) / len(reference))
        for cell in range(cells)
    )


def test_against_all_permutations() -> None:
    reference, new = [0, 0, 1, 1, 2, 3, 3], [2, 3, 3, 3]
    counts = [np.bincount(cells, minlength=5) for cells in (reference, new)]
    observed = largest_difference(reference, new, 5)
    pooled, hits, total = reference + new, 0, 0
    for chosen in combinations(range(11), 4):
        one = [pooled[i] for i in chosen]
        other = [pooled[i] for i in range(11) if i not in chosen]
        hits += largest_difference(other, one, 5) >= observed - 1e-12
        total += 1
    found, p_value = permutation_test(counts[0], counts[1], 40_000, np.random.default_rng(0))
    assert found == pytest.approx(observed)
    assert p_value == pytest.approx(hits / total, abs=4 * math.sqrt(hits / total / 40_000))


def test_against_shuffles_by_loops() -> None:
    rng = np.random.default_rng(3)
    reference, new = rng.integers(0, 6, 60).tolist(), rng.integers(1, 7, 40).tolist()
    observed = largest_difference(reference, new, 8)
    pooled, beyond = np.array(reference + new), 0
    for _ in range(2000):
        mixed = rng.permutation(pooled).tolist()
        beyond += largest_difference(mixed[:60], mixed[60:], 8) >= observed - 1e-12
    counts = [np.bincount(cells, minlength=8) for cells in (reference, new)]
    _, p_value = permutation_test(counts[0], counts[1], 20_000, np.random.default_rng(1))
    share = beyond / 2000
    assert p_value == pytest.approx(share, abs=4 * math.sqrt((share + 1e-3) / 2000))


def test_alike_counts_have_the_largest_p_value() -> None:
    counts = np.array([5, 0, 7, 9])
    assert permutation_test(counts, counts, 99, np.random.default_rng(0)) == (0.0, 1.0)


def test_levels_of_all_looks_sum_to_alpha() -> None:
    assert sum(level_of(k, 0.05) for k in range(1, 100_000)) == pytest.approx(0.05, rel=1e-4)
    assert level_of(1, 0.05) > level_of(2, 0.05)


def test_new_samples_alike_and_unlike() -> None:
    ensemble = weigh(simulated(samples=2000))
    assert not drift(ensemble, simulated(samples=1000, seed=1, labels=False)).alarm
    found = drift(
        ensemble, simulated(samples=1000, seed=1, members=6, classes=3, labels=False).pick([0, 0, 0, 1, 1, 1])
    )
    assert found.alarm
    assert found.p_value <= found.level
    assert found.p_value == min(1.0, 2 * min(test.p_value for test in found.tests))
    assert "differ from" in found.sentence


def test_the_file_remembers_the_certifying_part() -> None:
    holdout, new = simulated(samples=800), simulated(samples=300, seed=4)
    ensemble = weigh(holdout, vote="average")
    kept = holdout.take(untouched(ensemble, holdout))
    assert ensemble.profile == profile_of(kept, ensemble.weights, "average")
    assert drift(ensemble, new) == drift(ensemble, new, reference=holdout)


def test_the_same_seed_gives_the_same_numbers() -> None:
    ensemble, new = weigh(simulated()), simulated(seed=5, labels=False)
    assert drift(ensemble, new) == drift(ensemble, new)
    assert drift(ensemble, new, seed=1).tests != drift(ensemble, new).tests


def test_later_looks_need_more_permutations() -> None:
    ensemble, new = weigh(simulated()), simulated(seed=5)
    assert drift(ensemble, new, look=9).permutations >= 20 / level_of(9, 0.05) > 9_999
    with pytest.raises(InputError, match="permutations: 99 cannot show a p-value of"):
        drift(ensemble, new, look=30, permutations=99)
    with pytest.raises(InputError, match="begin a new series of looks"):
        drift(ensemble, new, look=5000)


BAD = {
    "alpha 0": ({"alpha": 0.0}, "alpha: must lie strictly between 0 and 1"),
    "alpha 1": ({"alpha": 1.0}, "alpha: must lie strictly between 0 and 1"),
    "look 0": ({"look": 0}, "look: must be at least 1"),
    "permutations": ({"permutations": 0}, "permutations: must be at least 1"),
    "reference": ({"reference": "holdout.npz"}, "reference: must be Predictions"),
}


@pytest.mark.parametrize("case", BAD)
def test_one_clear_line(case: str) -> None:
    options, message = BAD[case]
    with pytest.raises(InputError, match=message):
        drift(weigh(simulated()), simulated(seed=1), **options)


def test_where_nothing_is_remembered_a_reference_is_needed() -> None:
    pack = simulated()
    ensemble = weigh(pack, certify_fraction=0)
    with pytest.raises(InputError, match="reference: required"):
        drift(ensemble, simulated(seed=1))
    with pytest.raises(InputError, match="the reference: hold the samples that chose the weights"):
        drift(ensemble, simulated(seed=1), reference=pack)
    assert not drift(ensemble, simulated(seed=1), reference=simulated(seed=2)).alarm


def test_groups_with_both_or_with_neither() -> None:
    grouped = weigh(simulated(groups=np.arange(400) // 4))
    with pytest.raises(InputError, match="groups: the hold-out is compared by groups"):
        drift(grouped, simulated(seed=1))
    assert drift(grouped, simulated(seed=1, groups=np.arange(400) // 4)).unit == "groups"


def test_edges_rise() -> None:
    assert (np.diff(EDGES) > 0).all()
