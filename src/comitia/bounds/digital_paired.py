r"""Digital bound with unlabelled samples: the mean loss, less the part of its noise that a score explains.

.. math:: X_t = \ell_t - c_t \Big(g(x_t) - \frac{1}{\kappa} \sum_{j=1}^{\kappa} g(\tilde x_{tj})\Big),
    \qquad E[X_t \mid \text{past}] = E[\ell], \quad X_t \le 1 + c_t

The digital bound of X. c_t in [0, 1.5] is kappa/(1 + kappa) times the slope of the losses on the scores, from samples
before the block of t (`comitia.bounds.betting.blocks`), drawn towards .75 while there are few: a
slope that is learned from few costs more than one that is a little off, and one that is too small less than too large.
Source: control variates; prediction-powered inference, Angelopoulos et al. (2023), with bets as in
`comitia.bounds.digital`.
Valid for labelled and unlabelled samples that are i.i.d. from one distribution, each used once, and a score g in [0, 1]
fixed without them. Of the width, a share of about sqrt(1 - R^2 kappa/(1 + kappa)) remains, where R is the correlation
of loss and score.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._errors import InputError
from comitia.bounds.arguments import require_delta, require_unit_values
from comitia.bounds.betting import blocks, upper_limit
from comitia.bounds.digital import outward

Floats = NDArray[np.float64]

#: Largest slope; the slope at the start, which counts as this many samples, whose scores have that variance.
LARGEST, START, PRIOR, SPREAD = 1.5, 0.75, 300.0, 0.02


def digital_paired(losses: ArrayLike, scores: ArrayLike, others: ArrayLike, delta: float = 0.05) -> float:
    """Return an upper confidence bound of the mean loss, with the help of samples without labels.

    Parameters
    ----------
    losses : (n,) array
        Losses in [0, 1] of the labelled samples, in an order fixed before they are seen.
    scores : (n,) array
        g in [0, 1] of the same samples, such as 1 less the share of the vote's first class. It must be fixed
        without these samples; the better it foretells the loss, the tighter the bound.
    others : (n, k) or (n,) array
        g of k unlabelled samples for each labelled one, from the same distribution, none used twice.
    delta : float
        Failure probability.

    Returns
    -------
    float
        At least the mean loss with probability 1 - delta, from above 0 to 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> risks = rng.beta(0.3, 2.0, (2000, 6))  # of the classifier on each sample, known to the score
    >>> losses = rng.random(2000) < risks[:, 0]
    >>> round(digital_paired(losses, risks[:, 0], risks[:, 1:]), 4)
    0.1307
    """
    delta = require_delta(delta)
    values, slopes = paired_values(losses, scores, others)
    return outward(upper_limit(values, 1.0 + slopes, delta), 1.0)


def paired_values(losses: ArrayLike, scores: ArrayLike, others: ArrayLike) -> tuple[Floats, Floats]:
    """Return the values X_t (n,) whose mean is bounded, and the slope of each block; arguments as above.

    >>> paired_values([1, 0], [0.5, 0.25], [0.25, 0.25])[0]
    array([0.90625, 0.     ])
    """
    loss, score, other = _require_pairs(losses, scores, others)
    starts = blocks(len(loss))
    slopes = _slopes(loss, score, other.shape[1], starts[:-1])
    return loss - np.repeat(slopes, np.diff(starts)) * (score - other.mean(axis=1)), slopes


def _require_pairs(losses: ArrayLike, scores: ArrayLike, others: ArrayLike) -> tuple[Floats, Floats, Floats]:
    loss, score = require_unit_values("losses", losses), require_unit_values("scores", scores)
    other = np.asarray(others)
    if len(score) != len(loss):
        raise InputError(f"scores: must have one entry per loss ({len(loss)}), got {len(score)}")
    if other.ndim not in (1, 2) or other.shape[0] != len(loss) or other.size == 0:
        raise InputError(
            f"others: must have one row per loss ({len(loss)}), of one or more scores, got shape {other.shape}"
        )
    return loss, score, require_unit_values("others", other.ravel()).reshape(len(loss), -1)


def _slopes(loss: Floats, score: Floats, kappa: int, starts: NDArray[np.int64]) -> Floats:
    """One slope per block, from the samples before it."""
    seen = np.maximum(starts, 1)
    sums = (
        np.concatenate([[0.0], np.cumsum(part)])[starts] for part in (loss, score, loss * score, score**2)
    )
    loss_sum, score_sum, product_sum, square_sum = sums
    covariance = product_sum - loss_sum * score_sum / seen
    variance = square_sum - score_sum**2 / seen
    slope = (PRIOR * SPREAD * START + covariance) / (PRIOR * SPREAD + np.maximum(variance, 0.0))
    return np.asarray(np.clip(slope * kappa / (1 + kappa), 0.0, LARGEST))
