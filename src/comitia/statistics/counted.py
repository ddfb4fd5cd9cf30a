"""What was counted of a shard of hold-out predictions: all that weighing needs, small, and made to be added up."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._classes import joined, ordered
from comitia._errors import InputError, require_type
from comitia._members import positions
from comitia._predictions import Predictions
from comitia._shards import freeze
from comitia.statistics.counts import Counts

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counted:
    """The exact counts of hold-out predictions, in place of them; made by `comitia.count` and added with `+`.

    Counts of shards add up to those of all their samples, to the last digit. Members and classes are matched by name.
    Samples that were counted before are refused where whole parts are given again. Parts that overlap otherwise cannot
    be told from counts: give each sample once.

    Attributes
    ----------
    names, named, run, step, class_names, declared : members and classes, as in `Predictions`
    samples : n, how many samples were counted
    counts : errors of members and pairs
    answers : (M, C) how often each member answers each class
    label_counts : (C,) how many samples are of each class
    folds : the folds that the samples are of, if they are out-of-fold: they choose weights and certify nothing
    parts : SHA-256 of each part that was counted, sorted

    >>> from comitia import Predictions, count
    >>> one = count(Predictions.from_arrays(votes=[[0, 1, 1], [0, 0, 1]], labels=[0, 1, 1]))
    >>> two = count(Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 0]))
    >>> (one + two).samples, (one + two).counts.errors.tolist()
    (5, [1, 3])
    """

    names: tuple[str, ...]
    named: bool
    run: Integers | None
    step: Integers | None
    class_names: tuple[str, ...]
    declared: bool
    samples: int
    counts: Counts
    answers: Integers
    label_counts: Integers
    folds: tuple[str, ...] | None
    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        own = (getattr(self.counts, entry.name) for entry in fields(self.counts))
        freeze(self.run, self.step, self.answers, self.label_counts, *own)

    @property
    def members(self) -> int:
        """M, the number of members."""
        return len(self.names)

    @property
    def classes(self) -> int:
        """C, the number of classes."""
        return len(self.class_names)

    @property
    def shared(self) -> bool:
        """Whether every sample is hold-out for every member."""
        return self.counts.pair_samples is None

    @property
    def abstains(self) -> bool:
        """Whether some member gave no answer somewhere."""
        return self.counts.co_silences is not None

    def __add__(self, other: "Counted") -> "Counted":
        return Counted.total([self, other])

    @staticmethod
    def total(parts: "Iterable[Counted]", places: Sequence[str] = ()) -> "Counted":
        """Return the counts of all parts together, members in the order of the first.

        `places` are what messages call the parts, such as their files.
        """
        given = list(parts)
        if not given:
            raise InputError("counts: at least one part is required, got none")
        names = list(places) or [f"part {index}" for index in range(len(given))]
        for place, part in zip(names, given):
            require_type(place, part, Counted, "comitia.count makes them, read_counts reads them")
        _refuse_twice(given, names)
        _require_folds(given, names)
        classes, declared = joined([(part.class_names, part.declared) for part in given])
        same = [given[0].recoded(classes)]
        same += [
            _aligned(part, given[0], names[i], names[0]).recoded(classes)
            for i, part in enumerate(given[1:], 1)
        ]
        return replace(_sum(same), declared=declared)

    def recoded(self, class_names: tuple[str, ...]) -> "Counted":
        """Return the same counts with their classes numbered as those names, which must include their own."""
        if self.class_names == class_names:
            return self
        place = [class_names.index(name) for name in self.class_names]
        answers = np.zeros((self.members, len(class_names)), np.int64)
        labels = np.zeros(len(class_names), np.int64)
        answers[:, place], labels[place] = self.answers, self.label_counts
        return replace(self, class_names=class_names, answers=answers, label_counts=labels)

    def pick(self, members: Sequence[int] | Integers) -> "Counted":
        """Return the counts of those members, in that order."""
        wanted = np.array(members, dtype=np.int64)
        return replace(
            self,
            names=tuple(self.names[index] for index in wanted),
            run=None if self.run is None else self.run[wanted],
            step=None if self.step is None else self.step[wanted],
            counts=self.counts.pick(wanted),
            answers=self.answers[wanted],
        )

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of all sums, the same however the samples were sharded before they were counted."""
        named = self.class_names if self.declared else self.classes
        text = json.dumps(["comitia counts 1", self.members, self.samples, named, self.folds])
        digest = hashlib.sha256(text.encode())
        for name, array in self.arrays().items():
            digest.update(name.encode() + np.ascontiguousarray(array, dtype="<i8").tobytes())
        return digest.hexdigest()

    def arrays(self) -> dict[str, Integers]:
        """Return all integers by name, without those that are not needed."""
        own = {entry.name: getattr(self.counts, entry.name) for entry in fields(Counts)}
        found = {**own, "answers": self.answers, "labels": self.label_counts}
        return {name: array for name, array in found.items() if array is not None}

    def fault(self) -> str | None:
        """Return why these cannot be the counts of any samples, or None."""
        from comitia.statistics.count_faults import fault_of

        return fault_of(self)


#: Hold-out samples: what each member said on each of them, or the counts of it.
Holdout = Predictions | Counted


def require_holdout(value: object) -> None:
    """Raise unless the value is `Predictions` or `Counted`, with a word on how to get them."""
    if not isinstance(value, Counted):
        remedy = "read_predictions and read_counts read files, Predictions.from_arrays takes arrays"
        require_type("predictions", value, Predictions, remedy)


def _aligned(part: Counted, first: Counted, place: str, known: str) -> Counted:
    """Return the part with its members in the order of the first; other members are an error."""
    order = positions(part.names, part.named, first.names, place)
    found = part if order == list(range(part.members)) else part.pick(order)
    for what in ("run", "step"):
        one, other = getattr(first, what), getattr(found, what)
        if not np.array_equal(one, other):
            raise InputError(
                f"{place}: {what} of the members differs from {known} ({_shown(other)}, {_shown(one)})"
            )
    return found


def _shown(numbers: Any) -> str:
    return (
        "none"
        if numbers is None
        else " ".join(map(str, numbers[:6].tolist())) + (" …" if len(numbers) > 6 else "")
    )


def _refuse_twice(parts: list[Counted], places: list[str]) -> None:
    """Raise where the same part was counted twice: certificates would be too tight."""
    seen: dict[str, str] = {}
    for part, place in zip(parts, places):
        for mark in part.parts:
            if mark in seen:
                raise InputError(
                    f"{place}: holds samples that are in {seen[mark]} too (part {mark[:12]}); count each sample once "
                    "(ids tell different samples apart that got the same answers)"
                )
        seen |= dict.fromkeys(part.parts, place)


def _require_folds(parts: list[Counted], places: list[str]) -> None:
    for part, place in zip(parts, places):
        if (part.folds is None) != (parts[0].folds is None):
            raise InputError(
                f"{place}: some parts are out-of-fold and some are not ({places[0]}); add one kind at a time"
            )


def _sum(parts: list[Counted]) -> Counted:
    """Return the sum of parts of the same members and classes."""
    total = parts[0].counts
    for part in parts[1:]:
        total = total + part.counts
    folds = None if parts[0].folds is None else ordered([name for part in parts for name in part.folds or ()])
    return replace(
        parts[0],
        samples=sum(part.samples for part in parts),
        counts=total,
        answers=np.sum([part.answers for part in parts], axis=0),
        label_counts=np.sum([part.label_counts for part in parts], axis=0),
        folds=folds,
        parts=tuple(sorted(mark for part in parts for mark in part.parts)),
    )
