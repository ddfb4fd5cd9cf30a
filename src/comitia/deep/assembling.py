"""The predictions of all members as one file, gathered a row at a time through a memory-mapped array."""

import os
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.data.dataset import Dataset
from comitia.data.division import Parts
from comitia.deep.directory import Directory
from comitia.deep.parts import predicted_parts
from comitia.deep.records import Saved, has_sound_rows, read_record
from comitia.deep.strategies import plans
from comitia.deep.strategies.bagging import out_of_bag
from comitia.deep.strategies.plan import Plan
from comitia.files.atomic import whole
from comitia.recipes.recipe import Recipe


@dataclass(frozen=True)
class Member:
    """One row of a predictions file: the plan of its run, its state, and which stochastic pass (0 if one)."""

    plan: Plan
    saved: Saved
    index: int = 0

    @property
    def step(self) -> int:
        """The epoch the state was saved at; of stochastic passes the number of the pass."""
        return self.saved.step if self.plan.passes == 1 else self.index + 1

    @property
    def name(self) -> str:
        """The member's name for people."""
        of = f"size {self.plan.size}, " if self.plan.size else ""
        what = "step" if self.plan.passes == 1 else "pass"
        return f"{of}run {self.plan.run}, {what} {self.step}"


def finished_members(directory: Directory, recipe: Recipe) -> list[Member]:
    """The members of runs that are over, in the order of run and step."""
    found: list[Member] = []
    for plan in plans(recipe):
        record = read_record(directory, plan.run)
        if record.over:
            found += [Member(plan, saved, i) for saved in record.saved for i in range(plan.passes)]
    return found


def assemble(directory: Directory, recipe: Recipe, data: Dataset, parts: Parts) -> dict[str, Path]:
    """The predictions files written, by part; a part without samples, or without members, has none.

    Members whose rows are damaged are left out.
    """
    found = finished_members(directory, recipe)
    sound = {
        (m.plan.run, m.saved.step): has_sound_rows(directory, m.plan.run, m.saved)
        for m in found
        if m.index == 0
    }
    members = [m for m in found if sound[m.plan.run, m.saved.step]]
    bootstrap = any(member.plan.bootstrap for member in members)
    written = {}
    for part, _, labels in predicted_parts(data, parts, bootstrap=bootstrap):
        path = directory.predictions(part)
        mask = _masks(members, len(labels), recipe.seed) if part == "holdout" and bootstrap else None
        rows = (_row(directory, member, part) for member in members)
        if members:
            write_members(path, members, rows, labels=labels, mask=mask)
            written[part] = path
    return written


def write_members(
    path: Path,
    members: list[Member],
    rows: Iterable[NDArray[np.float32]],
    *,
    labels: NDArray[np.int64] | None,
    mask: NDArray[np.bool_] | None = None,
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
    """Take the file's whole room on the disk now: a full one then raises, where a mapped write would kill us."""
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


def _masks(members: list[Member], samples: int, seed: int) -> NDArray[np.bool_]:
    return np.stack([out_of_bag(samples, seed=seed, run=member.plan.run) for member in members])
