"""Each warning appears where its cause is, and a sound pack has none about its members."""

from dataclasses import replace

import numpy as np
import pytest

from comitia import Predictions, read_predictions, verify, weigh
from comitia._certificate import percent_up
from comitia._diagnose import about_data
from comitia._votes import certified_losses
from comitia.statistics import measure
from shared_data import shared

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, 2000)


def pack(errors: list[float], **changes: np.ndarray) -> Predictions:
    votes = np.stack([np.where(RNG.random(2000) < e, 1 - LABELS, LABELS) for e in errors])
    for index, row in changes.items():
        votes[int(index[1:])] = row
    return Predictions.from_arrays(votes=votes, labels=LABELS)


def warnings(predictions: Predictions, **options: object) -> str:
    return "\n".join(weigh(predictions, **options).warnings)


def test_a_sound_pack_is_quiet_about_members() -> None:
    assert "member" not in warnings(pack([0.2, 0.22, 0.25, 0.2]))
    assert "suspicious" not in warnings(pack([0.02, 0.04, 0.06, 0.1, 0.13, 0.2, 0.27]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (np.zeros(2000, int), "member 'member 1' gives every sample the same class"),
        (1 - LABELS, "member 'member 1' is no better than chance (error ≥ 0.50)"),
        (
            np.where(np.arange(2000) < 5, 1 - LABELS, LABELS),
            "member 'member 1' is suspiciously good: did its training data leak into the hold-out?",
        ),
        (LABELS, "member 'member 1' errs on no sample: is it the labels, or did its training data leak"),
    ],
)
def test_a_member_that_is_off(change: np.ndarray, message: str) -> None:
    assert message in warnings(pack([0.2, 0.2, 0.25, 0.3], i1=change))


def test_duplicated_members() -> None:
    first = np.where(RNG.random(2000) < 0.2, 1 - LABELS, LABELS)
    assert "members 'member 0' and 'member 2' give the same votes on every sample" in warnings(
        pack([0.2, 0.2, 0.2], i0=first, i2=first)
    )


def test_members_that_err_together() -> None:
    together = RNG.random(2000) < 0.2
    votes = np.stack([np.where(together ^ (RNG.random(2000) < 0.01), 1 - LABELS, LABELS) for _ in range(4)])
    found = warnings(Predictions.from_arrays(votes=votes, labels=LABELS))
    assert "is above half the Gibbs risk" in found


def test_vacuous_bounds_are_named() -> None:
    assert "vacuous (1 or more, promises nothing): " in warnings(pack([0.45, 0.44]))


def test_thin_overlap() -> None:
    votes = pack([0.2, 0.2, 0.2]).votes()
    mask = np.zeros((3, 2000), bool)
    mask[0, :1000] = mask[1, 600:1600] = mask[2, 500:1700] = True
    thin = Predictions.from_arrays(votes=votes, labels=LABELS, mask=mask)
    assert "some pair of members shares only 400 hold-out samples" in warnings(thin)


@pytest.mark.parametrize("members", [1, 2, 3])
def test_a_member_that_is_the_labels(members: int) -> None:
    found = warnings(pack([0.2] * members, i0=LABELS))
    assert "member 'member 0' errs on no sample: is it the labels" in found
    assert "suspiciously good" not in found


def test_no_error_on_few_samples_says_nothing() -> None:
    assert "errs on no sample" in warnings(pack([0.2, 0.2], i0=LABELS).take(np.arange(50)))
    assert "errs on no sample" not in warnings(pack([0.2, 0.2], i0=LABELS).take(np.arange(49)))


def test_empty_cells() -> None:
    mask = np.ones((3, 2000), bool)
    mask[1, 5:1239] = False
    votes = pack([0.2, 0.2, 0.2]).votes()
    found = warnings(Predictions.from_arrays(votes=votes, labels=LABELS, mask=mask))
    assert "1,234 of 6,000 cells are empty or masked (not hold-out for that member): valid only if" in found
    assert "empty" not in warnings(Predictions.from_arrays(votes=votes, labels=LABELS))


