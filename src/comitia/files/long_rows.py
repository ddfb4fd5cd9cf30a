"""The rows of a long table as arrays of codes, and what is known of each item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, nearest
from comitia.files.columns import Column, Table, Vocabulary
from comitia.files.long_roles import Roles
from comitia.files.roles import fits, single_globs

Codes = NDArray[np.int32]
#: What is coded row by row, and what is the same in all rows of an item.
CODED, FACTS = ("item", "member", "answer", "round"), ("label", "group", "fold")


@dataclass(frozen=True, eq=False)
class Facts:
    """One fact per item, such as its label: codes into `words`, -1 where no row says it."""

    codes: Codes
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Rows:
    """A long table: one entry per row, texts as codes of the words of their role.

    `answer` is -1 where the cell is empty. `probability` and `round` are None where the table has none. `facts` are
    label, group and fold, one entry per item; `strata` are further ones, by their column.
    """

    source: str
    item: Codes
    member: Codes
    answer: Codes
    round: Codes | None
    probability: NDArray[np.float64] | None
    words: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, Facts]
    strata: Mapping[str, Facts]


def read_rows(tables: Sequence[Table], roles: Roles) -> Rows:
    """Return the rows of all tables, read in batches; labels, groups and folds must be the same in all rows of an item.

    Texts become codes batch by batch, so that a row takes 12 bytes, 4 more with a round and 8 with a probability.
    """
    gathering = _Gathering(roles)
    for table in tables:
        _require_columns(table, tables[0], roles)
        start = 0
        for batch in table.batches(roles.columns):
            start += gathering.add(batch, start, table.source)
    more = f" and {len(tables) - 1} more" if len(tables) > 1 else ""
    return gathering.rows(f"{tables[0].source}{more}")


def _require_columns(table: Table, first: Table, roles: Roles) -> None:
    lacking = next((name for name in roles.columns if name not in table.names), None)
    if lacking is not None:
        raise InputError(
            f"{table.source}: no column '{lacking}', which {first.source} has; several long tables need the same "
            "columns"
        )


class _Gathering:
    """Rows as codes, batch by batch."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        self._words = {role: Vocabulary() for role in CODED if getattr(roles, role)}
        self._known = {role: _Known(role) for role in FACTS if getattr(roles, role)}
        self._strata = {name: _Known(name) for name in roles.strata}
        self._parts: dict[str, list[NDArray[Any]]] = {role: [] for role in (*self._words, "probability")}

    def add(self, batch: Mapping[str, Column], start: int, source: str) -> int:
        """Take in a batch, the first row of which is number `start`, and return how many rows it has."""
        roles, words = self._roles, self._words
        codes = {role: words[role].codes(batch[getattr(roles, role)]) for role in words}
        _require_filled(codes, roles, start, source)
        for role, facts in self._known.items():
            facts.add(codes["item"], batch[getattr(roles, role)], words["item"], source)
        for name, facts in self._strata.items():
            facts.add(codes["item"], batch[name], words["item"], source)
        for role, some in codes.items():
            self._parts[role].append(some)
        if roles.probability is not None:
            self._parts["probability"].append(_shares(batch, roles.probability, codes, start, source))
        return len(codes["item"])

    def rows(self, source: str) -> Rows:
        """Return all rows; there must be some."""
        if not any(len(part) for part in self._parts["item"]):
            raise InputError(f"{source}: holds no rows; one row per item and member is required")
        whole = {role: np.concatenate(some) for role, some in self._parts.items() if some}
        self._parts.clear()
        texts = {role: tuple(found.words) for role, found in self._words.items()}
        facts = {role: known.facts(len(texts["item"])) for role, known in self._known.items()}
        return Rows(
            source,
            whole["item"],
            whole["member"],
            whole["answer"],
            whole.get("round"),
            whole.get("probability"),
            texts,
            facts,
            {name: known.facts(len(texts["item"])) for name, known in self._strata.items()},
        )


