"""Names of members: those given, those that follow from runs and steps, and mere numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError


def names_for(members: int, run: NDArray[np.int64] | None, step: NDArray[np.int64] | None) -> tuple[str, ...]:
    """Return the names of members that were given none: `run 3, step 40` where that tells them apart, or a number."""
    parts = [(word, given) for word, given in (("run", run), ("step", step)) if given is not None]
    texts = tuple(", ".join(f"{word} {given[i]}" for word, given in parts) for i in range(members))
    return texts if len(set(texts)) == members and parts else tuple(f"member {i}" for i in range(members))


def numbered(names: Sequence[str]) -> bool:
    """Whether those names are only the numbers that members without names are given.

    >>> numbered(["member 0", "member 12"]), numbered(["run 3, step 40"])
    (True, False)
    """
    return all(name.startswith("member ") and name[7:].isdecimal() for name in names)


def matched_by_order(own: tuple[str, ...], named: bool, names: tuple[str, ...]) -> bool:
    """Return whether members are matched by order because one side has only numbers for names.

    The same numbers in another order are an error, unless those of one's own are nothing but positions.

    >>> matched_by_order(("member 0", "member 1"), False, ("a", "b"))
    True
    """
    if not numbered(names) and not numbered(own):
        return False
    positions = not named and own == names_for(len(own), None, None)
    moved = [pair for pair in zip(own, names) if pair[0] != pair[1]]
    if moved and set(names) == set(own) and not positions:
        raise InputError(
            f"names: expected '{moved[0][1]}', got '{moved[0][0]}'; numbered members are matched by order: "
            "give them in the same order, or name them"
        )
    return True


def positions(own: tuple[str, ...], named: bool, known: tuple[str, ...], argument: str) -> list[int]:
    """Return where each known member is among one's own: by name, or by order where one side has only numbers.

    >>> positions(("b", "a"), True, ("a", "b"), "certify")
    [1, 0]
    """
    if len(own) != len(known):
        raise InputError(f"{argument}: must hold the same {len(known)} members, got {len(own)}")
    if matched_by_order(own, named, known):
        return list(range(len(own)))
    if set(own) != set(known):
        odd = next(name for name in own if name not in known)
        raise InputError(
            f"{argument}: must hold the same members by name, '{odd}' is not among the known ones"
        )
    place = {name: index for index, name in enumerate(own)}
    return [place[name] for name in known]
