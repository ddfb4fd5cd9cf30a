"""What the members of an ensemble predict where the target is a real number: checked at the door, held in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._checks import check_names, check_positions
from comitia._errors import InputError, require_type
from comitia._members import names_for, numbered
from comitia._samples import Groups, check_ids
from comitia._shards import freeze

Array = NDArray[np.float64]

#: Squares of larger numbers, and sums of them, could overflow.
LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class RealPredictions:
    """M members × n samples: `values` (M, n) and, where they are known, `targets` (n,).

    Made by `from_arrays`, which checks everything. `named` says whether the names were given; `out_of_fold` whether
    models predicted samples that trained the models of other folds.

    >>> predictions = RealPredictions.from_arrays([[1.5, 2.0, 3.5], [1.0, 2.5, 3.0]], [1.2, 2.2, 3.1])
    >>> predictions.members, predictions.samples, predictions.names
    (2, 3, ('member 0', 'member 1'))
    """

    values: Array = field(repr=False)
    targets: Array | None = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    named: bool = field(repr=False, default=True)
    groups: Groups | None = field(repr=False, default=None)
    ids: NDArray[np.str_] | None = field(repr=False, default=None)
    out_of_fold: bool = False

    def __post_init__(self) -> None:
        freeze(self.values, self.targets)

    @staticmethod
    def from_arrays(
        values: ArrayLike,
        targets: ArrayLike | None = None,
        names: Sequence[str] | NDArray[np.str_] | None = None,
        *,
        groups: ArrayLike | Groups | None = None,
        ids: ArrayLike | None = None,
        out_of_fold: bool = False,
    ) -> "RealPredictions":
        """Return the checked predictions of those arrays, as float64.

        Parameters
        ----------
        values : (M, n) what each member predicts
        targets : (n,) what is true; needed for everything but `predict`
        names : M different texts
        groups : (n,) texts or integers: samples of one group are not independent of each other
        ids : (n,) different texts
        out_of_fold : models predicted samples that trained the models of other folds: they choose weights and certify
            nothing
        """
        checked = _numbers("values", values, 2, "(M, n), a row per member")
        members, samples = checked.shape
        if not members or not samples:
            raise InputError(f"values: at least one member and one sample is required, got {checked.shape}")
        truth = None if targets is None else _numbers("targets", targets, 1, "(n,)")
        if truth is not None and truth.shape != (samples,):
            raise InputError(f"targets: must have shape (n,) = ({samples},), got {truth.shape}")
        given = check_names(names, members)
        return RealPredictions(
            checked,
            truth,
            given or names_for(members, None, None),
            given is not None and not numbered(given),
            Groups.of("groups", groups, samples),
            check_ids(ids, samples),
            bool(out_of_fold),
        )

    @staticmethod
    def concatenate(parts: "Sequence[RealPredictions]") -> "RealPredictions":
        """Return the same members on the samples of all parts, in that order."""
        first = parts[0]
        if any(part.names != first.names for part in parts):
            raise InputError("names: all parts must hold the same members in the same order")
        if len({part.targets is None for part in parts}) > 1:
            raise InputError("targets: some files have them and some have none; give all or none")
        known = [part.targets for part in parts if part.targets is not None]
        ids = [part.ids for part in parts if part.ids is not None]
        if ids and len(ids) < len(parts):
            raise InputError("ids: some files have them and some have none; give all or none")
        return RealPredictions.from_arrays(
            np.concatenate([part.values for part in parts], axis=1),
            np.concatenate(known) if known else None,
            first.names if first.named else None,
            groups=Groups.joined([part.groups for part in parts], "groups"),
            ids=np.concatenate(ids) if ids else None,
            out_of_fold=any(part.out_of_fold for part in parts),
        )

    @property
    def members(self) -> int:
        """M, the number of members."""
        return len(self.values)

    @property
    def samples(self) -> int:
        """n, the number of samples."""
        return int(self.values.shape[1])

    @property
    def units(self) -> int:
        """How many independent draws there are: groups where there are any, else samples."""
        return self.samples if self.groups is None else self.groups.count

    @property
    def truth(self) -> Array:
        """(n,) the targets; an error where they are not known."""
        if self.targets is None:
            raise InputError("targets: required here, as (n,) real numbers; give them with the predictions")
        return self.targets

    @cached_property
    def errors(self) -> Array:
        """(M, n) predictions minus targets."""
        return self.values - self.truth

    def take(self, samples: ArrayLike) -> "RealPredictions":
        """Return the same members on those samples (sorted positions)."""
        wanted = check_positions(samples, self.samples)
        return replace(
            self,
            values=self.values[:, wanted],
            targets=None if self.targets is None else self.targets[wanted],
            groups=None if self.groups is None else self.groups.take(wanted),
            ids=None if self.ids is None else self.ids[wanted],
        )

    def pick(self, members: ArrayLike) -> "RealPredictions":
        """Return those members, in that order, on the same samples."""
        wanted = np.atleast_1d(np.asarray(members, dtype=np.int64))
        if wanted.size == 0 or wanted.min() < 0 or wanted.max() >= self.members:
            raise InputError(f"members: must be positions 0 to {self.members - 1}, got {members!r}")
        return replace(self, values=self.values[wanted], names=tuple(self.names[i] for i in wanted.tolist()))

    def averaged(self, losses: Array) -> Array:
        """Return losses (…, n) as means within groups (…, G), in the order in which groups occur; without groups as
        they are."""
        if self.groups is None:
            return losses
        codes = self.groups.canonical()
        sizes = np.bincount(codes)
        flat = np.reshape(losses, (-1, losses.shape[-1]))
        means = np.array([np.bincount(codes, row) / sizes for row in flat])
        return means.reshape(*losses.shape[:-1], len(sizes))

    def rows(self) -> NDArray[np.void]:
        """Return, as (n,), all that is known of each sample in one comparable item: predictions and target."""
        parts = self.values if self.targets is None else np.vstack([self.values, self.targets])
        table = np.ascontiguousarray(parts.T + 0.0)  # one zero, not two
        return table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of values, targets and groups."""
        digest = sha256(f"comitia real 1 {self.members} {self.samples}".encode())
        digest.update(np.ascontiguousarray(self.values, "<f8").tobytes())
        digest.update(b"none" if self.targets is None else self.targets.astype("<f8").tobytes())
        if self.groups is not None:
            digest.update(b"groups" + self.groups.canonical().astype("<i8").tobytes())
        if self.out_of_fold:
            digest.update(b"out of fold")
        return digest.hexdigest()


def _numbers(argument: str, given: Any, rank: int, layout: str) -> Array:
    """The array as float64, every number finite."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "biuf":
            raise ValueError
        found = np.array(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: must be real numbers of shape {layout}") from None
    if found.ndim != rank:
        raise InputError(f"{argument}: must have shape {layout}, got {found.shape}")
    wrong = np.argwhere(~(np.abs(found) <= LARGEST))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        where = f"sample {place[-1]}" if rank == 1 else f"member {place[0]}, sample {place[1]}"
        raise InputError(f"{argument}: {where} is {found[place]:g}; finite numbers below 1e100 are required")
    return found


def require_real(value: object) -> None:
    """Raise unless the value is `RealPredictions`, with a word on how to get them."""
    remedy = "read_real_predictions reads files, RealPredictions.from_arrays takes arrays"
    require_type("predictions", value, RealPredictions, remedy)
