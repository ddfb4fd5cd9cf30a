"""Two votes on samples that chose neither: which samples are counted, who is compared, what is refused."""

import json

import numpy as np
import pytest

from comitia import InputError, Predictions, compare, predict, weigh
from comitia._untouched import untouched
from shared_data import shared
from simulated import simulated

NAMES = list("abcdef")
HOLDOUT = simulated(samples=600, names=NAMES, votes=True)
NEW = simulated(samples=500, seed=1, names=NAMES, votes=True)
A, UNIFORM = weigh(HOLDOUT), weigh(HOLDOUT, method="uniform")


def wrong(ensemble, predictions) -> np.ndarray:
    return predict(ensemble, predictions).classes != predictions.labels


def test_two_ensembles_by_what_predict_says() -> None:
    found = compare(A, UNIFORM, NEW)
    one, other = wrong(A, NEW), wrong(UNIFORM, NEW)
    assert found.gain == pytest.approx(other.mean() - one.mean(), abs=1e-12)
    assert found.discordant == int((one != other).sum())
    assert (found.part, found.result.samples) == ("all", 500)
    assert compare(UNIFORM, A, NEW).gain == pytest.approx(-found.gain)
    assert compare(UNIFORM, A, NEW).p_value == found.p_value


def test_of_its_own_hold_out_only_the_certifying_part_counts() -> None:
    found = compare(A, "uniform", HOLDOUT)
    part = HOLDOUT.take(untouched(A, HOLDOUT))
    assert found.part == "certifying"
    assert found.result.samples == part.samples == A.split.certifying
    assert found.gain == pytest.approx(wrong(UNIFORM, part).mean() - wrong(A, part).mean(), abs=1e-12)


def test_what_weigh_says_is_what_compare_finds() -> None:
    assert A.gain is not None
    found = compare(A, "uniform", HOLDOUT, delta=A.delta, seed=A.split.seed)
    for name in ("gain", "gain_at_least", "p_value", "discordant"):
        assert getattr(A.gain, name) == getattr(found, name)


def test_two_splits_share_few_samples() -> None:
    other = weigh(HOLDOUT, seed=5)
    found = compare(A, other, HOLDOUT)
    both = np.intersect1d(untouched(A, HOLDOUT), untouched(other, HOLDOUT))
    assert found.result.samples == len(both) < A.split.certifying


def test_against_a_member() -> None:
    found = compare(A, None, NEW, member="c")
    alone = NEW.votes()[2] != NEW.labels
    assert found.gain == pytest.approx(alone.mean() - wrong(A, NEW).mean(), abs=1e-12)
    assert found.b == "its member 'c'"


def test_the_best_member_by_stated_risk_on_new_samples() -> None:
    best = int(np.argmin(A.member_risks))
    assert compare(A, "best-member", NEW).b == f"its best member, '{NAMES[best]}'"


def test_the_best_member_of_the_weighing_part_on_the_hold_out() -> None:
    votes = np.zeros((2, 400), int)
    kept = untouched(
        weigh(Predictions.from_arrays(votes=votes, labels=votes[0])),
        Predictions.from_arrays(votes=votes, labels=votes[0]),
    )
    chose = np.setdiff1d(np.arange(400), kept)
    votes[0, chose[:20]] = 1  # the first is worse on the weighing part, the second much worse on the other
    votes[1, kept[:100]] = 1
    pack = Predictions.from_arrays(votes=votes, labels=np.zeros(400, int), classes=2, names=["one", "two"])
    assert compare(weigh(pack), "best-member", pack).b == "its best member, 'two'"


def test_stated_risks_of_these_very_samples_choose_no_member() -> None:
    with pytest.raises(InputError, match="measured on these very samples"):
        compare(UNIFORM, "best-member", HOLDOUT)
    with pytest.raises(InputError, match="measured on these very samples"):
        compare(weigh(HOLDOUT, certify=NEW), "best-member", NEW)


def test_members_in_files_of_their_own() -> None:
    b = weigh(HOLDOUT.pick([3, 4, 5]))
    found = compare(A, b, NEW.pick([0, 1, 2, 3, 4, 5]), other=NEW.pick([5, 4, 3]))
    assert found.gain == compare(A, b, NEW).gain


