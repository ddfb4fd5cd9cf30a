"""Which ensembles are evaluated: runs drawn without replacement, and their last or all states."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from comitia._errors import InputError
from comitia._predictions import Predictions

Members = tuple[int, ...]
# Every size up to this one is evaluated when none are asked for, then every fifth.
DENSE = 10


@dataclass(frozen=True)
class Draw:
    """One draw: the positions of the members it has as `last` and as `all`."""

    size: int
    last: Members
    all: Members

    def members(self, which: str) -> Members:
        """Return the positions by the name of the choice."""
        return self.last if which == "last" else self.all


@dataclass(frozen=True)
class Runs:
    """The members of each run, by position: the number of the run, its last state, all its states by step."""

    numbers: tuple[int, ...]
    last: Members
    all: tuple[Members, ...]

    def draw(self, chosen: Sequence[int]) -> Draw:
        """Return the draw of the runs at those places; members are in the order of run and step."""
        places = sorted(int(place) for place in chosen)
        every = tuple(member for place in places for member in self.all[place])
        return Draw(len(places), tuple(self.last[place] for place in places), every)


def runs_of(predictions: Predictions) -> Runs:
    """Return the runs of the predictions; members without run or step are runs of their own.

    >>> pack = Predictions.from_arrays(votes=[[0], [0], [1]], labels=[0], run=[4, 4, 7], step=[2, 1, 1])
    >>> runs_of(pack)
    Runs(numbers=(4, 7), last=(0, 2), all=((1, 0), (2,)))
    """
    run, step = predictions.run, predictions.step
    if run is None or step is None:
        own = tuple(range(predictions.members))
        return Runs(own, own, tuple((member,) for member in own))
    last = {int(run[member]): int(member) for member in predictions.last()}
    numbers = tuple(sorted(last))
    every = (np.flatnonzero(run == number) for number in numbers)
    states = tuple(tuple(some[np.argsort(step[some], kind="stable")].tolist()) for some in every)
    return Runs(numbers, tuple(last[number] for number in numbers), states)


def are_draws(predictions: Predictions) -> bool:
    """Whether the members of a run are draws (stochastic passes, samples), by the names that trainings give them.

    A draw is no state along a training: none is the last, and none can be stopped at.

    >>> pack = Predictions.from_arrays(votes=[[0], [1]], labels=[0], names=["run 1, sample 1", "run 1, sample 2"])
    >>> are_draws(pack)
    True
    """
    return predictions.named and all(re.search(r", (pass|sample) \d+", name) for name in predictions.names)


def default_sizes(runs: int) -> tuple[int, ...]:
    """Return 2 to 10, then every fifth, and all runs.

    >>> default_sizes(4), default_sizes(17), default_sizes(1)
    ((2, 3, 4), (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 17), (1,))
    """
    wanted = {*range(2, DENSE + 1), *range(DENSE, runs, 5), runs}
    return tuple(sorted(size for size in wanted if size <= runs))


def draw_all(
    runs: Runs,
    sizes: Sequence[int],
    repeats: int,
    seed: int,
    groups: Mapping[int, Sequence[int]] | None = None,
) -> dict[int, tuple[Draw, ...]]:
    """Return the draws of each size; those of one size do not depend on which other sizes are asked for.

    `groups` names the runs of each size instead, where each size was trained by itself.
    """
    if groups is not None:
        for size in sizes:
            if size not in groups:
                raise InputError(
                    f"sizes: must be one of those trained, {', '.join(map(str, groups))}, got {size}"
                )
        return {size: (runs.draw(_places(runs, groups[size])),) for size in sizes}
    found = {}
    for size in sizes:
        if not 1 <= size <= len(runs.last):
            raise InputError(f"sizes: must be from 1 to {len(runs.last)}, the number of runs, got {size}")
        generators = (np.random.default_rng([seed, size, repeat]) for repeat in range(repeats))
        found[size] = tuple(
            runs.draw(g.choice(len(runs.last), size, replace=False).tolist()) for g in generators
        )
    return found


def _places(runs: Runs, numbers: Sequence[int]) -> list[int]:
    missing = [number for number in numbers if number not in runs.numbers]
    if missing:
        raise InputError(f"groups: run {missing[0]} is not among the predictions' runs {runs.numbers}")
    return [runs.numbers.index(number) for number in numbers]
