"""The members of a training and their predictions as one file per part, gathered row by row."""

import os
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.data.dataset import Dataset, Samples
from comitia.deep.directory import Directory, Saved, has_sound_rows, read_record
from comitia.deep.samples import comes_with_holdout, has_own_holdout, holdout_index, holdout_mask
from comitia.files.atomic import whole
from comitia.recipes import Plan, Recipe, plans

Part = tuple[str, Samples, NDArray[np.int64]]


@dataclass(frozen=True)
class Member:
    """One row of a predictions file: the plan of its run, its state, and which stochastic pass (0 if one).

    `mark` ends the names of members that predict otherwise than the plain network.
    """

    plan: Plan
    saved: Saved
    index: int = 0
    mark: str = ""

    @property
    def step(self) -> int:
        """The epoch the state was saved at; of draws and stochastic passes their number in the run."""
        return self.saved.step if self.plan.passes == 1 else self.index + 1

    @property
    def name(self) -> str:
        """The member's name for people."""
        of = f"size {self.plan.size}, " if self.plan.size else ""
        what = "pass" if self.plan.passes > 1 else "sample" if self.plan.draws else "step"
        return f"{of}run {self.plan.run}, {what} {self.step}{self.mark}"


def finished_members(directory: Directory, recipe: Recipe) -> list[Member]:
    """Return the members of runs that are over, in the order of run and step."""
    found: list[Member] = []
    for plan in plans(recipe):
        record = read_record(directory, plan.run)
        if record.over:
            found += [Member(plan, saved, i) for saved in record.saved for i in range(plan.passes)]
    return found


def predicted_parts(recipe: Recipe, plan: Plan, data: Dataset) -> list[Part]:
    """Return ("holdout" or "test", samples, labels) of each part that has samples.

    Where runs have hold-outs of their own, the samples of all are predicted, and a mask tells which of them a member
    may be judged by.
    """
    both = [("holdout", *_holdout(recipe, plan, data)), ("test", data.test_x, data.test_y)]
    return [part for part in both if len(part[2])]


def _holdout(recipe: Recipe, plan: Plan, data: Dataset) -> tuple[Samples, NDArray[np.int64]]:
    if comes_with_holdout(data):
        assert data.holdout_x is not None
        assert data.holdout_y is not None
        return data.holdout_x, data.holdout_y
    index = holdout_index(recipe, plan, len(data.train_y), data.train_groups)
    if len(index) == len(data.train_y):
        return data.train_x, data.train_y  # all of them, perhaps more than memory holds: not copied
    return data.train_x[index], data.train_y[index]


def part_groups(recipe: Recipe, plan: Plan, data: Dataset, part: str) -> NDArray[np.int64] | None:
    """Return the groups of the samples of that part ("holdout" or "test"); None where samples are independent."""
    if part == "test" or data.train_groups is None:
        return data.test_groups if part == "test" else data.holdout_groups
    if comes_with_holdout(data):
        return data.holdout_groups
    return data.train_groups[holdout_index(recipe, plan, len(data.train_y), data.train_groups)]


def own_mask(recipe: Recipe, plan: Plan, data: Dataset) -> NDArray[np.bool_] | None:
    """Return where the samples of the hold-out file are hold-out for the run; None if all are, as for all runs."""
    if comes_with_holdout(data) or not has_own_holdout(recipe, plan):
        return None
    return holdout_mask(recipe, plan, len(data.train_y), data.train_groups)


def part_mask(recipe: Recipe, members: list[Member], data: Dataset) -> NDArray[np.bool_] | None:
    """Return, as (M, n), where the samples of the hold-out file are hold-out for each member; None if all are."""
    masks = [own_mask(recipe, member.plan, data) for member in members]
    return None if masks[0] is None else np.stack([one for one in masks if one is not None])


def assemble(directory: Directory, recipe: Recipe, data: Dataset) -> dict[str, Path]:
    """Write the predictions files and return them by part; a part without samples, or without members, has none.

    Members whose rows are damaged are left out.
    """
    found = finished_members(directory, recipe)
    sound = {
        (m.plan.run, m.saved.step): has_sound_rows(directory, m.plan.run, m.saved)
        for m in found
        if m.index == 0
    }
    members = [m for m in found if sound[m.plan.run, m.saved.step]]
    written = {}
    for part, _, labels in predicted_parts(recipe, members[0].plan, data) if members else ():
        path = directory.predictions(part)
        rows = (_row(directory, member, part) for member in members)
        mask = part_mask(recipe, members, data) if part == "holdout" else None
        groups = part_groups(recipe, members[0].plan, data, part)
        write_members(path, members, rows, labels=labels, mask=mask, groups=groups)
        written[part] = path
    return written


def write_members(
    path: Path,
    members: list[Member],
    rows: Iterable[NDArray[np.float32]],
    *,
    labels: NDArray[np.int64] | None,
    mask: NDArray[np.bool_] | None = None,
    groups: NDArray[np.int64] | None = None,
) -> None:
    """Write the predictions file whole or not at all; only one row is in memory at a time."""
    with whole(path) as temporary:
        gathered = temporary.with_suffix(".rows")
        try:
            table: dict[str, Any] = {"probs": _gather(gathered, rows, len(members))}
            table["run"] = np.array([member.plan.run for member in members], dtype=np.int64)
            table["step"] = np.array([member.step for member in members], dtype=np.int64)
            table["names"] = np.array([member.name for member in members])
            table |= {} if labels is None else {"labels": labels}
            table |= {} if mask is None else {"mask": mask}
            table |= {} if groups is None else {"groups": groups}
            _write_npz(temporary, table)
        finally:
            gathered.unlink(missing_ok=True)


def _gather(path: Path, rows: Iterable[NDArray[np.float32]], count: int) -> NDArray[np.float32]:
    table: NDArray[np.float32] | None = None
    for position, row in enumerate(rows):
        if table is None:
            shape = (count, *row.shape)
            table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
            _claim(path)
        table[position] = row
    assert table is not None
    return table


def _claim(path: Path) -> None:
    """Take the file's whole room on the disk now: a full disk then raises, where a mapped write would kill us."""
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)


def _write_npz(path: Path, table: dict[str, Any]) -> None:
    """Write the arrays with fixed dates, so that the same members make the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in table.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)


def _row(directory: Directory, member: Member, part: str) -> NDArray[np.float32]:
    path = directory.row(member.plan.run, member.saved.step, part)
    rows: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    row: NDArray[np.float32] = rows[member.index]
    return row
