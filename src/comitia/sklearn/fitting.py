"""Fitting of all members, and what they predict on samples that they did not see, several jobs at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

from comitia.sklearn.members import Member, fitted_before, fitted_on
from comitia.sklearn.splitting import Parts, Positions


@dataclass(frozen=True, eq=False)
class Task:
    """What members are fitted on: samples X, labels as positions among the classes, and how all are divided.

    `folds` (of the samples that train) asks for out-of-fold predictions; `params` are each member's fit parameters.
    """

    X: Any
    codes: Positions
    classes: NDArray[Any]
    parts: Parts
    vote: str
    folds: Positions | None
    params: dict[str, dict[str, Any]]
    prefit: bool = False

    @property
    def width(self) -> int:
        """How many classes there are; two at least."""
        return max(2, len(self.classes))


@dataclass(frozen=True, eq=False)
class Fitted:
    """Fitted members, and what each said on the samples held out and, out-of-fold, on those that train."""

    members: list[Member]
    held: list[NDArray[Any]]
    unfolded: list[NDArray[Any]]


@dataclass(frozen=True, eq=False)
class _Job:
    """One fit (none for a member fitted before) and the samples to predict: those held out, or a fold."""

    name: str
    estimator: Any
    train: Positions | None
    test: Positions


def is_fitted_before(estimator: Any, prefit: bool) -> bool:
    """Return whether the member is taken as it is."""
    return prefit or isinstance(estimator, FrozenEstimator)


def fit_members(pairs: Sequence[tuple[str, Any]], task: Task, n_jobs: int | None) -> Fitted:
    """Fit all members on all samples that train, and for every fold on the others, and return what they said."""
    jobs = [*_whole(pairs, task), *_folds(pairs, task)]
    done = Parallel(n_jobs=n_jobs)(delayed(_run)(job, task) for job in jobs)
    count = len(pairs)
    members, held = [member for member, _ in done[:count]], [said for _, said in done[:count]]
    unfolded = _gather(jobs[count:], [said for _, said in done[count:]], pairs, task)
    return Fitted(members, held, unfolded)


def _whole(pairs: Sequence[tuple[str, Any]], task: Task) -> Iterator[_Job]:
    for name, estimator in pairs:
        before = is_fitted_before(estimator, task.prefit)
        yield _Job(name, estimator, None if before else task.parts.train, task.parts.held)


def _folds(pairs: Sequence[tuple[str, Any]], task: Task) -> Iterator[_Job]:
    """Yield a job per member and fold; a member that was fitted before has seen no sample of any."""
    if task.folds is None:
        return
    train = task.parts.train
    for name, estimator in pairs:
        if is_fitted_before(estimator, task.prefit):
            yield _Job(name, estimator, None, train)
            continue
        for fold in np.unique(task.folds):
            yield _Job(name, estimator, train[task.folds != fold], train[task.folds == fold])


def _run(job: _Job, task: Task) -> tuple[Member, NDArray[Any]]:
    """Fit and predict: in the same process, so that predictions are made in parallel too."""
    if job.train is None:
        member = fitted_before(job.name, job.estimator, task.classes)
    else:
        params = task.params.get(job.name, {})
        member = fitted_on(job.name, job.estimator, task.X, task.codes, job.train, params)
    if not len(job.test):
        return member, np.empty((0, task.width) if task.vote == "average" else 0)
    return member, member.values(_safe_indexing(task.X, job.test), task.vote, task.width)


def _gather(
    jobs: list[_Job], said: list[NDArray[Any]], pairs: Sequence[tuple[str, Any]], task: Task
) -> list[NDArray[Any]]:
    """Return each member's out-of-fold predictions, in the order of the samples that train."""
    if task.folds is None:
        return []
    rows = {name: np.empty((len(task.parts.train), *said[0].shape[1:]), said[0].dtype) for name, _ in pairs}
    for job, values in zip(jobs, said, strict=True):
        rows[job.name][np.searchsorted(task.parts.train, job.test)] = values
    return list(rows.values())
