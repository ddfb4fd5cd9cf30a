"""What is watched and the losses of one file: as certified, packed, and told apart by ids and groups."""

from dataclasses import replace

import numpy as np
import pytest

from comitia import InputError, weigh
from comitia._records import from_plain, to_plain
from comitia._votes import certified_losses
from comitia._watch import Batch, Watch, batch_of, checksum, unit_of, watch_over
from simulated import simulated

PACK = simulated(samples=300)
ENSEMBLE = weigh(PACK)
GROUPED = simulated(samples=300, groups=np.array([f"p{i % 41}" for i in range(300)]))


def test_losses_are_those_that_were_certified() -> None:
    new = simulated(samples=123, seed=1)
    found = batch_of(ENSEMBLE, new, "new.npz")
    assert np.array_equal(found.losses(), certified_losses(new, ENSEMBLE.weights, "average"))
    assert (found.file, found.samples, found.marks) == ("new.npz", 123, None)
    assert from_plain(Batch, to_plain(found)) == found


def test_groups_in_the_order_in_which_they_occur() -> None:
    found = batch_of(weigh(GROUPED), GROUPED, "f")
    lost = certified_losses(GROUPED, weigh(GROUPED).weights, "average")
    names = [f"p{i % 41}" for i in range(300)]
    expected = [np.mean([lost[i] for i in range(300) if names[i] == f"p{g}"]) for g in range(41)]
    assert found.losses() == pytest.approx(expected)
    assert found.bits is None
    assert len(found.marked() or ()) == 41


def test_marks_follow_the_ids() -> None:
    ids = np.array([f"s{i}" for i in range(20)])
    one = batch_of(ENSEMBLE, simulated(samples=20, ids=ids), "a").marked()
    other = batch_of(ENSEMBLE, simulated(samples=20, seed=2, ids=ids[::-1]), "b").marked()
    assert one == (other or [])[::-1]
    assert len(set(one or ())) == 20


def test_members_without_weight_do_not_change_the_checksum() -> None:
    named = simulated(samples=300, names=list("abcdef"))
    ensemble = weigh(named, method="given", weights=[0.5, 0.5, 0, 0, 0, 0])
    assert batch_of(ensemble, named, "a").sha256 == batch_of(ensemble, named.pick([1, 0, 4]), "b").sha256


def test_the_risk_is_the_certified_one_unless_given() -> None:
    assert ENSEMBLE.best is not None
    assert watch_over(ENSEMBLE, "samples", risk=None, alpha=0.05, seed=0).risk == ENSEMBLE.best.risk
    assert watch_over(ENSEMBLE, "samples", risk=0.3, alpha=0.05, seed=0).risk == 0.3
    assert checksum(ENSEMBLE) != checksum(weigh(PACK, seed=1))


def test_where_nothing_is_promised_a_risk_must_be_given() -> None:
    table = weigh(simulated(folds=np.arange(400) % 4))
    with pytest.raises(InputError, match="risk: required, for the ensemble promises nothing"):
        watch_over(table, "samples", risk=None, alpha=0.05, seed=0)
    vacuous = weigh(PACK.take(np.arange(12)))
    assert vacuous.best is not None
    assert vacuous.best.vacuous
    with pytest.raises(InputError, match="risk: required, for the ensemble's certificate is vacuous"):
        watch_over(vacuous, "samples", risk=None, alpha=0.05, seed=0)


def test_groups_with_all_or_with_none() -> None:
    found = [batch_of(ENSEMBLE, pack, "f") for pack in (PACK, GROUPED)]
    with pytest.raises(InputError, match="groups: some files have them and some have none"):
        unit_of(found, ENSEMBLE)
    with pytest.raises(InputError, match="groups: the ensemble was weighed in groups, f has none"):
        batch_of(weigh(GROUPED), PACK, "f")


def test_without_labels_drift_is_named() -> None:
    with pytest.raises(InputError, match="labels: f has none.*drift needs no labels"):
        batch_of(ENSEMBLE, simulated(labels=False), "f")


GOOD = batch_of(ENSEMBLE, PACK, "f")


@pytest.mark.parametrize(
    "change",
    [
        {"bits": "!!"},
        {"bits": "AAAA"},
        {"bits": None},
        {"bits": None, "errors": (3,), "sizes": (2,)},
        {"bits": None, "errors": (), "sizes": ()},
        {"marks": "AAAAAAAAAAA="},
    ],
)
def test_what_cannot_be_is_a_fault(change: dict) -> None:
    assert GOOD.fault() is None
    assert replace(GOOD, **change).fault() is not None


def test_impossible_watches() -> None:
    for change in ({"risk": 1.0}, {"alpha": 0.0}, {"unit": "x"}, {"seed": -1}):
        assert replace(Watch("s", 0.1, 0.05, "samples"), **change).fault() is not None
