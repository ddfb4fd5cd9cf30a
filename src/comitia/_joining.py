"""The same members on the samples of several parts, and the same predictions with their classes numbered otherwise."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import both_classes
from comitia._classes import are_numbers, merged, numbered_classes, ordered
from comitia._errors import InputError
from comitia._members import positions
from comitia._predictions import Predictions
from comitia._samples import Groups, check_ids, joined_strata


def concatenated(parts: Sequence[Predictions]) -> Predictions:
    """Return the same members on the samples of all parts, in that order."""
    if not parts:
        raise InputError("shards: at least one is required, got none")
    parts = _of_one_kind(parts)
    for index, part in enumerate(parts[1:], start=1):
        _require_same_members(parts[0], part, index)
    known, declared = _all_classes(parts)
    same = [recoded(part, known) for part in parts]
    labels = [part.labels for part in same if part.labels is not None]
    return replace(
        same[0],
        declared=declared,
        shards=tuple(shard for part in same for shard in part.shards),
        labels=np.concatenate(labels) if labels else None,
        groups=Groups.joined([part.groups for part in same], "groups"),
        folds=Groups.joined([part.folds for part in same], "folds"),
        ids=_all_ids(same),
        strata=joined_strata([part.strata for part in same]),
    )


def _of_one_kind(parts: Sequence[Predictions]) -> Sequence[Predictions]:
    """Return the parts, probabilities of class 1 as those of both where a part abstains: it has both."""
    if not any(part.abstains for part in parts):
        return parts
    return [_rebuilt(part, probs=_widened(part)) if _is_binary(part) else part for part in parts]


def _is_binary(part: Predictions) -> bool:
    return part.shards[0].kind == "binary"


def _widened(part: Predictions) -> NDArray[Any]:
    """Return the probabilities (M, n, 2) of both classes, in the stored precision."""
    found = [np.stack([both_classes(row) for row in shard.piece(0, shard.samples)]) for shard in part.shards]
    return np.concatenate(found, axis=1)


def _all_classes(parts: Sequence[Predictions]) -> tuple[tuple[str, ...], bool]:
    """Return the classes of all parts, and whether they have names: as if all samples were in one part.

    Those of the first part where it has all of them, else all in order.
    """
    named = [part for part in parts if part.declared]
    if 0 < len(named) < len(parts) and not parts[0].has_probs:
        return _named_and_numbered(parts)
    known = parts[0].class_names
    for part in parts[1:]:
        known = merged(known, part.class_names)
    return known if known == parts[0].class_names else ordered(known), bool(named)


def _named_and_numbered(parts: Sequence[Predictions]) -> tuple[tuple[str, ...], bool]:
    """Return the same of votes that have names in some parts and numbers in others; names must be numbers too."""
    names = {name for part in parts if part.declared for name in part.class_names}
    seen = {name for part in parts if not part.declared for name in occurring(part)}
    if not are_numbers([*names]):
        raise InputError("shards: some name their classes and some number them; name them in all, or in none")
    if "0" in seen and min(map(int, names)) > 0:
        # without a 0, numbers were taken for names; with it they count from 0
        return numbered_classes(1 + max(map(int, names | seen))), False
    first = parts[0]
    return (
        first.class_names
        if first.declared and seen <= names == {*first.class_names}
        else ordered([*names, *seen])
    ), True


def occurring(predictions: Predictions) -> tuple[str, ...]:
    """Return the names of the classes that a vote or a label is of; all of those that have probabilities.

    >>> occurring(Predictions.from_arrays(votes=[[1, 3]], labels=[1, 1], classes=5))
    ('1', '3')
    """
    if predictions.has_probs:
        return predictions.class_names
    found = np.zeros(predictions.classes + 1, bool)  # the last: no answer
    if predictions.labels is not None:
        found[predictions.labels] = True
    for block in predictions.vote_blocks():
        found[block.votes if block.mask is None else block.votes[block.mask]] = True
    return tuple(predictions.class_names[code] for code in np.flatnonzero(found[:-1]))


def _all_ids(parts: Sequence[Predictions]) -> NDArray[np.str_] | None:
    known = [part.ids for part in parts if part.ids is not None]
    if len(known) < len(parts):
        return None
    return check_ids(np.concatenate(known), sum(part.samples for part in parts))


def recoded(predictions: Predictions, class_names: tuple[str, ...]) -> Predictions:
    """Return the same predictions with their classes numbered as those names, which must include all that occur.

    Votes keep their numbers where the names only go on; else all values are copied.

    >>> two = Predictions.from_arrays(votes=[["a", "b"]], labels=["b", "b"])
    >>> recoded(two, ("b", "c", "a")).votes().tolist()
    [[2, 0]]
    """
    own = predictions.class_names
    if own == class_names:
        return predictions
    if not predictions.has_probs and class_names[: len(own)] == own:
        return replace(predictions, class_names=class_names)
    table = _places(predictions, class_names)
    truth = None if predictions.labels is None else table[predictions.labels]
    if predictions.has_probs:
        probs = _moved(predictions, table, len(class_names))
        return _rebuilt(predictions, probs=probs, labels=truth, classes=class_names)
    votes = np.append(table, 0)[predictions.votes()]
    return _rebuilt(predictions, votes=votes, labels=truth, classes=class_names)


def _places(predictions: Predictions, class_names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return, as (C,), the place of each class among the names; any for a class that does not occur."""
    place = {name: code for code, name in enumerate(class_names)}
    missing = [name for name in predictions.class_names if name not in place]
    for name in occurring(predictions) if missing else ():
        if name not in place:
            raise InputError(f"classes: '{name}' occurs and is not among them; name all classes")
    return np.array([place.get(name, 0) for name in predictions.class_names])


