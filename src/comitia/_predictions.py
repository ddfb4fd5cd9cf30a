"""What the members of an ensemble predict on the hold-out: checked at the door, read in blocks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import _checks as checks
from comitia._arrays import check_arrays
from comitia._errors import InputError, require_type
from comitia._members import matched_by_order, names_for, numbered
from comitia._samples import Groups, check_ids, check_strata
from comitia._shards import Shard, freeze


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

    Made by `from_arrays`, which checks everything. Values where the mask is False, or where a member abstained,
    are never looked at and read as zero. `named` says whether the names were given, or follow from runs and steps;
    `declared` whether those of the classes were. `strata` are further facts of the samples, such as a site, by name:
    promises can be asked for each of their values. They are not part of the fingerprint.

    >>> predictions = Predictions.from_arrays(votes=[[0, 1, 1], [0, 0, 2]], labels=[0, 1, 2])
    >>> predictions.members, predictions.samples, predictions.classes, predictions.names
    (2, 3, 3, ('member 0', 'member 1'))
    """

    shards: tuple[Shard, ...] = field(repr=False)
    class_names: tuple[str, ...]
    labels: NDArray[np.int64] | None = field(repr=False)
    run: NDArray[np.int64] | None = field(repr=False)
    step: NDArray[np.int64] | None = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    named: bool = field(repr=False, default=True)
    declared: bool = field(repr=False, default=False)
    groups: Groups | None = field(repr=False, default=None)
    folds: Groups | None = field(repr=False, default=None)
    ids: NDArray[np.str_] | None = field(repr=False, default=None)
    strata: Mapping[str, Groups] = field(repr=False, default_factory=dict)

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
        classes: int | Sequence[str] | NDArray[np.str_] | None = None,
        groups: ArrayLike | Groups | None = None,
        folds: ArrayLike | Groups | None = None,
        ids: ArrayLike | None = None,
        abstained: ArrayLike | None = None,
        strata: Mapping[str, ArrayLike | Groups] | None = None,
    ) -> "Predictions":
        """Return the checked predictions of those arrays; memory-mapped arrays stay on disk.

        Parameters
        ----------
        probs : (M, n, C), or (M, n) = probability of class 1 of two; or a tuple of one array per member
        votes : (M, n) classes, in place of `probs`: numbers or texts
        labels : (n,) classes; needed for everything but `predict`
        mask : (M, n) bool, True where the sample is hold-out for that member
        run, step : (M,) integers: which training run, which checkpoint
        names : M different texts
        classes : the names of the classes in the order of their numbers, or how many there are, where votes and
            labels do not show all of them
        groups : (n,) texts or integers: samples of one group are not independent of each other
        folds : (n,) texts or integers of an out-of-fold table: which samples were predicted by models that did not
            see them, but saw the others; they choose weights and certify nothing
        ids : (n,) different texts
        abstained : (M, n) bool, True where the member gave no answer (its vote or probability is ignored)
        strata : by name, (n,) texts or integers: what else is known of each sample, for promises `per` its values
        """
        found = check_arrays(probs, votes, labels, mask, abstained, classes)
        members, samples = len(found.shard.values), found.shard.samples
        runs, steps = checks.check_integers("run", run, members), checks.check_integers("step", step, members)
        given = checks.check_names(names, members)
        texts = given or names_for(members, runs, steps)
        named = given is not None or not numbered(texts)
        return Predictions(
            (found.shard,),
            found.class_names,
            found.labels,
            runs,
            steps,
            texts,
            named,
            found.declared,
            Groups.of("groups", groups, samples),
            Groups.of("folds", folds, samples),
            check_ids(ids, samples),
            check_strata(strata, samples),
        )

    @staticmethod
    def concatenate(parts: Sequence["Predictions"]) -> "Predictions":
        """Return the same members on the samples of all parts, in that order."""
        from comitia._joining import concatenated

        return concatenated(parts)

    def recoded(self, class_names: Sequence[str]) -> "Predictions":
        """Return the same predictions with their classes numbered as those names, which must include all that occur."""
        from comitia._joining import recoded

        return recoded(self, tuple(class_names))

    @property
    def members(self) -> int:
        """M, the number of members."""
        return len(self.names)

    @property
    def classes(self) -> int:
        """C, the number of classes."""
        return len(self.class_names)

    @property
    def abstains(self) -> bool:
        """Whether some member gave no answer somewhere."""
        return any(shard.abstained is not None for shard in self.shards)

    @property
    def precision(self) -> str | None:
        """The type in which probabilities are stored, the coarsest of all shards; None for votes."""
        if not self.has_probs:
            return None
        stored = {part.dtype for shard in self.shards for part in shard.values}
        return min(stored, key=lambda dtype: dtype.itemsize).name

    @property
    def units(self) -> int:
        """How many independent draws there are: groups where there are any, else samples."""
        return self.samples if self.groups is None else self.groups.count

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
                votes = shard.votes(start, stop, self.classes)
                block = Block(offset + start, None, votes, labels, shard.masked(start, stop))
                yield block, shard, start, stop
            offset += shard.samples

    def votes(self) -> NDArray[Any]:
        """Return the members' classes, (M, n), in the smallest unsigned integer; C where one gave no answer."""
        parts = [shard.votes(0, shard.samples, self.classes) for shard in self.shards]
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
        return replace(
            self,
            shards=tuple(shards),
            labels=None if self.labels is None else self.labels[wanted],
            groups=None if self.groups is None else self.groups.take(wanted),
            folds=None if self.folds is None else self.folds.take(wanted),
            ids=None if self.ids is None else self.ids[wanted],
            strata={name: known.take(wanted) for name, known in self.strata.items()},
        )

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
        from comitia._fingerprint import fingerprint

        return fingerprint(self)

    def abstained(self) -> NDArray[np.bool_] | None:
        """Return, as (M, n), where members gave no answer; None where all did."""
        if not self.abstains:
            return None
        return np.concatenate([shard.silent(0, shard.samples) for shard in self.shards], axis=1)

    def require_unchanged(self) -> None:
        """Raise if a file was written to since it was read: votes, probabilities and checksum would not agree."""
        for shard in self.shards:
            if shard.known is not None and shard.known.stamps != shard.stamps():
                raise InputError(f"{next(iter(shard.known.stamps))}: changed while it was read; run it again")


def require_predictions(value: object) -> None:
    """Raise unless the value is `Predictions`, with a word on how to get them."""
    remedy = "read_predictions reads files, Predictions.from_arrays takes arrays"
    require_type("predictions", value, Predictions, remedy)
