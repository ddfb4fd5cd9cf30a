"""Checks at the door: what is wrong with predictions, in one line, without ever loading them whole."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._classes import MOST_CLASSES
from comitia._errors import InputError
from comitia._shards import (
    Known,
    Members,
    Shard,
    classes_of,
    common_dtype,
    freeze,
    smallest_unsigned,
    stored_bytes,
)
from comitia._threads import in_threads, loops

#: How far a row of probabilities may sum from 1: half-precision rows are off by up to 2^-11, tables of four
#: digits by a little more.
SUM_TOLERANCE = 1e-3


def as_member_arrays(argument: str, given: Any) -> Members:
    """Return the argument as one array per member: an array with a leading member axis, or a tuple of arrays."""
    if isinstance(given, list | tuple) and given and all(isinstance(part, np.ndarray) for part in given):
        return _same_shapes(argument, tuple(as_numbers(f"{argument}[{i}]", p) for i, p in enumerate(given)))
    return as_numbers(argument, given)


def as_numbers(argument: str, given: Any) -> NDArray[Any]:
    """Return the argument as a plain array of numbers (a memory-mapped one stays on disk)."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError) as error:
        raise InputError(f"{argument}: must be an array of numbers ({error})") from None
    if array.dtype.kind not in "biuf":
        raise InputError(f"{argument}: must hold numbers, got {array.dtype}; convert it to numbers first")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        raise InputError(
            f"{argument}: {array.dtype} is wider than float64; convert it with astype('float64')"
        )
    return array.view(np.ndarray)


