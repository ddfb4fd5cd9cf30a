import pytest
from scipy import stats

from comitia._errors import InputError
from comitia.bounds import best_member, clopper_pearson


def test_against_the_beta_quantile():
    assert best_member(33, 500, 0.03, 40) == pytest.approx(stats.beta.isf(0.03 / 40, 34, 467), abs=1e-9)


def test_one_member_pays_nothing():
    assert best_member(33, 500, 0.03, 1) == clopper_pearson(33, 500, 0.03)


def test_members_cost():
    assert best_member(33, 500, 0.03, 2) > best_member(33, 500, 0.03, 1)


@pytest.mark.parametrize("members", [0, -1, 1.5, float("nan")])
def test_a_wrong_number_of_members_is_refused(members):
    with pytest.raises(InputError, match="^members: must be a whole number, 1 or more, got"):
        best_member(33, 500, 0.03, members)
