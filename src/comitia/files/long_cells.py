"""From the rows of a long table to one cell per member and item: repeated answers, abstentions, probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._checks import SUM_TOLERANCE
from comitia._errors import InputError
from comitia._shards import smallest_unsigned
from comitia._sizes import require_room
from comitia.files.long_rows import Rows

#: More cells than this do not fit into the memory of a usual machine; such a table is nearly empty.
MOST_CELLS = 2**32


@dataclass(frozen=True, eq=False)
class Cells:
    """One cell per member and item, (M, n) each: the class, whether there is one, and whether it was declined.

    `votes` are 0 where `answered` is False. `declined` cells are never answered. `probs` is (M, n, C) or None.
    """

    votes: NDArray[Any]
    answered: NDArray[np.bool_]
    declined: NDArray[np.bool_]
    probs: NDArray[np.float64] | None


def split_rounds(rows: Rows) -> Rows:
    """Return the rows with each member of each round as a member of its own, in order of first appearance."""
    if rows.round is None:
        raise InputError(
            f"{rows.source}: no column of the rounds, which rounds='members' needs; columns='round=COLUMN' names it, "
            "or call it 'round'"
        )
    pairs = rows.member.astype(np.int64) * len(rows.words["round"]) + rows.round
    found, first, place = np.unique(pairs, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(found), np.int32)
    rank[order] = np.arange(len(found), dtype=np.int32)
    members, rounds = rows.words["member"], rows.words["round"]
    names = [
        f"{members[pair // len(rounds)]} · {rounds[pair % len(rounds)]}" for pair in found[order].tolist()
    ]
    return replace(rows, member=rank[place], round=None, words={**rows.words, "member": tuple(names)})


def fill_cells(
    rows: Rows, classes: Sequence[str], abstain: Sequence[str], rounds: str | None, *, decline_empty: bool
) -> Cells:
    """Return the cells of those rows; an answer of `abstain` is declined, with `decline_empty` an empty one too.

    The same member and item twice is an error, unless `rounds` is "agree" (different answers are then declined),
    or the rows give the probability of one class each.
    """
    placed = _place(rows, classes, abstain, decline_empty)
    if rows.probability is None:
        return _voted(placed, rounds)
    if rounds == "agree":
        raise InputError(
            f"rounds: 'agree' compares answers, but {rows.source} has probabilities; use 'members', or leave the "
            "column of probabilities out"
        )
    declined = placed.codes == placed.classes
    if placed.twice and declined.any():
        raise InputError(f"abstain: with one row per class ({rows.source}) no class can be an abstention")
    probs = _of_classes(placed) if placed.twice else _of_answers(placed, declined)
    return _cells(placed, probs.argmax(axis=2), _marked(placed, declined), probs)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Rows with an answer: which, the cell of each in a flat (M · n), its class, and whether a cell has several.

    The class of an abstention is the number of classes.
    """

    rows: Rows
    there: NDArray[np.int64]
    places: NDArray[np.int64]
    codes: NDArray[Any]
    answered: NDArray[np.bool_]
    classes: int
    twice: bool


def _place(rows: Rows, classes: Sequence[str], abstain: Sequence[str], decline_empty: bool) -> _Placed:
    members, items = len(rows.words["member"]), len(rows.words["item"])
    if members * items > MOST_CELLS:
        raise InputError(
            f"{rows.source}: {members:,} members and {items:,} items make {members * items:,} cells, most of them "
            "empty; leave out members with few answers"
        )
    require_room(f"{rows.source}: a cell for each member and item", 4 * members * items)
    number = {name: code for code, name in enumerate(classes)} | dict.fromkeys(abstain, len(classes))
    # the last entry is for empty cells, whose code is -1
    empty = len(classes) if decline_empty else -1
    table = np.array([*(number.get(word, -1) for word in rows.words["answer"]), empty], np.int32)
    codes = table[rows.answer]
    there = np.flatnonzero(codes >= 0)
    places = rows.member[there].astype(np.int64) * items + rows.item[there]
    answered = np.zeros((members, items), bool)
    answered.reshape(-1)[places] = True
    twice = int(np.count_nonzero(answered)) < len(places)
    kept = codes[there].astype(smallest_unsigned(len(classes) + 1))
    return _Placed(rows, there, places, kept, answered, len(classes), twice)