def unsure(rng: np.random.Generator, classes: int = 3, members: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of 2000 samples, none of which is sure, and labels drawn from their mean."""
    probs = (
        rng.dirichlet(np.full(classes, 2.0), 2000) * 0.7
        + rng.dirichlet(np.ones(classes), (members, 2000)) * 0.3
    )
    probs[:, :, 0] = np.minimum(probs[:, :, 0], 0.98)
    probs /= probs.sum(axis=2, keepdims=True)
    labels = (probs.mean(axis=0).cumsum(axis=1) < rng.random((2000, 1))).sum(axis=1)
    return probs, labels


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("binary", [False, True])
def test_copied_samples(dtype: type, binary: bool) -> None:
    probs, labels = unsure(np.random.default_rng(1), classes=2 if binary else 3)
    order = np.random.default_rng(2).permutation(2200)
    again = np.r_[np.arange(2000), np.arange(200)][order]
    values = (probs[..., 1] if binary else probs).astype(dtype)
    copied = Predictions.from_arrays(probs=values[:, again], labels=labels[again])
    assert (
        "200 of 2,200 samples (very confident ones not counted) have exactly the probabilities"
        in warnings(copied)
    )
    assert "exactly the probabilities" not in warnings(Predictions.from_arrays(probs=values, labels=labels))


def test_a_few_copies_say_nothing() -> None:
    probs, labels = unsure(np.random.default_rng(1))
    again = np.r_[np.arange(2000), np.arange(15)]
    found = warnings(Predictions.from_arrays(probs=probs[:, again], labels=labels[again]))
    assert "exactly the probabilities" not in found


def test_members_that_know_few_probabilities_make_no_copies() -> None:
    """Different samples look alike to shallow trees; their labels differ."""
    rng = np.random.default_rng(1)
    shares = np.array([0.1, 0.3, 0.8])[rng.integers(0, 3, (3, 2000))]
    labels = (rng.random(2000) < shares.mean(axis=0)).astype(int)
    assert "exactly the probabilities" not in warnings(Predictions.from_arrays(probs=shares, labels=labels))


def test_members_that_are_all_sure_make_no_copies() -> None:
    votes = pack([0.2, 0.22, 0.25, 0.2]).votes()
    for share in (1.0, 0.9999):
        sure = np.where(votes == 1, share, 1 - share)
        found = warnings(Predictions.from_arrays(probs=sure, labels=LABELS))
        assert "exactly the probabilities" not in found


def about(predictions: Predictions) -> str:
    return "\n".join(about_data(predictions, measure(predictions)))


def silenced(share: float, **changes: np.ndarray) -> Predictions:
    """Four members that abstain on that share of the samples."""
    votes = pack([0.2, 0.22, 0.25, 0.2], **changes).votes()
    silent = RNG.random(votes.shape) < share
    return Predictions.from_arrays(votes=votes, labels=LABELS, abstained=silent)


def test_sound_members_that_abstain_are_quiet() -> None:
    assert about(silenced(0.4)) == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            np.ones(2000, int),
            "member 'member 1' gives every sample that it answers the same class; check or drop",
        ),
        (
            np.zeros(2000, int),
            "member 'member 1' gives every sample that it answers the same class; check or drop",
        ),
        (1 - LABELS, "member 'member 1' is no better than chance (error ≥ 0.50)"),
        (
            LABELS,
            "member 'member 1' errs on no sample that it answers: is it the labels, or did its training",
        ),
        (
            np.where(np.arange(2000) < 5, 1 - LABELS, LABELS),
            "member 'member 1' is suspiciously good: did its training data leak into the hold-out?",
        ),
    ],
)
def test_a_member_that_is_off_where_it_answers(change: np.ndarray, message: str) -> None:
    found = about(silenced(0.4, i1=change))
    assert message in found
    assert found.count("\n") == (1 if "same class" in message and "chance" in found else 0)


def test_a_member_that_answers_nothing_here_is_named_once() -> None:
    """No file may hold such a member, but a part of one can."""
    votes = pack([0.2, 0.2, 0.25, 0.3]).votes()
    silent = np.zeros(votes.shape, bool)
    silent[2, :1000] = True
    part = Predictions.from_arrays(votes=votes, labels=LABELS, abstained=silent).take(np.arange(1000))
    assert about(part) == "member 'member 2' answers no sample; drop it"


def test_duplicates_are_told_from_members_that_abstain_elsewhere() -> None:
    votes = pack([0.2, 0.2, 0.2]).votes().copy()
    votes[2] = votes[0]
    silent = RNG.random(votes.shape) < 0.3
    given = {"votes": votes, "labels": LABELS, "groups": np.arange(2000) // 3}
    assert "give the same votes" not in about(Predictions.from_arrays(**given, abstained=silent))
    silent[2] = silent[0]
    message = "members 'member 0' and 'member 2' give the same votes on every sample: duplicates?"
    assert message in about(Predictions.from_arrays(**given, abstained=silent))
    assert message in about(Predictions.from_arrays(**given))


COLOURS = np.array(["amber", "blue", "coral", "dun", "ecru"])


def coloured(labels: np.ndarray, votes: np.ndarray, **options: object) -> Predictions:
    return Predictions.from_arrays(votes=COLOURS[votes], labels=COLOURS[labels], classes=COLOURS, **options)


def colours(among: list[int], wrong: list[int], rate: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Labels among some classes; three members that answer some of `wrong` instead on a fifth of the samples."""
    rng = np.random.default_rng(1)
    labels = rng.choice(among, 2000)
    return labels, np.where(rng.random((3, 2000)) < rate, rng.choice(wrong, (3, 2000)), labels)


def test_classes_that_occur_and_are_answered_say_nothing() -> None:
    assert about(coloured(*colours([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]))) == ""


def test_a_class_that_no_member_answers_is_named() -> None:
    labels, votes = colours([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
    votes[votes == 3] = 1
    count = (labels == 3).sum()
    wanted = f"no member ever answers class 'dun', so every vote errs on {count} samples: check the names"
    assert wanted in about(coloured(labels, votes))
    silent = labels == 3
    unanswered = coloured(labels, colours([0, 1], [0, 1])[1] * 0 + labels, abstained=np.stack([silent] * 3))
    assert wanted in about(unanswered)


def test_a_class_that_no_sample_has_is_named() -> None:
    wanted = "no sample is of class 'ecru', which members know: if new samples can be, add such samples"
    assert wanted in about(coloured(*colours([0, 1, 2, 3], [0, 1, 2, 3, 4])))
    assert wanted in about(coloured(*colours([0, 1, 2, 3], [0, 1, 2, 3])))
    several = "no sample is of 4 classes ('blue', 'coral', 'dun' and 1 more), which members know"
    assert several in about(coloured(*colours([0], [0, 1], rate=0.1)))


def test_numbers_that_nobody_uses_are_no_class() -> None:
    """Votes 0, 1 and 5 without declared classes: nobody said that there are classes 2, 3 and 4."""
    labels, votes = colours([0, 1, 2], [0, 1, 2])
    numbers = np.array([0, 1, 5])
    assert about(Predictions.from_arrays(votes=numbers[votes], labels=numbers[labels])) == ""


def test_a_cell_that_is_masked_answers_nothing() -> None:
    """Masked cells read as class 0; they are no answer of it."""
    labels, votes = colours([0, 1, 2, 3, 4], [1, 2, 3, 4])
    votes[:, labels == 0] = 1
    mask = np.ones(votes.shape, bool)
    mask[0, :500] = False
    assert "no member ever answers class 'amber'" in about(coloured(labels, votes, mask=mask))


def grouped(seed: int = 0) -> dict[str, np.ndarray]:
    """Five members on 200 groups of 10; in a fifth of the groups most members err on most samples."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 2000)
    rates = np.where(np.repeat(rng.random(200) < 0.2, 10), 0.7, 0.1)
    votes = np.where(rng.random((5, 2000)) < rates, (labels + 1) % 3, labels)
    return {"votes": votes, "labels": labels}


def test_samples_that_look_grouped() -> None:
    message = "neighbouring samples err together far beyond chance (correlation 0."
    given = grouped()
    order = np.random.default_rng(1).permutation(2000)
    assert message in about(Predictions.from_arrays(**given))
    assert about(Predictions.from_arrays(**{key: value[..., order] for key, value in given.items()})) == ""
    assert message not in about(Predictions.from_arrays(**given, groups=np.arange(2000) // 10))
    assert message not in about(Predictions.from_arrays(**given).take(np.arange(199)))


def test_samples_sorted_by_class_do_not_look_grouped() -> None:
    rng = np.random.default_rng(0)
    labels = np.sort(rng.integers(0, 3, 3000))
    rates = np.array([0.02, 0.2, 0.45])[labels]
    votes = np.where(rng.random((5, 3000)) < rates, (labels + 1) % 3, labels)
    assert about(Predictions.from_arrays(votes=votes, labels=labels)) == ""


def test_a_large_pack_is_looked_at_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comitia._diagnose.MOST_NEIGHBOURS", 1000)
    monkeypatch.setattr("comitia._diagnose.RUN", 100)
    looked = []
    monkeypatch.setattr(
        "comitia._diagnose.certified_losses",
        lambda p, rho: looked.append(p.samples) or certified_losses(p, rho),
    )
    assert "neighbouring samples err together" in about(Predictions.from_arrays(**grouped()))
    assert looked == [1000]


def rare(share: float) -> Predictions:
    """Of two classes the second is rare; members err on a tenth of all samples."""
    rng = np.random.default_rng(0)
    labels = (rng.random(2000) < share).astype(int)
    votes = np.where(rng.random((3, 2000)) < 0.1, 1 - labels, labels)
    return Predictions.from_arrays(votes=votes, labels=labels, classes=["well", "ill"])


def promised(predictions: Predictions, **options: object) -> str:
    return "\n".join(line for line in weigh(predictions, **options).warnings if "promise (" in line)


def test_a_promise_that_needs_no_members() -> None:
    found, labels = rare(0.02), rare(0.02).labels
    risk = weigh(found).best.risk
    assert risk > labels.mean()
    assert promised(found) == (
        f"the promise ({percent_up(risk)}) is not below {labels.mean():.2%}, the errors of always answering the most "
        "frequent class, 'well': add hold-out samples or better members"
    )
    assert promised(rare(0.3)) == ""


def test_a_promise_on_samples_apart_is_compared_with_their_most_frequent_class() -> None:
    frequent, seldom = rare(0.3), rare(0.02)
    share = seldom.labels.mean()
    assert f"is not below {share:.2%}, the errors of always" in promised(frequent, certify=seldom)
    assert promised(seldom, certify=frequent) == ""


def test_verify_computes_that_warning_again() -> None:
    found = rare(0.02)
    ensemble = weigh(found)
    assert verify(ensemble, found).holds
    silent = replace(ensemble, warnings=())
    assert [row.name for row in verify(silent, found).rows if not row.holds] == ["record"]


def test_the_most_frequent_class_of_groups_is_averaged_over_groups() -> None:
    """One large group is ill; nearly all others are well, and that is what a promise about groups is compared with."""
    sizes = np.r_[2000, np.full(400, 2)]
    codes = np.repeat(np.arange(401), sizes)
    labels = (codes == 0).astype(int)
    votes = np.stack(
        [labels, labels, np.where(np.random.default_rng(0).random(2800) < 0.3, 1 - labels, labels)]
    )
    given = Predictions.from_arrays(votes=votes, labels=labels, groups=codes, classes=["well", "ill"])
    assert "is not below 0.25%, the errors of always answering the most frequent class, 'well'" in promised(
        given
    )


@pytest.mark.parametrize("name", ["cifar10-resnet20-simple", "imdb-cnn_lstm-simple", "imdb-cnn_lstm-bagging"])
def test_real_packs_are_quiet(name: str) -> None:
    predictions = read_predictions([shared(f"predictions/{name}.npz")])
    assert about(predictions) == ""
    assert promised(predictions) == ""
