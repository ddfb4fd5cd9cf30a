"""Samples that chose weights are told by checksum and by id, and the certifying part is found again."""

from dataclasses import replace

import numpy as np
import pytest

from comitia import InputError, Predictions, weigh
from comitia._split import split_samples
from comitia._untouched import KEPT_IDS, certifies, id_marks, is_holdout, untouched
from simulated import simulated

IDS = np.array([f"s{i}" for i in range(400)])
PACK = simulated(ids=IDS, names=list("abcdef"))
OTHER = simulated(seed=1, names=list("abcdef"))
GROUPS = np.repeat(np.arange(100), 4)


def test_the_certifying_part_of_the_hold_out_is_found_again() -> None:
    ensemble = weigh(PACK, seed=7)
    expected = split_samples(400, ensemble.split.fraction, 7)[1]
    assert np.array_equal(untouched(ensemble, PACK), expected)
    assert len(expected) == ensemble.split.certifying


def test_so_are_whole_groups() -> None:
    grouped = simulated(groups=GROUPS)
    kept = untouched(weigh(grouped), grouped)
    assert kept is not None
    assert not set(GROUPS[kept]) & set(np.delete(GROUPS, kept))


def test_members_in_another_order_are_the_same_hold_out() -> None:
    ensemble = weigh(PACK)
    assert is_holdout(ensemble, PACK.pick([5, 4, 3, 2, 1, 0]))
    assert not is_holdout(ensemble, OTHER)


def test_the_same_samples_read_with_groups_are_the_same_hold_out() -> None:
    bare = simulated()
    told = simulated(groups=GROUPS)
    assert is_holdout(weigh(bare), told)


def test_fixed_weights_leave_all_untouched() -> None:
    assert untouched(weigh(PACK, method="uniform"), PACK) is None
    assert untouched(weigh(PACK), OTHER) is None


def test_samples_apart_that_certified_are_untouched() -> None:
    ensemble = weigh(PACK, certify=OTHER)
    assert certifies(ensemble, OTHER)
    assert not certifies(ensemble, PACK)
    assert untouched(ensemble, OTHER) is None
    with pytest.raises(InputError, match="hold the samples that chose the weights"):
        untouched(ensemble, PACK)


def test_all_samples_chose() -> None:
    with pytest.raises(InputError, match="hold the samples that chose the weights"):
        untouched(weigh(PACK, certify_fraction=0), PACK)


def test_some_of_the_samples_are_told_by_their_ids() -> None:
    ensemble = weigh(PACK)
    chose = np.setdiff1d(np.arange(400), untouched(ensemble, PACK))
    with pytest.raises(InputError, match=r"sample 's\d+' had a part in the weights by its id"):
        untouched(ensemble, PACK.take(chose[::3]))
    assert untouched(ensemble, PACK.take(untouched(ensemble, PACK))) is None


def test_marks_are_the_smallest_and_do_not_depend_on_the_order() -> None:
    marks = id_marks(IDS)
    assert marks is not None
    assert marks == id_marks(IDS[::-1])
    assert len(marks) == 16 * KEPT_IDS
    assert id_marks(None) is None


def test_groups_must_be_said() -> None:
    with pytest.raises(InputError, match="groups: the ensemble was weighed in groups"):
        untouched(weigh(simulated(groups=GROUPS)), PACK)


def test_out_of_fold_samples_are_refused() -> None:
    table = simulated(folds=np.arange(400) % 5)
    with pytest.raises(InputError, match="out-of-fold"):
        untouched(weigh(table), table)
    other = simulated(seed=3, folds=np.arange(400) % 5)
    with pytest.raises(InputError, match="out-of-fold"):
        untouched(weigh(table), other)


def test_a_split_that_cannot_be_is_not_trusted() -> None:
    ensemble = weigh(PACK)
    forged = replace(ensemble, split=replace(ensemble.split, certifying=399))
    with pytest.raises(InputError, match="hold the samples that chose the weights"):
        untouched(forged, PACK)
    assert isinstance(PACK, Predictions)
