"""What a weighting method may look at, and what it hands back."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError, require_open_unit
from comitia._predictions import Predictions
from comitia._simplex import as_prior
from comitia._votes import require_kind
from comitia.statistics import Statistics, measure
from comitia.statistics.counted import Counted, Holdout

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Hold-out predictions, the vote to be deployed, and what the bounds are asked for.

    Attributes
    ----------
    predictions : members and labels on the samples that may choose the weights, or what was counted of them
    vote : "majority" or "average"
    delta : failure probability of the bounds that are minimised
    prior : (M,) on the simplex; uniform when None
    random_state : seed of whatever a method draws
    unlabelled : the same members on further samples, labels not needed (method `disagreement`)
    measured : statistics known already, by the name of their loss; else they are measured when first asked for

    >>> two = Predictions.from_arrays(votes=[[0, 1, 1], [0, 0, 1]], labels=[0, 1, 1])
    >>> Evidence(two).statistics.first.round(3)
    array([0.   , 0.333])
    """

    predictions: Holdout
    vote: str = "majority"
    delta: float = 0.05
    prior: ArrayLike | None = None
    random_state: int = 0
    unlabelled: Predictions | None = None
    measured: dict[str, Statistics] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        require_open_unit("delta", self.delta)
        as_prior(self.prior, self.predictions.members)
        if isinstance(self.predictions, Predictions) and self.predictions.labels is None:
            raise InputError("labels: weighing needs the true classes; give labels with the predictions")
        require_kind(self.predictions, self.vote)

    @property
    def pi(self) -> Array:
        """The prior as (M,) float64."""
        return as_prior(self.prior, self.predictions.members)

    @property
    def sampled(self) -> Predictions:
        """The predictions sample by sample; an error where only counts are known."""
        if isinstance(self.predictions, Counted):
            raise InputError("method: needs what members said on each sample, which counts do not hold")
        return self.predictions

    @property
    def labels(self) -> NDArray[np.int64]:
        """The true classes."""
        assert self.sampled.labels is not None
        return self.sampled.labels

    @property
    def loss(self) -> str:
        """The loss whose bounds hold for the vote."""
        return "soft" if self.vote == "average" else "hard"

    @cached_property
    def statistics(self) -> Statistics:
        """Of the loss of the vote."""
        return self.hard if self.loss == "hard" else self._measure("soft")

    @cached_property
    def hard(self) -> Statistics:
        """Of the 0/1 errors."""
        return self._measure("hard")

    def _measure(self, loss: str) -> Statistics:
        return self.measured[loss] if loss in self.measured else measure(self.predictions, loss)


@dataclass(frozen=True, eq=False)
class Weighting:
    """Weights on the simplex and how they were chosen.

    Attributes
    ----------
    method : its name
    weights : (M,)
    samples : hold-out samples that chose them (the n of the bound that was minimised), 0 if none did
    lam, kl, gap, bound : of the minimised bound, where there is one
    counts : (M,) integers with weights = counts / sum(counts), where the weights are such
    chosen : the candidate that `auto` picked
    """

    method: str
    weights: Array
    samples: int
    lam: float | None = None
    kl: float | None = None
    gap: float | None = None
    bound: float | None = None
    counts: NDArray[np.int64] | None = None
    chosen: str | None = None


def refuse_prior(evidence: Evidence, method: str) -> None:
    """Raise if a prior other than the uniform one was given to a method that has no use for it."""
    pi = evidence.pi
    if np.abs(pi - 1.0 / pi.size).max() > 1e-12:
        raise InputError(
            f"prior: method '{method}' uses none; leave it out, or take first-order, tandem, cantelli, "
            "disagreement, likelihood, blend or auto"
        )


def require_joint(evidence: Evidence, method: str) -> None:
    """Raise unless every sample is hold-out for every member."""
    if not evidence.predictions.shared:
        raise InputError(
            f"method: '{method}' scores members together on samples that are hold-out for all of them, but here "
            "each has its own (mask); use uniform, best, first-order, tandem, cantelli or disagreement"
        )
