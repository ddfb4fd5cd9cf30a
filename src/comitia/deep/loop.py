"""The training loop: one run from its last commit to its end.

After each epoch, in this order: the states that became members, then what is needed to go on, then the
record that names both with their checksums. The record is the commit: killed at any moment, the run goes on
from the last record, and because every random stream belongs to (seed, run, epoch), it makes the same bytes.
"""

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from comitia.data.dataset import Index
from comitia.deep.chains import begin_epoch, read_at, temperature_events
from comitia.deep.directory import (
    Record,
    Resume,
    Saved,
    checked_record,
    remove_leftovers,
    write_record,
)
from comitia.deep.drawing import networks_to_save
from comitia.deep.events import Epoch, Listener, Lost, Stopped, Warned
from comitia.deep.networks import mixed_precision
from comitia.deep.optimisers import advance, batch_loss, class_weights
from comitia.deep.prediction import accuracy, complete_rows, predict
from comitia.deep.progression import Progression
from comitia.deep.seeds import number, stream
from comitia.deep.states import MEAN_IMAGE, module_tensors, write_state
from comitia.deep.task import Task, pieces, stored_batch
from comitia.recipes import Plan

# A guess among C classes has the loss ln C; from this multiple of it on a loss has exploded, however finite it is.
EXPLODED = 10.0


def train_run(task: Task, report: Listener) -> Record:
    """Train the run from where its files stand to its end and return its record."""
    plan, directory = task.plan, task.directory
    directory.run(plan.run).mkdir(parents=True, exist_ok=True)
    record, lost = checked_record(directory, plan)
    for line in lost:
        report(Lost(plan.run, line))
    if not record.over:
        # Killed between the last member and the end of the run, a record has all states and is not finished.
        record = _train(task, record, report) if _wanted(plan, record) else _finish(task, record)
    record = complete_rows(task, record, report)
    remove_leftovers(directory, record)
    return record


def _train(task: Task, record: Record, report: Listener) -> Record:
    wanted = _wanted(task.plan, record)
    progress = Progression.at(task, record, before=min(wanted))
    warned = False
    for epoch in range(progress.epoch, max(wanted)):
        if _out_of_patience(task.plan, record, epoch):
            break
        began = time.perf_counter()
        loss, correct = train_epoch(task, progress, epoch)
        if not (math.isfinite(loss) and progress.is_finite()):
            return _stop(task, record, epoch + 1, report)
        if epoch + 1 in task.plan.collects:
            progress.collect()
        record, selected = _save(task, progress, record, epoch + 1)
        record = _commit(task, progress, record, epoch + 1, last=epoch + 1 == max(wanted))
        report(
            Epoch(
                run=task.plan.run,
                epoch=epoch + 1,
                epochs=task.plan.epochs,
                loss=loss,
                accuracy=correct,
                select_accuracy=selected,
                seconds=time.perf_counter() - began,
            )
        )
        if not warned and (text := exploded(loss, task.data.classes)) is not None:
            report(Warned(task.plan.run, epoch + 1, text))
            warned = True
        for event in temperature_events(task.plan, epoch, progress.readings):
            report(event)
        record = record if task.plan.best else complete_rows(task, record, report)
    return _finish(task, record)


def exploded(loss: float, classes: int) -> str | None:
    """Return what to say of a mean loss that is finite and far beyond that of a guess; None of any other.

    >>> exploded(2.0, 10), exploded(1e6, 10)
    (None, 'the loss exploded to 1e+06, where a guess among 10 classes has 2.3; lower training.lr')
    """
    guess = math.log(classes)
    if loss <= EXPLODED * guess:
        return None
    return f"the loss exploded to {loss:.3g}, where a guess among {classes} classes has {guess:.2g}; lower training.lr"


def _finish(task: Task, record: Record) -> Record:
    record = replace(record, finished=True, resumes=())
    write_record(task.directory, record)
    return record