def _voted(placed: _Placed, rounds: str | None) -> Cells:
    """The cells of answers without probabilities."""
    if placed.twice and rounds != "agree":
        raise InputError(_repeated(placed, rounds))
    votes = np.zeros(placed.answered.shape, placed.codes.dtype)
    votes.reshape(-1)[placed.places] = placed.codes  # the last of several stays
    differ = votes.reshape(-1)[placed.places] != placed.codes
    return _cells(placed, votes, _marked(placed, differ) | (votes == placed.classes), None)


def _marked(placed: _Placed, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return, as (M, n), the cells of the rows that are flagged."""
    found = np.zeros(placed.answered.shape, bool)
    found.reshape(-1)[placed.places[flags]] = True
    return found


def _cells(
    placed: _Placed, votes: NDArray[Any], declined: NDArray[np.bool_], probs: NDArray[np.float64] | None
) -> Cells:
    answered = placed.answered & ~declined
    classes = np.where(answered, votes, 0).astype(smallest_unsigned(placed.classes))
    return Cells(classes, answered, declined, probs)


def _repeated(placed: _Placed, rounds: str | None) -> str:
    """The message on the first member that has several answers on one item."""
    rows = placed.rows
    item, member = _first(placed, _copies(placed.places))
    found = f"{rows.source}: '{member}' has several answers on item '{item}'"
    if rounds == "members":
        return f"{found} in one round; keep one row per item, member and round"
    if rows.round is None:
        return (
            f"{found}; keep one row per item and member, rounds='agree' keeps the answers on which all rows agree and "
            "counts the others as abstentions, columns='round=COLUMN' names a column that tells them apart"
        )
    return (
        f"{found}; rounds='members' makes each round a member of its own, rounds='agree' keeps the answers on which "
        "all rounds agree and counts the others as abstentions"
    )


def _copies(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return True where a key was there before."""
    again = np.ones(len(keys), bool)
    again[np.unique(keys, return_index=True)[1]] = False
    return again


def _first(placed: _Placed, flags: NDArray[np.bool_]) -> tuple[str, str]:
    """The item and the member of the first row that is flagged."""
    rows = placed.rows
    row = placed.there[int(flags.argmax())]
    return rows.words["item"][rows.item[row]], rows.words["member"][rows.member[row]]


def _of_answers(placed: _Placed, declined: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return, as (M, n, 2), probabilities of which each row gives that of its answer; the rest is the other class's."""
    rows = placed.rows
    if placed.classes != 2:
        raise InputError(
            f"probability: {rows.source} has {placed.classes} classes and one probability per answer, so those of the "
            "others are unknown; give one row per class, or leave the column out"
        )
    assert rows.probability is not None
    shares = rows.probability[placed.there]
    below = (shares < 0.5) & ~declined
    if below.any():
        item, member = _first(placed, below)
        raise InputError(
            f"probability: must be that of the answer given, so at least 0.5 of two classes; '{member}' answers item "
            f"'{item}' with {shares[int(below.argmax())]:g} ({rows.source}); if it is that of one class, give one row "
            "per class, or leave the column out"
        )
    require_room(f"{rows.source}: a probability for each cell and class", 16 * placed.answered.size)
    probs = np.zeros((placed.answered.size, 2))
    use = ~declined
    probs[placed.places[use], placed.codes[use]] = shares[use]
    probs[placed.places[use], 1 - placed.codes[use]] = 1 - shares[use]
    return probs.reshape(*placed.answered.shape, 2)


def _of_classes(placed: _Placed) -> NDArray[np.float64]:
    """Return, as (M, n, C), probabilities of which each row gives that of one class; they must sum to 1."""
    rows, size = placed.rows, placed.classes
    assert rows.probability is not None
    require_room(f"{rows.source}: a probability for each cell and class", 8 * placed.answered.size * size)
    probs = np.zeros((placed.answered.size, size))
    probs[placed.places, placed.codes] = rows.probability[placed.there]
    again = _copies(placed.places * size + placed.codes)
    if again.any():
        item, member = _first(placed, again)
        raise InputError(
            f"{rows.source}: '{member}' has a class of item '{item}' twice; keep one row per item, member and class, "
            "or one round per member (rounds='members')"
        )
    wrong = np.abs(probs.sum(axis=1) - 1)[placed.places] > SUM_TOLERANCE
    if wrong.any():
        item, member = _first(placed, wrong)
        total = probs[placed.places[int(wrong.argmax())]].sum()
        raise InputError(
            f"{rows.source}: the probabilities of '{member}' on item '{item}' sum to {total:g}; with one row per class "
            "they must sum to 1"
        )
    return probs.reshape(*placed.answered.shape, size)
