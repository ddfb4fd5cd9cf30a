"""Strategies: how the members of a recipe are made. Everything that depends on a strategy is in its record.

`STRATEGIES` holds the built-in ones. A recipe may name one from outside by `module:function`: a function without
arguments that returns a `Strategy`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from comitia._errors import InputError
from comitia._extensions import is_reference, load, resolve
from comitia.recipes import averaging, planning
from comitia.recipes.planning import Plan, plain_plan
from comitia.recipes.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """The rules of a strategy.

    Attributes
    ----------
    name : its name in messages and records
    plan : what run 1, 2, ... of a recipe trains, and which states become members
    runs : how many runs a recipe has
    check : raises `InputError` for a recipe that the strategy cannot train; the general checks are done elsewhere
    sampler : the keys of `[sampler]` that it takes; without any the table must be left out
    keys : the keys of `[training]` that no other strategy takes
    with_epochs, with_members : the recipe scaled to that many epochs or members (both at least 1)
    early_stopping : whether `training.early_stopping` may choose the one state of a run
    out_of_bag : whether the hold-out of a member is what its bootstrap sample left out, where the data have none
    bayesian : whether the members approximate samples of a posterior
    independent : whether it is the plain deep ensemble that others are compared with
    comparable : whether it can be compared with others at equal epochs
    repeats_as : the strategy that trains repeats of it side by side, if that is another one

    Examples
    --------
    >>> def last_two(recipe, run):
    ...     epochs = recipe.training.epochs
    ...     return Plan(run=run, training=recipe.training, saves=(epochs - 1, epochs))
    >>> Strategy(name="last-two", plan=last_two).bayesian
    False
    """

    name: str
    plan: Callable[[Recipe, int], Plan]
    runs: Callable[[Recipe], int] = lambda recipe: recipe.training.runs
    check: Callable[[Recipe], None] = lambda recipe: None
    sampler: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    with_epochs: Callable[[Recipe, int], Recipe] = planning.with_epochs
    with_members: Callable[[Recipe, int], Recipe] = planning.with_members
    early_stopping: bool = False
    out_of_bag: bool = False
    bayesian: bool = False
    independent: bool = False
    comparable: bool = True
    repeats_as: str = ""

    def repeated(self, recipe: Recipe, repeats: int) -> Recipe:
        """Return the recipe that trains that many repeats side by side."""
        name = self.repeats_as or recipe.training.strategy
        return replace(
            recipe, training=replace(recipe.training, strategy=name, runs=recipe.training.runs * repeats)
        )


_CHAIN = ("burn_in", "cycle", "samples_per_cycle", "noise_epochs", "temperature", "preconditioner")
_DROPOUT = ("dropout", "passes")
_MEAN = ("burn_in", "collect_every")
STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        # Independent runs: the last state of each, those of `save_every`, or the best by early stopping.
        Strategy(name="simple", plan=plain_plan, early_stopping=True, independent=True),
        # Independent runs, a state every few epochs of each.
        Strategy(name="checkpoints", plan=plain_plan, check=planning.check_save_every),
        # Snapshot ensembles: a cyclic learning rate, a state at the end of each cycle, where the rate is lowest.
        Strategy(name="sse", plan=planning.snapshot_plan, check=planning.check_snapshots),
        # Each run trains on a bootstrap sample; the samples it never saw are its own hold-out.
        Strategy(
            name="bagging",
            plan=lambda recipe, run: replace(plain_plan(recipe, run), bootstrap=True),
            early_stopping=True,
            out_of_bag=True,
            comparable=False,
        ),
        # For each ensemble size M, M runs of ⌊budget/M⌋ epochs.
        Strategy(
            name="epoch-budget",
            plan=planning.budget_plan,
            runs=lambda recipe: sum(recipe.training.sizes),
            check=planning.check_budget,
            keys=("budget", "sizes"),
            with_epochs=planning.budget_epochs,
            with_members=planning.budget_members,
            early_stopping=True,
            comparable=False,
        ),
        # Cyclical stochastic gradient Langevin dynamics (Zhang et al. 2020, "Cyclical stochastic gradient MCMC for
        # Bayesian deep learning"): samples from the end of each cosine cycle of a chain.
        Strategy(
            name="csgld",
            plan=planning.chain_plan("sgld"),
            check=planning.check_langevin,
            sampler=_CHAIN,
            with_epochs=planning.chain_epochs,
            bayesian=True,
        ),
        # Cyclical stochastic gradient Hamiltonian Monte Carlo with adaptive preconditioning (Wenzel et al. 2020, "How
        # good is the Bayes posterior in deep neural networks really?"): symplectic Euler, one mass per layer.
        Strategy(
            name="csghmc-ap",
            plan=planning.chain_plan("sghmc"),
            check=planning.check_chain,
            sampler=_CHAIN,
            with_epochs=planning.chain_epochs,
            bayesian=True,
        ),
        # Stochastic forward passes of one dropout network (Gal and Ghahramani 2016, "Dropout as a Bayesian
        # approximation").
        Strategy(
            name="mc-dropout",
            plan=planning.passes_plan,
            check=partial(planning.check_dropout, one=True),
            sampler=_DROPOUT,
            with_members=planning.passes_members,
            bayesian=True,
            repeats_as="mc-dropout-ensemble",
        ),
        # Stochastic forward passes of each of several dropout networks.
        Strategy(
            name="mc-dropout-ensemble",
            plan=planning.passes_plan,
            check=planning.check_dropout,
            sampler=_DROPOUT,
            bayesian=True,
        ),
        # Stochastic weight averaging (Izmailov et al. 2018, "Averaging weights leads to wider optima and better
        # generalization"): the mean of the weights after the last epochs is the one member of a run.
        Strategy(
            name="swa",
            plan=averaging.mean_plan,
            check=averaging.check_mean,
            sampler=_MEAN,
            with_epochs=averaging.mean_epochs,
        ),
        # SWA-Gaussian (Maddox et al. 2019, "A simple baseline for Bayesian uncertainty in deep learning"): samples of a
        # Gaussian around that mean, with the covariance of the averaged weights.
        Strategy(
            name="swag",
            plan=averaging.gaussian_plan,
            check=averaging.check_gaussian,
            sampler=(*_MEAN, "samples", "rank", "scale"),
            with_epochs=averaging.gaussian_epochs,
            bayesian=True,
        ),
    )
}


def strategy_of(recipe: Recipe) -> Strategy:
    """Return the strategy of a recipe: a built-in one, or what the function of a `module:function` returns."""
    name, key = recipe.training.strategy, "recipe key training.strategy"
    if not is_reference(name):
        found: Strategy = resolve(key, name, STRATEGIES)
        return found
    made = load(key, name)()
    if not isinstance(made, Strategy):
        raise InputError(f"{key}: '{name}' must return a Strategy, got {type(made).__name__}")
    return made


def plan(recipe: Recipe, run: int) -> Plan:
    """Return what run 1, 2, ... of the recipe trains and which states become members."""
    return strategy_of(recipe).plan(recipe, run)


def plans(recipe: Recipe) -> tuple[Plan, ...]:
    """Return the plans of all runs of the recipe, in order."""
    strategy = strategy_of(recipe)
    return tuple(strategy.plan(recipe, run) for run in range(1, strategy.runs(recipe) + 1))


def size_groups(recipe: Recipe) -> Mapping[int, Sequence[int]] | None:
    """Return the runs (1, 2, ...) of each ensemble size if runs belong to sizes (epoch budget), else None."""
    groups: dict[int, range] = {}
    for one in plans(recipe):
        first = groups[one.size].start if one.size in groups else one.run
        groups[one.size] = range(first, one.run + 1)
    return None if 0 in groups else groups
