"""What a run minimises, and how: the loss, and optimisers with the regularisation of a recipe as weight decay."""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import cross_entropy
from torch.optim import SGD, Adam, Optimizer

from comitia.deep.chains import advance_chain, build_sampler
from comitia.deep.models import decayed_parameters
from comitia.recipes import Plan, Training, schedules


def build(module: nn.Module, plan: Plan, *, samples: int) -> Optimizer:
    """Return the optimiser of a run on that many samples.

    λ·‖w‖² added to the loss has the gradient 2λw: a weight decay of 2λ on the decayed parameters. The prior
    N(0, s²) adds ½‖w‖²/(s²·n), a weight decay of 1/(s²·n) on all of them.
    """
    training = plan.training
    groups = _groups(module, training, samples)
    if plan.dynamics:
        return build_sampler(groups, plan, samples=samples)
    if training.optimiser == "adam":
        return Adam(groups, lr=training.lr, fused=True)
    return SGD(groups, lr=training.lr, momentum=training.momentum, nesterov=training.nesterov, fused=True)


def advance(optimiser: Optimizer, plan: Plan, time: float) -> None:
    """Give the optimiser the learning rate of that time in epochs; it changes between epochs only.

    A sampler's step size changes at every step instead.
    """
    if plan.dynamics:
        advance_chain(optimiser, plan, time)
        return
    rate = schedules.rate(plan.training, math.floor(time))
    for group in optimiser.param_groups:
        group["lr"] = rate


def prior_decay(training: Training, samples: int) -> float:
    """Return the weight decay 1/(s²·n) of the prior N(0, s²); 0 without a prior.

    >>> prior_decay(Training(strategy="simple", prior_scale=1.0), 20_000)
    5e-05
    """
    return 1.0 / (training.prior_scale**2 * samples) if training.prior_scale > 0 else 0.0


def _groups(module: nn.Module, training: Training, samples: int) -> list[dict[str, Any]]:
    prior = prior_decay(training, samples)
    chosen = decayed_parameters(module, on=training.l2_on) if training.l2 else []
    decayed = {id(parameter) for parameter in chosen}
    trained = [p for p in module.parameters() if p.requires_grad]
    kernels = [p for p in trained if id(p) in decayed]
    others = [p for p in trained if id(p) not in decayed]
    groups: list[dict[str, Any]] = [
        {"params": kernels, "weight_decay": prior + 2.0 * training.l2},
        {"params": others, "weight_decay": prior},
    ]
    return [group for group in groups if group["params"]]


def class_weights(kind: str, labels: NDArray[np.int64], classes: int) -> torch.Tensor | None:
    """Return n/(C·n_c) for each class c if "balanced" (for two classes ½/(1-p) and ½/p), None if "none".

    A class without samples has weight 0: it cannot occur in a batch.

    >>> class_weights("balanced", np.array([0, 0, 0, 1]), 2)
    tensor([0.6667, 2.0000])
    """
    if kind == "none":
        return None
    counts = np.bincount(labels, minlength=classes)
    weights = np.where(counts > 0, len(labels) / (classes * np.maximum(counts, 1)), 0.0)
    return torch.from_numpy(weights).to(torch.float32)


def batch_loss(logits: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor | None) -> torch.Tensor:
    """Return the mean over the batch of w_y · cross-entropy.

    The mean divides by the number of samples, not by their weights (torch's `reduction="mean"`), so that a
    batch cut in pieces has the gradient of the whole.

    >>> logits = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    >>> float(batch_loss(logits, torch.tensor([0, 1]), torch.tensor([1.0, 3.0])))  # 2 ln 2
    1.386294...
    """
    total: torch.Tensor = cross_entropy(logits, labels, weight=weights, reduction="sum")
    return total / len(labels)
