"""Which members an ensemble can do without, and at what loss."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predictions import Predictions, require_predictions
from comitia._split import split_samples
from comitia._votes import certified_losses
from comitia._weigh import weigh
from comitia.weighting import Method


@dataclass(frozen=True)
class Without:
    """An ensemble weighed anew without some members.

    Attributes
    ----------
    dropped : the members that were left out, in the order in which they were
    members : how many are left
    error : share of the samples that chose the weights on which the vote errs or ties
    risk : the certified risk, at the delta asked for, of this ensemble alone; None of out-of-fold predictions
    """

    dropped: tuple[str, ...]
    members: int
    error: float
    risk: float | None


@dataclass(frozen=True)
class Dropping:
    """What leaving members out costs: nobody, each member alone, and more and more of them.

    `chosen_on` says what chose the weights, and so what `error` was measured on: a "part" of the samples, or all.
    """

    whole: Without
    alone: tuple[Without, ...]
    stepwise: tuple[Without, ...]
    delta: float
    chosen_on: str

    @property
    def note(self) -> str:
        """What these numbers allow, in plain words."""
        sets = len({frozenset(one.dropped) for one in (self.whole, *self.alone, *self.stepwise)})
        if self.whole.risk is None:
            return "members were dropped by errors on out-of-fold samples: estimates, which certify nothing"
        shared = f"each risk holds alone at delta {self.delta:g}; to choose among all {sets} by their risks, ask for "
        price = f"delta {self.delta:g}/{sets}"
        if self.chosen_on == "part":
            return f"members were dropped by errors on the weighing part, which certifies nothing; {shared}{price}"
        return (
            f"members were dropped by errors on the samples that certify; a set chosen by them is not certified: use "
            f"other samples, or certify_fraction; {shared}{price} and for sets that were fixed beforehand"
        )


def drop_members(
    predictions: Predictions,
    *,
    method: Method | None = None,
    vote: str | None = None,
    delta: float = 0.05,
    certify_fraction: float | None = None,
    seed: int = 0,
) -> Dropping:
    """Return how an ensemble does without each of its members, and without more and more of them.

    Stepwise, the member is dropped whose absence leaves the lowest error of the vote, weighed anew, until one is left.
    Of several such members the one with the lowest weight goes, then the first. Where a part of the samples is kept for
    certifying, only the weighing part decides.

    Parameters
    ----------
    predictions : hold-out predictions with labels, every sample for every member, at least two members.
    method, vote, delta, certify_fraction, seed : as in `weigh`; one split serves all.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> votes = np.where(rng.random((3, 400)) < 0.2, 1 - labels, labels)
    >>> found = drop_members(Predictions.from_arrays(votes=votes, labels=labels))
    >>> [one.members for one in found.stepwise], len(found.alone)
    ([2, 1], 3)
    """
    require_predictions(predictions)
    if predictions.members < 2:
        raise InputError(f"members: at least 2 are required to drop one, got {predictions.members}")

    def weighed(kept: Sequence[int]) -> _Weighed:
        picked = predictions.pick(kept)
        found = weigh(
            picked, method=method, vote=vote, delta=delta, certify_fraction=certify_fraction, seed=seed
        )
        return _Weighed(tuple(kept), found, _error(picked, found))

    start = weighed(range(predictions.members))
    names = predictions.names
    alone = _without_each(start, weighed)
    current, options, stepwise = start, alone, []
    while options:
        current = _least_missed(current, options)
        stepwise.append(current)
        options = _without_each(current, weighed)
    order = _order([start, *stepwise])
    steps = [_without(one, tuple(names[k] for k in order[: count + 1])) for count, one in enumerate(stepwise)]
    singles = [_without(one, (names[k],)) for k, one in enumerate(alone)]
    return Dropping(_without(start, ()), tuple(singles), tuple(steps), delta, start.ensemble.chosen_on)


@dataclass(frozen=True)
class _Weighed:
    """The ensemble of some members (positions), and its error on the samples that chose the weights."""

    kept: tuple[int, ...]
    ensemble: Ensemble
    error: float


def _error(predictions: Predictions, ensemble: Ensemble) -> float:
    """The share of errors and ties on the weighing part, or on all samples where none is kept for certifying."""
    losses = certified_losses(predictions, ensemble.weights, ensemble.vote)
    if ensemble.chosen_on != "part":
        return float(losses.mean())
    split, groups = ensemble.split, predictions.groups
    weighing, _ = split_samples(predictions.samples, split.fraction, split.seed, groups)
    return float(losses[weighing].mean())


def _without_each(current: _Weighed, weighed: Callable[[Sequence[int]], _Weighed]) -> list[_Weighed]:
    """The ensembles without one of its members each, in their order; none where it has a single one."""
    if len(current.kept) == 1:
        return []
    return [weighed([other for other in current.kept if other != member]) for member in current.kept]


def _least_missed(current: _Weighed, options: Sequence[_Weighed]) -> _Weighed:
    """The option of the lowest error; of several the one that lacks the member of the lowest weight."""
    weights = current.ensemble.weights
    best = min(range(len(options)), key=lambda k: (options[k].error, weights[k], k))
    return options[best]


def _order(path: Sequence[_Weighed]) -> list[int]:
    """The members in the order in which they were dropped along the path."""
    return [next(iter({*before.kept} - {*after.kept})) for before, after in pairwise(path)]


def _without(one: _Weighed, dropped: tuple[str, ...]) -> Without:
    best = one.ensemble.best
    return Without(dropped, len(one.kept), one.error, None if best is None else best.risk)
