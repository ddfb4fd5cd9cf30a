"""Names of members: those given, those that follow from runs and steps, and mere numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


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
