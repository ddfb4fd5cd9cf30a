"""The rows of predictions of a run's members, computed from their states where they are missing."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia.deep.collecting import Probabilities, accuracy, as_bytes, predict, stored_row
from comitia.deep.networks import load_network, wake_dropout
from comitia.deep.parts import predicted_parts
from comitia.deep.records import Record, Saved, write_record
from comitia.deep.samples import Inputs
from comitia.deep.seeds import number
from comitia.deep.strategies.bagging import out_of_bag
from comitia.deep.strategies.plan import Plan
from comitia.files.atomic import write_bytes

if TYPE_CHECKING:
    from comitia.deep.loop import Report, Task


def complete_rows(task: "Task", record: Record, report: "Report") -> Record:
    """The record, committed, once every member has its predictions; their states dropped if so wished."""
    wanted = {part for part, _, _ in predicted_parts(task.data, task.parts, bootstrap=task.plan.bootstrap)}
    for position, saved in enumerate(record.saved):
        if not wanted <= saved.rows.keys():
            done = _complete(task, saved)
            record = replace(record, saved=(*record.saved[:position], done, *record.saved[position + 1 :]))
            write_record(task.directory, record)
            report({"event": "member", "run": record.run, "step": saved.step, "accuracy": done.accuracy})
    return record if task.recipe.keep == "states" else _drop_states(task, record)


def member_passes(
    network: nn.Module, inputs: Inputs, samples: NDArray[Any], plan: Plan, *, seed: int
) -> Iterator[Probabilities]:
    """Probabilities (n, C) of a state; one for each stochastic pass, with dropout at work, if there are several."""
    for index in range(plan.passes):
        if plan.passes > 1:
            wake_dropout(network)
            torch.manual_seed(number(seed, plan.run, index, "passes"))
        yield predict(network, samples, inputs)


def _complete(task: "Task", saved: Saved) -> Saved:
    path = task.directory.state(task.plan.run, saved.step)
    network, inputs = load_network(task.recipe, path, task.device)
    rows, holdout = dict[str, str](), saved.accuracy
    for part, samples, labels in predicted_parts(task.data, task.parts, bootstrap=task.plan.bootstrap):
        passes = [*member_passes(network, inputs, samples, task.plan, seed=task.recipe.seed)]
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
