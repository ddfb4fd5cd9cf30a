"""Predictions of members: probabilities of a state, the rows that a run is missing, and all of them on new samples."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia._errors import InputError
from comitia.data.dataset import Dataset, Samples
from comitia.deep import events
from comitia.deep.augmented import Augmented
from comitia.deep.directory import Directory, Record, Saved, checksum, read_record, write_record
from comitia.deep.members import (
    Member,
    assemble,
    finished_members,
    own_mask,
    part_groups,
    part_mask,
    predicted_parts,
    write_members,
)
from comitia.deep.networks import choose_device, load_network, wake_dropout
from comitia.deep.seeds import number
from comitia.deep.task import Inputs, Task
from comitia.files.atomic import write_bytes
from comitia.recipes import Plan, Recipe

Probabilities = NDArray[np.float32]
# Numbers in a batch: large enough to keep the processor busy, small enough for the cache and a small GPU.
BATCH_NUMBERS = 2**21


def batch_size(sample_shape: tuple[int, ...]) -> int:
    """Return how many samples are predicted at once: at most 512, fewer where one sample is large.

    >>> batch_size((100,)), batch_size((32, 32, 3)), batch_size((512, 512, 3))
    (512, 512, 2)
    """
    return max(1, min(512, BATCH_NUMBERS // int(np.prod(sample_shape))))


def predict(network: nn.Module, samples: Samples, inputs: Inputs) -> Probabilities:
    """Return class probabilities (n, C) in float32, by a network in whatever mode it is in."""
    size = batch_size(samples.shape[1:])
    batches = (samples[start : start + size] for start in range(0, len(samples), size))
    return np.concatenate([*probabilities(network, batches, inputs)])


def predict_augmented(
    network: nn.Module, samples: Samples, inputs: Inputs, augmented: Augmented
) -> Probabilities:
    """Return, as (n, C), the mean class probabilities over the looks at each sample."""
    size, means = batch_size(samples.shape[1:]), []
    for start in range(0, len(samples), size):
        looks = augmented.looks(samples[start : start + size])
        probs = predict(network, looks, inputs)  # (b·copies, C)
        each = probs.reshape(-1, augmented.copies, probs.shape[1])
        means.append(each.mean(axis=1, dtype=np.float64).astype(np.float32))
    return np.concatenate(means)


@torch.inference_mode()
def probabilities(
    network: nn.Module, batches: Iterable[NDArray[Any]], inputs: Inputs
) -> Iterable[Probabilities]:
    """Yield class probabilities (b, C) of each batch of stored samples."""
    for batch in batches:
        logits = network(inputs.tensor(batch)).to(torch.float32)
        yield torch.softmax(logits, dim=1).cpu().numpy()


def stored_row(passes: list[Probabilities]) -> Probabilities:
    """Return probabilities as they are stored: (passes, n, C), for two classes (passes, n) of class 1 alone.

    >>> stored_row([np.array([[0.25, 0.75]], dtype=np.float32)])
    array([[0.75]], dtype=float32)
    """
    row = np.stack(passes)
    return np.ascontiguousarray(row[..., 1]) if row.shape[2] == 2 else row


def as_bytes(array: NDArray[Any]) -> bytes:
    """Return the array as the bytes of an `.npy` file."""
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def accuracy(probs: Probabilities, labels: NDArray[np.int64]) -> float:
    """Return the share of samples whose most probable class is the label."""
    return float(np.mean(np.argmax(probs, axis=1) == labels))


def complete_rows(task: Task, record: Record, report: events.Listener) -> Record:
    """Compute the predictions that members lack, drop their states if so wished, and return the committed record."""
    wanted = {part for part, _, _ in predicted_parts(task.recipe, task.plan, task.data)}
    for position, saved in enumerate(record.saved):
        if not wanted <= saved.rows.keys():
            done = _complete(task, saved)
            record = replace(record, saved=(*record.saved[:position], done, *record.saved[position + 1 :]))
            write_record(task.directory, record)
            report(events.Member(record.run, saved.step, done.accuracy))
    return record if task.recipe.keep == "states" else _drop_states(task, record)


def member_passes(
    network: nn.Module,
    inputs: Inputs,
    samples: Samples,
    plan: Plan,
    *,
    seed: int,
    augmented: Augmented | None = None,
) -> Iterator[Probabilities]:
    """Yield probabilities (n, C) of a state: one per stochastic pass, with dropout at work, if there are several."""
    for index in range(plan.passes):
        if plan.passes > 1:
            wake_dropout(network)
            torch.manual_seed(number(seed, plan.run, index, "passes"))
        if augmented is None:
            yield predict(network, samples, inputs)
        else:
            yield predict_augmented(network, samples, inputs, augmented)


def _complete(task: Task, saved: Saved) -> Saved:
    path = task.directory.state(task.plan.run, saved.step)
    network, inputs = load_network(task.recipe, path, task.device)
    rows, holdout = dict[str, str](), saved.accuracy
    for part, samples, labels in predicted_parts(task.recipe, task.plan, task.data):
        passes = [*member_passes(network, inputs, samples, task.plan, seed=task.recipe.seed)]
        content = as_bytes(stored_row(passes))
        write_bytes(task.directory.row(task.plan.run, saved.step, part), content)
        rows[part] = sha256(content).hexdigest()
        if part == "holdout":
            holdout = _holdout_accuracy(task, np.mean(passes, axis=0), labels)
    return replace(saved, rows=rows, accuracy=holdout)


def _holdout_accuracy(task: Task, probs: Probabilities, labels: NDArray[np.int64]) -> float:
    mask = own_mask(task.recipe, task.plan, task.data)
    return accuracy(probs, labels) if mask is None else accuracy(probs[mask], labels[mask])


def _drop_states(task: Task, record: Record) -> Record:
    if not record.over or not any(saved.sha256 for saved in record.saved):
        return record
    record = replace(record, saved=tuple(replace(saved, sha256="") for saved in record.saved))
    write_record(task.directory, record)
    return record


def collect_new(
    directory: Directory,
    recipe: Recipe,
    samples: NDArray[Any],
    labels: NDArray[np.int64] | None,
    path: Path,
    *,
    device: str = "auto",
    augmented: Augmented | None = None,
) -> int:
    """Write the predictions of all members on the samples to the path and return how many members there are."""
    members = _marked(members_with_states(directory, recipe), augmented)
    rows = _rows(directory, recipe, members, samples, choose_device(device), augmented)
    write_members(path, members, rows, labels=labels)
    return len(members)


def collect_augmented(
    directory: Directory,
    recipe: Recipe,
    data: Dataset,
    report: events.Listener,
    *,
    augmented: Augmented,
    device: str = "auto",
) -> dict[str, Path]:
    """Write the mean predictions over augmented copies beside the plain ones and return the files by part."""
    members = _marked(members_with_states(directory, recipe), augmented)
    written = {}
    for part, samples, labels in predicted_parts(recipe, members[0].plan, data):
        rows = _rows(directory, recipe, members, samples, choose_device(device), augmented, report)
        mask = part_mask(recipe, members, data) if part == "holdout" else None
        path, groups = directory.augmented(part), part_groups(recipe, members[0].plan, data, part)
        write_members(path, members, rows, labels=labels, mask=mask, groups=groups)
        written[part] = path
    return written


def _marked(members: list[Member], augmented: Augmented | None) -> list[Member]:
    return [replace(member, mark=augmented.mark) for member in members] if augmented else members


def collect_again(
    directory: Directory,
    recipe: Recipe,
    data: Dataset,
    report: events.Listener,
    *,
    device: str = "auto",
) -> dict[str, Path]:
    """Compute every row from its state again and return the predictions files by part."""
    planned = {member.plan.run: member.plan for member in members_with_states(directory, recipe)}
    for run, plan in planned.items():
        record = read_record(directory, run)
        without = replace(record, saved=tuple(replace(saved, rows={}) for saved in record.saved))
        task = Task.of(recipe, plan, directory, data, choose_device(device))
        complete_rows(task, without, report)
    return assemble(directory, recipe, data)


def members_with_states(directory: Directory, recipe: Recipe) -> list[Member]:
    """Return the finished members; raise where there are none, or a state is gone or damaged."""
    members = finished_members(directory, recipe)
    if not members:
        raise InputError(f"{directory.root}: no run is finished; finish the training first")
    if not all(member.saved.sha256 for member in members):
        raise InputError(
            f"{directory.root}: its states were dropped (keep = predictions), only files are left"
        )
    for member in members:
        path = directory.state(member.plan.run, member.saved.step)
        if member.index == 0 and checksum(path) != member.saved.sha256:
            raise InputError(f"{path}: missing or damaged; train again to restore it")
    return members


def _rows(
    directory: Directory,
    recipe: Recipe,
    members: list[Member],
    samples: Samples,
    device: torch.device,
    augmented: Augmented | None = None,
    report: events.Listener = events.ignore,
) -> Iterator[NDArray[np.float32]]:
    for member in members:
        if member.index == 0:  # the passes of a state follow one another
            path = directory.state(member.plan.run, member.saved.step)
            network, inputs = load_network(recipe, path, device)
            seed, plan = recipe.seed, member.plan
            for probs in member_passes(network, inputs, samples, plan, seed=seed, augmented=augmented):
                yield stored_row([probs])[0]
            report(events.Member(member.plan.run, member.saved.step, None))
