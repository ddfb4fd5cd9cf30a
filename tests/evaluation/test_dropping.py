"""What leaving members out costs, against ensembles weighed by hand."""

import numpy as np
import pytest

from comitia import InputError, Predictions, weigh
from comitia.evaluation import drop_members


def panel(members=4, samples=300, copies=0):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, samples)
    rates = np.linspace(0.1, 0.4, members)[:, None]
    votes = np.where(rng.random((members, samples)) < rates, 1 - labels, labels)
    votes = np.concatenate([votes, np.repeat(votes[:1], copies, axis=0)])
    names = [f"judge {k}" for k in range(len(votes))]
    return Predictions.from_arrays(votes=votes, labels=labels, names=names)


def error_by_hand(predictions, ensemble, samples):
    right = (predictions.votes() == predictions.labels).astype(float)
    return float((ensemble.weights @ right <= 0.5 + 1e-9)[samples].mean())


@pytest.mark.parametrize("fraction", [None, 0.0, 0.3])
def test_each_member_alone_is_weighed_anew(fraction):
    pack = panel()
    found = drop_members(pack, certify_fraction=fraction, seed=5)
    share = 1 - round(0.7 * pack.samples**0.75) / pack.samples if fraction is None else fraction
    order = np.random.default_rng(5).permutation(pack.samples)
    weighing = order[round(share * pack.samples) :]
    for k, one in enumerate(found.alone):
        picked = pack.pick([j for j in range(4) if j != k])
        ensemble = weigh(picked, certify_fraction=fraction, seed=5)
        assert one.dropped == (f"judge {k}",)
        assert one.members == 3
        assert one.risk == ensemble.best.risk
        assert one.error == pytest.approx(error_by_hand(picked, ensemble, weighing))
    assert found.whole.risk == weigh(pack, certify_fraction=fraction, seed=5).best.risk
    assert found.whole.dropped == ()
    assert found.chosen_on == ("all" if fraction == 0 else "part")


def test_the_steps_drop_one_more_each_by_the_lowest_error():
    found = drop_members(panel())
    assert [one.members for one in found.stepwise] == [3, 2, 1]
    assert found.stepwise[0].error == min(one.error for one in found.alone)
    assert found.stepwise[0].dropped in [one.dropped for one in found.alone]
    for before, after in zip(found.stepwise, found.stepwise[1:]):
        assert after.dropped[:-1] == before.dropped
    left = ({"judge 0", "judge 1", "judge 2", "judge 3"} - {*found.stepwise[-1].dropped}).pop()
    ensemble = weigh(panel().pick([int(left[-1])]))
    assert found.stepwise[-1].risk == ensemble.best.risk


def test_a_copy_can_go_without_loss():
    pack = panel(members=1, copies=2)
    found = drop_members(pack)
    assert {one.error for one in (found.whole, *found.alone, *found.stepwise)} == {found.whole.error}
    assert {one.risk for one in (found.whole, *found.alone, *found.stepwise)} == {found.whole.risk}


def test_where_a_part_certifies_it_has_no_say_in_what_is_dropped():
    pack = panel()
    order = np.random.default_rng(0).permutation(pack.samples)
    certifying = order[: pack.samples // 2]
    votes = pack.votes().copy()
    votes[:, certifying] = 1 - votes[:, certifying]
    other = Predictions.from_arrays(votes=votes, labels=pack.labels, names=pack.names)
    one, two = drop_members(pack), drop_members(other)
    assert [step.dropped for step in one.stepwise] == [step.dropped for step in two.stepwise]
    assert [step.error for step in one.stepwise] == [step.error for step in two.stepwise]
    assert [step.risk for step in one.stepwise] != [step.risk for step in two.stepwise]


def test_the_note_says_what_the_numbers_allow():
    kept, all_samples = drop_members(panel()), drop_members(panel(), certify_fraction=0)
    # nobody, four alone, and two further sets: the first step is one of the four
    assert kept.note == (
        "members were dropped by errors on the weighing part, which certifies nothing; each risk holds alone at "
        "delta 0.05; to choose among all 7 by their risks, ask for delta 0.05/7"
    )
    assert "a set chosen by them is not certified" in all_samples.note


def test_what_cannot_be_dropped_from():
    with pytest.raises(InputError, match=r"^members: at least 2 are required to drop one, got 1$"):
        drop_members(panel().pick([0]))
    masked = Predictions.from_arrays(
        votes=[[0, 1], [0, 1]], labels=[0, 1], mask=[[True, True], [True, False]]
    )
    with pytest.raises(InputError, match=r"^mask: "):
        drop_members(masked)