def _rebuilt(predictions: Predictions, **changed: Any) -> Predictions:
    """Return predictions of other values, and all else that is known of these."""
    known = {
        "labels": predictions.labels,
        "mask": predictions.mask(),
        "run": predictions.run,
        "step": predictions.step,
        "names": predictions.names if predictions.named else None,
        "classes": predictions.class_names if predictions.declared else None,
        "groups": predictions.groups,
        "folds": predictions.folds,
        "ids": predictions.ids,
        "strata": predictions.strata,
        "abstained": predictions.abstained(),
    }
    return Predictions.from_arrays(**{**known, **changed})


class Known(Protocol):
    """Members and classes that others are brought into line with."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def class_names(self) -> tuple[str, ...]: ...
    @property
    def declared(self) -> bool: ...


def aligned(extra: Predictions, known: Known, argument: str) -> Predictions:
    """Return further predictions with their members in the order of the known ones, found by their names.

    Where one side has no names they must be in that order already. Classes are numbered as those of the known ones.

    >>> known = Predictions.from_arrays(votes=[[0], [1]], labels=[0], names=["a", "b"])
    >>> aligned(Predictions.from_arrays(votes=[[1], [1]], names=["b", "a"]), known, "certify").names
    ('a', 'b')
    """
    order = positions(extra.names, extra.named, known.names, argument)
    moved = order != list(range(extra.members))
    return with_classes(extra.pick(order) if moved else extra, known.class_names, known.declared)


def with_classes(predictions: Predictions, known: tuple[str, ...], declared: bool) -> Predictions:
    """Return the predictions with their classes numbered as the known ones, new ones after them.

    Classes are matched by name, votes by their number where the others are numbers too. Where one side has no names
    for them, and as many classes, they are matched by order.
    """
    own = predictions.class_names
    if own == known:
        return predictions
    if predictions.declared != declared and len(own) == len(known) and _by_order(predictions, known):
        return replace(predictions, class_names=known, declared=declared)
    if predictions.has_probs and set(own) != set(known):
        raise InputError(
            f"classes: must be {', '.join(known)}, got {', '.join(own)}; give probabilities of all of them"
        )
    more = own if set(own) <= set(known) else occurring(predictions)
    return recoded(predictions, merged(known, more))


def _by_order(predictions: Predictions, known: tuple[str, ...]) -> bool:
    """Return whether classes are matched by order, one side having no names; labels that could be either raise."""
    own, labels = predictions.class_names, predictions.labels
    numbers = are_numbers(known if not predictions.declared else own)
    if not predictions.has_probs:
        return not numbers
    if set(own) <= set(known):
        return False
    if numbers and not predictions.declared and labels is not None and 0 not in labels:
        raise InputError(
            f"labels: cannot be told to count from 0 or from {known[0]}, the first of the known classes; name the "
            "classes in order with classes"
        )
    return True


def _moved(predictions: Predictions, table: NDArray[np.int64], classes: int) -> NDArray[Any]:
    """Return the probabilities (M, n, C) with the columns in their new places, zero for classes without one."""
    dtype = np.result_type(*(part.dtype for shard in predictions.shards for part in shard.values))
    found = np.zeros((predictions.members, predictions.samples, classes), dtype)
    for block in predictions.blocks():
        assert block.probs is not None
        found[:, block.start : block.start + block.probs.shape[1], table] = block.probs
    return found


def _require_same_members(first: Predictions, part: Predictions, index: int) -> None:
    def fail(what: str, one: object, other: object) -> None:
        raise InputError(f"shards: shard 0 and shard {index} differ in {what}: {one} and {other}")

    if part.members != first.members:
        fail("members", first.members, part.members)
    if part.shards[0].kind != first.shards[0].kind:
        fail("kind", first.shards[0].kind, part.shards[0].kind)
    if first.has_probs and set(part.class_names) != set(first.class_names):
        fail("classes", _shown(first), _shown(part))
    if (part.labels is None) != (first.labels is None):
        fail("labels", *("absent" if p.labels is None else "present" for p in (first, part)))
    for what in ("run", "step"):
        if not np.array_equal(getattr(first, what), getattr(part, what)):
            fail(what, getattr(first, what), getattr(part, what))
    for one, other in zip(first.names, part.names):
        if one != other:
            fail("names", one, other)


def _shown(predictions: Predictions) -> str:
    return ", ".join(predictions.class_names) if predictions.declared else str(predictions.classes)
