"""The rows of predictions of a run's members, computed from their states where they are missing."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from quorate.data.dataset import Dataset, Parts
from quorate.deep.collecting import Probabilities, accuracy, as_bytes, predict, stored_row
from quorate.deep.networks import fresh_network
from quorate.deep.parts import part_samples
from quorate.deep.records import Record, Saved, write_record
from quorate.deep.samples import Inputs
from quorate.deep.seeds import number
from quorate.deep.states import read_state
from quorate.deep.strategies.bagging import out_of_bag
from quorate.deep.strategies.plan import Plan
from quorate.files.atomic import write_bytes

if TYPE_CHECKING:
    from quorate.deep.loop import Report, Task


def complete_rows(task: "Task", record: Record, report: "Report") -> Record:
    """The record, committed, once every member has its predictions; their states dropped if so wished."""
    for position, saved in enumerate(record.saved):
        if not all(part in saved.rows for part, _ in _parts(task.data, task.parts, task.plan)):
            done = _complete(task, saved)
            record = replace(record, saved=(*record.saved[:position], done, *record.saved[position + 1 :]))
            write_record(task.directory, record)
            report({"event": "member", "run": record.run, "step": saved.step, "accuracy": done.accuracy})
    return record if task.recipe.keep == "states" else _drop_states(task, record)


def member_passes(
    network: nn.Module, task: "Task", saved: Saved, samples: NDArray[Any]
) -> Iterator[Probabilities]:
    """The member's probabilities (n, C); several, with dropout at work, where the plan has passes."""
    inputs = Inputs.of(task.data, task.device)
    network.eval()
    for index in range(task.plan.passes):
        if task.plan.passes > 1:
            torch.manual_seed(number(task.recipe.seed, task.plan.run, saved.step * 100_000 + index, "passes"))
            wake_dropout(network)
        yield predict(network, samples, inputs)


def wake_dropout(network: nn.Module) -> None:
    """Let dropout layers drop while everything else (batch norm) predicts."""
    for module in network.modules():
        if type(module).__name__.lower().find("dropout") >= 0:
            module.train()


def load_member(task: "Task", saved: Saved) -> nn.Module:
    """The network in the state saved at that step."""
    network = fresh_network(task.recipe, task.data, task.plan.run, task.device)
    tensors, _ = read_state(task.directory.state(task.plan.run, saved.step))
    network.load_state_dict(tensors)
    return network


def _complete(task: "Task", saved: Saved) -> Saved:
    network = load_member(task, saved)
    rows, holdout = dict(saved.rows), saved.accuracy
    for part, (samples, labels) in _parts(task.data, task.parts, task.plan):
        passes = [*member_passes(network, task, saved, samples)]
        content = as_bytes(stored_row(passes))
        write_bytes(task.directory.row(task.plan.run, saved.step, part), content)
        rows[part] = sha256(content).hexdigest()
        if part == "holdout":
            holdout = _holdout_accuracy(task, np.mean(passes, axis=0), labels)
    return replace(saved, rows=rows, accuracy=holdout)


def _holdout_accuracy(task: "Task", probs: Probabilities, labels: NDArray[np.int64]) -> float:
    if not task.plan.bootstrap:
        return accuracy(probs, labels)
    mask = out_of_bag(len(labels), seed=task.recipe.seed, run=task.plan.run)
    return accuracy(probs[mask], labels[mask])


def _drop_states(task: "Task", record: Record) -> Record:
    if not record.over or not any(saved.sha256 for saved in record.saved):
        return record
    record = replace(record, saved=tuple(replace(saved, sha256="") for saved in record.saved))
    write_record(task.directory, record)
    return record


def _parts(data: Dataset, parts: Parts, plan: Plan) -> list[tuple[str, tuple[NDArray[Any], NDArray[np.int64]]]]:
    found = ((part, part_samples(data, parts, part, bootstrap=plan.bootstrap)) for part in ("holdout", "test"))
    return [(part, samples) for part, samples in found if len(samples[1])]