def train_epoch(task: Task, progress: Progression, epoch: int) -> tuple[float, float]:
    """Train one epoch and return the mean loss and the accuracy over its batches, as the network changed."""
    training, names = task.plan.training, (task.recipe.seed, task.plan.run, epoch + 1)
    order = stream(*names, "order").permutation(task.parts.train)
    random = stream(*names, "augment")
    torch.manual_seed(number(*names, "network"))
    weights = class_weights(training.class_weights, task.data.train_y[task.parts.train], task.data.classes)
    weights = None if weights is None else weights.to(task.device)
    batches = pieces(order, batch=training.batch, accumulate=training.accumulate)
    totals = torch.zeros(2, device=task.device)
    begin_epoch(progress.optimiser, task.plan, epoch, noise_seed=number(*names, "noise"))
    reading = read_at(task.plan, epoch, len(batches))
    progress.readings.clear()
    progress.network.train()
    for position, batch in enumerate(batches):
        advance(progress.optimiser, task.plan, epoch + position / len(batches))
        samples = sum(map(len, batch))
        for piece in batch:
            loss, hits = _backward(task, progress, piece, random, weights, share=len(piece) / samples)
            totals += torch.stack([loss * len(piece), hits])
        if position in reading:
            progress.read_temperatures()
        progress.step()
    mean_loss, correct = (totals.cpu().to(torch.float64) / len(order)).tolist()
    return mean_loss, correct


def _backward(
    task: Task,
    progress: Progression,
    piece: Index,
    random: np.random.Generator,
    weights: torch.Tensor | None,
    *,
    share: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Add the gradient of a piece of a batch to the others and return its mean loss and the number of its hits."""
    training = task.plan.training
    stored, labels = stored_batch(task.data, piece, augment=training.augment, random=random)
    target = task.inputs.labels(labels)
    with mixed_precision(training.precision, task.device):
        logits = progress.network(task.inputs.tensor(stored))
        loss = batch_loss(logits, target, weights)
    torch.autograd.backward(progress.scaler.scale(loss * share))
    return loss.detach(), (logits.detach().argmax(dim=1) == target).sum()


def _out_of_patience(plan: Plan, record: Record, epoch: int) -> bool:
    """Whether none of the last `patience` of that many epochs was the best so far."""
    patience = plan.training.patience
    return patience > 0 and bool(record.saved) and epoch - record.saved[-1].step >= patience


def _missing(plan: Plan, record: Record) -> list[int]:
    """The steps of states that are still to be made."""
    done = {saved.step for saved in record.saved}
    return [step for step in plan.steps if step not in done]


def _wanted(plan: Plan, record: Record) -> list[int]:
    """The epochs after which states are still to be made; those that are drawn are made when the run ends."""
    missing = _missing(plan, record)
    return [plan.epochs] if plan.best or (plan.draws and missing) else missing


def _save(task: Task, progress: Progression, record: Record, epoch: int) -> tuple[Record, float | None]:
    """Save the states that are members after this epoch; return the record with them, and the accuracy on `select`."""
    if not task.plan.best:
        if epoch not in _wanted(task.plan, record):
            return record, None
        made = networks_to_save(task, progress, epoch, _missing(task.plan, record))
        new = [_write(task, network, step) for step, network in made]
        saved = sorted((*record.saved, *new), key=lambda one: one.step)
        return replace(record, saved=tuple(saved)), None
    selected = _select_accuracy(task, progress)
    if record.best is not None and selected <= record.best:
        return record, selected
    return replace(record, best=selected, saved=(_write(task, progress.network, epoch),)), selected


def _write(task: Task, network: nn.Module, step: int) -> Saved:
    path = task.directory.state(task.plan.run, step)
    tensors = module_tensors(network)
    if task.inputs.mean is not None:
        tensors[MEAN_IMAGE] = task.inputs.mean
    about: dict[str, Any] = {
        "run": task.plan.run,
        "step": step,
        "kind": task.data.kind,
        "classes": task.data.classes,
    }
    about |= {"input_shape": task.data.input_shape}
    return Saved(step=step, sha256=write_state(path, tensors, about))


def _select_accuracy(task: Task, progress: Progression) -> float:
    select = task.parts.select
    progress.network.eval()
    probs = predict(progress.network, task.data.train_x[select], task.inputs)
    return accuracy(probs, task.data.train_y[select])


def _commit(task: Task, progress: Progression, record: Record, epoch: int, *, last: bool) -> Record:
    """Write a file to go on from, then the record; the file before stays in case this one is damaged."""
    record = replace(record, epochs=max(epoch, record.epochs))
    if not last:
        digest = progress.write(task.directory.resume(task.plan.run, epoch), epoch)
        older = tuple(one for one in record.resumes if one.epoch < epoch)[-1:]
        record = replace(record, resumes=(*older, Resume(epoch, digest)))
        write_record(task.directory, record)
        remove_leftovers(task.directory, record)
    return record


def _stop(task: Task, record: Record, epoch: int, report: Listener) -> Record:
    reason = f"the loss of epoch {epoch} is not finite"
    report(Stopped(task.plan.run, epoch, reason))
    saved = () if task.plan.best else record.saved
    record = replace(record, stopped=reason, saved=saved, resumes=())
    write_record(task.directory, record)
    return record
