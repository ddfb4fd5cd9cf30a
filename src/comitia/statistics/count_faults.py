"""What is wrong with counts that were read: numbers that no samples can give."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from comitia._classes import MOST_CLASSES
from comitia.statistics.counts import Matrix

if TYPE_CHECKING:
    from comitia.statistics.counted import Counted

#: No hold-out is as large, and sums of a few counts stay far below 2^63.
MOST_SAMPLES = 2**50
_MARK = re.compile(r"[0-9a-f]{64}")


def fault_of(counted: "Counted") -> str | None:
    """Return the first reason why these cannot be the counts of any samples, or None.

    Everything that holds for each pair of members is checked. That some samples give all pairs at once is not.
    """
    for check in (_text_faults, _shape_faults, _member_faults, _pair_faults, _silence_faults, _answer_faults):
        for text in check(counted):
            return text
    return None


def _text_faults(counted: "Counted") -> Iterator[str]:
    """Names, parts and the number of samples."""
    names, classes, folds, parts = counted.names, counted.class_names, counted.folds, counted.parts
    if not names or len(set(names)) < len(names):
        yield "names: must be one or more different texts"
    # a shard of texts may hold one class only
    if not 1 <= len(classes) <= MOST_CLASSES or len(set(classes)) < len(classes):
        yield f"class_names: must be 1 to {MOST_CLASSES:,} different texts"
    if not 1 <= counted.samples <= MOST_SAMPLES:
        yield f"samples: must be from 1 to 2^50, got {counted.samples}"
    if folds is not None and not 1 <= len(set(folds)) == len(folds) <= counted.samples:
        yield "folds: must be different texts, at most one per sample"
    if not all(_MARK.fullmatch(mark) for mark in parts) or list(parts) != sorted(set(parts)):
        yield "parts: must be different sha256 in order"
    if not 1 <= len(parts) <= counted.samples:
        yield f"parts: must be at least 1 and at most one per sample, got {len(parts)}"


def _shape_faults(counted: "Counted") -> Iterator[str]:
    """Sizes of all arrays, and numbers that are no counts at all."""
    m, c, counts = counted.members, counted.classes, counted.counts
    shapes = {"errors": (m,), "samples": (m,), "answers": (m, c), "labels": (c,)}
    for name, array in counted.arrays().items():
        wanted = shapes.get(name, (m, m))
        if array.dtype != np.int64 or array.shape != wanted:
            yield f"{name}: must be int64 of shape {wanted}, got {array.dtype} of shape {array.shape}"
        if array.size and not (array.min() >= 0 and array.max() <= counted.samples):
            yield f"{name}: must be from 0 to {counted.samples:,} samples, got {array.min()} to {array.max()}"
    for what in ("run", "step"):
        known = getattr(counted, what)
        if known is not None and len(known) != m:
            yield f"{what}: must have one number for each of {m} members, got {len(known)}"
    masked, silent = counts.pair_samples is not None, counts.co_silences is not None
    there = [counts.pair_errors is not None, counts.co_mistakes is not None, counts.pair_silences is not None]
    if there != [masked, silent, masked and silent]:
        yield "counts of pairs: some are missing, or are given without the others"


def _member_faults(counted: "Counted") -> Iterator[str]:
    """Sums of each member alone."""
    counts, n = counted.counts, counted.samples
    if counted.label_counts.sum() != n:
        yield f"labels: must add up to {n:,} samples, got {counted.label_counts.sum():,}"
    if counts.samples.min() < 1 or (counted.shared and counts.samples.min() < n):
        yield "samples: every member needs hold-out samples, and all of them where members share them"
    if (counts.errors > counts.samples).any():
        yield "errors: must be at most the samples of the member"
    if not np.array_equal(counted.answers.sum(axis=1), counts.samples - counts.silences):
        yield "answers: must add up to the samples on which each member answers"
    right = np.minimum(counted.answers, counted.label_counts).sum(axis=1)
    if (counts.samples - counts.errors > right).any():
        yield "errors: a member is right more often than its answers and the labels allow"


def _pair_faults(counted: "Counted") -> Iterator[str]:
    """What holds for the errors of each pair of members on their common samples."""
    counts, n = counted.counts, counted.samples
    common, errors = counts.on_pairs()
    both, differ, own = counts.co_errors, counts.disagreements, counts.samples
    for name, array in (("co_errors", both), ("disagreements", differ), ("pair_samples", common)):
        if not np.array_equal(array, array.T):
            yield f"{name}: must be symmetric"
    if not _diagonals(both, counts.errors) or not _diagonals(errors, counts.errors):
        yield "co_errors: the diagonal must be the errors of each member"
    if not _diagonals(common, own) or differ.diagonal().any():
        yield "pair_samples, disagreements: the diagonals must be the samples of each member, and 0"
    if (common > own).any() or (common < own + own[:, None] - n).any():
        yield "pair_samples: two members cannot have that many samples in common"
    left = (own[:, None] - common) - (counts.errors[:, None] - errors)
    if (errors > np.minimum(common, counts.errors[:, None])).any() or (left < 0).any():
        yield "pair_errors: must be at most the errors and the common samples of a pair"
    if (both > np.minimum(errors, errors.T)).any() or (both < errors + errors.T - common).any():
        yield "co_errors: two members cannot err together that often, given how often each errs"


def _silence_faults(counted: "Counted") -> Iterator[str]:
    """What holds for the silences of each pair of members on their common samples."""
    counts = counted.counts
    mistakes, silences, quiet = counts.on_silences()
    common, errors = counts.on_pairs()
    wrong = errors - quiet
    if not np.array_equal(mistakes, mistakes.T) or not np.array_equal(silences, silences.T):
        yield "co_mistakes, co_silences: must be symmetric"
    if not _diagonals(mistakes + silences, counts.errors) or not _diagonals(quiet, silences.diagonal()):
        yield "co_mistakes, co_silences: the diagonals must add up to the errors of each member"
    if (wrong < 0).any() or (quiet > counts.silences[:, None]).any():
        yield "pair_silences: must be at most the errors, and the silences, of a member"
    if (silences > np.minimum(quiet, quiet.T)).any() or (silences < quiet + quiet.T - common).any():
        yield "co_silences: two members cannot be silent together that often"
    mixed = counts.co_errors - mistakes - silences  # one answers wrongly where the other is silent
    room = np.minimum(quiet - silences, (wrong - mistakes).T)
    if (mistakes > np.minimum(wrong, wrong.T)).any() or (mixed < 0).any() or (mixed > room + room.T).any():
        yield "co_mistakes: two members cannot answer wrongly together that often"


def _answer_faults(counted: "Counted") -> Iterator[str]:
    """What holds for how often two members give different answers."""
    counts = counted.counts
    errors, both, differ = counts.on_pairs()[1], counts.co_errors, counts.disagreements
    mistakes, silences, _ = counts.on_silences()
    # where one of two is right they differ, where both are silent they do not
    most = errors + errors.T - both - silences
    if (differ > most).any() or (differ < most - mistakes).any():
        yield "disagreements: cannot be, given how often two members err together"
    if counted.classes == 2 and not np.array_equal(differ, most - mistakes):
        yield "disagreements: of two classes, members that are both wrong agree"


def _diagonals(pairs: Matrix, own: Matrix) -> bool:
    return np.array_equal(pairs.diagonal(), own)
