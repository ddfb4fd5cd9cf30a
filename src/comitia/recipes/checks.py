"""What every recipe must satisfy before anything is trained; each strategy adds its own rules (`Strategy.check`)."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from comitia._errors import InputError, require_choice
from comitia._extensions import is_reference, resolve
from comitia.data.augmentation import AUGMENTATIONS
from comitia.recipes.averaging import check_draws
from comitia.recipes.planning import Plan, need
from comitia.recipes.recipe import (
    CONVOLUTIONS,
    KERNELS,
    OUT_OF_BAG,
    PER_RUN,
    SHARED,
    Data,
    Recipe,
    Sampler,
    Schedule,
    Training,
)
from comitia.recipes.schedules import factor, shape_keys, shape_of
from comitia.recipes.strategies import STRATEGIES, Strategy, plans, strategy_of


def check(recipe: Recipe) -> None:
    """Raise `InputError` with one line on the first thing that is impossible."""
    require_choice("recipe key keep", recipe.keep, ("states", "predictions"))
    # numpy's RandomState, which divides the samples, takes no larger seed.
    need(0 <= recipe.seed < 2**32, "seed", "must be at least 0 and below 2^32", recipe.seed)
    cpus, gpus = recipe.engine.cpus, recipe.engine.gpus
    need(0 < cpus < math.inf, "engine.cpus", "must be above 0 and finite", cpus)
    need(0 <= gpus <= 1, "engine.gpus", "must lie from 0 to 1: a member trains on one device", gpus)
    _check_data(recipe.data)
    _check_own("data", recipe.data.options, ("name", "folder", "partial"))
    _check_own("model", recipe.model.options, ("name", "classes", "input_shape"))
    strategy = strategy_of(recipe)
    _check_training(recipe.training)
    _check_schedule(recipe.training.schedule, recipe.training.epochs)
    _check_early_stopping(recipe, strategy)
    _check_kept_apart(recipe, strategy)
    _check_keys(recipe.training, strategy)
    _check_sampler(recipe.sampler, strategy)
    strategy.check(recipe)
    if is_reference(recipe.training.strategy):
        _check_plans(recipe)


def _check_data(data: Data) -> None:
    require_choice("recipe key data.split", data.split, (SHARED, PER_RUN))
    if isinstance(data.select, str):
        rule = f"must be a count, a fraction below 1, or '{OUT_OF_BAG}'"
        need(data.select == OUT_OF_BAG, "data.select", rule, data.select)
    for key, share in (("data.holdout", data.holdout), ("data.select", data.select)):
        if isinstance(share, str):
            continue
        whole = isinstance(share, int) or share == 0
        rule = "must be a count (an integer of at least 0) or a fraction below 1"
        need(share >= 0 if whole else 0 < share < 1, key, rule, share)
    if isinstance(data.holdout, float) and isinstance(data.select, float):
        total = data.holdout + data.select
        need(total < 1, "data.holdout + data.select", "must leave samples to train on", total)


def _check_own(table: str, options: Mapping[str, Any], taken: tuple[str, ...]) -> None:
    """Raise for an option under a name that the reader or the factory is given anyway."""
    for key in taken:
        need(key not in options, f"{table}.options.{key}", "is set elsewhere; remove it", options.get(key))


def _check_training(training: Training) -> None:
    require_choice("recipe key training.optimiser", training.optimiser, ("sgd", "adam"))
    require_choice("recipe key training.class_weights", training.class_weights, ("none", "balanced"))
    require_choice("recipe key training.l2_on", training.l2_on, (CONVOLUTIONS, KERNELS))
    resolve("recipe key training.augment", training.augment, AUGMENTATIONS)
    require_choice("recipe key training.precision", training.precision, ("float32", "bfloat16", "float16"))
    for key in ("runs", "epochs", "batch", "accumulate"):
        value = getattr(training, key)
        need(value >= 1, f"training.{key}", "must be at least 1", value)
    for key in ("l2", "prior_scale", "save_every", "patience", "budget"):
        value = getattr(training, key)
        need(0 <= value < math.inf, f"training.{key}", "must be at least 0 and finite", value)
    need(0 < training.lr < math.inf, "training.lr", "must be above 0 and finite", training.lr)
    need(0 <= training.momentum < 1, "training.momentum", "must be in [0, 1)", training.momentum)
    divides = training.batch % training.accumulate == 0
    need(divides, "training.accumulate", f"must divide the batch of {training.batch}", training.accumulate)
    _check_options(training)


def _check_options(training: Training) -> None:
    if training.nesterov and training.momentum == 0:
        raise InputError("recipe key training.nesterov: needs training.momentum above 0, got 0")
    if training.l2_on != CONVOLUTIONS and training.l2 == 0:
        raise InputError(
            "recipe key training.l2_on: has no effect without training.l2; set that, or leave it out"
        )
    if training.optimiser == "adam" and training.momentum:
        raise InputError("recipe key training.momentum: adam takes no momentum; leave it out or use sgd")
    if training.save_every > training.epochs:
        raise InputError(
            f"recipe key training.save_every: no state would be saved every {training.save_every} epochs "
            f"of {training.epochs}; give at most {training.epochs}, or 0 for the last state alone"
        )


def _check_schedule(schedule: Schedule, epochs: int) -> None:
    shape_of(schedule)
    _unused("training.schedule", schedule, shape_keys(schedule.shape), schedule.shape, "shape")
    if is_reference(schedule.shape):
        _try_schedule(schedule, epochs)
    if schedule.shape == "step":
        _check_steps(schedule, epochs)
    ordered = 0 <= schedule.start < schedule.end <= 1
    need(ordered, "training.schedule.start", f"must lie in [0, end = {schedule.end})", schedule.start)
    need(schedule.final >= 0, "training.schedule.final", "must be at least 0", schedule.final)
    possible = 1 <= schedule.cycles <= epochs
    need(possible, "training.schedule.cycles", f"must be 1 to {epochs} (the epochs)", schedule.cycles)


def _try_schedule(schedule: Schedule, epochs: int) -> None:
    """Raise unless a schedule from outside gives a finite multiple of at least 0 in every epoch."""
    key = f"recipe key training.schedule.shape: '{schedule.shape}'"
    for epoch in range(epochs):
        try:
            multiple = factor(schedule, epoch, epochs=epochs)
        except Exception as error:  # code from outside may raise anything
            raise InputError(f"{key} failed in epoch {epoch} ({type(error).__name__}: {error})") from error
        if not 0 <= multiple < math.inf:
            raise InputError(f"{key} must be at least 0 and finite, got {multiple} in epoch {epoch}")


def _check_steps(schedule: Schedule, epochs: int) -> None:
    stones, factors = schedule.milestones, schedule.factors
    if len(stones) != len(factors):
        raise InputError(
            f"recipe key training.schedule.factors: must be one for each milestone, "
            f"got {len(factors)} for {len(stones)}"
        )
    rising = all(low < high for low, high in zip((0, *stones), stones))
    need(rising, "training.schedule.milestones", "must increase and be at least 1", list(stones))
    if stones and stones[-1] >= epochs:
        raise InputError(
            f"recipe key training.schedule.milestones: {stones[-1]} is never reached in {epochs} epochs; "
            "scaling the recipe by its epochs moves the milestones too, setting training.epochs does not"
        )
    need(all(f > 0 for f in factors), "training.schedule.factors", "must be above 0", list(factors))


def _unused(table: str, record: Schedule | Sampler, used: tuple[str, ...], choice: str, by: str) -> None:
    """Raise for a key that was set and has no effect: it would be believed to have one."""
    plain = type(record)()
    for entry in fields(record):
        if entry.name not in (*used, by) and getattr(record, entry.name) != getattr(plain, entry.name):
            listed = ", ".join(used) or "no further keys"
            raise InputError(
                f"recipe key {table}.{entry.name}: has no effect for '{choice}', which takes {listed}; remove it"
            )


def _check_early_stopping(recipe: Recipe, strategy: Strategy) -> None:
    training = recipe.training
    if not training.early_stopping:
        rule = "has no effect without training.early_stopping; set it to 0"
        need(training.patience == 0, "training.patience", rule, training.patience)
        return
    if not recipe.data.select:
        raise InputError(
            "recipe key training.early_stopping: needs samples to choose the epoch by; "
            "set data.select, for instance to 0.2"
        )
    if not strategy.early_stopping or training.save_every:
        allowed = ", ".join(one.name for one in STRATEGIES.values() if one.early_stopping)
        raise InputError(
            f"recipe key training.early_stopping: keeps one state per run, so it requires save_every = 0 and one of "
            f"the strategies {allowed}, got {training.save_every} and '{strategy.name}'"
        )


def _check_kept_apart(recipe: Recipe, strategy: Strategy) -> None:
    """Raise for samples that would be kept from the training and used for nothing."""
    if strategy.out_of_bag and recipe.data.holdout:
        raise InputError(
            f"recipe key data.holdout: has no effect for '{strategy.name}', where the samples out of a member's bag "
            f"are its hold-out, got {recipe.data.holdout}; set data.holdout=0"
        )
    if recipe.data.select == OUT_OF_BAG and not strategy.out_of_bag:
        bagging = ", ".join(one.name for one in STRATEGIES.values() if one.out_of_bag)
        raise InputError(
            f"recipe key data.select: '{OUT_OF_BAG}' requires a strategy that draws bootstrap samples ({bagging}), "
            f"got '{strategy.name}'"
        )
    apart = recipe.data.holdout or (recipe.data.select and recipe.data.select != OUT_OF_BAG)
    if recipe.data.split == PER_RUN and not apart:
        raise InputError(
            f"recipe key data.split: '{PER_RUN}' has no effect where no samples are kept apart; set data.holdout or "
            "data.select, or leave it out"
        )
    if recipe.data.select and not recipe.training.early_stopping:
        raise InputError(
            "recipe key data.select: has no effect without early stopping, which chooses the epoch by these "
            f"samples, got {recipe.data.select}; set data.select=0, or training.early_stopping=true"
        )


def _check_keys(training: Training, strategy: Strategy) -> None:
    """Raise for a key of `[training]` that only other strategies take."""
    for other in STRATEGIES.values():
        for key in other.keys:
            if key not in strategy.keys and getattr(training, key):
                raise InputError(
                    f"recipe key training.{key}: only '{other.name}' uses it, got strategy "
                    f"'{strategy.name}'; remove it"
                )
    if training.options and not is_reference(training.strategy):
        raise InputError(
            f"recipe key training.options: has no effect for '{strategy.name}', which takes none; remove it"
        )


def _check_sampler(sampler: Sampler | None, strategy: Strategy) -> None:
    if strategy.sampler and sampler is None:
        raise InputError(
            f"recipe key sampler: missing; strategy '{strategy.name}' takes {', '.join(strategy.sampler)}"
        )
    if sampler is not None and not strategy.sampler:
        takers = ", ".join(one.name for one in STRATEGIES.values() if one.sampler)
        raise InputError(
            f"recipe key sampler: has no effect for strategy '{strategy.name}'; remove the table, "
            f"or take one of {takers}"
        )
    if sampler is not None:
        _unused("sampler", sampler, strategy.sampler, strategy.name, "")


def _check_plans(recipe: Recipe) -> None:
    """Raise unless the plans of a strategy from outside can be carried out."""
    key = f"recipe key training.strategy: '{recipe.training.strategy}'"
    made = plans(recipe)
    if not made:
        raise InputError(f"{key} plans no run")
    out_of_bag = strategy_of(recipe).out_of_bag
    for run, plan in enumerate(made, 1):
        if not isinstance(plan, Plan) or plan.run != run:
            raise InputError(f"{key} must plan run {run}, got {plan!r}")
        if plan.bootstrap != out_of_bag:  # else the hold-outs of its runs would not be those of its file
            raise InputError(
                f"{key} must have out_of_bag = {plan.bootstrap}, as its plans draw bootstrap samples or not, got "
                f"{out_of_bag} and bootstrap = {plan.bootstrap} in run {run}"
            )
        if plan.dynamics and plan.sampler is None:
            raise InputError(f"{key} must plan a sampler with its dynamics '{plan.dynamics}' in run {run}")
        rising = all(low < high for low, high in zip((0, *plan.saves), plan.saves))
        if not plan.saves or not rising or plan.saves[-1] > plan.epochs:
            raise InputError(
                f"{key} must save increasing epochs from 1 to {plan.epochs} in run {run}, got {plan.saves}"
            )
        if plan.collects or plan.draws:
            _check_collects(key, plan)


def _check_collects(key: str, plan: Plan) -> None:
    """Raise unless there are averaged weights whenever a state is saved, and a Gaussian where states are drawn."""
    epochs = plan.collects
    rising = all(low < high for low, high in zip((0, *epochs), epochs))
    possible = bool(epochs) and rising and epochs[0] <= plan.saves[0] and epochs[-1] <= plan.epochs
    if not possible or plan.best:
        raise InputError(
            f"{key} must collect increasing epochs up to {plan.epochs}, the first no later than its first save, and "
            f"not choose the best state, in run {plan.run}, got {epochs}"
        )
    if plan.draws:
        check_draws(plan)
