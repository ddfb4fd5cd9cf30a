"""Networks with averaged or drawn weights: their weights from the moments, their batch-norm statistics from samples."""

from collections.abc import Collection, Iterable, Iterator
from copy import deepcopy

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from comitia.deep.averaging import set_weights
from comitia.deep.progression import Progression
from comitia.deep.seeds import stream
from comitia.deep.task import Task, pieces, stored_batch


def networks_to_save(
    task: Task, progress: Progression, epoch: int, steps: Collection[int]
) -> Iterator[tuple[int, nn.Module]]:
    """Yield the networks that are members after that epoch, those of these steps alone, each with its step.

    They are the network itself; with moments one with the mean of the weights, or those that are drawn around it. A
    draw belongs to (seed, run, number of the draw), so that one can be made again without the others.
    """
    moments, sampler, names = progress.moments, task.plan.sampler, (task.recipe.seed, task.plan.run)
    if moments is None:
        yield epoch, progress.network
        return
    for step in steps if task.plan.draws else (epoch,):
        weights = moments.mean
        if task.plan.draws and sampler is not None:
            weights = moments.draw(stream(*names, step, "draw"), scale=sampler.scale)
        network = deepcopy(progress.network)
        set_weights(network, weights)
        renew_statistics(network, _batches(task, step))
        yield step, network


def renew_statistics(network: nn.Module, batches: Iterable[torch.Tensor]) -> None:
    """Set the means and variances of all batch-norm layers to their averages over the batches; all else predicts.

    Those that the network has belong to other weights. Without such layers no batch is read.
    """
    norms = [part for part in network.modules() if isinstance(part, _BatchNorm) and part.track_running_stats]
    if not norms:
        return
    network.eval()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the mean over all batches, each counting the same
        norm.train()
    with torch.no_grad():
        for batch in batches:
            network(batch)
    network.eval()


def _batches(task: Task, step: int) -> Iterator[torch.Tensor]:
    """Yield the training samples of the run once, as it sees them in training: shuffled, augmented, in its pieces.

    Augmented, since the weights that are averaged were trained with the statistics of such samples, as in the program
    of Maddox et al.; shuffled, since samples that are stored class by class would make batches of one class.
    """
    training = task.plan.training
    random = stream(task.recipe.seed, task.plan.run, step, "statistics")
    order = random.permutation(task.parts.train)
    for batch in pieces(order, batch=training.batch, accumulate=training.accumulate):
        for piece in batch:
            stored, _ = stored_batch(task.data, piece, augment=training.augment, random=random)
            yield task.inputs.tensor(stored)
