"""Plans of runs, family by family: the plan itself, how it scales, and what a recipe must satisfy."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from comitia._errors import InputError, require_choice
from comitia.recipes.cycles import Cycles
from comitia.recipes.recipe import Recipe, Sampler, Training


def need(holds: bool, key: str, rule: str, got: Any) -> None:
    """Raise `InputError` for the key of a recipe unless the rule holds."""
    if not holds:
        raise InputError(f"recipe key {key}: {rule}, got {got!r}")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What one run trains and which of its states become members.

    `saves` are the epochs (1 = the first) whose state is a member. With `best` there is one member instead,
    the state of best accuracy on the samples of `select`, known when the run ends. With `bootstrap` the
    run trains on a sample drawn with replacement. `passes` > 1: that many stochastic forward passes of each
    state are members. With `dynamics` ("sgld" or "sghmc") a `sampler` takes the place of the optimiser. With
    `collects` the states that are saved have the mean of the weights after those epochs instead of the last ones;
    with `draws` that many states, drawn around the mean as `sampler` says, are the members. `size` is the ensemble
    size of an epoch budget.
    """

    run: int
    training: Training
    saves: tuple[int, ...]
    best: bool = False
    bootstrap: bool = False
    passes: int = 1
    sampler: Sampler | None = None
    dynamics: str = ""
    collects: tuple[int, ...] = ()
    draws: int = 0
    size: int = 0

    @property
    def epochs(self) -> int:
        """The epochs the run trains."""
        return self.training.epochs

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of its states: epochs, or 1, 2, ... of those that are drawn."""
        return tuple(range(1, self.draws + 1)) or self.saves

    @property
    def members(self) -> int:
        """How many members the run makes."""
        return (1 if self.best else len(self.steps)) * self.passes


def saved_epochs(training: Training) -> tuple[int, ...]:
    """Return every `save_every`-th epoch and the last; the last alone when it is 0.

    >>> saved_epochs(Training(strategy="checkpoints", epochs=7, save_every=3))
    (3, 6, 7)
    """
    every = training.save_every or training.epochs
    return tuple(sorted({*range(every, training.epochs + 1, every), training.epochs}))


def plain_plan(recipe: Recipe, run: int) -> Plan:
    """Return the plan of a run that the keys of `[training]` decide alone."""
    training = recipe.training
    saves = (training.epochs,) if training.early_stopping else saved_epochs(training)
    return Plan(run=run, training=training, saves=saves, best=training.early_stopping)


def with_epochs(recipe: Recipe, epochs: int) -> Recipe:
    """Return the recipe in that many epochs, its schedule in proportion."""
    return replace(recipe, training=recipe.training.scaled(epochs))


def with_members(recipe: Recipe, members: int) -> Recipe:
    """Return the recipe with that many runs."""
    return replace(recipe, training=replace(recipe.training, runs=members))


def check_save_every(recipe: Recipe) -> None:
    """Raise unless states are saved along the way."""
    training = recipe.training
    rule = f"strategy {training.strategy} needs it at least 1"
    need(training.save_every >= 1, "training.save_every", rule, training.save_every)


def cycle_ends(training: Training) -> tuple[int, ...]:
    """Return the last epoch of each cycle of ⌈epochs/cycles⌉; a cycle cut short ends with the training.

    >>> from comitia.recipes.recipe import Schedule
    >>> cycle_ends(Training(strategy="sse", epochs=8, schedule=Schedule(shape="cyclic", cycles=3)))
    (3, 6, 8)
    """
    length = math.ceil(training.epochs / training.schedule.cycles)
    return tuple(min(end, training.epochs) for end in range(length, training.epochs + length, length))


def snapshot_plan(recipe: Recipe, run: int) -> Plan:
    """Return the plan of a snapshot ensemble: a state at the end of each cycle, where the rate is lowest."""
    return Plan(run=run, training=recipe.training, saves=cycle_ends(recipe.training))


def check_snapshots(recipe: Recipe) -> None:
    """Raise unless the schedule has cycles, whose ends alone decide what is saved."""
    training = recipe.training
    if training.schedule.shape != "cyclic" or training.save_every:
        raise InputError(
            f"recipe key training.schedule.shape: strategy {training.strategy} needs 'cyclic', and no save_every "
            f"(it saves at the end of each cycle), got '{training.schedule.shape}' and {training.save_every}"
        )


def budget_plan(recipe: Recipe, run: int) -> Plan:
    """Return the plan of a run of an epoch budget: the last state after its share of the epochs, schedule scaled."""
    size = size_of(recipe.training.sizes, run)
    training = recipe.training.scaled(max(1, recipe.training.budget // size))
    return Plan(run=run, training=training, saves=(training.epochs,), best=training.early_stopping, size=size)


def size_of(sizes: tuple[int, ...], run: int) -> int:
    """Return the ensemble size that run (1, 2, ...) of an epoch budget belongs to; those of the first size come first.

    >>> [size_of((1, 3), run) for run in (1, 2, 3, 4)]
    [1, 3, 3, 3]
    """
    for size in sizes:
        if run <= size:
            return size
        run -= size
    raise IndexError(f"run {run} lies beyond the last size of {sizes}")


def budget_epochs(recipe: Recipe, epochs: int) -> Recipe:
    """Return the recipe in that many epochs; the budget is scaled with them, so that every size gets at least one."""
    ratio, training = epochs / recipe.training.epochs, recipe.training.scaled(epochs)
    budget = max(*training.sizes, round(training.budget * ratio))
    return replace(recipe, training=replace(training, budget=budget))


def budget_members(recipe: Recipe, members: int) -> Recipe:
    """Return the recipe with only the sizes up to the number of members."""
    sizes = tuple(size for size in recipe.training.sizes if size <= members) or (members,)
    return replace(recipe, training=replace(recipe.training, sizes=sizes))


def check_budget(recipe: Recipe) -> None:
    """Raise unless every run of every size gets an epoch, and nothing else decides runs and states."""
    training, name = recipe.training, recipe.training.strategy
    sizes = training.sizes
    good = bool(sizes) and all(size >= 1 for size in sizes) and len(set(sizes)) == len(sizes)
    need(good, "training.sizes", "must list different sizes of at least 1", list(sizes))
    rule = f"must give each of {max(sizes)} runs an epoch, so at least {max(sizes)}"
    need(training.budget >= max(sizes), "training.budget", rule, training.budget)
    rule = f"has no effect for '{name}', which keeps the last state of a run; set it to 0"
    need(training.save_every == 0, "training.save_every", rule, training.save_every)
    rule = f"has no effect for '{name}', whose runs are the sum of training.sizes; set it to 1"
    need(training.runs == 1, "training.runs", rule, training.runs)


def cycles_of(sampler: Sampler) -> Cycles:
    """Return the cycles of a chain.

    >>> cycles_of(Sampler(burn_in=2, cycle=3)).sampled_epochs(8)
    (4, 7)
    """
    return Cycles(
        burn_in=sampler.burn_in,
        cycle=sampler.cycle,
        samples_per_cycle=sampler.samples_per_cycle,
        noise_epochs=sampler.noise_epochs,
    )


def chain_plan(dynamics: str) -> Callable[[Recipe, int], Plan]:
    """Return the planner of chains: they save after each sampled epoch of the cycles that `[sampler]` describes."""

    def plan(recipe: Recipe, run: int) -> Plan:
        training, sampler = recipe.training, sampler_of(recipe)
        saves = tuple(epoch + 1 for epoch in cycles_of(sampler).sampled_epochs(training.epochs))
        return Plan(run=run, training=training, saves=saves, sampler=sampler, dynamics=dynamics)

    return plan


def chain_epochs(recipe: Recipe, epochs: int) -> Recipe:
    """Return the recipe in that many epochs; burn-in and cycles are scaled with them, and rounded down."""
    ratio, sampler = epochs / recipe.training.epochs, sampler_of(recipe)
    cycle = max(1, int(sampler.cycle * ratio))
    noise = min(cycle, max(1, round(sampler.noise_epochs * ratio))) if sampler.noise_epochs else 0
    changed = replace(
        sampler,
        burn_in=int(sampler.burn_in * ratio),
        cycle=cycle,
        noise_epochs=noise,
        samples_per_cycle=min(sampler.samples_per_cycle, noise or cycle),
    )
    return replace(with_epochs(recipe, epochs), sampler=changed)


def check_chain(recipe: Recipe) -> None:
    """Raise unless a sample falls into the epochs of the chain, and nothing else decides its steps."""
    training, sampler = recipe.training, sampler_of(recipe)
    rule = "must be at least 0 and finite"
    need(0 <= sampler.temperature < math.inf, "sampler.temperature", rule, sampler.temperature)
    require_choice("recipe key sampler.preconditioner", sampler.preconditioner, ("none", "layers"))
    try:
        cycles_of(sampler)
    except InputError as error:
        raise InputError(f"recipe key sampler.{error}") from None
    if sampler.burn_in + sampler.cycle > training.epochs:
        raise InputError(
            "recipe key sampler.burn_in: no sample falls after the burn-in, since its "
            f"{sampler.burn_in} epochs and a cycle of {sampler.cycle} exceed the {training.epochs} trained; "
            "lower one of them, or raise training.epochs"
        )
    plain = training.optimiser == "sgd" and not training.nesterov and training.schedule.shape == "constant"
    if not plain or training.save_every:
        raise InputError(
            f"recipe key training.strategy: '{training.strategy}' brings its own optimiser and cycles; "
            "leave optimiser, nesterov, schedule and save_every out"
        )


def check_langevin(recipe: Recipe) -> None:
    """Raise for a chain that cannot be trained, or has a momentum."""
    training = recipe.training
    if training.momentum:
        raise InputError(
            f"recipe key training.momentum: {training.strategy} has none, got {training.momentum:g}; leave it out "
            "(a step of lr/(1 - momentum) is about as long), or take a strategy with momentum"
        )
    check_chain(recipe)


def passes_plan(recipe: Recipe, run: int) -> Plan:
    """Return the plan of a dropout network: stochastic passes of its last state are the members.

    The masks of a pass belong to (seed, run, pass), so that predictions can be computed again.
    """
    training = recipe.training
    return Plan(run=run, training=training, saves=(training.epochs,), passes=sampler_of(recipe).passes)


def passes_members(recipe: Recipe, members: int) -> Recipe:
    """Return the recipe with that many passes of its one network."""
    return replace(recipe, sampler=replace(sampler_of(recipe), passes=members))


def sampler_of(recipe: Recipe) -> Sampler:
    """Return the table `[sampler]`; raise where it is missing."""
    if recipe.sampler is None:
        raise InputError(f"recipe key sampler: missing; strategy '{recipe.training.strategy}' needs it")
    return recipe.sampler


def check_dropout(recipe: Recipe, *, one: bool = False) -> None:
    """Raise unless several passes of the last state differ; with `one` there must be one network."""
    training, sampler, name = recipe.training, sampler_of(recipe), recipe.training.strategy
    rule = "must lie strictly between 0 and 1 (at 0 every pass is the same)"
    need(0 < sampler.dropout < 1, "sampler.dropout", rule, sampler.dropout)
    rule = f"must be 1 for {name}; {name}-ensemble takes more"
    need(not one or training.runs == 1, "training.runs", rule, training.runs)
    need(sampler.passes >= 2, "sampler.passes", "must be at least 2 (each is a member)", sampler.passes)
    if training.save_every:
        raise InputError(
            f"recipe key training.save_every: has no effect for '{name}', whose members are passes of the last state; "
            "remove it"
        )
