"""Every kind of bad input at the door gets its one line."""

import numpy as np
import pytest

from comitia._errors import InputError
from comitia._predictions import Predictions

GOOD = np.full((2, 3, 4), 0.25)
VOTES = np.array([[0, 1, 2], [2, 1, 0]])
LABELS = [0, 1, 2]


def changed(array, place, value):
    copy = np.array(array, dtype=float)
    copy[place] = value
    return copy


BAD = {
    "neither": ({}, "either probs or votes is required, got neither"),
    "both": ({"probs": GOOD, "votes": VOTES}, "got both"),
    "nan": ({"probs": changed(GOOD, (1, 2, 0), np.nan)}, "probs: member 1, sample 2 holds NaN"),
    "infinite": ({"probs": changed(GOOD, (0, 1, 3), np.inf)}, "member 0, sample 1 holds an infinity"),
    "cancelling": ({"probs": changed(changed(GOOD, (0, 1, 3), np.inf), (0, 1, 2), -np.inf)}, "an infinity"),
    "logits": ({"probs": GOOD * 40 - 7}, "these look like logits: apply softmax first"),
    "sum": ({"probs": changed(GOOD, (1, 1, 1), 0.24)}, "member 1, sample 1 sums to 0.99; the prob"),
    "zeros": ({"probs": changed(GOOD, (0, 2), 0)}, "member 0, sample 2 sums to 0; "),
    "negative": ({"probs": changed(changed(GOOD, (0, 0, 0), -0.05), (0, 0, 1), 0.55)}, r"holds -0.05; prob"),
    "binary nan": ({"probs": [[0.5, np.nan]]}, "member 0, sample 1 holds NaN"),
    "binary logit": ({"probs": [[0.5, -2.5]]}, "sample 1 is -2.5, not the probability of class 1"),
    "binary votes": ({"probs": [[0, 1, 2]]}, "pass them as votes"),
    "probs rank": ({"probs": [0.5, 0.5]}, r"must have shape \(M, n, C\) or \(M, n\), got \(2,\)"),
    "probs rank 4": ({"probs": np.zeros((1, 1, 1, 1))}, "must have shape"),
    "one class": ({"probs": np.ones((2, 3, 1))}, "2 or more classes"),
    "no members": ({"probs": np.zeros((0, 3, 2))}, "holds no members"),
    "no samples": ({"votes": np.zeros((3, 0), int)}, "holds no samples"),
    "text and numbers": (
        {"votes": [["cat", "dog"]], "labels": [0, 1]},
        "votes: are texts and the labels numbers",
    ),
    "ragged": ({"votes": [[1, 2], [1]]}, "votes: must be an array of numbers"),
    "objects": ({"votes": np.array([[1, None]], dtype=object)}, "must hold numbers, got object"),
    "shapes": ({"votes": (np.array([0, 1]), np.array([0, 1, 1]))}, "member 0 has .2,. and member 1 has .3,."),
    "votes rank": ({"votes": [0, 1]}, r"votes: must have shape \(M, n\)"),
    "votes fraction": ({"votes": [[0.0, 1.5]]}, "votes: must be whole numbers .classes., got 1.5"),
    "votes nan": ({"votes": [[0.0, np.nan]]}, "votes: contains NaN"),
    "votes negative": ({"votes": [[0, -1]], "labels": [0, 1]}, "votes: -1 is no label; if it means"),
    "votes huge": ({"votes": [[0, 70_000]]}, "class 70000 is not below 65,536"),
    "votes range": ({"votes": VOTES, "classes": 2}, "class 2 is out of range, there are 2 classes"),
    "probs classes": ({"probs": GOOD, "classes": 3}, "3 classes are required, got 4"),
    "labels long": ({"votes": VOTES, "labels": [0, 1, 2, 0]}, "labels: too long, 4 labels for 3 samples"),
    "labels short": ({"votes": VOTES, "labels": [0]}, "labels: too short"),
    "labels rank": ({"votes": VOTES, "labels": [[0, 1, 2]]}, r"labels: must have shape \(n,\)"),
    "labels range": ({"probs": GOOD, "labels": [0, 4, 1]}, "class 4 of sample 1 is out of range"),
    "labels negative": ({"probs": GOOD, "labels": [0, -1, 1]}, "labels: must be classes 0, 1, …, got -1"),
    "labels fraction": ({"probs": GOOD, "labels": [0, 0.5, 1]}, "labels: must be whole numbers"),
    "labels nan": ({"probs": GOOD, "labels": [0, np.nan, 1]}, "labels: contains NaN"),
    "labels text": (
        {"probs": GOOD, "labels": ["a", "b", "a"]},
        "labels: hold 2 classes and the probabilities 4",
    ),
    "labels huge": ({"votes": VOTES, "labels": [0, 1, 10**9]}, "labels: class 1e.09 is not below"),
    "mask dtype": ({"votes": VOTES, "mask": np.ones((2, 3), int)}, "mask: must be bool, got int64"),
    "mask shape": ({"votes": VOTES, "mask": np.ones((3, 2), bool)}, r"mask: must have shape .* = \(2, 3\)"),
    "mask empty": ({"votes": VOTES, "mask": [[True] * 3, [False] * 3]}, "member 1 has no hold-out sample"),
    "run": ({"votes": VOTES, "run": [1]}, r"run: must have shape \(M,\) = \(2,\), got \(1,\)"),
    "step": ({"votes": VOTES, "step": [1, 2.5]}, "step: must be whole numbers"),
    "names": ({"votes": VOTES, "names": ["a"]}, "names: must hold one text per member, 2, got 1"),
    "names twice": ({"votes": VOTES, "names": ["a", "a"]}, "names: duplicate name 'a'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_one_line(case):
    arguments, message = BAD[case]
    with pytest.raises(InputError, match=message) as caught:
        Predictions.from_arrays(**({"labels": LABELS} | arguments if "mask" in arguments else arguments))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_in_any_precision_passes(dtype):
    logits = np.random.default_rng(0).normal(0, 4, (3, 500, 100))
    probs = np.exp(logits - logits.max(-1, keepdims=True))
    probs /= probs.sum(-1, keepdims=True)
    assert Predictions.from_arrays(probs=probs.astype(dtype)).classes == 100


def test_a_fault_behind_the_first_chunk_is_found():
    probs = np.full((2, 200_000, 2), 0.5, dtype=np.float32)
    probs[1, 199_999] = np.nan
    with pytest.raises(InputError, match="member 1, sample 199999 holds NaN"):
        Predictions.from_arrays(probs=probs)


def test_values_outside_the_mask_are_not_looked_at():
    mask = np.ones((2, 3), bool)
    mask[1, 2] = False
    predictions = Predictions.from_arrays(probs=changed(GOOD, (1, 2), np.nan), mask=mask, labels=LABELS)
    block = next(predictions.blocks())
    assert block.probs is not None
    assert not block.probs[1, 2].any()
    assert block.votes[1, 2] == 0
    with pytest.raises(InputError, match="member 0, sample 2 holds NaN"):
        Predictions.from_arrays(probs=changed(GOOD, (0, 2), np.nan), mask=mask, labels=LABELS)


@pytest.mark.parametrize("samples", [[], [1, 0], [0, 0], [-1, 2], [0, 3], [0.5], [[0], [1]]])
def test_take_wants_sorted_positions(samples):
    with pytest.raises(InputError, match="samples: must be"):
        Predictions.from_arrays(votes=VOTES).take(samples)
