"""Plans of runs whose weights are averaged over epochs: the mean, or samples of a Gaussian around it."""

import math
from dataclasses import replace

from comitia._errors import InputError
from comitia.recipes import planning
from comitia.recipes.planning import Plan, need, sampler_of
from comitia.recipes.recipe import Recipe, Sampler


def collected_epochs(sampler: Sampler, epochs: int) -> tuple[int, ...]:
    """Return the epochs (1 = the first) after which weights are averaged: every `collect_every`-th after the burn-in.

    >>> collected_epochs(Sampler(burn_in=2, collect_every=3), 9)
    (5, 8)
    """
    every = sampler.collect_every
    return tuple(range(sampler.burn_in + every, epochs + 1, every))


def mean_plan(recipe: Recipe, run: int) -> Plan:
    """Return the plan of a run whose one member has the mean of the collected weights."""
    training, sampler = recipe.training, sampler_of(recipe)
    collects = collected_epochs(sampler, training.epochs)
    return Plan(run=run, training=training, saves=(training.epochs,), sampler=sampler, collects=collects)


def gaussian_plan(recipe: Recipe, run: int) -> Plan:
    """Return the plan of a run whose members are drawn from a Gaussian around the mean when the run ends."""
    return replace(mean_plan(recipe, run), draws=sampler_of(recipe).samples)


def mean_epochs(recipe: Recipe, epochs: int) -> Recipe:
    """Return the recipe in that many epochs; burn-in and `collect_every` are scaled with them, and rounded down."""
    ratio, sampler = epochs / recipe.training.epochs, sampler_of(recipe)
    every = max(1, int(sampler.collect_every * ratio))
    changed = replace(sampler, burn_in=int(sampler.burn_in * ratio), collect_every=every)
    return replace(planning.with_epochs(recipe, epochs), sampler=changed)


def gaussian_epochs(recipe: Recipe, epochs: int) -> Recipe:
    """Return the recipe in that many epochs, with the largest rank, up to its own, that they allow.

    Where a single epoch is collected all samples would be the same, so one is drawn.
    """
    scaled = mean_epochs(recipe, epochs)
    sampler = sampler_of(scaled)
    deviations = len(collected_epochs(sampler, epochs)) - 1
    rank = min(sampler.rank, deviations) if deviations >= 2 else 0
    samples = sampler.samples if deviations else 1
    return replace(scaled, sampler=replace(sampler, rank=rank, samples=samples))


def check_mean(recipe: Recipe) -> None:
    """Raise unless weights are collected in some epoch, and nothing else decides what is saved."""
    training, sampler = recipe.training, sampler_of(recipe)
    need(sampler.burn_in >= 0, "sampler.burn_in", "must be at least 0", sampler.burn_in)
    rule = "must be at least 1 (weights after every k-th epoch are averaged)"
    need(sampler.collect_every >= 1, "sampler.collect_every", rule, sampler.collect_every)
    if not collected_epochs(sampler, training.epochs):
        raise InputError(
            f"recipe key sampler.burn_in: no weights are averaged, since its {sampler.burn_in} epochs and "
            f"collect_every of {sampler.collect_every} exceed the {training.epochs} trained; lower one of them, or "
            "raise training.epochs"
        )
    rule = f"has no effect for '{training.strategy}', which saves when the run ends; set it to 0"
    need(training.save_every == 0, "training.save_every", rule, training.save_every)


def check_gaussian(recipe: Recipe) -> None:
    """Raise unless the collected weights have a Gaussian of that rank, from which samples differ."""
    check_mean(recipe)
    samples = sampler_of(recipe).samples
    need(samples >= 1, "sampler.samples", "must be at least 1 (each is a member)", samples)
    check_draws(gaussian_plan(recipe, 1))


def check_draws(plan: Plan) -> None:
    """Raise unless the states that a plan draws differ, from a Gaussian of the rank that its sampler has."""
    sampler, collected = plan.sampler or Sampler(), len(plan.collects)
    rule = (
        "must be 1 where one epoch is averaged (all samples would be the same); average more, or set it to 1"
    )
    need(collected > 1 or plan.draws <= 1, "sampler.samples", rule, plan.draws)
    rule = "must be above 0 and finite (at 0 every sample is the mean)"
    need(0 < sampler.scale < math.inf, "sampler.scale", rule, sampler.scale)
    # The first weights do not deviate from their own mean, and one deviation has no spread.
    possible = f"0 (variances alone) or 2 to {collected - 1}" if collected > 2 else "0 (variances alone)"
    rule = f"must be {possible} where {collected} epochs are averaged"
    need(sampler.rank == 0 or 2 <= sampler.rank < collected, "sampler.rank", rule, sampler.rank)
