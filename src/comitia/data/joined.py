"""Several arrays of samples under one numbering, read only where they are indexed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError


class Joined:
    """The arrays one after the other, as one array of (n, ...) whose samples stay where they are.

    `numpy.concatenate` would copy memory-mapped arrays whole into memory. Indexing along the first axis, by whatever
    indexes a numpy array of n numbers (a slice, integers, a mask), returns a plain array of those samples alone.

    >>> both = Joined([np.zeros((3, 2)), np.ones((2, 2))])
    >>> both.shape, both[[0, 4]].tolist()
    ((5, 2), [[0.0, 0.0], [1.0, 1.0]])
    """

    def __init__(self, parts: Sequence[NDArray[Any]]) -> None:
        kinds = {(str(part.dtype), part.shape[1:]) for part in parts}
        if len(kinds) != 1:
            raise InputError(f"parts: must be of one type and shape of a sample, got {sorted(kinds)}")
        self.parts = tuple(parts)
        self.dtype = parts[0].dtype
        self.shape: tuple[int, ...] = (sum(map(len, parts)), *parts[0].shape[1:])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> NDArray[Any]:
        """Return those samples, read from the parts that hold them."""
        index = np.asarray(np.arange(len(self))[key])
        wanted = index.reshape(-1)
        taken = np.empty((len(wanted), *self.shape[1:]), self.dtype)
        first = 0
        for part in self.parts:
            here = (wanted >= first) & (wanted < first + len(part))
            taken[here] = part[wanted[here] - first]
            first += len(part)
        return taken.reshape(*index.shape, *self.shape[1:])