def keep_members(rows: Rows, wanted: Sequence[str], ignored: Sequence[str]) -> Rows:
    """Return the rows of the members that match a glob of `wanted` (all, without one) and none of `ignored`.

    Items stay, whoever answered them: which samples there are does not depend on who is asked.
    """
    names = rows.words["member"]
    wanted, ignored = (single_globs(given, names) for given in (wanted, ignored))
    for glob in wanted:
        if not any(fits(name, glob) for name in names):
            raise InputError(f"{rows.source}: no member matches members='{glob}'{nearest(glob, names)}")
    keep = np.array(
        [
            (not wanted or any(fits(name, glob) for glob in wanted))
            and not any(fits(name, glob) for glob in ignored)
            for name in names
        ]
    )
    if keep.all():
        return rows
    if not keep.any():
        raise InputError(f"{rows.source}: no member is left; members= or ignore= leave all of them out")
    places = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    there = keep[rows.member]
    return replace(
        rows,
        item=rows.item[there],
        member=places[rows.member[there]],
        answer=rows.answer[there],
        round=None if rows.round is None else rows.round[there],
        probability=None if rows.probability is None else rows.probability[there],
        words={**rows.words, "member": tuple(name for name, kept in zip(names, keep) if kept)},
    )


def read_labels_of(table: Table, item: str, label: str, items: tuple[str, ...]) -> tuple[Facts, int]:
    """Return the labels of those items from a table of their own, and how many other items it labels."""
    names = Vocabulary()
    names.codes(Column(np.arange(len(items)), items))
    known, start = _Known("label"), 0
    for batch in table.batches((item, label)):
        codes = names.codes(batch[item])
        _refuse_empty(codes, item, start, table.source)
        here = codes < len(items)  # classes of other items are no classes here
        known.add(codes[here], batch[label].take(here), names, table.source)
        start += len(codes)
    return known.facts(len(items)), len(names) - len(items)


class _Known:
    """What the rows say of each item in one role; a word that contradicts an earlier one is an error."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._vocabulary = Vocabulary()
        self._codes: Codes = np.empty(0, np.int32)

    def add(self, items: Codes, column: Column, names: Vocabulary, source: str) -> None:
        """Take in what a batch says of those items."""
        said = self._vocabulary.codes(column)
        if len(names) > len(self._codes):
            more = max(len(names), 2 * len(self._codes)) - len(self._codes)
            self._codes = np.concatenate([self._codes, np.full(more, -1, np.int32)])
        new = (said >= 0) & (self._codes[items] < 0)
        self._codes[items[new][::-1]] = said[new][::-1]  # of several rows the first stays
        wrong = np.flatnonzero((said >= 0) & (self._codes[items] != said))
        if len(wrong):
            item, words = int(items[wrong[0]]), self._vocabulary.words
            one, other = words[self._codes[item]], words[said[wrong[0]]]
            raise InputError(
                f"{source}: item '{names.words[item]}' has the {self._role}s '{one}' and '{other}'; all rows "
                f"of an item must have the same {self._role}"
            )

    def facts(self, items: int) -> Facts:
        """Return what is known of the first so many items."""
        codes = np.full(items, -1, np.int32)
        codes[: len(self._codes)] = self._codes[:items]
        return Facts(codes, tuple(self._vocabulary.words))


def _require_filled(codes: Mapping[str, Codes], roles: Roles, start: int, source: str) -> None:
    """Raise where a row does not say of which item, member or round it is."""
    for role in codes:
        if role != "answer":
            _refuse_empty(codes[role], getattr(roles, role), start, source)


def _refuse_empty(codes: Codes, column: str, start: int, source: str) -> None:
    empty = codes < 0
    if empty.any():
        raise InputError(
            f"{source}: column '{column}' is empty in row {start + int(empty.argmax()) + 1} (without the header); "
            "fill it in or leave the row out"
        )


def _shares(
    batch: Mapping[str, Column], name: str, codes: Mapping[str, Codes], start: int, source: str
) -> NDArray[np.float64]:
    """The probabilities of a batch, 0 where there is no answer; they must be numbers from 0 to 1."""
    column = batch[name]
    if column.kind != "number":
        raise InputError(f"probability: column '{name}' of {source} must hold numbers, got {column.kind}")
    given = codes["answer"] >= 0
    values = np.where(given, column.values, 0).astype(np.float64)
    wrong = ~((values >= 0) & (values <= 1))
    if column.missing is not None:
        wrong |= given & column.missing
    if wrong.any():
        row = int(wrong.argmax())
        empty = column.missing is not None and column.missing[row]
        raise InputError(
            f"probability: must be a number from 0 to 1 wherever there is an answer, {source} has "
            f"{'none' if empty else f'{values[row]:g}'} in row {start + row + 1} (without the header) of '{name}'"
        )
    return values
