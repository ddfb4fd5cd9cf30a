"""The plan of one run: all that a strategy decides about it."""

from dataclasses import dataclass

from comitia.deep.samplers.cycles import Cycles
from comitia.recipes.recipe import Recipe, Sampler, Training


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What one run trains and which of its states become members.

    `saves` are the epochs (1 = the first) whose state is a member. With `best` there is one member instead,
    the state of best accuracy on the samples of `select`, known when the run ends. With `bootstrap` the
    run trains on a sample drawn with replacement. `passes` > 1: that many stochastic forward passes of each
    state are members. A `sampler` takes the place of the optimiser. `size` is the ensemble size of an epoch budget.
    """

    run: int
    training: Training
    saves: tuple[int, ...]
    best: bool = False
    bootstrap: bool = False
    passes: int = 1
    sampler: Sampler | None = None
    size: int = 0

    @property
    def epochs(self) -> int:
        """The epochs the run trains."""
        return self.training.epochs

    @property
    def members(self) -> int:
        """How many members the run makes."""
        return (1 if self.best else len(self.saves)) * self.passes


def saved_epochs(training: Training) -> tuple[int, ...]:
    """Every `save_every`-th epoch and the last; the last alone when it is 0.

    >>> saved_epochs(Training(strategy="checkpoints", epochs=7, save_every=3))
    (3, 6, 7)
    """
    every = training.save_every or training.epochs
    return tuple(sorted({*range(every, training.epochs + 1, every), training.epochs}))


def plain_plan(recipe: Recipe, run: int, *, bootstrap: bool = False) -> Plan:
    """The plan of a run that the keys of `[training]` decide alone."""
    training = recipe.training
    saves = (training.epochs,) if training.early_stopping else saved_epochs(training)
    return Plan(run=run, training=training, saves=saves, best=training.early_stopping, bootstrap=bootstrap)


def chain_plan(recipe: Recipe, run: int) -> Plan:
    """The plan of a chain: a state after each sampled epoch of the cycles that `[sampler]` describes."""
    training, sampler = recipe.training, recipe.sampler
    assert sampler is not None  # recipes are checked on reading
    saves = tuple(epoch + 1 for epoch in cycles_of(sampler).sampled_epochs(training.epochs))
    return Plan(run=run, training=training, saves=saves, sampler=sampler)


def cycles_of(sampler: Sampler) -> Cycles:
    """The cycles of a chain.

    >>> cycles_of(Sampler(burn_in=2, cycle=3)).sampled_epochs(8)
    (4, 7)
    """
    return Cycles(
        burn_in=sampler.burn_in,
        cycle=sampler.cycle,
        samples_per_cycle=sampler.samples_per_cycle,
        noise_epochs=sampler.noise_epochs,
    )


def passes_plan(recipe: Recipe, run: int) -> Plan:
    """The plan of a dropout network: so many stochastic passes of its last state are the members."""
    training, sampler = recipe.training, recipe.sampler
    assert sampler is not None  # recipes are checked on reading
    return Plan(run=run, training=training, saves=(training.epochs,), passes=sampler.passes)
