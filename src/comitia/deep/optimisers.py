"""Optimisers with the regularisation of a recipe as weight decay, one fused step for all parameters."""

import math
from typing import Any

from torch import nn
from torch.optim import SGD, Adam, Optimizer

from comitia.deep import schedules
from comitia.deep.chains import advance_chain, build_sampler
from comitia.deep.models import decayed_parameters
from comitia.deep.strategies.plan import Plan
from comitia.recipes.recipe import Training


def build(module: nn.Module, plan: Plan, *, samples: int) -> Optimizer:
    """The optimiser of a run on so many samples.

    λ·‖w‖² added to the loss has the gradient 2λw: a weight decay of 2λ on the decayed parameters. The prior
    N(0, s²) adds ½‖w‖²/(s²·n), a weight decay of 1/(s²·n) on all of them.
    """
    training = plan.training
    groups = _groups(module, training, samples)
    if plan.sampler is not None:
        return build_sampler(groups, plan, samples=samples)
    if training.optimiser == "adam":
        return Adam(groups, lr=training.lr, fused=True)
    return SGD(groups, lr=training.lr, momentum=training.momentum, nesterov=training.nesterov, fused=True)


def advance(optimiser: Optimizer, plan: Plan, time: float) -> None:
    """Give the optimiser the learning rate of that time in epochs; it changes between epochs only.

    A sampler's step size changes at every step instead.
    """
    if plan.sampler is not None:
        advance_chain(optimiser, plan, time)
        return
    rate = schedules.rate(plan.training, math.floor(time))
    for group in optimiser.param_groups:
        group["lr"] = rate


def prior_decay(training: Training, samples: int) -> float:
    """The weight decay 1/(s²·n) of the prior N(0, s²); 0 without a prior.

    >>> prior_decay(Training(strategy="simple", prior_scale=1.0), 20_000)
    5e-05
    """
    return 1.0 / (training.prior_scale**2 * samples) if training.prior_scale > 0 else 0.0


def _groups(module: nn.Module, training: Training, samples: int) -> list[dict[str, Any]]:
    prior = prior_decay(training, samples)
    decayed = {id(parameter) for parameter in decayed_parameters(module)} if training.l2 else set()
    trained = [p for p in module.parameters() if p.requires_grad]
    kernels = [p for p in trained if id(p) in decayed]
    others = [p for p in trained if id(p) not in decayed]
    groups: list[dict[str, Any]] = [
        {"params": kernels, "weight_decay": prior + 2.0 * training.l2},
        {"params": others, "weight_decay": prior},
    ]
    return [group for group in groups if group["params"]]