def _same_shapes(argument: str, parts: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    for index, part in enumerate(parts):
        if part.shape != parts[0].shape:
            raise InputError(
                f"{argument}: every member needs the same shape, member 0 has {parts[0].shape} and "
                f"member {index} has {part.shape}; give all of them on the same samples"
            )
    return parts


def values_shape(values: Members) -> tuple[int, ...]:
    """Return the shape with the member axis first, whether the members lie in one array or in several."""
    if isinstance(values, np.ndarray):
        return values.shape
    return (len(values), *values[0].shape)


def require_shape(argument: str, values: Members, ranks: tuple[int, ...], layout: str) -> None:
    """Raise unless the values have one of the ranks and no axis is empty."""
    shape = values_shape(values)
    if len(shape) not in ranks:
        raise InputError(f"{argument}: must have shape {layout}, got {shape}")
    for axis, size in zip(("members", "samples", "classes"), shape, strict=False):
        if size == 0:
            raise InputError(f"{argument}: holds no {axis} (shape {shape}); {layout} is required")
    if len(shape) == 3 and shape[2] < 2:
        raise InputError(
            f"{argument}: the last axis must hold 2 or more classes, got shape {shape}; "
            "for the probability of class 1 of two give (M, n)"
        )
    if len(shape) == 3 and shape[2] > MOST_CLASSES:
        raise InputError(f"{argument}: {shape[2]} classes are more than {MOST_CLASSES:,} (shape {shape})")


def check_mask(mask: Any, members: int, samples: int) -> NDArray[np.bool_] | None:
    """Return the mask as bool (M, n), or None where it is all True; every member needs a hold-out sample."""
    if mask is None:
        return None
    array = np.asarray(mask).view(np.ndarray)
    if array.dtype != np.bool_:
        raise InputError(f"mask: must be bool, got {array.dtype}; use mask.astype(bool)")
    if array.shape != (members, samples):
        raise InputError(f"mask: must have shape (M, n) = {(members, samples)}, got {array.shape}")
    empty = np.flatnonzero(~array.any(axis=1))
    if empty.size:
        raise InputError(f"mask: member {empty[0]} has no hold-out sample; leave it out or give it samples")
    return None if array.all() else _frozen(array)


def check_abstained(
    abstained: Any, mask: NDArray[np.bool_] | None, members: int, samples: int
) -> NDArray[np.bool_] | None:
    """Return where members gave no answer as bool (M, n), or None where all did; a member may never answer."""
    if abstained is None:
        return None
    array = np.asarray(abstained).view(np.ndarray)
    if array.dtype != np.bool_:
        raise InputError(f"abstained: must be bool, got {array.dtype}; use abstained.astype(bool)")
    if array.shape != (members, samples):
        raise InputError(f"abstained: must have shape (M, n) = {(members, samples)}, got {array.shape}")
    silent = array if mask is None else array & mask
    return _frozen(silent) if silent.any() else None


def _frozen(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a copy that nobody can write to: which samples are hold-out is settled here."""
    copy = mask.copy()
    freeze(copy)
    return copy


def check_labels(labels: Any, samples: int) -> NDArray[np.int64] | None:
    """Return the labels as int64 (n,), or None where none were given."""
    if labels is None:
        return None
    array = as_numbers("labels", labels)
    if array.ndim != 1:
        raise InputError(f"labels: must have shape (n,), one class per sample, got {array.shape}")
    if len(array) != samples:
        word = "long" if len(array) > samples else "short"
        raise InputError(
            f"labels: too {word}, {len(array)} labels for {samples} samples; give one per sample"
        )
    require_whole("labels", array)
    if array.size and array.min() < 0:
        raise InputError(f"labels: must be classes 0, 1, …, got {array.min():g}; number the classes from 0")
    if array.size and array.max() >= MOST_CLASSES:
        raise InputError(f"labels: class {array.max():g} is not below {MOST_CLASSES:,}; number them from 0")
    return array.astype(np.int64)


def require_whole(argument: str, array: NDArray[Any]) -> None:
    """Raise unless all numbers are finite and whole."""
    if array.dtype.kind != "f":
        return
    if not np.isfinite(array).all():
        raise InputError(f"{argument}: contains NaN or infinity; whole numbers are required")
    broken = array != np.floor(array)
    if broken.any():
        raise InputError(f"{argument}: must be whole numbers (classes), got {array[broken].flat[0]:g}")


def check_label_range(labels: NDArray[np.int64] | None, classes: int) -> None:
    """Raise unless every label is a class that the predictions know."""
    if labels is not None and labels.size and labels.max() >= classes:
        place = int(labels.argmax())
        raise InputError(
            f"labels: class {labels[place]} of sample {place} is out of range, the predictions have "
            f"{classes} classes (0 to {classes - 1})"
        )


def check_integers(argument: str, given: Any, members: int) -> NDArray[np.int64] | None:
    """Return `run` or `step` as int64 (M,), or None where it was not given."""
    if given is None:
        return None
    array = as_numbers(argument, given)
    if array.shape != (members,):
        raise InputError(f"{argument}: must have shape (M,) = ({members},), got {array.shape}")
    require_whole(argument, array)
    if array.dtype.kind in "uf" and array.size and float(np.abs(array).max()) >= 2**63:
        raise InputError(f"{argument}: {np.abs(array).max():g} is beyond the whole numbers of 64 bits")
    return array.astype(np.int64)


def check_names(names: Any, members: int) -> tuple[str, ...] | None:
    """Return the names as a tuple of M different texts, or None where none were given."""
    if names is None:
        return None
    texts = tuple(str(name) for name in np.atleast_1d(np.asarray(names)))
    if len(texts) != members:
        raise InputError(f"names: must hold one text per member, {members}, got {len(texts)}")
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise InputError(f"names: duplicate name '{text}'; every member needs its own")
        seen.add(text)
    return texts


def survey(shard: Shard) -> Known:
    """Check all stored values in one pass and return the classes and the checksums.

    Probabilities must be finite, in [0, 1], and sum to 1 per row; votes whole, not negative and not absurdly large.
    """
    stored_as = common_dtype([shard])
    narrow = (
        all(part.dtype.itemsize == 1 for part in shard.values)
        if shard.kind == "votes"
        else shard.width <= 256
    )
    votes = np.empty((len(shard.values), shard.samples), np.uint8 if narrow else np.uint16)

    def look(index: int) -> bytes:
        digest = hashlib.sha256()
        for start, stop in shard.chunks(0, shard.samples):
            stored = shard.member(index, start, stop)
            votes[index, start:stop] = _checked_classes(shard, stored, index, start)
            digest.update(stored_bytes(stored, votes[index, start:stop], shard.kind, stored_as))
        shard.release()
        return digest.digest()

    digests = tuple(in_threads(look, range(len(votes)), large=shard.large))
    if shard.kind == "votes":
        votes = votes.astype(smallest_unsigned(int(votes.max()) + 1), copy=False)
    freeze(votes)
    return Known(votes, digests, shard.stamps())


def _checked_classes(shard: Shard, stored: NDArray[Any], index: int, start: int) -> NDArray[Any]:
    """Return the classes of a chunk of one member, after making sure that its values can be."""
    if shard.kind == "votes":
        _check_votes(stored, index)
        return stored.astype(np.uint16)
    if shard.kind == "binary":
        _check_binary(stored, index, start)
        return classes_of("binary", stored, np.dtype(np.uint8))
    dtype = smallest_unsigned(shard.width)
    chosen = np.empty(len(stored), dtype)
    compiled = loops(stored, values=shard.size)
    if compiled is not None and compiled.choose_classes(stored, SUM_TOLERANCE, chosen) < 0:
        return chosen
    _check_rows(stored, shard.kept(index, start, start + len(stored)), index, start)
    return classes_of("probs", stored, dtype)


def _check_rows(piece: NDArray[Any], kept: NDArray[np.bool_] | None, member: int, start: int) -> None:
    wide = piece.astype(np.float32) if piece.dtype.itemsize < 4 else piece
    with np.errstate(invalid="ignore", over="ignore"):
        sums = wide @ np.ones(wide.shape[1], wide.dtype)  # a NaN or an infinity shows in its row's sum
        wrong = ~(np.abs(sums - 1) <= SUM_TOLERANCE)
    if kept is not None:
        wrong &= kept
    if wrong.any() or wide.min() < 0:
        _explain_rows(wide, wrong, member, start)


def _explain_rows(piece: NDArray[Any], wrong: NDArray[np.bool_], member: int, start: int) -> None:
    _require_finite(piece, member, start)
    outside = (piece < 0) | (piece > 1 + SUM_TOLERANCE)
    place = int(np.argmax(outside.any(axis=1))) if outside.any() else int(np.argmax(wrong))
    where = f"member {member}, sample {start + place}"
    total = float(piece[place].astype(np.float64).sum())
    if outside.any() and wrong.any():
        raise InputError(
            f"probs: {where} holds {_worst(piece[place]):g} and sums to {total:g}; these look like logits: "
            "apply softmax first"
        )
    if outside.any():
        raise InputError(f"probs: {where} holds {_worst(piece[place]):g}; probabilities lie in [0, 1]")
    raise InputError(f"probs: {where} sums to {total:g}; the probabilities of a sample must sum to 1")


def _worst(row: NDArray[Any]) -> float:
    return float(row[np.argmax(np.abs(row.astype(np.float64) - 0.5))])


def _check_binary(piece: NDArray[Any], member: int, start: int) -> None:
    _require_finite(piece, member, start)
    outside = (piece < 0) | (piece > 1)
    if outside.any():
        place = int(outside.argmax())
        raise InputError(
            f"probs: member {member}, sample {start + place} is {piece[place]:g}, not the probability of "
            "class 1; if these are logits apply the sigmoid first, if they are classes pass them as votes"
        )


def _require_finite(piece: NDArray[Any], member: int, start: int) -> None:
    finite = np.isfinite(piece)
    if not finite.all():
        place = int(np.argmin(finite.reshape(len(piece), -1).all(axis=1)))
        word = "NaN" if np.isnan(piece[place]).any() else "an infinity"
        raise InputError(
            f"probs: member {member}, sample {start + place} holds {word}; fix or drop that member (a sample "
            "left out for it would bias every certificate)"
        )


def _check_votes(piece: NDArray[Any], member: int) -> None:
    require_whole("votes", piece)
    if piece.min() < 0:
        raise InputError(f"votes: must be classes 0, 1, …, member {member} votes {piece.min():g}")
    if piece.max() >= MOST_CLASSES:
        raise InputError(
            f"votes: class {piece.max():g} is not below {MOST_CLASSES:,}; number the classes from 0"
        )


def check_positions(samples: Any, n: int) -> NDArray[np.int64]:
    """Return the positions of samples as int64, after making sure that they are sorted, different and in range."""
    wanted = np.atleast_1d(np.asarray(samples))
    if wanted.dtype.kind not in "iu" or wanted.ndim != 1 or wanted.size == 0:
        raise InputError("samples: must be a non-empty list of positions")
    if wanted[0] < 0 or wanted[-1] >= n or (np.diff(wanted.astype(np.int64)) <= 0).any():
        raise InputError(f"samples: must be sorted different positions from 0 to {n - 1}")
    return wanted.astype(np.int64)
