"""Snapshot ensembles: a cyclic learning rate, a state at the end of each cycle."""

import math

from comitia.deep.strategies.plan import Plan
from comitia.recipes.recipe import Recipe, Training


def runs(recipe: Recipe) -> int:
    """As many as the recipe says; each makes one member a cycle."""
    return recipe.training.runs


def plan(recipe: Recipe, run: int) -> Plan:
    """A state at the end of each cycle, where the rate is lowest."""
    return Plan(run=run, training=recipe.training, saves=cycle_ends(recipe.training))


def cycle_ends(training: Training) -> tuple[int, ...]:
    """The last epoch of each cycle of ⌈epochs/cycles⌉; a cycle cut short ends with the training.

    >>> from comitia.recipes.recipe import Schedule
    >>> cycle_ends(Training(strategy="sse", epochs=8, schedule=Schedule(shape="cyclic", cycles=3)))
    (3, 6, 8)
    """
    length = math.ceil(training.epochs / training.schedule.cycles)
    return tuple(min(end, training.epochs) for end in range(length, training.epochs + length, length))
