"""A budget of epochs: for each ensemble size M, M runs of ⌊budget/M⌋ epochs.

Runs are numbered through: those of the first size first.
"""

from comitia.deep.strategies.plan import Plan
from comitia.recipes.recipe import Recipe


def runs(recipe: Recipe) -> int:
    """The sum of the sizes."""
    return sum(recipe.training.sizes)


def plan(recipe: Recipe, run: int) -> Plan:
    """The last state of a training whose schedule is scaled to its share of the budget."""
    size = size_of(recipe.training.sizes, run)
    training = recipe.training.scaled(max(1, recipe.training.budget // size))
    best = training.early_stopping
    return Plan(run=run, training=training, saves=(training.epochs,), best=best, size=size)


def size_of(sizes: tuple[int, ...], run: int) -> int:
    """The ensemble size that run (1, 2, ...) belongs to.

    >>> [size_of((1, 3), run) for run in (1, 2, 3, 4)]
    [1, 3, 3, 3]
    """
    for size in sizes:
        if run <= size:
            return size
        run -= size
    raise IndexError(f"run {run} lies beyond the last size of {sizes}")
