import math
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from scipy import stats

from comitia._errors import InputError
from comitia.bounds import clopper_pearson, log_prior, occam


@pytest.mark.parametrize(
    "prior, exact",
    [
        ("uniform", Fraction(1, 6 * 7) / math.comb(5 + 6 - 1, 6)),
        ("multinomial", Fraction(1, 6 * 7) * Fraction(720, 6 * 2 * 1) / 5**6),
    ],
)
def test_the_prior_and_the_bound_at_one_multiset(prior, exact):
    counts = [3, 0, 2, 0, 1]
    assert log_prior(counts, prior) == pytest.approx(math.log(exact), rel=1e-12)
    assert math.exp(log_prior(counts, prior)) <= exact
    limit = stats.beta.isf(0.03 * float(exact), 34, 467)
    assert occam(33, 500, 0.03, counts, prior) == pytest.approx(limit, abs=1e-9)


@pytest.mark.parametrize("prior", ["uniform", "multinomial"])
def test_the_prior_sums_to_one_over_all_multisets(prior):
    for k in (1, 2, 4):
        total = 0.0
        for chosen in combinations_with_replacement(range(3), k):
            total += math.exp(log_prior([chosen.count(i) for i in range(3)], prior))
        assert total == pytest.approx(1 / (k * (k + 1)), rel=1e-12)


def test_a_prior_below_the_smallest_float():
    counts = [3] * 400
    assert log_prior(counts, "uniform") < -800
    assert 0.07 < clopper_pearson(700, 10000, 0.05) < occam(700, 10000, 0.05, counts) < 0.5


def test_one_member_alone_pays_for_k_only():
    assert occam(33, 500, 0.05, [1]) == pytest.approx(clopper_pearson(33, 500, 0.025), abs=1e-12)


def test_members_without_votes_cost():
    assert occam(33, 500, 0.05, [2, 1]) < occam(33, 500, 0.05, [2, 1, 0, 0])


@pytest.mark.parametrize(
    "counts, message",
    [
        ([1, -1], "counts: must be whole numbers, 0 or more, got -1"),
        ([0.5, 0.5], "counts: must be whole numbers, 0 or more, got 0.5"),
        ([math.nan], "counts: must be whole numbers, 0 or more, got nan"),
        ([0, 0], "counts: must hold at least one vote, got none"),
        ([], "counts: must hold at least one vote, got none"),
    ],
)
def test_wrong_counts_are_refused(counts, message):
    with pytest.raises(InputError, match=f"^{message}"):
        occam(33, 500, 0.05, counts)


def test_an_unknown_prior_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="did you mean 'multinomial'"):
        occam(33, 500, 0.05, [1], prior="multinomal")
