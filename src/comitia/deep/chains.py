"""A sampler in the place of an optimiser: how a recipe makes one, and what changes as its epochs go by."""

import math
from collections.abc import Sequence
from typing import Any

from torch.optim import Optimizer

from comitia._errors import require_choice
from comitia.deep.events import Event, LayerReading, Temperatures, Warned
from comitia.deep.samplers import SGHMC, SGLD, Preconditioner
from comitia.deep.samplers.chain import Chain
from comitia.deep.samplers.target import set_step_factor, set_temperature
from comitia.deep.samplers.temperatures import LayerTemperature, Reading, summarise, warning
from comitia.recipes.planning import Plan, cycles_of

#: Readings of the temperatures in an epoch: 16 make 4 batch means, the fewest whose spread says something.
READINGS = 16


def build_sampler(groups: list[dict[str, Any]], plan: Plan, *, samples: int) -> SGLD | SGHMC:
    """Return the sampler of a chain on that many samples, from groups of parameters with their weight decay.

    A weight decay w is the prior N(0, s²) of s = 1/√(w·n); none is no prior.
    """
    training, sampler = plan.training, plan.sampler
    assert sampler is not None
    for group in groups:
        decay = group.pop("weight_decay")
        group["prior_scale"] = 1.0 / math.sqrt(decay * samples) if decay > 0 else math.inf
    mass = Preconditioner(by="layer") if sampler.preconditioner == "layers" else None
    if require_choice("dynamics", plan.dynamics, ("sgld", "sghmc")) == "sgld":
        return SGLD(groups, training.lr, data_size=samples, preconditioner=mass)
    return SGHMC(
        groups, training.lr, data_size=samples, momentum_decay=training.momentum, preconditioner=mass
    )


def begin_epoch(optimiser: Optimizer, plan: Plan, epoch: int, *, noise_seed: int) -> None:
    """Prepare a chain for epoch 0, 1, ...: set masses if a cycle begins, switch noise on or off, seed its stream."""
    if not plan.dynamics:
        return
    assert isinstance(optimiser, Chain)
    assert plan.sampler is not None
    cycles = cycles_of(plan.sampler)
    if cycles.refreshes(epoch):
        optimiser.refresh_mass()
    set_temperature(optimiser, plan.sampler.temperature if cycles.noise_on(epoch) else 0.0)
    optimiser.generator.manual_seed(noise_seed)


def advance_chain(optimiser: Optimizer, plan: Plan, time: float) -> None:
    """Give the sampler the step size of that time in epochs; it changes at every step."""
    assert plan.sampler is not None
    set_step_factor(optimiser, cycles_of(plan.sampler).factor(time))


def read_at(plan: Plan, epoch: int, steps: int) -> range:
    """Return the steps of epoch 0, 1, ... at which temperatures are read: some, if noise is on; else none.

    >>> from comitia.recipes import Sampler, Training
    >>> noisy = Sampler(cycle=4, noise_epochs=1)
    >>> chain = Plan(run=1, training=Training(strategy="csgld"), saves=(4,), sampler=noisy, dynamics="sgld")
    >>> len(read_at(chain, 2, 100)), read_at(chain, 3, 48)
    (0, range(2, 48, 3))
    """
    sampler = plan.sampler if plan.dynamics else None
    if sampler is None or sampler.temperature == 0 or not cycles_of(sampler).noise_on(epoch):
        return range(0)
    every = max(1, steps // READINGS)
    return range(every - 1, steps, every)


def temperature_events(plan: Plan, epoch: int, readings: Sequence[tuple[Reading, ...]]) -> list[Event]:
    """Return the events that the readings of epoch 0, 1, ... give; at the end of a cycle a warning if they are off."""
    sampler = plan.sampler if plan.dynamics else None
    if sampler is None or not readings:
        return []
    layers = summarise(readings, temperature=sampler.temperature)
    told = Temperatures(plan.run, epoch + 1, sampler.temperature, tuple(map(_reading, layers)))
    events: list[Event] = [told]
    ends = epoch >= sampler.burn_in and cycles_of(sampler).refreshes(epoch + 1)
    if ends and (text := warning(layers)):
        events.append(Warned(plan.run, epoch + 1, f"epoch {epoch + 1}: {text}"))
    return events


def _reading(layer: LayerTemperature) -> LayerReading:
    """The numbers of a layer for a log: what is not finite is left empty, since JSON has no word for it."""
    numbers = (layer.kinetic, layer.configurational, layer.configurational_error)
    return LayerReading(
        layer.name, layer.size, *(v if v is not None and math.isfinite(v) else None for v in numbers)
    )
