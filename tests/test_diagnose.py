"""Each warning appears where its cause is, and a sound pack has none about its members."""

import numpy as np
import pytest

from comitia import Predictions, weigh

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
