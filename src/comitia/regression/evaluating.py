"""Compare weightings for real targets: halves of the samples choose and are scored in turn."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_choice, require_open_unit, require_whole_number
from comitia._records import from_plain, parse_json, require_format, to_plain
from comitia._split import random_folds
from comitia.regression.certifying import Question, certified_square
from comitia.regression.limits import Limit, asked_limit, chosen_limit
from comitia.regression.predictions import RealPredictions, require_real
from comitia.regression.weighting import METHODS, TABLE, weighted_mean

FORMAT = "comitia-regression-evaluation-1"


@dataclass(frozen=True)
class RealScore:
    """One weighting: means over all halves that were scored, and standard deviations over the repeats.

    `bound_mean` is the certificate of the mean squared error that the scored half gives, `weights_mean` the mean
    weight of each member.
    """

    weights: str
    mse_mean: float
    mse_sd: float
    mae_mean: float
    bound_mean: float
    weights_mean: tuple[float, ...]


@dataclass(frozen=True)
class RealEvaluation:
    """A row per weighting; each member alone on all samples; what was asked for."""

    names: tuple[str, ...]
    samples: int
    groups: int | None
    sha256: str
    repeats: int
    seed: int
    delta: float
    limit: Limit | None
    rows: tuple[RealScore, ...]
    member_errors: tuple[float, ...]

    @property
    def single_best(self) -> int:
        """The member with the smallest mean squared error, chosen with hindsight."""
        return int(np.argmin(self.member_errors))

    def fault(self) -> str | None:
        """Return what is wrong with the record, or None."""
        members = len(self.names)
        sizes = {len(self.member_errors), *(len(row.weights_mean) for row in self.rows)}
        if sizes != {members} or not self.rows:
            return f"rows: at least one is required, with one weight for each of {members} members"
        numbers = [
            *self.member_errors,
            *(v for r in self.rows for v in (r.mse_mean, r.mae_mean, r.bound_mean)),
        ]
        return "mean errors must be at least 0" if min(numbers) < 0 else None

    def to_json(self) -> dict[str, Any]:
        """Return the evaluation as plain data, which `from_json` reads back."""
        best = {"member": self.names[self.single_best], "mse": self.member_errors[self.single_best]}
        return {"format": FORMAT, **to_plain(self), "single_best": best}

    @classmethod
    def from_json(cls, text: str, source: str = "evaluation") -> "RealEvaluation":
        """Return the evaluation that `to_json` gave, from its text; anything else is one clear error."""
        what = "an evaluation for real targets that comitia evaluate wrote"
        record = require_format(parse_json(text, source), FORMAT, source, what)
        return from_plain(cls, record, f"{source}: ", strict=False)


def evaluate(
    predictions: RealPredictions,
    *,
    weightings: Iterable[str] | None = None,
    repeats: int = 5,
    seed: int = 0,
    delta: float = 0.05,
    largest_error: float | None = None,
    clip: float | None = None,
) -> RealEvaluation:
    """Return how weightings compare: in each repeat random halves choose weights for each other.

    Parameters
    ----------
    predictions : with targets; groups stay whole, and count alike.
    weightings : methods of `comitia.regression.weigh`; all of them when None.
    repeats : how many random halvings.
    seed, delta, largest_error, clip : as in `comitia.regression.weigh`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> targets = rng.normal(size=1000)
    >>> values = targets + rng.normal(scale=[[0.5], [0.6], [2.0]], size=(3, 1000))
    >>> found = evaluate(RealPredictions.from_arrays(values, targets), weightings=["uniform", "tandem"])
    >>> [(row.weights, round(row.mse_mean, 1)) for row in found.rows]
    [('uniform', 0.5), ('tandem', 0.1)]
    """
    require_real(predictions)
    predictions.truth  # noqa: B018
    if predictions.out_of_fold:
        raise InputError(
            "folds: out-of-fold samples are dependent; evaluate on samples that no fold has seen"
        )
    names = [require_choice("weightings", name, METHODS) for name in weightings or METHODS]
    limit, delta = asked_limit(largest_error, clip), require_open_unit("delta", delta)
    repeats, seed = (
        require_whole_number("repeats", repeats, least=1),
        require_whole_number("seed", seed, least=0),
    )
    if predictions.units < 4:
        raise InputError(f"predictions: at least 4 samples (or groups) are required, got {predictions.units}")
    asked = Question(delta, seed, np.full(predictions.members, 1 / predictions.members), ())
    halves = [random_folds(predictions.samples, 2, seed + k, predictions.groups) for k in range(repeats)]
    found = {
        name: [_half(predictions, name, pair, limit, asked) for pair in halves]
        for name in dict.fromkeys(names)
    }
    return RealEvaluation(
        predictions.names,
        predictions.samples,
        None if predictions.groups is None else predictions.units,
        predictions.fingerprint(),
        repeats,
        seed,
        delta,
        limit,
        tuple(_score(name, np.array(scores)) for name, scores in found.items()),
        tuple(predictions.averaged(predictions.errors**2).mean(axis=1).tolist()),
    )


def _half(
    predictions: RealPredictions,
    name: str,
    pair: list[NDArray[np.int64]],
    limit: Limit | None,
    asked: Question,
) -> NDArray[np.float64]:
    """Squared error, absolute error, certificate and weights, the means of both ways round."""
    rows = []
    for chooses, scored in (pair, pair[::-1]):
        part, held = predictions.take(chooses), predictions.take(scored)
        weights = TABLE[name].weigh(part, asked.delta, None).weights
        errors = weighted_mean(held, weights) - held.truth
        known = limit or chosen_limit(weighted_mean(part, weights) - part.truth)
        if known is None:
            raise InputError("clip: every error of a half is 0, so it cannot say at what to clip; give it")
        bound = certified_square(held, weights, known, asked)
        means = (held.averaged(loss).mean() for loss in (errors**2, np.abs(errors)))
        rows.append([*means, bound, *weights])
    return np.asarray(np.mean(rows, axis=0))


def _score(name: str, scores: NDArray[np.float64]) -> RealScore:
    mean = scores.mean(axis=0).tolist()
    spread = float(scores[:, 0].std(ddof=1)) if len(scores) > 1 else 0.0
    return RealScore(name, mean[0], spread, mean[1], mean[2], tuple(mean[3:]))
