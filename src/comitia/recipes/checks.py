"""What a recipe must satisfy before anything is trained: one function a table, one line an error."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from comitia._errors import InputError, require_choice
from comitia.recipes.recipe import BAYESIAN, SHAPES, STRATEGIES, Data, Recipe, Sampler, Schedule, Training

LANGEVIN_KEYS = (
    "burn_in",
    "cycle",
    "samples_per_cycle",
    "noise_epochs",
    "temperature",
    "preconditioner",
)
SAMPLER_KEYS = {
    "csgld": LANGEVIN_KEYS,
    "csghmc-ap": LANGEVIN_KEYS,
    "mc-dropout": ("dropout", "passes"),
    "mc-dropout-ensemble": ("dropout", "passes"),
}
SCHEDULE_KEYS: dict[str, tuple[str, ...]] = {
    "constant": (),
    "step": ("milestones", "factors"),
    "linear": ("start", "end", "final"),
    "cyclic": ("cycles",),
}


def check(recipe: Recipe) -> None:
    """Raise `InputError` with one line on the first thing that is impossible."""
    require_choice("recipe key keep", recipe.keep, ("states", "predictions"))
    # numpy's RandomState, which divides the samples, takes no larger seed.
    _need(0 <= recipe.seed < 2**32, "seed", "must be at least 0 and below 2^32", recipe.seed)
    cpus, gpus = recipe.engine.cpus, recipe.engine.gpus
    _need(0 < cpus < float("inf"), "engine.cpus", "must be above 0 and finite", cpus)
    _need(0 <= gpus < float("inf"), "engine.gpus", "must be at least 0 and finite", gpus)
    _check_data(recipe.data)
    _check_own("data", recipe.data.options, ("name", "folder", "partial"))
    _check_own("model", recipe.model.options, ("name", "classes", "input_shape"))
    _check_training(recipe.training)
    _check_schedule(recipe.training.schedule, recipe.training.epochs)
    _check_strategy(recipe)
    _check_sampler(recipe)


def _need(holds: bool, key: str, rule: str, got: Any) -> None:
    if not holds:
        raise InputError(f"recipe key {key}: {rule}, got {got!r}")


def _check_data(data: Data) -> None:
    for key, share in (("data.holdout", data.holdout), ("data.select", data.select)):
        whole = isinstance(share, int) or share == 0
        rule = "must be a count (an integer of at least 0) or a fraction below 1"
        _need(share >= 0 if whole else 0 < share < 1, key, rule, share)
    if isinstance(data.holdout, float) and isinstance(data.select, float):
        total = data.holdout + data.select
        _need(total < 1, "data.holdout + data.select", "must leave samples to train on", total)


def _check_own(table: str, options: Mapping[str, Any], taken: tuple[str, ...]) -> None:
    """Raise for an option under a name that the reader or the factory is given anyway."""
    for key in taken:
        _need(key not in options, f"{table}.options.{key}", "is given elsewhere; remove it", options.get(key))


def _check_training(training: Training) -> None:
    require_choice("recipe key training.strategy", training.strategy, STRATEGIES + BAYESIAN)
    require_choice("recipe key training.optimiser", training.optimiser, ("sgd", "adam"))
    require_choice("recipe key training.class_weights", training.class_weights, ("none", "balanced"))
    require_choice("recipe key training.augment", training.augment, ("none", "flip-shift"))
    require_choice("recipe key training.precision", training.precision, ("float32", "bfloat16", "float16"))
    for key in ("runs", "epochs", "batch", "accumulate"):
        value = getattr(training, key)
        _need(value >= 1, f"training.{key}", "must be at least 1", value)
    for key in ("l2", "prior_scale", "save_every", "budget"):
        value = getattr(training, key)
        _need(0 <= value < float("inf"), f"training.{key}", "must be at least 0 and finite", value)
    _need(0 < training.lr < float("inf"), "training.lr", "must be above 0 and finite", training.lr)
    _need(0 <= training.momentum < 1, "training.momentum", "must be in [0, 1)", training.momentum)
    divides = training.batch % training.accumulate == 0
    _need(divides, "training.accumulate", f"must divide the batch of {training.batch}", training.accumulate)
    _check_options(training)


def _check_options(training: Training) -> None:
    if training.nesterov and training.momentum == 0:
        raise InputError("recipe key training.nesterov: needs training.momentum above 0, got 0")
    if training.optimiser == "adam" and training.momentum:
        raise InputError("recipe key training.momentum: adam has none of its own; leave it out or take sgd")
    if training.save_every > training.epochs:
        raise InputError(
            f"recipe key training.save_every: no state would be saved every {training.save_every} epochs "
            f"of {training.epochs}; give at most {training.epochs}, or 0 for the last state alone"
        )


def _check_schedule(schedule: Schedule, epochs: int) -> None:
    require_choice("recipe key training.schedule.shape", schedule.shape, SHAPES)
    _unused("training.schedule", schedule, SCHEDULE_KEYS[schedule.shape], schedule.shape, "shape")
    if schedule.shape == "step":
        _check_steps(schedule, epochs)
    ordered = 0 <= schedule.start < schedule.end <= 1
    _need(ordered, "training.schedule.start", f"must lie in [0, end = {schedule.end})", schedule.start)
    _need(schedule.final >= 0, "training.schedule.final", "must be at least 0", schedule.final)
    possible = 1 <= schedule.cycles <= epochs
    _need(possible, "training.schedule.cycles", f"must be 1 to {epochs} (the epochs)", schedule.cycles)


def _check_steps(schedule: Schedule, epochs: int) -> None:
    stones, factors = schedule.milestones, schedule.factors
    if len(stones) != len(factors):
        raise InputError(
            f"recipe key training.schedule.factors: must be one for each milestone, "
            f"got {len(factors)} for {len(stones)}"
        )
    rising = all(low < high for low, high in zip((0, *stones), stones))
    _need(rising, "training.schedule.milestones", "must rise and be at least 1", list(stones))
    if stones and stones[-1] >= epochs:
        raise InputError(
            f"recipe key training.schedule.milestones: {stones[-1]} is never reached in {epochs} epochs; "
            "--epochs scales the milestones too, --set does not"
        )
    _need(all(f > 0 for f in factors), "training.schedule.factors", "must be above 0", list(factors))


def _unused(table: str, record: Schedule | Sampler, used: tuple[str, ...], choice: str, by: str) -> None:
    """Raise for a key that was set and has no effect: it would be believed to have one."""
    for entry in fields(record):
        if entry.name not in (*used, by) and getattr(record, entry.name) != entry.default:
            listed = ", ".join(used) or "no further keys"
            raise InputError(
                f"recipe key {table}.{entry.name}: has no effect for '{choice}', which takes {listed}; "
                "remove it"
            )


def _check_strategy(recipe: Recipe) -> None:
    training, strategy = recipe.training, recipe.training.strategy
    if strategy == "checkpoints" and not training.save_every:
        raise InputError("recipe key training.save_every: strategy checkpoints needs it at least 1, got 0")
    if strategy == "sse" and (training.schedule.shape != "cyclic" or training.save_every):
        raise InputError(
            "recipe key training.schedule.shape: strategy sse needs 'cyclic', and no save_every "
            f"(it saves at the end of each cycle), got '{training.schedule.shape}' and {training.save_every}"
        )
    _check_early_stopping(recipe)
    _check_kept_apart(recipe)
    _check_budget(training)


def _check_early_stopping(recipe: Recipe) -> None:
    training = recipe.training
    if not training.early_stopping:
        return
    if not recipe.data.select:
        raise InputError(
            "recipe key training.early_stopping: needs samples to choose the epoch by; "
            "set data.select, for instance to 0.2"
        )
    if training.strategy not in ("simple", "bagging", "epoch-budget") or training.save_every:
        raise InputError(
            "recipe key training.early_stopping: keeps one state a run, so it goes with simple, bagging or "
            f"epoch-budget and save_every = 0, got '{training.strategy}' and {training.save_every}"
        )


def _check_kept_apart(recipe: Recipe) -> None:
    """Raise for samples that would be kept from the training and used for nothing."""
    if recipe.training.strategy == "bagging" and recipe.data.holdout:
        raise InputError(
            "recipe key data.holdout: has no effect for 'bagging', where the samples out of a member's bag are "
            f"its hold-out, got {recipe.data.holdout}; set data.holdout=0"
        )
    if recipe.data.select and not recipe.training.early_stopping:
        raise InputError(
            "recipe key data.select: has no effect without early stopping, which chooses the epoch by these "
            f"samples, got {recipe.data.select}; set data.select=0, or training.early_stopping=true"
        )


def _check_budget(training: Training) -> None:
    if training.strategy != "epoch-budget":
        if training.budget or training.sizes:
            raise InputError(
                "recipe key training.budget: budget and sizes have an effect for 'epoch-budget' alone, "
                f"got strategy '{training.strategy}'; remove them"
            )
        return
    sizes = training.sizes
    good = bool(sizes) and all(size >= 1 for size in sizes) and len(set(sizes)) == len(sizes)
    _need(good, "training.sizes", "must list different sizes of at least 1", list(sizes))
    largest = max(sizes)
    rule = f"must give each of {largest} runs an epoch, so at least {largest}"
    _need(training.budget >= largest, "training.budget", rule, training.budget)
    rule = "has no effect for 'epoch-budget', which keeps the last state of a run; set it to 0"
    _need(training.save_every == 0, "training.save_every", rule, training.save_every)
    rule = "has no effect for 'epoch-budget', whose runs are the sum of training.sizes; set it to 1"
    _need(training.runs == 1, "training.runs", rule, training.runs)


def _check_sampler(recipe: Recipe) -> None:
    strategy, sampler = recipe.training.strategy, recipe.sampler
    if strategy not in BAYESIAN:
        if sampler is not None:
            raise InputError(
                f"recipe key sampler: has no effect for strategy '{strategy}'; remove the table, "
                f"or take one of {', '.join(BAYESIAN)}"
            )
        return
    if sampler is None:
        raise InputError(
            f"recipe key sampler: missing; strategy '{strategy}' takes {', '.join(SAMPLER_KEYS[strategy])}"
        )
    _unused("sampler", sampler, SAMPLER_KEYS[strategy], strategy, "")
    if strategy.startswith("mc-dropout"):
        _check_dropout(recipe.training, sampler)
    else:
        _check_langevin(recipe.training, sampler)


def _check_dropout(training: Training, sampler: Sampler) -> None:
    rule = "must lie strictly between 0 and 1 (at 0 every pass is the same)"
    _need(0 < sampler.dropout < 1, "sampler.dropout", rule, sampler.dropout)
    one = training.strategy != "mc-dropout" or training.runs == 1
    _need(one, "training.runs", "must be 1 for mc-dropout; mc-dropout-ensemble takes more", training.runs)
    _need(sampler.passes >= 2, "sampler.passes", "must be at least 2 (each is a member)", sampler.passes)
    if training.save_every:
        raise InputError(
            f"recipe key training.save_every: has no effect for '{training.strategy}', whose members are passes "
            "of the last state; remove it"
        )


def _check_langevin(training: Training, sampler: Sampler) -> None:
    rule = "must be at least 0 and finite"
    _need(0 <= sampler.temperature < float("inf"), "sampler.temperature", rule, sampler.temperature)
    require_choice("recipe key sampler.preconditioner", sampler.preconditioner, ("none", "layers"))
    _need(sampler.burn_in >= 0, "sampler.burn_in", "must be at least 0", sampler.burn_in)
    _need(sampler.cycle >= 1, "sampler.cycle", "must be at least 1", sampler.cycle)
    noisy = 0 <= sampler.noise_epochs <= sampler.cycle
    _need(noisy, "sampler.noise_epochs", f"must be 0 to {sampler.cycle} (the cycle)", sampler.noise_epochs)
    longest = sampler.noise_epochs or sampler.cycle
    fitting = 1 <= sampler.samples_per_cycle <= longest
    rule = f"must be 1 to {longest} (one an epoch with noise)"
    _need(fitting, "sampler.samples_per_cycle", rule, sampler.samples_per_cycle)
    if sampler.burn_in + sampler.cycle > training.epochs:
        raise InputError(
            "recipe key sampler.burn_in: no sample falls after the burn-in, since its "
            f"{sampler.burn_in} epochs and a cycle of {sampler.cycle} exceed the {training.epochs} trained; "
            "lower one of them, or raise training.epochs"
        )
    if training.strategy == "csgld" and training.momentum:
        raise InputError(
            f"recipe key training.momentum: csgld has none, got {training.momentum:g}; leave it out (a step of "
            "lr/(1 - momentum) is about as long), or take csghmc-ap"
        )
    plain = training.optimiser == "sgd" and not training.nesterov and training.schedule.shape == "constant"
    if not plain or training.save_every:
        raise InputError(
            f"recipe key training.strategy: '{training.strategy}' brings its own optimiser and cycles; "
            "leave optimiser, nesterov, schedule and save_every out"
        )
