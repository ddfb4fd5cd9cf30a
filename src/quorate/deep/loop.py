"""The training loop: one run from where it stands to its end.

After each epoch, in this order: the states that became members, then what is needed to go on, then the
record that names both with their checksums. The record is the commit: killed at any moment, the run goes on
from the last record, and because every random stream belongs to (seed, run, epoch), it makes the same bytes.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from quorate.data.dataset import Dataset, Parts
from quorate.deep.collecting import accuracy, predict
from quorate.deep.directory import Directory
from quorate.deep.losses import batch_loss, class_weights
from quorate.deep.members import complete_rows
from quorate.deep.networks import mixed_precision
from quorate.deep.optimisers import advance
from quorate.deep.progression import Progression
from quorate.deep.records import Record, Resume, Saved, checked_record, write_record
from quorate.deep.samples import Inputs, pieces, stored_batch, training_index
from quorate.deep.seeds import number, stream
from quorate.deep.states import module_tensors, write_state
from quorate.deep.strategies.plan import Plan
from quorate.recipes.recipe import Recipe

Event = dict[str, Any]
Report = Callable[[Event], None]


@dataclass(frozen=True)
class Task:
    """One run to train: which, on what data, where its files go, on which device."""

    recipe: Recipe
    plan: Plan
    directory: Directory
    data: Dataset
    parts: Parts
    device: torch.device


def train_run(task: Task, report: Report) -> Record:
    """The record of the run when it is over; it goes on from where the files of the run stand."""
    plan, directory = task.plan, task.directory
    directory.run(plan.run).mkdir(parents=True, exist_ok=True)
    record, lost = checked_record(directory, plan)
    for line in lost:
        report({"event": "lost", "run": plan.run, "message": line})
    if not record.over:
        record = _train(task, record, report)
    record = complete_rows(task, record, report)
    _remove_leftovers(directory, record)
    return record


def _train(task: Task, record: Record, report: Report) -> Record:
    wanted = _wanted(task.plan, record)
    progress = Progression.at(task, record, before=min(wanted))
    for epoch in range(progress.epoch, max(wanted)):
        began = time.perf_counter()
        loss, correct = train_epoch(task, progress, epoch)
        if not (math.isfinite(loss) and progress.is_finite()):
            return _stop(task, record, epoch + 1, report)
        record, selected = _save(task, progress, record, epoch + 1)
        record = _commit(task, progress, record, epoch + 1, last=epoch + 1 == max(wanted))
        report(
            {
                "event": "epoch",
                "run": task.plan.run,
                "epoch": epoch + 1,
                "epochs": task.plan.epochs,
                "loss": loss,
                "accuracy": correct,
                "select_accuracy": selected,
                "seconds": time.perf_counter() - began,
            }
        )
        record = record if task.plan.best else complete_rows(task, record, report)
    record = replace(record, finished=True, resumes=())
    write_record(task.directory, record)
    return record


def train_epoch(task: Task, progress: Progression, epoch: int) -> tuple[float, float]:
    """The mean loss and the accuracy over the epoch's batches, as the network changed."""
    training, inputs = task.plan.training, Inputs.of(task.data, task.device)
    index = training_index(task.parts, task.plan, seed=task.recipe.seed)
    names = (task.recipe.seed, task.plan.run, epoch + 1)
    order = stream(*names, "order").permutation(index)
    random = stream(*names, "augment")
    torch.manual_seed(number(*names, "network"))
    weights = class_weights(training.class_weights, task.data.train_y[index], task.data.classes)
    weights = None if weights is None else weights.to(task.device)
    batches = pieces(order, batch=training.batch, accumulate=training.accumulate)
    totals = torch.zeros(2, dtype=torch.float64, device=task.device if task.device.type != "mps" else "cpu")
    progress.network.train()
    for position, batch in enumerate(batches):
        advance(progress.optimiser, task.plan, epoch + position / len(batches))
        samples = sum(map(len, batch))
        for piece in batch:
            stored, labels = stored_batch(task.data, piece, augment=training.augment, random=random)
            target = inputs.labels(labels)
            with mixed_precision(training.precision, task.device):
                logits = progress.network(inputs.tensor(stored))
                loss = batch_loss(logits, target, weights)
            progress.scaler.scale(loss * (len(piece) / samples)).backward()
            with torch.no_grad():
                hits = (logits.argmax(dim=1) == target).sum()
                totals += torch.stack([loss.detach() * len(piece), hits]).to(totals)
        progress.step()
    mean_loss, correct = (totals / len(order)).tolist()
    return mean_loss, correct


def _wanted(plan: Plan, record: Record) -> list[int]:
    """The epochs whose states are still to be made."""
    done = {saved.step for saved in record.saved}
    return [plan.epochs] if plan.best else [step for step in plan.saves if step not in done]


def _save(task: Task, progress: Progression, record: Record, step: int) -> tuple[Record, float | None]:
    """The record with the state of this epoch added, if it is a member's; and the accuracy on `select`."""
    if not task.plan.best:
        if step not in _wanted(task.plan, record):
            return record, None
        saved = sorted((*record.saved, _write(task, progress, step)), key=lambda one: one.step)
        return replace(record, saved=tuple(saved)), None
    selected = _select_accuracy(task, progress)
    if record.best is not None and selected <= record.best:
        return record, selected
    return replace(record, best=selected, saved=(_write(task, progress, step),)), selected


def _write(task: Task, progress: Progression, step: int) -> Saved:
    path = task.directory.state(task.plan.run, step)
    about = {"recipe": task.recipe.fingerprint(), "run": task.plan.run, "step": step}
    return Saved(step=step, sha256=write_state(path, module_tensors(progress.network), about))


def _select_accuracy(task: Task, progress: Progression) -> float:
    select = task.parts.select
    progress.network.eval()
    probs = predict(progress.network, task.data.train_x[select], Inputs.of(task.data, task.device))
    return accuracy(probs, task.data.train_y[select])


def _commit(task: Task, progress: Progression, record: Record, epoch: int, *, last: bool) -> Record:
    """The record written with a file to go on from; the one before stays in case this one is damaged."""
    record = replace(record, epochs=max(epoch, record.epochs))
    if not last:
        digest = progress.write(task.directory.resume(task.plan.run, epoch), epoch)
        older = tuple(one for one in record.resumes if one.epoch < epoch)[-1:]
        record = replace(record, resumes=(*older, Resume(epoch, digest)))
        write_record(task.directory, record)
        _remove_leftovers(task.directory, record)
    return record


def _stop(task: Task, record: Record, epoch: int, report: Report) -> Record:
    reason = f"the loss of epoch {epoch} is not finite"
    report({"event": "stopped", "run": task.plan.run, "epoch": epoch, "message": reason})
    saved = () if task.plan.best else record.saved
    record = replace(record, stopped=reason, saved=saved, resumes=())
    write_record(task.directory, record)
    return record


def _remove_leftovers(directory: Directory, record: Record) -> None:
    """Remove states and resume files that the record does not name (older ones, or of a killed attempt)."""
    named = {directory.resume(record.run, one.epoch).name for one in record.resumes}
    named |= {directory.state(record.run, one.step).name for one in record.saved if one.sha256}
    for path in directory.run(record.run).glob("*.safetensors"):
        if path.name not in named:
            path.unlink()


