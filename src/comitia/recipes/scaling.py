"""A recipe scaled down (or up): `--epochs`, `--members`, and the lengths of an epoch budget."""

from dataclasses import replace

from comitia._errors import InputError
from comitia.recipes.recipe import Recipe, Sampler, Schedule, Training


def scale_training(training: Training, epochs: int) -> Training:
    """The training in that many epochs, its schedule in proportion.

    With f = new/old epochs: milestones become round(f·m), at least 1; where two fall together the later one's
    factor holds, and those at or past the end are dropped. The number of cycles stays, at most one an epoch.
    `save_every` becomes round(f·k), at least 1. The linear schedule is relative already.

    >>> from comitia.recipes.recipe import Schedule, Training
    >>> step = Schedule(shape="step", milestones=(80, 120), factors=(0.1, 0.01))
    >>> short = scale_training(Training(strategy="simple", epochs=200, save_every=40, schedule=step), 10)
    >>> short.schedule.milestones, short.save_every
    ((4, 6), 2)
    """
    if epochs < 1:
        raise InputError(f"training.epochs: must be at least 1, got {epochs}")
    ratio = epochs / training.epochs
    every = max(1, round(training.save_every * ratio)) if training.save_every else 0
    schedule = _scale_schedule(training.schedule, ratio, epochs)
    return replace(training, epochs=epochs, save_every=every, schedule=schedule)


def _scale_schedule(schedule: Schedule, ratio: float, epochs: int) -> Schedule:
    steps = {max(1, round(m * ratio)): f for m, f in zip(schedule.milestones, schedule.factors, strict=True)}
    kept = {m: f for m, f in sorted(steps.items()) if m < epochs}
    return replace(
        schedule,
        milestones=tuple(kept),
        factors=tuple(kept.values()),
        cycles=min(schedule.cycles, epochs),
    )


def _scale_sampler(sampler: Sampler, ratio: float) -> Sampler:
    cycle = max(1, int(sampler.cycle * ratio))
    noise = min(cycle, max(1, round(sampler.noise_epochs * ratio))) if sampler.noise_epochs else 0
    samples = min(sampler.samples_per_cycle, noise or cycle)
    return replace(
        sampler,
        burn_in=int(sampler.burn_in * ratio),
        cycle=cycle,
        noise_epochs=noise,
        samples_per_cycle=samples,
    )


def with_epochs(recipe: Recipe, epochs: int) -> Recipe:
    """The recipe in that many epochs: training, schedule, burn-in and cycles in proportion (rounded down).

    An epoch budget is scaled like the epochs, so that every size still gets at least one.
    """
    old = recipe.training.epochs
    training = scale_training(recipe.training, epochs)
    if training.budget:
        largest = max(training.sizes, default=1)
        training = replace(training, budget=max(largest, round(training.budget * epochs / old)))
    sampler = recipe.sampler
    if sampler is not None and recipe.training.strategy in ("csgld", "csghmc-ap"):
        sampler = _scale_sampler(sampler, epochs / old)
    return replace(recipe, training=training, sampler=sampler)


def with_members(recipe: Recipe, members: int) -> Recipe:
    """The recipe with that many runs; of an epoch budget the sizes up to it; of mc-dropout the passes."""
    if members < 1:
        raise InputError(f"members: must be at least 1, got {members}")
    training = recipe.training
    if training.strategy == "epoch-budget":
        sizes = tuple(size for size in training.sizes if size <= members) or (members,)
        return replace(recipe, training=replace(training, sizes=sizes))
    if training.strategy == "mc-dropout" and recipe.sampler is not None:
        return replace(recipe, sampler=replace(recipe.sampler, passes=members))
    return replace(recipe, training=replace(training, runs=members))
