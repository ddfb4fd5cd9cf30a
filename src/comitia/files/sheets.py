"""One table read: the columns of its members, its labels, ids, groups and folds."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.files.long_roles import hints_at_long
from comitia.files.roles import Roles, TableOptions, roles_by_name
from comitia.files.scan import Opened
from comitia.files.silences import Silences
from comitia.files.store import Store


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of some samples: codes into `words`; `name` is what messages call them.

    From a file of their own they may have `ids`, and there may be `others`, columns that were not read.
    """

    name: str
    codes: NDArray[Any]
    words: tuple[str, ...]
    numeric: bool = True
    ids: tuple[str, ...] | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table that was read: its roles (members = columns), what the columns hold, labels and texts per sample.

    `known`: the classes are known from elsewhere. `declined` are cells, (M, n), that say that there is no answer; they
    are among the missing ones of the store. `notes` are what is found while the table is read.
    """

    table: Opened
    roles: Roles
    store: Store
    labels: Labels | None
    texts: dict[str, NDArray[np.str_]]
    strata: dict[str, NDArray[np.str_]]
    known: bool = False
    declined: NDArray[np.bool_] | None = None
    notes: list[str] = field(default_factory=list)

    def row(self, sample: int) -> int:
        """Return the number that a sample has in messages."""
        return sample + self.table.first_row


def read_sheet(table: Opened, options: TableOptions, labels: Labels | None = None) -> Sheet:
    """Read a table once, with its own labels or those given."""
    roles = roles_by_name(table.source, table.names, options, labels is not None)
    store = Store(table.source, roles.members, table.rows)
    truth = None if roles.label is None else Store(table.source, [roles.label], table.rows)
    extras = {role: name for role in ("id", "group", "fold") if (name := getattr(roles, role)) is not None}
    own_label = [] if roles.label is None else [roles.label]
    wanted = dict.fromkeys([*roles.members, *own_label, *extras.values(), *roles.strata])
    texts: dict[str, list[str]] = {role: [] for role in extras}
    facts: dict[str, list[str]] = {name: [] for name in roles.strata}
    start, silences = 0, Silences(options.abstain, roles.members, table.rows)
    for batch in table.batches(list(wanted)):
        store.add(silences.taken_out(batch, start), start)
        if truth is not None:
            truth.add(batch, start)
        for role, name in extras.items():
            texts[role] += batch[name].texts()
        for name, cells in facts.items():
            cells += batch[name].texts()
        start += len(next(iter(batch.values())).values)
    for role, name in extras.items():
        _require_filled(table, role, name, texts[role])
    for name, cells in facts.items():
        _require_filled(table, "value", name, cells)
    if roles.id is not None:
        _require_distinct(table, roles.id, texts["id"])
    own = None if truth is None else labels_of(truth, table.first_row)
    known = own if labels is None else _joined(table, labels, texts.get("id"))
    own_texts, strata = ({key: np.array(cells) for key, cells in some.items()} for some in (texts, facts))
    found = silences.found()
    return Sheet(table, roles, store, known, own_texts, strata, bool(options.known), found)


def labels_of(store: Store, first_row: int) -> Labels:
    """Return the labels in a store of one column, all of which must be classes."""
    where, name = f"{store.source}: column '{store.names[0]}'", store.names[0]
    if store.failed[0] >= 0:
        raise InputError(
            f"{where}, row {store.failed[0] + first_row} holds NaN or an infinity; fix that label (a sample "
            "left out for it would bias every certificate)"
        )
    if store.missing is not None:
        row = int(store.missing[0].argmax()) + first_row
        raise InputError(
            f"{where}, row {row} is empty (NA, N/A, null and None are too); fix that label or drop the row"
        )
    if store.kinds[0] == "numbers":
        numbers = store.as_numbers(0)
        shown = numbers[numbers != np.floor(numbers)][0]
        raise InputError(
            f"{where} holds {shown:g}, not a class; label= says which column holds the labels, target='{name}' that "
            "members predict such numbers"
        )
    if store.kinds[0] != "classes":
        raise InputError(f"{where} holds no classes; label= says which column holds the labels")
    return Labels(name, store.codes[0], tuple(store.words(0)), store.numeric[0])


def _require_filled(table: Opened, role: str, name: str, cells: list[str]) -> None:
    if "" in cells:
        raise InputError(
            f"{table.source}: column '{name}', row {cells.index('') + table.first_row} is empty; every sample needs "
            f"{'an id' if role == 'id' else f'a {role}'}"
        )


def _require_distinct(table: Opened, name: str, ids: list[str]) -> None:
    seen: dict[str, int] = {}
    for sample, text in enumerate(ids):
        if text in seen:
            rows = f"rows {seen[text] + table.first_row} and {sample + table.first_row}"
            raise InputError(
                f"{table.source}: '{text}' of column '{name}' occurs twice ({rows}); give each sample once, or "
                f"group='{name}' if samples belong together{_or_long(table)}"
            )
        seen[text] = sample


def _or_long(table: Opened) -> str:
    hint = hints_at_long(table.names)
    return "" if hint is None else f"; {hint}"


def _joined(table: Opened, labels: Labels, ids: list[str] | None) -> Labels:
    """The labels of another file in the order of the table: by id where both have it."""
    if ids is None or labels.ids is None:
        shared = next((name for name in labels.others if name in table.names), None)
        if shared is not None:
            raise InputError(
                f"{labels.name}: has a column '{shared}' as {table.source} has; id='{shared}' finds the labels by it "
                "(leave it out of one file if their rows are in the same order)"
            )
        if len(labels.codes) != table.rows:
            word = "long" if len(labels.codes) > table.rows else "short"
            raise InputError(
                f"{labels.name}: too {word}, {len(labels.codes):,} labels for {table.rows:,} samples; give one per "
                "sample, or id= names the column that both files have"
            )
        return labels
    places = _places_of(labels)
    lacking = next((text for text in ids if text not in places), None)
    if lacking is not None:
        raise InputError(f"{labels.name}: has no label for '{lacking}' of {table.source}; add it")
    codes = labels.codes[np.array([places[text] for text in ids])]
    used, found = np.unique(codes, return_inverse=True)  # classes of other samples are no classes here
    return Labels(labels.name, found, tuple(labels.words[code] for code in used.tolist()), labels.numeric)


def _places_of(labels: Labels) -> dict[str, int]:
    """Return where the label of each id stands; two different labels of one id are an error."""
    assert labels.ids is not None
    places: dict[str, int] = {}
    for place, text in enumerate(labels.ids):
        first = places.setdefault(text, place)
        if labels.codes[first] != labels.codes[place]:
            one, other = (labels.words[labels.codes[k]] for k in (first, place))
            raise InputError(f"{labels.name}: '{text}' has the labels '{one}' and '{other}'; give it one")
    return places
