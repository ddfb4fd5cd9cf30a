"""Arrays as people give them → one checked shard, labels as numbers, and the names of the classes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import _checks as checks
from comitia._classes import (
    check_class_names,
    is_text,
    numbered_classes,
    numbers_as_codes,
    ordered,
    texts_as_codes,
)
from comitia._errors import InputError
from comitia._shards import Members, Shard


@dataclass(frozen=True, eq=False)
class Checked:
    """A checked shard with its labels as classes 0, 1, …; `class_names` of them, given or not (`declared`)."""

    shard: Shard
    labels: NDArray[np.int64] | None
    class_names: tuple[str, ...]
    declared: bool


def check_arrays(probs: Any, votes: Any, labels: Any, mask: Any, abstained: Any, classes: Any) -> Checked:
    """Return the arrays checked, texts and numbers of any base turned into classes 0, 1, …"""
    if (probs is None) == (votes is None):
        got = "neither" if probs is None else "both"
        raise InputError(f"predictions: either probs or votes is required, got {got}")
    count = int(classes) if isinstance(classes, int | np.integer) else None
    names = None if classes is None or count is not None else check_class_names(classes)
    if votes is None:
        truth, names = _labels_of_probs(probs, labels, names)
        bare = _shard("probs", checks.as_member_arrays("probs", probs), mask, abstained)
    else:
        votes, truth, names = _coded(votes, labels, names, mask, abstained, count is None)
        bare = _shard("votes", checks.as_member_arrays("votes", votes), mask, abstained)
    codes = checks.check_labels(truth, bare.samples)
    shard = replace(bare, known=checks.survey(bare))
    known = _count_classes(shard, codes, len(names) if names else count)
    checks.check_label_range(codes, known)
    return Checked(shard, codes, names or numbered_classes(known), names is not None)


def _shard(argument: str, values: Members, mask: Any, abstained: Any) -> Shard:
    layout, ranks = ("(M, n)", (2,)) if argument == "votes" else ("(M, n, C) or (M, n)", (2, 3))
    checks.require_shape(argument, values, ranks, layout)
    shape = checks.values_shape(values)
    kind = "votes" if argument == "votes" else ("binary" if len(shape) == 2 else "probs")
    kept = checks.check_mask(mask, shape[0], shape[1])
    silent = checks.check_abstained(abstained, kept, shape[0], shape[1])
    if kind == "binary" and silent is not None:
        # no probability of class 1 says "no answer"; two columns of zeros do
        values, kind = np.stack([both_classes(part) for part in values]), "probs"
    return Shard(kind, values, kept, abstained=silent)


def both_classes(ones: NDArray[Any]) -> NDArray[Any]:
    """Return, as (n, 2), the probabilities of both classes; ones (n,) are those of class 1."""
    wide = ones.astype(np.float64) if ones.dtype.kind != "f" else ones
    return np.stack([1 - wide, wide], axis=-1)


def _labels_of_probs(
    probs: Any, labels: Any, names: tuple[str, ...] | None
) -> tuple[Any, tuple[str, ...] | None]:
    """Return the labels as numbers, and the names of the classes where labels or the caller tell them."""
    shape = checks.values_shape(checks.as_member_arrays("probs", probs))
    width = shape[2] if len(shape) == 3 else 2
    if names is not None and len(names) != width:
        raise InputError(f"classes: must name the {width} classes of the probabilities, got {len(names)}")
    if labels is None:
        return None, names
    if is_text(labels):
        _require_row_of_labels(labels)
        found = names or ordered(np.asarray(labels).astype(str).tolist())
        _require_width(found, width)
        return texts_as_codes("labels", labels, found), found
    truth = checks.as_numbers("labels", labels)
    if names is not None or not truth.size or truth.ndim != 1:
        return labels, names
    return _from_any_base(truth, width)


def _require_row_of_labels(labels: Any) -> None:
    if np.ndim(labels) != 1:
        raise InputError(f"labels: must have shape (n,), got {np.shape(labels)}")


def _from_any_base(truth: NDArray[Any], width: int) -> tuple[Any, tuple[str, ...] | None]:
    """Return labels that can only be counted from 1, or from below 0, counted from 0, and the names they had."""
    checks.require_whole("labels", truth)
    low, high = truth.min(), truth.max()
    if low == 1 and high == width:
        return truth.astype(np.int64) - 1, tuple(str(number) for number in range(1, width + 1))
    if low < 0:
        distinct = np.unique(truth.astype(np.int64))
        if len(distinct) == width:
            return numbers_as_codes(truth, distinct), tuple(map(str, distinct.tolist()))
    return truth, None


def _require_width(names: tuple[str, ...], width: int) -> None:
    if len(names) != width:
        raise InputError(
            f"labels: hold {len(names)} classes and the probabilities {width}, so which is which cannot be told; "
            "name all classes in order with classes"
        )


def _coded(
    votes: Any, labels: Any, names: tuple[str, ...] | None, mask: Any, abstained: Any, rebase: bool
) -> tuple[Any, Any, tuple[str, ...] | None]:
    """Return votes and labels as classes 0, 1, …, and the names of the classes where they are known."""
    texts = is_text(votes), labels is not None and is_text(labels)
    if any(texts):
        if texts[1]:
            _require_row_of_labels(labels)
        found = names or _names_of_texts(votes, labels, texts, mask, abstained)
        coded = _text_votes(votes, found, mask, abstained) if texts[0] else votes
        return coded, texts_as_codes("labels", labels, found) if texts[1] else labels, found
    if names is not None or not rebase:
        return votes, labels, names
    return _rebased(checks.as_member_arrays("votes", votes), labels, mask, abstained)


def _names_of_texts(
    votes: Any, labels: Any, texts: tuple[bool, bool], mask: Any, abstained: Any
) -> tuple[str, ...]:
    if labels is not None and texts[0] != texts[1]:
        kinds = ("texts", "numbers") if texts[0] else ("numbers", "texts")
        raise InputError(
            f"votes: are {kinds[0]} and the labels {kinds[1]}; give both in one kind, or name the classes"
        )
    seen = {
        str(cell) for row in _seen(votes, mask, abstained) for cell in np.unique(row.astype(str)).tolist()
    }
    return ordered([*seen, *(() if labels is None else np.asarray(labels).astype(str).tolist())])


def _text_votes(votes: Any, names: tuple[str, ...], mask: Any, abstained: Any) -> NDArray[np.int64]:
    array = np.stack([np.asarray(row).astype(str) for row in votes])
    unseen = ~_looked_at(array.shape, mask, abstained)
    return texts_as_codes("votes", np.where(unseen, names[0], array), names)


def _rebased(
    values: Members, labels: Any, mask: Any, abstained: Any
) -> tuple[Any, Any, tuple[str, ...] | None]:
    """Return classes counted from 0 where no class 0 occurs, with their numbers as names; others unchanged."""
    shape = checks.values_shape(values)
    truth = None if labels is None else checks.as_numbers("labels", labels)
    if len(shape) != 2 or 0 in shape or (truth is not None and truth.ndim != 1):
        return values, labels, None
    rows = [row for row in _seen(values, mask, abstained) if row.size]
    if truth is not None and truth.size:
        rows.append(truth)
    if not rows or min(float(row.min()) for row in rows) == 0:
        return values, labels, None
    for row in rows:
        checks.require_whole("votes" if row is not truth else "labels", row)
    distinct = np.unique(np.concatenate([np.unique(row.astype(np.int64)) for row in rows]))
    _refuse_odd_negatives(distinct, truth)
    if len(distinct) < 2:
        return values, labels, None
    codes = np.stack([numbers_as_codes(row, distinct) for row in values])
    known = None if truth is None else numbers_as_codes(truth, distinct)
    return codes, known, tuple(map(str, distinct.tolist()))


def _refuse_odd_negatives(distinct: NDArray[np.int64], truth: NDArray[Any] | None) -> None:
    """Raise for negative votes that no label equals: they usually mean that the member gave no answer."""
    if truth is None:
        return
    odd = [number for number in distinct.tolist() if number < 0 and number not in truth]
    if odd:
        raise InputError(
            f"votes: {odd[0]} is no label; if it means that the member gave no answer, say so with abstained, "
            "if it is a class, name the classes"
        )


def _seen(values: Any, mask: Any, abstained: Any) -> Iterator[NDArray[Any]]:
    """Yield, per member, the values that count: on its hold-out, and where it answered."""
    if mask is None and abstained is None:
        yield from (np.asarray(row) for row in values)
        return
    shape = (len(values), *np.shape(values[0]))
    looked = _looked_at(shape, mask, abstained)
    yield from (np.asarray(row)[keep] for row, keep in zip(values, looked))


def _looked_at(shape: tuple[int, ...], mask: Any, abstained: Any) -> NDArray[np.bool_]:
    found = np.ones(shape[:2], bool)
    for given, wanted in ((mask, True), (abstained, False)):
        if given is not None and np.shape(given) == shape[:2]:  # a wrong shape is an error of its own, later
            found &= np.asarray(given).astype(bool) == wanted
    return found


def _count_classes(shard: Shard, labels: NDArray[np.int64] | None, classes: int | None) -> int:
    if shard.kind == "votes":
        assert shard.known is not None
        largest = int(shard.known.votes.max())
        if classes is not None and largest >= classes:
            raise InputError(f"votes: class {largest} is out of range, there are {classes} classes (from 0)")
        seen = largest if labels is None else max(largest, int(labels.max()))
        return max(2, seen + 1) if classes is None else classes
    known = shard.width if shard.kind == "probs" else 2
    if classes is not None and classes != known:
        raise InputError(f"probs: {classes} classes are required, got {known}")
    return known
