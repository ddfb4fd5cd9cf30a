"""The same members on the samples of several parts, and the same predictions with their classes numbered otherwise."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia._classes import merged, ordered
from comitia._errors import InputError
from comitia._members import positions
from comitia._predictions import Predictions
from comitia._samples import Groups, check_ids


def concatenated(parts: Sequence[Predictions]) -> Predictions:
    """Return the same members on the samples of all parts, in that order."""
    if not parts:
        raise InputError("shards: at least one is required, got none")
    for index, part in enumerate(parts[1:], start=1):
        _require_same_members(parts[0], part, index)
    known = _all_classes(parts)
    same = [recoded(part, known) for part in parts]
    labels = [part.labels for part in same if part.labels is not None]
    return replace(
        same[0],
        shards=tuple(shard for part in same for shard in part.shards),
        labels=np.concatenate(labels) if labels else None,
        groups=Groups.joined([part.groups for part in same], "groups"),
        folds=Groups.joined([part.folds for part in same], "folds"),
        ids=_all_ids(same),
    )


def _all_classes(parts: Sequence[Predictions]) -> tuple[str, ...]:
    """Return the classes of all parts: those of the first where it has all of them, else all in order."""
    known = parts[0].class_names
    for part in parts[1:]:
        known = merged(known, part.class_names)
    return known if known == parts[0].class_names else ordered(known)


def _all_ids(parts: Sequence[Predictions]) -> NDArray[np.str_] | None:
    known = [part.ids for part in parts if part.ids is not None]
    if len(known) < len(parts):
        return None
    return check_ids(np.concatenate(known), sum(part.samples for part in parts))


def recoded(predictions: Predictions, class_names: tuple[str, ...]) -> Predictions:
    """Return the same predictions with their classes numbered as those names, which must include their own.

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
    table = np.array([class_names.index(name) for name in own])
    values: dict[str, Any]
    if predictions.has_probs:
        values = {"probs": _moved(predictions, table, len(class_names))}
    else:
        values = {"votes": np.append(table, 0)[predictions.votes()]}
    return Predictions.from_arrays(
        **values,
        labels=None if predictions.labels is None else table[predictions.labels],
        mask=predictions.mask(),
        run=predictions.run,
        step=predictions.step,
        names=predictions.names if predictions.named else None,
        classes=class_names,
        groups=predictions.groups,
        folds=predictions.folds,
        ids=predictions.ids,
        abstained=predictions.abstained(),
    )


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

    Classes are matched by name; by order where one side has only numbers for them, and as many classes.
    """
    own = predictions.class_names
    if own == known:
        return predictions
    if predictions.declared != declared and len(own) == len(known) and not set(own) <= set(known):
        return replace(predictions, class_names=known, declared=declared)
    if predictions.has_probs and set(own) != set(known):
        raise InputError(
            f"classes: must be {', '.join(known)}, got {', '.join(own)}; give probabilities of all of them"
        )
    return recoded(predictions, merged(known, own))


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
