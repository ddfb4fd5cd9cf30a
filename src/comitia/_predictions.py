"""What the members of an ensemble predict on the hold-out: checked at the door, read in blocks."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import _checks as checks
from comitia._errors import InputError, require_type
from comitia._members import matched_by_order, names_for, numbered
from comitia._shards import Shard, common_dtype, freeze, smallest_unsigned, stored_bytes
from comitia._threads import in_threads


@dataclass(frozen=True, eq=False)
class Block:
    """All members on some consecutive samples, in memory."""

    start: int
    probs: NDArray[np.float64] | None
    votes: NDArray[Any]
    labels: NDArray[np.int64] | None
    mask: NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False)
class Predictions:
    """M members × n samples of one kind, in one or more shards that may lie on disk.

    Made by `from_arrays`, which checks everything. Values where the mask is False are never looked at and
    read as zero. `named` says whether the names were given, or follow from runs and steps.

    >>> predictions = Predictions.from_arrays(votes=[[0, 1, 1], [0, 0, 2]], labels=[0, 1, 2])
    >>> predictions.members, predictions.samples, predictions.classes, predictions.names
    (2, 3, 3, ('member 0', 'member 1'))
    """

    shards: tuple[Shard, ...] = field(repr=False)
    classes: int
    labels: NDArray[np.int64] | None = field(repr=False)
    run: NDArray[np.int64] | None = field(repr=False)
    step: NDArray[np.int64] | None = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    named: bool = field(repr=False, default=True)

    def __post_init__(self) -> None:
        freeze(self.labels, self.run, self.step)

    @staticmethod
    def from_arrays(
        probs: ArrayLike | Sequence[NDArray[Any]] | None = None,
        votes: ArrayLike | Sequence[NDArray[Any]] | None = None,
        labels: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        run: ArrayLike | None = None,
        step: ArrayLike | None = None,
        names: Sequence[str] | NDArray[np.str_] | None = None,
        *,
        classes: int | None = None,
    ) -> "Predictions":
        """Return the checked predictions of those arrays; memory-mapped arrays stay on disk.

        Parameters
        ----------
        probs : (M, n, C), or (M, n) = probability of class 1 of two; or a tuple of one array per member
        votes : (M, n) classes, in place of `probs`
        labels : (n,) classes; needed for everything but `predict`
        mask : (M, n) bool, True where the sample is hold-out for that member
        run, step : (M,) integers: which training run, which checkpoint
        names : M different texts
        classes : number of classes, where votes and labels do not show all of them
        """
        bare = _shard(probs, votes, mask)
        members = len(bare.values)
        truth = checks.check_labels(labels, bare.samples)
        shard = replace(bare, known=checks.survey(bare))
        known = _count_classes(shard, truth, classes)
        checks.check_label_range(truth, known)
        runs, steps = checks.check_integers("run", run, members), checks.check_integers("step", step, members)
        given = checks.check_names(names, members)
        texts = given or names_for(members, runs, steps)
        named = given is not None or not numbered(texts)
        return Predictions((shard,), known, truth, runs, steps, texts, named)

    @staticmethod
    def concatenate(parts: Sequence["Predictions"]) -> "Predictions":
        """Return the same members on the samples of all parts, in that order."""
        if not parts:
            raise InputError("shards: at least one is required, got none")
        for index, part in enumerate(parts[1:], start=1):
            _require_same_members(parts[0], part, index)
        known = max(part.classes for part in parts)
        labels = None if parts[0].labels is None else np.concatenate([_given(part.labels) for part in parts])
        shards = tuple(shard for part in parts for shard in part.shards)
        return replace(parts[0], shards=shards, classes=known, labels=labels)

    @property
    def members(self) -> int:
        """M, the number of members."""
        return len(self.names)

    @cached_property
    def samples(self) -> int:
        """n, the number of samples."""
        return sum(shard.samples for shard in self.shards)

    @property
    def has_probs(self) -> bool:
        """Whether probabilities are held, so that the average vote is defined."""
        return self.shards[0].kind != "votes"

    @cached_property
    def shared(self) -> bool:
        """Whether every sample is hold-out for every member."""
        return all(
            bool(np.asarray(shard.masked(start, stop)).all())
            for shard in self.shards
            if shard.mask is not None
            for start, stop in shard.spans(2**20)
        )

    def blocks(self, samples: int = 8192) -> Iterator[Block]:
        """Return blocks of at most that many samples in order (fewer where a block would exceed 128 MB)."""
        return self._blocks(samples, True)

    def vote_blocks(self, samples: int = 8192) -> Iterator[Block]:
        """Return the blocks without their probabilities: quicker where only votes are needed."""
        return self._blocks(samples, False)

    def _blocks(self, samples: int, with_probs: bool) -> Iterator[Block]:
        for block, shard, start, stop in self.pieces(samples):
            yield replace(block, probs=shard.probabilities(start, stop)) if with_probs else block

    def pieces(self, samples: int) -> Iterator[tuple[Block, Shard, int, int]]:
        """Yield blocks without probabilities, and of which shard and which of its samples each is."""
        if samples < 1:
            raise InputError(f"samples: must be at least 1 per block, got {samples}")
        offset = 0
        for shard in self.shards:
            for start, stop in shard.spans(samples):
                labels = None if self.labels is None else self.labels[offset + start : offset + stop]
                votes = shard.votes(start, stop, smallest_unsigned(self.classes))
                block = Block(offset + start, None, votes, labels, shard.masked(start, stop))
                yield block, shard, start, stop
            offset += shard.samples

    def votes(self) -> NDArray[Any]:
        """Return the members' classes, (M, n), in the smallest unsigned integer."""
        dtype = smallest_unsigned(self.classes)
        parts = [shard.votes(0, shard.samples, dtype) for shard in self.shards]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def mask(self) -> NDArray[np.bool_] | None:
        """Return, as (M, n), True where a sample is hold-out for a member; None where every sample is for all."""
        if all(shard.mask is None for shard in self.shards):
            return None
        parts = [shard.masked(0, shard.samples) for shard in self.shards]
        sizes = [shard.samples for shard in self.shards]
        full = [np.ones((self.members, n), bool) if p is None else p for p, n in zip(parts, sizes)]
        return np.concatenate(full, axis=1)

    def take(self, samples: ArrayLike) -> "Predictions":
        """Return the same members on those samples (sorted positions); nothing is read."""
        wanted = checks.check_positions(samples, self.samples)
        shards, offset = [], 0
        for shard in self.shards:
            low, high = np.searchsorted(wanted, [offset, offset + shard.samples])
            if high > low:
                shards.append(shard.take(wanted[low:high] - offset))
            offset += shard.samples
        labels = None if self.labels is None else self.labels[wanted]
        return replace(self, shards=tuple(shards), labels=labels)

    def pick(self, members: ArrayLike) -> "Predictions":
        """Return those members, in that order, on the same samples; nothing is read."""
        wanted = np.atleast_1d(np.asarray(members, dtype=np.int64))
        if wanted.size == 0 or wanted.min() < 0 or wanted.max() >= self.members:
            raise InputError(f"members: must be positions 0 to {self.members - 1}, got {members!r}")
        return replace(
            self,
            shards=tuple(shard.pick(wanted) for shard in self.shards),
            run=None if self.run is None else self.run[wanted],
            step=None if self.step is None else self.step[wanted],
            names=tuple(self.names[int(index)] for index in wanted),
        )

    def stands_by_order(self, names: tuple[str, ...]) -> bool:
        """Whether members are matched by order because one side has only numbers for names."""
        return matched_by_order(self.names, self.named, names)

    def last(self) -> NDArray[np.int64]:
        """Return the positions of the member with the largest step of each run; all members without run and step."""
        if self.run is None or self.step is None:
            return np.arange(self.members)
        latest: dict[int, int] = {}
        for index, (run, step) in enumerate(zip(self.run.tolist(), self.step.tolist())):
            if run not in latest or step > self.step[latest[run]]:
                latest[run] = index
        return np.array(sorted(latest.values()), dtype=np.int64)

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of predictions, labels and mask, the same however the samples were sharded."""
        shard, dtype = self.shards[0], common_dtype(self.shards)
        text = f"comitia 2 {shard.kind} {dtype.str} {self.members} {self.samples} {shard.width}"
        digest = hashlib.sha256(text.encode())
        for member in self._digests(dtype):
            digest.update(member)
        digest.update(b"none" if self.labels is None else self.labels.astype("<i8").tobytes())
        if not self.shared:
            digest.update(np.packbits(_given(self.mask()), axis=1).tobytes())
        return digest.hexdigest()

    def require_unchanged(self) -> None:
        """Raise if a file was written to since it was read: votes, probabilities and checksum would not agree."""
        for shard in self.shards:
            if shard.known is not None and shard.known.stamps != shard.stamps():
                raise InputError(f"{next(iter(shard.known.stamps))}: changed while it was read; run it again")

    def _digests(self, dtype: np.dtype[Any]) -> Iterable[bytes]:
        """Return the sha256 of each member's values; those taken while the file was checked, where they are its own."""
        first = self.shards[0]
        if len(self.shards) == 1 and first.whole and first.known is not None:
            return first.known.digests

        def look(index: int) -> bytes:
            digest = hashlib.sha256()
            for shard in self.shards:
                for start, stop in shard.chunks(0, shard.samples):
                    stored = shard.member(index, start, stop)
                    digest.update(stored_bytes(stored, stored, shard.kind, dtype))
                shard.release()
            return digest.digest()

        return in_threads(look, range(self.members), large=first.large)


