"""Each warning appears where its cause is, and a sound pack has none about its members."""

import numpy as np
import pytest

from quorate import Predictions, weigh

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
        (LABELS, "member 'member 1' is suspiciously good: did its training data leak into the hold-out?"),
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
