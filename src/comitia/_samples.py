"""What is known of samples beside predictions and labels: which group or fold each belongs to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._shards import freeze


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples that belong together: `codes` (n,) are positions among `names`.

    >>> patients = Groups.of("groups", ["p1", "p2", "p1"], 3)
    >>> patients.count, patients.sizes().tolist(), patients.names
    (2, [2, 1, 2], ('p1', 'p2'))
    """

    codes: NDArray[np.int64]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self.codes)

    @staticmethod
    def of(argument: str, given: Any, samples: int) -> "Groups | None":
        """Return the groups of an array (n,) of texts or integers, in the order in which they occur; None of None."""
        if given is None:
            return None
        array = given.codes if isinstance(given, Groups) else np.asarray(given)
        if array.shape != (samples,):
            raise InputError(f"{argument}: must have shape (n,) = ({samples},), got {array.shape}")
        if isinstance(given, Groups):
            return given
        if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.floor(array))).all():
            raise InputError(
                f"{argument}: must be whole numbers or texts, got {array.dtype} with other numbers"
            )
        if array.dtype.kind == "f":
            array = array.astype(np.int64)
        if array.dtype.kind not in "iuUSTbO":
            raise InputError(f"{argument}: must be whole numbers or texts, got {array.dtype}")
        if array.dtype.kind == "O":
            _require_all(argument, array)
        return _coded(array.astype(str) if array.dtype.kind in "OST" else array)

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return len(self.codes)

    @property
    def count(self) -> int:
        """How many different groups these samples belong to."""
        return len(np.unique(self.codes))

    def present(self) -> set[str]:
        """Return the names of the groups that these samples belong to."""
        return {self.names[code] for code in np.unique(self.codes).tolist()}

    def sizes(self) -> NDArray[np.int64]:
        """Return, as (n,), how many of these samples belong to the group of each."""
        return np.asarray(np.bincount(self.codes, minlength=len(self.names))[self.codes])

    def take(self, samples: NDArray[np.int64]) -> "Groups":
        """Return the groups of those samples."""
        return Groups(self.codes[samples], self.names)

    def canonical(self) -> NDArray[np.int64]:
        """Return the codes numbered as the groups occur: equal for equal partitions of the samples."""
        _, first, place = np.unique(self.codes, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return rank[place]

    @staticmethod
    def joined(parts: "Sequence[Groups | None]", argument: str) -> "Groups | None":
        """Return the groups of all parts one after the other; groups of one name are one group."""
        known = [part for part in parts if part is not None]
        if not known:
            return None
        if len(known) < len(parts):
            raise InputError(f"{argument}: some files have them and some have none; give all or none")
        texts = [np.array(part.names)[part.codes] for part in known]
        return _coded(np.concatenate(texts))


def _require_all(argument: str, array: NDArray[Any]) -> None:
    """Raise for a sample without a group, such as None or NaN: all of those would become one group."""
    for place, cell in enumerate(array.tolist()):
        if not isinstance(cell, str | bytes | int):
            raise InputError(
                f"{argument}: must be a whole number or a text for every sample, got {cell!r} for sample {place}"
            )


def _coded(array: NDArray[Any]) -> Groups:
    different, first, place = np.unique(array, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Groups(rank[place], tuple(str(name) for name in different[order].tolist()))


def check_strata(given: Mapping[str, Any] | None, samples: int) -> dict[str, Groups]:
    """Return further facts of the samples by name, each an array (n,) of texts or integers.

    >>> check_strata({"site": ["A", "B"]}, 2)["site"].names
    ('A', 'B')
    """
    found: dict[str, Groups] = {}
    for name, values in (given or {}).items():
        known = Groups.of(f"strata['{name}']", values, samples)
        if known is None or known.samples != samples:
            raise InputError(f"strata['{name}']: one value for each of {samples} samples is required")
        found[str(name)] = known
    return found


def joined_strata(parts: Sequence[Mapping[str, Groups]]) -> dict[str, Groups]:
    """Return the facts of the samples of all parts, one after the other; all must have the same ones."""
    names = list(dict.fromkeys(name for part in parts for name in part))
    joined = {name: Groups.joined([part.get(name) for part in parts], f"strata['{name}']") for name in names}
    return {name: known for name, known in joined.items() if known is not None}


def check_ids(given: Any, samples: int) -> NDArray[np.str_] | None:
    """Return the ids of the samples as different texts (n,), or None where none were given."""
    if given is None:
        return None
    array = np.asarray(given)
    if array.shape != (samples,):
        raise InputError(f"ids: must have shape (n,) = ({samples},), got {array.shape}")
    if array.dtype.kind == "V":
        raise InputError(f"ids: must be texts or whole numbers, got {array.dtype}")
    texts = array.astype(str)
    different, counts = np.unique(texts, return_counts=True)
    if len(different) < samples:
        twice = different[counts > 1][0]
        raise InputError(
            f"ids: '{twice}' occurs {counts.max()} times; a sample counts once (samples that belong together are "
            "given as groups)"
        )
    freeze(texts)
    return texts