def require_predictions(value: object) -> None:
    """Raise unless the value is `Predictions`, with a word on how to get them."""
    remedy = "read_predictions reads files, Predictions.from_arrays takes arrays"
    require_type("predictions", value, Predictions, remedy)


def _shard(probs: Any, votes: Any, mask: Any) -> Shard:
    if (probs is None) == (votes is None):
        got = "neither" if probs is None else "both"
        raise InputError(f"predictions: either probs or votes is required, got {got}")
    argument = "votes" if probs is None else "probs"
    values = checks.as_member_arrays(argument, votes if probs is None else probs)
    layout, ranks = ("(M, n)", (2,)) if probs is None else ("(M, n, C) or (M, n)", (2, 3))
    checks.require_shape(argument, values, ranks, layout)
    shape = checks.values_shape(values)
    kind = "votes" if probs is None else ("binary" if len(shape) == 2 else "probs")
    return Shard(kind, values, checks.check_mask(mask, shape[0], shape[1]))


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


def _require_same_members(first: Predictions, part: Predictions, index: int) -> None:
    def fail(what: str, one: object, other: object) -> None:
        raise InputError(f"shards: shard 0 and shard {index} differ in {what}: {one} and {other}")

    if part.members != first.members:
        fail("members", first.members, part.members)
    if part.shards[0].kind != first.shards[0].kind:
        fail("kind", first.shards[0].kind, part.shards[0].kind)
    if first.has_probs and part.classes != first.classes:
        fail("classes", first.classes, part.classes)
    if (part.labels is None) != (first.labels is None):
        fail("labels", *("absent" if p.labels is None else "present" for p in (first, part)))
    for what in ("run", "step"):
        if not np.array_equal(getattr(first, what), getattr(part, what)):
            fail(what, getattr(first, what), getattr(part, what))
    for one, other in zip(first.names, part.names):
        if one != other:
            fail("names", one, other)


def _given(array: NDArray[Any] | None) -> NDArray[Any]:
    assert array is not None
    return array
