"""One fold: weights and bounds from one half of the samples, scores from the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._extensions import name_of
from comitia._predictions import Predictions
from comitia._simplex import as_prior, prune
from comitia.bounds import tandem_kl
from comitia.bounds.terms import kl_divergence
from comitia.evaluation.draws import Draw, Members
from comitia.evaluation.records import EARLY_STOPPING
from comitia.evaluation.scores import Scores, diversity, score
from comitia.statistics import Statistics, measure
from comitia.weighting import METHODS, Evidence, Method, choose, find

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """An ensemble: which members, and the name of the method that weighs them. Equal ones are computed once."""

    members: Members
    method: str


def ask(draw: Draw, members: str, method: str) -> Asked:
    """Return the ensemble of a draw; where its runs have one state each, early stopping has none to choose from."""
    alone = method == EARLY_STOPPING and draw.last == draw.all
    return Asked(draw.members(members), "uniform" if alone else method)


@dataclass(frozen=True, eq=False)
class Half:
    """Half of the samples: the predictions on it and the statistics of all members, by vote.

    `wrong` (M,) is the share of the samples on which a member does not give the true class; no answer is wrong.
    """

    samples: NDArray[np.int64]
    predictions: Predictions
    statistics: dict[str, Statistics]
    wrong: Vector

    @property
    def hard(self) -> Statistics:
        """Of 0/1 losses, which choose the weights for both votes."""
        return self.statistics["majority"]


@dataclass(frozen=True, eq=False)
class Fold:
    """What one fold gave, ensemble by ensemble: weights (E, M); effective members; bounds and scores by vote.

    Out-of-fold samples have no bounds.
    """

    weighing: Half
    scoring: Half
    weights: NDArray[np.float64]
    bounds: dict[str, Vector]
    scores: dict[str, Scores]

    @property
    def effective(self) -> Vector:
        """(E,) effective numbers of members."""
        return np.asarray(1.0 / (self.weights**2).sum(axis=1))

    @cached_property
    def diversity(self) -> Vector:
        """(E,) shares of the classes that get a vote, on the samples that are scored."""
        return diversity(self.scoring.predictions, self.weights > 0)


def named_methods(weightings: Sequence[Method]) -> dict[str, Method]:
    """Return the methods by the names that records give to them.

    >>> named_methods(["uniform", "tandem"])
    {'uniform': 'uniform', 'tandem': 'tandem'}
    """
    if not weightings:
        raise InputError(f"weightings: at least one of {', '.join(METHODS)} is required, got none")
    found: dict[str, Method] = {}
    for method in weightings:
        find(method, "weightings")
        name = name_of(method)
        if found.setdefault(name, method) != method:
            raise InputError(f"weightings: duplicate name '{name}'; give each function a name of its own")
    return found


def half(predictions: Predictions, samples: NDArray[np.int64], votes: Sequence[str]) -> Half:
    """Return that half with its statistics, measured once for every ensemble."""
    part = predictions.take(samples)
    found = {"majority": measure(part, loss="hard")}
    if "average" in votes:
        found["average"] = measure(part, loss="soft")
    hard = found["majority"]
    return Half(samples, part, found, hard.first if hard.counted else _wrong(part))


def _wrong(predictions: Predictions) -> Vector:
    """Return (M,) shares of samples, each counted once: statistics count no answer half, and groups alike."""
    found = np.zeros(predictions.members)
    for block in predictions.vote_blocks():
        found += (block.votes != block.labels).sum(axis=1)
    return found / predictions.samples


def run_fold(
    weighing: Half,
    scoring: Half,
    asked: Sequence[Asked],
    methods: Mapping[str, Method],
    votes: Sequence[str],
    delta: float,
    seed: int,
) -> Fold:
    """Return the fold in which `weighing` chooses the weights of all ensembles asked for and `scoring` judges them."""
    chosen = [_choose_weights(weighing, ask.members, methods[ask.method], delta, seed) for ask in asked]
    weights = np.stack(chosen)  # (E, M)
    valid = votes if weighing.predictions.folds is None else ()
    bounds = {vote: _bounds(weighing.statistics[vote], asked, weights, delta) for vote in valid}
    scores = {vote: score(scoring.predictions, weights, vote) for vote in votes}
    return Fold(weighing, scoring, weights, bounds, scores)


def _choose_weights(weighing: Half, chosen: Members, method: Method, delta: float, seed: int) -> Vector:
    """Return (M,) the deployed weights of one ensemble, zero for members that are not in it.

    They are chosen for the majority vote, from sub-matrices of the half's statistics.
    """
    members = np.array(chosen)
    found = np.zeros(weighing.predictions.members)
    if method == "uniform":
        found[members] = 1.0 / len(members)
        return found
    evidence = Evidence(
        weighing.predictions.pick(members),
        vote="majority",
        delta=delta,
        random_state=seed,
        measured={"hard": weighing.hard.pick(members)},
    )
    found[members] = prune(choose(method, evidence).weights)
    return found


def _bounds(
    measured: Statistics, asked: Sequence[Asked], weights: NDArray[np.float64], delta: float
) -> Vector:
    """Return (E,) tandem-kl bounds on the risk at the deployed weights."""
    found = []
    for ask, rho in zip(asked, weights):
        members = np.array(ask.members)
        own = rho[members]
        tandem = float(own @ measured.second[np.ix_(members, members)] @ own)
        kl = kl_divergence(own, as_prior(None, len(own)))
        found.append(tandem_kl(tandem, kl, measured.pair_samples, delta))
    return np.array(found)
