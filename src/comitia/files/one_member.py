"""Columns that together are the probabilities of one member, and would count as several members otherwise."""

from collections.abc import Iterator, Sequence

import numpy as np

from comitia._checks import SUM_TOLERANCE
from comitia._errors import InputError
from comitia.files.gathered import sorted_classes
from comitia.files.patterns import JOINTS, suspects
from comitia.files.sheets import Sheet

#: Sums of so many rows are no chance.
TELLING_ROWS = 10


def refuse_split_members(sheet: Sheet, known: Sequence[str], explicit: bool) -> None:
    """Raise where columns such as `rf_cat`, `rf_dog` are the probabilities of one member.

    Told by their names, unless the user named the members; or, whatever their names, because they sum to 1 in every
    row. Two members of which one is the complement of the other would make no sense.
    """
    if not explicit:
        _refuse_names(sheet, known)
    columns = [place for place in range(len(sheet.store.names)) if _is_number(sheet, place)]
    if sheet.table.rows < TELLING_ROWS or not any(sheet.store.kinds[k] == "numbers" for k in columns):
        return
    for pattern, places in _together(sheet.store.names, columns):
        if len(places) > 1 and _sum_to_one(sheet, places):
            shown = _shown([sheet.store.names[place] for place in places])
            remedy = (
                f"pattern='{pattern}' reads them so, with the classes named as in the labels"
                if pattern
                else "name them 'member:class'"
            )
            raise InputError(
                f"{sheet.table.source}: columns {shown} sum to 1 in every row, so they look like probabilities per "
                f"class of one member; {remedy}"
            )


def _refuse_names(sheet: Sheet, known: Sequence[str]) -> None:
    store = sheet.store
    found = suspects(store.names, sorted_classes(known))
    if found is None or not all(_is_number(sheet, place) for place in found[1]):
        return
    sign, places = found
    numbered = all(word.lstrip("-").isdigit() for word in known)
    if numbered and not _sum_to_one(sheet, places):
        return  # m_0 and m_1 are two members
    raise InputError(
        f"{store.source}: columns {_shown([store.names[place] for place in places])} look like probabilities per "
        f"class of one member; pattern='{{member}}{sign}{{class}}' reads them so, members= names the members"
    )


def _shown(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:4]) + (", …" if len(names) > 4 else "")


def _is_number(sheet: Sheet, place: int) -> bool:
    return sheet.store.numeric[place] and sheet.store.kinds[place] in ("classes", "numbers")


def _together(names: Sequence[str], columns: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield columns that may belong to one member, with the pattern of their names: a common start or end, or all."""
    for sign in f":{JOINTS}":
        starts: dict[str, list[int]] = {}
        ends: dict[str, list[int]] = {}
        for place in columns:
            if sign in names[place]:
                starts.setdefault(names[place].rpartition(sign)[0], []).append(place)
                ends.setdefault(names[place].partition(sign)[2], []).append(place)
        yield from ((f"{{member}}{sign}{{class}}", places) for places in starts.values())
        yield from ((f"{{class}}{sign}{{member}}", places) for places in ends.values())
    yield "", list(columns)


def _sum_to_one(sheet: Sheet, places: Sequence[int]) -> bool:
    """Whether they do wherever no cell is empty, and are not all the same in every row."""
    store = sheet.store
    some = [place for place in places if store.kinds[place] == "numbers"]
    if not some or sum(float(store.as_numbers(place)[0]) for place in some) > 1 + SUM_TOLERANCE:
        return False
    whole = np.ones(store.rows, bool) if store.missing is None else ~store.missing[list(places)].any(axis=0)
    total, varied = np.zeros(int(whole.sum())), False
    for place in places:
        values = store.as_numbers(place)[whole].astype(np.float64)
        varied = varied or bool((values != values[:1]).any())
        total += values
    return varied and bool((np.abs(total - 1) <= SUM_TOLERANCE).all())
