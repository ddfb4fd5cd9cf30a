"""Predictions of members computed again from their states, or for new samples."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.data.dataset import Dataset
from comitia.data.division import Parts
from comitia.deep.assembling import Member, assemble, finished_members, write_members
from comitia.deep.collecting import stored_row
from comitia.deep.directory import Directory
from comitia.deep.loop import Task
from comitia.deep.members import complete_rows, member_passes
from comitia.deep.networks import choose_device, load_network
from comitia.deep.records import read_record
from comitia.deep.states import checksum
from comitia.recipes.recipe import Recipe

Report = Callable[[dict[str, Any]], None]


def collect_new(
    directory: Directory,
    recipe: Recipe,
    samples: NDArray[Any],
    labels: NDArray[np.int64] | None,
    path: Path,
    *,
    device: str = "auto",
) -> int:
    """How many members' predictions of the samples were written to the path."""
    members = members_with_states(directory, recipe)
    rows = _rows(directory, recipe, members, samples, choose_device(device))
    write_members(path, members, rows, labels=labels)
    return len(members)


def collect_again(
    directory: Directory, recipe: Recipe, data: Dataset, parts: Parts, report: Report, *, device: str = "auto"
) -> dict[str, Path]:
    """The predictions files, by part, after every row was computed from its state again."""
    planned = {member.plan.run: member.plan for member in members_with_states(directory, recipe)}
    for run, plan in planned.items():
        record = read_record(directory, run)
        without = replace(record, saved=tuple(replace(saved, rows={}) for saved in record.saved))
        task = Task.of(recipe, plan, directory, data, parts, choose_device(device))
        complete_rows(task, without, report)
    return assemble(directory, recipe, data, parts)


def members_with_states(directory: Directory, recipe: Recipe) -> list[Member]:
    """The finished members; raise where there are none, or a state is gone or damaged."""
    members = finished_members(directory, recipe)
    if not members:
        raise InputError(f"{directory.root}: no run is finished there; comitia train goes on with it")
    if not all(member.saved.sha256 for member in members):
        raise InputError(
            f"{directory.root}: its states were dropped (keep = predictions), only files are left"
        )
    for member in members:
        path = directory.state(member.plan.run, member.saved.step)
        if member.index == 0 and checksum(path) != member.saved.sha256:
            raise InputError(f"{path}: is missing or damaged; comitia train makes it again")
    return members


def _rows(
    directory: Directory, recipe: Recipe, members: list[Member], samples: NDArray[Any], device: torch.device
) -> Iterator[NDArray[np.float32]]:
    for member in members:
        if member.index == 0:  # the passes of a state follow one another
            path = directory.state(member.plan.run, member.saved.step)
            network, inputs = load_network(recipe, path, device)
            for probs in member_passes(network, inputs, samples, member.plan, seed=recipe.seed):
                yield stored_row([probs])[0]
