r"""Weights for members with hold-outs of their own: a mixture of equal, tandem and half-tandem weights.

.. math:: \rho = \sum_k \alpha_k \rho_k, \qquad \alpha_k \propto \exp(-S_k/2), \qquad
    S_k = \sum_x \big[1\{m_k(x) \le 0\} + \sigma(-m_k(x)/.3)\big]

It is `comitia.weighting.blend` with another vote: m_k(x) is the margin of the members that did not see x, each by its
weight in rho_k, which is fitted on the folds that x is not in. That vote is of other members for every sample, so it
chooses weights and certifies nothing.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from comitia._predictions import Predictions
from comitia._shards import smallest_unsigned
from comitia._split import random_folds
from comitia._votes import TIE, margins_of, probability_totals, vote_totals
from comitia.statistics import measure
from comitia.weighting import Evidence, Weighting, minimise_tandem
from comitia.weighting.blend import RATE, WIDTH

Array = NDArray[np.float64]

FOLDS = 2
# Samples of a fold that the weightings are compared on; more would cost time and change little.
COMPARED = 5000


def mixed(evidence: Evidence) -> Weighting:
    """Return the mixture of weightings whose members that did not see a sample vote best on it.

    >>> votes = [[0, 1, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 1, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1, 1]]
    >>> mask = np.array([[1, 1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1, 1]], bool)
    >>> pack = Predictions.from_arrays(votes=votes, labels=[0, 1, 0, 1, 0, 1, 0, 1], mask=mask)
    >>> mixed(Evidence(pack)).weights.round(2)
    array([0.42, 0.3 , 0.28])
    """
    predictions = evidence.predictions
    assert isinstance(predictions, Predictions)
    scores = np.zeros(3)
    for held in random_folds(predictions.samples, FOLDS, evidence.random_state):
        others = np.setdiff1d(np.arange(predictions.samples), held)
        weights = _candidates(evidence, predictions.take(others))
        scores += _losses(predictions.take(_spread(held)), weights, evidence.vote)
    shares = np.exp(-RATE * (scores - scores.min()))
    found = (shares / shares.sum()) @ _candidates(evidence, predictions)
    return Weighting("mixed", found / found.sum(), predictions.samples)


def _candidates(evidence: Evidence, predictions: Predictions) -> Array:
    """Return, as (3, M), equal weights (the prior), half of each, tandem weights by those samples."""
    known = (
        evidence.statistics if predictions is evidence.predictions else measure(predictions, evidence.loss)
    )
    best = minimise_tandem(known.second, known.pair_samples, evidence.delta, evidence.prior).weights
    return np.stack([evidence.pi, (evidence.pi + best) / 2, best])


def _spread(held: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return at most that many of the positions, evenly spread over them."""
    return held if len(held) <= COMPARED else held[np.linspace(0, len(held) - 1, COMPARED).astype(np.int64)]


def _losses(predictions: Predictions, weights: Array, vote: str) -> Array:
    """Return, as (K,), the summed losses of the votes of the members for which a sample is hold-out."""
    found = np.zeros(len(weights))
    for block in predictions.blocks() if vote == "average" else predictions.vote_blocks():
        assert block.labels is not None
        if vote == "average":
            assert block.probs is not None
            totals = probability_totals(block.probs, weights)
        else:
            votes = block.votes.astype(smallest_unsigned(predictions.classes + 1))
            if block.mask is not None:
                votes[~block.mask] = predictions.classes  # no answer
            totals = vote_totals(votes, weights, predictions.classes)
        whole = totals.sum(axis=-1, keepdims=True)
        margins = margins_of(totals / np.where(whole > 0, whole, 1.0), block.labels)
        found += ((margins <= TIE) + expit(-margins / WIDTH)).sum(axis=1)
    return found
