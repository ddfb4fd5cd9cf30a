"""Names of classes: votes and labels of any kind become the numbers 0, 1, …, and the names are kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError

#: More classes than this is a mistake (identifiers read as votes) rather than a task.
MOST_CLASSES = 65_536


def check_class_names(classes: Any) -> tuple[str, ...]:
    """Return the names of the classes as different texts, at least two.

    >>> check_class_names(["cat", "dog"])
    ('cat', 'dog')
    """
    names = tuple(str(name) for name in np.atleast_1d(np.asarray(classes)).tolist())
    if not 2 <= len(names) <= MOST_CLASSES:
        raise InputError(f"classes: must name 2 to {MOST_CLASSES:,} classes, got {len(names)}")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"classes: duplicate name '{name}'; every class needs its own")
        seen.add(name)
    return names


def ordered(names: Sequence[str]) -> tuple[str, ...]:
    """Return the different names in order: of their numbers where all are numbers, else as texts.

    >>> ordered(["10", "9", "9"]), ordered(["10", "9", "cat"])
    (('9', '10'), ('10', '9', 'cat'))
    """
    different = sorted(set(names))
    try:
        return tuple(sorted(different, key=lambda name: (float(name), name)))
    except ValueError:
        return tuple(different)


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether all names are whole numbers, written as Python writes them.

    >>> are_numbers(["-1", "10"]), are_numbers(["1", "01"])
    (True, False)
    """
    return all(name.removeprefix("-").isdecimal() and str(int(name)) == name for name in names)


def is_text(values: Any) -> bool:
    """Whether the values (an array, or one array per member) are texts."""
    first = values[0] if isinstance(values, list | tuple) and len(values) else values
    kind = np.asarray(first).dtype.kind
    return kind in "UST" or (kind == "O" and all(isinstance(cell, str) for cell in np.asarray(first).flat))


def texts_as_codes(argument: str, values: Any, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the positions of those texts among the names; an unknown text is an error."""
    array = np.asarray(values).astype(str)
    different, place = np.unique(array, return_inverse=True)
    known = {name: code for code, name in enumerate(names)}
    for text in different.tolist():
        if text not in known:
            raise InputError(f"{argument}: '{text}' is not one of the classes {_listed(names)}")
    codes = np.array([known[text] for text in different.tolist()], dtype=np.int64)
    return codes[place].reshape(array.shape)


def numbers_as_codes(values: NDArray[Any], distinct: NDArray[Any]) -> NDArray[np.int64]:
    """Return the positions of whole numbers among the sorted different ones; others get a place all the same."""
    return np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return f"{shown}, … ({len(names)} in all)" if len(names) > 5 else shown


def numbered_classes(count: int) -> tuple[str, ...]:
    """Return the names of classes that were given none: their numbers.

    >>> numbered_classes(3)
    ('0', '1', '2')
    """
    return tuple(str(number) for number in range(count))


def merged(known: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Return the known classes, and after them those that are new.

    >>> merged(("a", "b"), ("c", "b"))
    ('a', 'b', 'c')
    """
    return (*known, *(name for name in more if name not in set(known)))


def joined(parts: Sequence[tuple[tuple[str, ...], bool]]) -> tuple[tuple[str, ...], bool]:
    """Return the classes of all parts, and whether they were named; each part has classes that were named, or not.

    They are those of the first part where it has all of them, else all in order. Where some parts have mere numbers,
    they are all numbers up to the largest: a part that lacks class 0 has its numbers for names.

    >>> joined([(("b", "a"), True), (("a",), True)]), joined([(("b", "a"), True), (("c", "a"), True)])
    ((('b', 'a'), True), (('a', 'b', 'c'), True))
    >>> joined([(("0", "1"), False), (("2", "4"), True)])
    (('0', '1', '2', '3', '4'), False)
    """
    first, names = parts[0][0], dict.fromkeys(name for known, _ in parts for name in known)
    if all(declared for _, declared in parts):
        return (first if len(names) == len(first) else ordered(tuple(names))), True
    numbers = [int(name) for name in names if name.isdecimal() and str(int(name)) == name]
    if len(numbers) < len(names) or max(numbers) >= MOST_CLASSES:
        kinds = [next(known for known, declared in parts if declared is kind) for kind in (True, False)]
        raise InputError(
            f"classes: some parts name them ({_listed(kinds[0])}) and some have numbers ({_listed(kinds[1])}); "
            "name them in all parts"
        )
    return numbered_classes(max(numbers) + 1), False
