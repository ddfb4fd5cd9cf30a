r"""`blend`: a mixture of a few weightings that vary little, the better ones by cross-validation counting more.

.. math:: \rho = \sum_k \alpha_k \rho_k, \qquad \alpha_k \propto \exp(-S_k/2), \qquad
    S_k = \sum_x \big[1\{m_k(x) \le 0\} + \sigma(-m_k(x)/.3)\big]

m_k(x) is the margin of the vote with weights rho_k, fitted on the folds that x is not in: the total of the true class
less the largest other one. To choose one weighting, as `auto` does, overfits where samples are few; a mixture does not.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from comitia._split import random_folds
from comitia._votes import TIE, margins_of, walk_totals
from comitia.statistics.soft import shares_of_groups
from comitia.weighting.evidence import Evidence, Weighting, require_joint
from comitia.weighting.folds import restricted, spread, without
from comitia.weighting.minimum import minimise_tandem
from comitia.weighting.places import places_from_end

Array = NDArray[np.float64]

FOLDS = 5
# Fixed on eight real ensembles. RATE: what a loss of 1 takes from the logarithm of alpha. WIDTH: of the sigmoid.
RATE, WIDTH = 0.5, 0.3
# Losses are summed as whole numbers of 1/UNIT, so that the sum does not depend on how samples were sharded.
UNIT = 2.0**30


def blend(evidence: Evidence) -> Weighting:
    """Return the exponentially weighted mixture of the candidates, by their losses in five folds.

    The candidates are the prior, tandem weights, and half of each. Where runs have several states there are also: the
    prior on the last states, tandem weights over places in the run with a uniform prior and with half of it on the last
    place, half of each of these and half tandem, and the prior on each other place. A place is counted from the run's
    end, and its loss is the mean over runs, weighted by the prior.

    Folds are drawn from `random_state`, groups whole; the losses of a group are averaged, for it is one draw. With
    fewer than two samples or groups nothing is compared, and all candidates count alike.

    >>> from comitia._predictions import Predictions
    >>> votes = [[0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 0], [1, 1, 0, 0, 0, 0]]
    >>> blend(Evidence(Predictions.from_arrays(votes=votes, labels=[0, 1, 0, 1, 0, 1]))).weights.round(2)
    array([0.43, 0.29, 0.27])
    """
    require_joint(evidence, "blend")
    inside = np.flatnonzero(evidence.pi > 0)
    ready = restricted(evidence, inside)
    ready = replace(ready, measured={ready.loss: ready.statistics})
    places = places_from_end(ready.sampled)
    shares = np.exp(-RATE * _scores(ready, places))
    mixed = (shares / shares.sum()) @ candidates(ready, places)
    found = Weighting("blend", mixed / mixed.sum(), evidence.sampled.samples)
    return spread(found, inside, evidence.sampled.members)


def candidates(evidence: Evidence, places: NDArray[np.int64]) -> Array:
    """Return the weightings that are mixed, (K, M), fitted to that evidence."""
    return np.stack([*_candidates(evidence, places)])


def _candidates(evidence: Evidence, places: NDArray[np.int64]) -> Iterator[Array]:
    pi, known = evidence.pi, evidence.statistics
    best = minimise_tandem(known.second, known.pair_samples, evidence.delta, evidence.prior).weights
    yield from (pi, (pi + best) / 2, best)
    count = int(places.max()) + 1
    if count == 1:
        return
    at = pi * (places == np.arange(count)[:, None])  # (S, M): the prior at each place, the last state first
    at /= at.sum(axis=1, keepdims=True)
    second = at @ known.second @ at.T
    half = np.full(count, 0.5 / count)
    half[0] += 0.5
    for prior in (None, half):
        over = (
            minimise_tandem((second + second.T) / 2, known.pair_samples, evidence.delta, prior).weights @ at
        )
        yield from (over, (over + best) / 2)
    yield from at


def _scores(evidence: Evidence, places: NDArray[np.int64]) -> Array:
    """(K,) the losses S_k, less the smallest one."""
    predictions = evidence.sampled
    if predictions.units < 2:
        return np.zeros(len(candidates(evidence, places)))
    shares = shares_of_groups(predictions)
    scores: NDArray[np.int64] | int = 0
    for held in random_folds(predictions.samples, FOLDS, evidence.random_state, predictions.groups):
        weights = candidates(without(evidence, held), places)
        for block, totals in walk_totals(predictions.take(held), weights, evidence.vote):
            assert block.labels is not None
            margins = margins_of(totals, block.labels)
            lost = (margins <= TIE) + expit(-margins / WIDTH)
            here = held[block.start : block.start + block.labels.size]
            counted = lost if shares is None else lost * shares[here]
            scores = scores + np.rint(counted * UNIT).astype(np.int64).sum(axis=1)
    found = np.asarray(scores)
    return np.asarray((found - found.min()) / UNIT)
