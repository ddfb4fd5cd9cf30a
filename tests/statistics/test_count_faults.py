"""No true counts are faulted; counts that no samples can give are, each by a reason of its own."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia import Predictions, count

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, 90)
VOTES = np.where(RNG.random((4, 90)) < 0.6, LABELS, RNG.integers(0, 3, (4, 90)))
MASK, SILENT = RNG.random((4, 90)) < 0.8, RNG.random((4, 90)) < 0.2
PLAIN = count(Predictions.from_arrays(votes=VOTES, labels=LABELS))
OWN = count(Predictions.from_arrays(votes=VOTES, labels=LABELS, mask=MASK))
FULL = count(Predictions.from_arrays(votes=VOTES, labels=LABELS, mask=MASK, abstained=SILENT))
TWO = count(Predictions.from_arrays(votes=VOTES.clip(0, 1), labels=LABELS.clip(0, 1)))


@given(
    st.integers(1, 5),
    st.integers(1, 40),
    st.integers(2, 4),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=150, deadline=None)
def test_true_counts_have_no_fault(members, samples, classes, masked, silent, seed):
    rng = np.random.default_rng(seed)
    size = (members, samples + 1)
    mask, silence = rng.random(size) < 0.6, rng.random(size) < rng.random()
    mask[:, 0], silence[:, 0] = True, False
    counted = count(
        Predictions.from_arrays(
            votes=rng.integers(0, classes, size),
            labels=rng.integers(0, classes, samples + 1),
            mask=mask if masked else None,
            abstained=silence if silent else None,
            classes=classes,
        )
    )
    assert counted.fault() is None


def changed(counted, name, value, *where):
    """The counts with one array changed at that place, by a sum; else replaced."""
    owner = counted.counts if hasattr(counted.counts, name) else counted
    array = getattr(owner, name)
    if where:
        array = array.copy()
        for place in where:
            array[place] += value
    else:
        array = value
    if owner is counted:
        return replace(counted, **{name: array})
    return replace(counted, counts=replace(counted.counts, **{name: array}))


PAIR = ((0, 1), (1, 0))
FAULTS = {
    "no members": (replace(PLAIN, names=()), "names: must be one or more different texts"),
    "a name twice": (replace(PLAIN, names=("a", "a", "b", "c")), "names: must be one or more different texts"),
    "no class": (replace(PLAIN, class_names=()), "class_names: must be 1 to 65,536 different texts"),
    "a class twice": (replace(PLAIN, class_names=("a", "b", "a")), "class_names: must be 1 to"),
    "no samples": (replace(PLAIN, samples=0), "samples: must be from 1 to 2^50, got 0"),
    "too many samples": (replace(PLAIN, samples=2**51), "samples: must be from 1 to 2^50"),
    "a fold twice": (replace(PLAIN, folds=("1", "1")), "folds: must be different texts"),
    "no fold": (replace(PLAIN, folds=()), "folds: must be different texts"),
    "no part": (replace(PLAIN, parts=()), "parts: must be at least 1"),
    "a part that is none": (replace(PLAIN, parts=("xyz",)), "parts: must be different sha256 in order"),
    "a part twice": (replace(PLAIN, parts=PLAIN.parts * 2), "parts: must be different sha256 in order"),
    "run too short": (replace(PLAIN, run=np.array([1, 2])), "run: must have one number for each of 4 members, got 2"),
    "another shape": (changed(PLAIN, "co_errors", np.zeros((3, 3), int)), "co_errors: must be int64 of shape (4, 4)"),
    "fractions": (changed(PLAIN, "errors", PLAIN.counts.errors * 1.0), "errors: must be int64 of shape (4,)"),
    "negative": (changed(PLAIN, "answers", -200, (0, 0)), "answers: must be from 0 to 90 samples, got -"),
    "more than samples": (changed(PLAIN, "disagreements", 99, *PAIR), "disagreements: must be from 0 to 90 samples"),
    "pairs missing": (changed(OWN, "pair_errors", None), "counts of pairs: some are missing"),
    "silences missing": (changed(FULL, "co_mistakes", None), "counts of pairs: some are missing"),
    "silences too many": (
        changed(PLAIN, "pair_silences", np.zeros((4, 4), int)),
        "counts of pairs: some are missing, or are given without the others",
    ),
    "labels": (changed(PLAIN, "label_counts", 1, 0), "labels: must add up to 90 samples, got 91"),
    "fewer samples of a member": (changed(PLAIN, "samples", -1, 0), "samples: every member needs hold-out samples"),
    "no samples of a member": (
        changed(OWN, "samples", -OWN.counts.samples[0], 0), "samples: every member needs hold-out samples",
    ),
    "answers": (changed(PLAIN, "answers", 1, (0, 0)), "answers: must add up to the samples on which each member"),
    "more errors than samples": (
        changed(OWN, "errors", OWN.counts.samples[0] - OWN.counts.errors[0] + 1, 0),
        "errors: must be at most the samples of the member",
    ),
    "answers that cannot be right": (
        replace(PLAIN, answers=np.tile([90, 0, 0], (4, 1))),
        "errors: a member is right more often than its answers and the labels allow",
    ),
    "co-errors of one side": (changed(PLAIN, "co_errors", 1, (0, 1)), "co_errors: must be symmetric"),
    "disagreements of one side": (changed(PLAIN, "disagreements", 1, (0, 1)), "disagreements: must be symmetric"),
    "overlaps of one side": (changed(OWN, "pair_samples", -1, (0, 1)), "pair_samples: must be symmetric"),
    "the diagonal": (changed(PLAIN, "co_errors", -1, (0, 0)), "co_errors: the diagonal must be the errors"),
    "the diagonal of own errors": (changed(OWN, "pair_errors", -1, (0, 0)), "co_errors: the diagonal must be"),
    "a member that disagrees with itself": (
        changed(PLAIN, "disagreements", 1, (0, 0)), "the diagonals must be the samples of each member, and 0",
    ),
    "the diagonal of samples": (changed(OWN, "pair_samples", -1, (0, 0)), "the diagonals must be the samples"),
    "too large an overlap": (
        changed(OWN, "pair_samples", OWN.counts.samples.max() - OWN.counts.pair_samples[0, 1] + 1, *PAIR),
        "pair_samples: two members cannot have that many samples in common",
    ),
    "too small an overlap": (
        changed(OWN, "pair_samples", -OWN.counts.pair_samples[0, 1], *PAIR),
        "pair_samples: two members cannot have that many samples in common",
    ),
    "more errors on a pair": (
        changed(OWN, "pair_errors", OWN.counts.errors[0] - OWN.counts.pair_errors[0, 1] + 1, (0, 1)),
        "pair_errors: must be at most the errors",
    ),
    "too few errors on a pair": (
        changed(OWN, "pair_errors", -OWN.counts.pair_errors[0, 1], (0, 1)),
        "pair_errors: must be at most the errors",
    ),
    "more co-errors than errors": (
        changed(PLAIN, "co_errors", min(PLAIN.counts.errors[:2]) - PLAIN.counts.co_errors[0, 1] + 1, *PAIR),
        "co_errors: two members cannot err together that often",
    ),
    "disagreements too many": (
        changed(PLAIN, "disagreements", 90 - PLAIN.counts.disagreements[0, 1], *PAIR),
        "disagreements: cannot be, given how often two members err together",
    ),
    "disagreements too few": (
        changed(PLAIN, "disagreements", -PLAIN.counts.disagreements[0, 1], *PAIR),
        "disagreements: cannot be, given how often two members err together",
    ),
    "two classes, both wrong": (
        changed(TWO, "disagreements", 1, *PAIR), "disagreements: of two classes, members that are both wrong agree",
    ),
    "silences of one side": (changed(FULL, "co_silences", -1, (0, 1)), "must be symmetric"),
    "mistakes of one side": (changed(FULL, "co_mistakes", -1, (0, 1)), "must be symmetric"),
    "mistakes on the diagonal": (changed(FULL, "co_mistakes", -1, (0, 0)), "diagonals must add up to the errors"),
    "silences on a pair": (
        changed(FULL, "pair_silences", FULL.counts.pair_errors[0, 1] - FULL.counts.pair_silences[0, 1] + 1, (0, 1)),
        "pair_silences: must be at most the errors",
    ),
    "mistakes too many": (
        changed(FULL, "co_mistakes", FULL.counts.co_errors[0, 1] - FULL.counts.co_mistakes[0, 1] + 1, *PAIR),
        "co_mistakes: two members cannot answer wrongly together that often",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_impossible_counts_are_faulted(case):
    counted, reason = FAULTS[case]
    assert reason in counted.fault()


def test_silent_together_more_often_than_alone():
    pair = FULL.counts
    more = min(pair.pair_silences[0, 1], pair.pair_silences[1, 0]) - pair.co_silences[0, 1] + 1
    forged = changed(FULL, "co_silences", more, *PAIR)
    assert forged.fault() == "co_silences: two members cannot be silent together that often"


@pytest.mark.parametrize("name", ["co_errors", "disagreements", "pair_samples", "pair_errors", "co_silences"])
def test_a_changed_number_changes_the_checksum(name):
    assert changed(FULL, name, 1, (0, 1)).fingerprint() != FULL.fingerprint()