def test_groups_count_as_groups() -> None:
    groups = np.repeat(np.arange(100), 5)
    found = compare(A, UNIFORM, simulated(samples=500, seed=1, names=NAMES, votes=True, groups=groups))
    assert (found.result.samples, found.result.unit) == (100, "groups")
    assert "groups" in found.assumption
    assert "of the samples of a new group" in found.sentence


def test_the_record_is_plain_and_holds_the_fixed_keys() -> None:
    record = json.loads(json.dumps(compare(A, UNIFORM, NEW).to_json()))
    assert {"gain", "gain_at_least", "p_value", "discordant", "sentence", "assumption", "void"} <= set(record)
    assert isinstance(record["discordant"], int)


def test_classes_in_another_order_are_the_same_classes() -> None:
    texts = np.array(["cat", "dog", "eel"])
    kwargs = {"names": NAMES, "classes": ["cat", "dog", "eel"]}
    old = Predictions.from_arrays(votes=texts[HOLDOUT.votes()], labels=texts[HOLDOUT.labels], **kwargs)
    new = Predictions.from_arrays(
        votes=texts[NEW.votes()], labels=texts[NEW.labels], names=NAMES, classes=["eel", "dog", "cat"]
    )
    same = Predictions.from_arrays(votes=texts[NEW.votes()], labels=texts[NEW.labels], **kwargs)
    a, b = weigh(old), weigh(old, method="uniform")
    assert compare(a, b, new).gain == compare(a, b, same).gain


BAD = {
    "no labels": (
        lambda: compare(A, UNIFORM, simulated(names=NAMES, votes=True, labels=False)),
        "labels: votes cannot",
    ),
    "samples that chose": (
        lambda: compare(weigh(HOLDOUT, certify_fraction=0), UNIFORM, HOLDOUT),
        "hold the samples that chose the weights",
    ),
    "members missing": (lambda: compare(A, UNIFORM, NEW.pick([0, 1])), "members missing from the files: 'c'"),
    "no such member": (lambda: compare(A, None, NEW, member="z"), "member: the ensemble has no member 'z'"),
    "both": (lambda: compare(A, UNIFORM, NEW, member="a"), "leave one of the two out"),
    "nothing": (lambda: compare(A, None, NEW), "b: must be an ensemble or one of uniform, best-member"),
    "delta 0": (lambda: compare(A, UNIFORM, NEW, delta=0), "delta: must lie strictly between 0 and 1"),
    "delta 1": (lambda: compare(A, UNIFORM, NEW, delta=1), "delta: must lie strictly between 0 and 1"),
    "seed": (lambda: compare(A, UNIFORM, NEW, seed=-1), "seed: must be at least 0"),
    "no ensemble": (lambda: compare("a.json", UNIFORM, NEW), "a: must be Ensemble, got str"),
    "no predictions": (lambda: compare(A, UNIFORM, "new.npz"), "predictions: must be Predictions"),
    "fewer samples": (
        lambda: compare(A, UNIFORM, NEW, other=NEW.take(np.arange(9))),
        "other: must hold the same 500 samples, got 9",
    ),
    "other samples": (
        lambda: compare(A, UNIFORM, NEW, other=simulated(samples=500, seed=9, names=NAMES, votes=True)),
        "other: must hold the same samples",
    ),
    "masked": (
        lambda: compare(A, UNIFORM, simulated(masked=True, names=NAMES, votes=True)),
        "mask: members have",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_one_clear_line(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(InputError) as error:
        call()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_last_states_of_real_networks_against_all() -> None:
    """CIFAR-10, average vote: a gain of .0112, of which at least .0071 is certified."""
    from comitia import read_predictions

    pack = read_predictions(shared("predictions/cifar10-resnet20-checkpoints.npz"))
    last = np.zeros(pack.members)
    last[pack.last()] = 1 / len(pack.last())
    a = weigh(pack, method="given", weights=last, vote="average")
    b = weigh(pack, method="uniform", vote="average")
    found = compare(a, b, pack)
    assert found.gain == pytest.approx(0.0112, abs=5e-5)
    assert found.gain_at_least >= 0.0071
    assert found.discordant == 232
