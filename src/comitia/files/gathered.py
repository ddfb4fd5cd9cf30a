"""What was gathered from a table, whatever its layout: the one form that becomes `Predictions`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._classes import ordered
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files.roles import Roles


@dataclass(frozen=True, eq=False)
class Gathered:
    """Predictions of a table.

    Attributes
    ----------
    votes : (M, n) codes into `classes`, or None where there are probabilities
    probs : (M, n) of class 1 of two, or (M, n, C); None where there are votes
    labels : (n,) codes into `classes`, or None
    classes, names : the classes in order, the members
    missing : (M, n) True where there is no answer and the table does not say why; None where there is no such gap
    groups, folds, ids : (n,) texts, or None
    taken : what was taken as what
    source, first_row : how messages name the table and its first sample
    abstained : (M, n) True where the table says that the member declined; None where none did
    strata : (n,) texts by the name of their column, which promises are asked for by
    """

    votes: NDArray[Any] | None
    probs: NDArray[Any] | None
    labels: NDArray[np.int64] | None
    classes: tuple[str, ...]
    names: tuple[str, ...]
    missing: NDArray[np.bool_] | None
    groups: NDArray[np.str_] | None
    folds: NDArray[np.str_] | None
    ids: NDArray[np.str_] | None
    taken: Roles
    source: str
    first_row: int = 0
    abstained: NDArray[np.bool_] | None = None
    strata: Mapping[str, NDArray[np.str_]] = field(default_factory=dict)

    def predictions(self, empty: str | None) -> Predictions:
        """Return the checked predictions; `empty` says what gaps mean ("abstain" or "unseen")."""
        gaps = self.missing if self.missing is not None and bool(self.missing.any()) else None
        if gaps is not None and empty is None:
            raise InputError(self._explain_gaps(gaps))
        mask = ~gaps if gaps is not None and empty == "unseen" else None
        declined = self.abstained
        if gaps is not None and empty == "abstain":
            declined = gaps if declined is None else gaps | declined
        try:
            return self._checked(mask, declined)
        except InputError as error:
            raise InputError(f"{self.source}: {error}") from None

    def _checked(self, mask: NDArray[np.bool_] | None, declined: NDArray[np.bool_] | None) -> Predictions:
        """The one place that calls `Predictions.from_arrays` for tables."""
        self._require_answers(mask, declined)
        return Predictions.from_arrays(
            probs=self.probs,
            votes=self.votes,
            labels=self.labels,
            mask=mask,
            names=self.names,
            classes=self.classes,
            groups=self.groups,
            folds=self.folds,
            ids=self.ids,
            abstained=declined,
            strata=self.strata,
        )

    def _require_answers(self, mask: NDArray[np.bool_] | None, declined: NDArray[np.bool_] | None) -> None:
        """Raise, by name, for a member without any answer."""
        for index, name in enumerate(self.names):
            there = None if mask is None else mask[index]
            silent = None if declined is None else declined[index]
            if (there is not None and not there.any()) or (silent is not None and bool(silent.all())):
                raise InputError(
                    f"member '{name}' has no answer on any sample; ignore='{name}' leaves it out"
                )

    def _explain_gaps(self, gaps: NDArray[np.bool_]) -> str:
        sample = int(gaps.any(axis=0).argmax())
        member = self.names[int(gaps[:, sample].argmax())]
        return (
            f"{self.source}: {int(gaps.sum()):,} of {gaps.size:,} cells are empty (first: column '{member}', row "
            f"{sample + self.first_row}); empty='abstain' if the member gave no answer there, empty='unseen' if the "
            "sample is not hold-out for it"
        )


def alike(parts: Sequence[Gathered], empty: str | None) -> list[Gathered]:
    """Return the parts in one kind: where one of several abstains, all give the probabilities of both classes.

    One probability of two cannot say "no answer", and shards must be of one kind.
    """
    silent = any(part.abstained is not None for part in parts)
    silent |= empty == "abstain" and any(part.missing is not None for part in parts)
    if not silent or len(parts) == 1:
        return list(parts)
    return [part if part.probs is None else replace(part, probs=_both(part.probs)) for part in parts]


def _both(probs: NDArray[Any]) -> NDArray[Any]:
    return np.stack([1 - probs, probs], axis=-1) if probs.ndim == 2 else probs  # (M, n, C)


def sorted_classes(words: Iterable[str]) -> tuple[str, ...]:
    """Return the classes in the order of their numbers, or of their texts where one is no number.

    >>> sorted_classes(["10", "9"]), sorted_classes(["b", "10", "9"])
    (('9', '10'), ('10', '9', 'b'))
    """
    return ordered(list(words))


def at_least_two(source: str, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return those classes; of two that are told by one of them (0 and 1, false and true), both.

    >>> at_least_two("t.csv", ("1",))
    ('0', '1')
    """
    if len(classes) > 1:
        return classes
    pairs = {"0": ("0", "1"), "1": ("0", "1"), "true": ("false", "true"), "false": ("false", "true")}
    if not classes or classes[0] not in pairs:
        shown = f"'{classes[0]}'" if classes else "none"
        raise InputError(f"{source}: only one class occurs ({shown}); classes= names all of them")
    return pairs[classes[0]]


def positive_last(classes: tuple[str, ...], positive: str | None) -> tuple[str, ...]:
    """Return the two classes with the positive one last, where one was named.

    >>> positive_last(("bad", "good"), "bad")
    ('good', 'bad')
    """
    if positive is None:
        return classes
    if len(classes) != 2 or positive not in classes:
        shown = ", ".join(f"'{name}'" for name in classes[:4]) + (", …" if len(classes) > 4 else "")
        raise InputError(
            f"positive: must be one of two classes, got '{positive}', and the classes are {shown}"
        )
    return (classes[1], classes[0]) if classes[0] == positive else classes
