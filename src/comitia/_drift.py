r"""Do new samples without labels look like the hold-out? A permutation test that can warn and never promise.

.. math:: T = \max_j |F_{\mathrm{new}}(j) - F_{\mathrm{ref}}(j)|, \qquad p = \frac{1 + \#\{T^* \ge T\}}{1 + N}

F are the shares of samples up to each cell of a `Profile`. If new samples and reference are draws of one distribution,
which of them are the new ones is a random choice: of each cell, as many as a multivariate hypergeometric draw says. T*
are the same statistic of N such draws, so p is valid for every N. There are two tests, of the vote's largest share and
of the members' disagreement; p is twice the smaller of their p-values. Look k of a series is held against
6 alpha/(pi^2 k^2), which sums to alpha: the probability of any false alarm, ever, is at most alpha.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._ensemble import Ensemble
from comitia._errors import InputError, require_open_unit, require_type, require_whole_number
from comitia._predict import find_members
from comitia._predictions import Predictions, require_predictions
from comitia._profile import Profile, profile_of
from comitia._records import to_plain
from comitia._untouched import untouched

#: Permutations: at least these, as many as 20 over the level of the look, and at most these.
FEWEST, MOST = 9_999, 2_000_000
# Draws at a time.
CHUNK = 2**14
WARNING = (
    "new samples look unlike the hold-out, so the promise may not hold for them: label some and use monitor. No alarm "
    "promises nothing: errors can rise where votes look as before"
)


@dataclass(frozen=True)
class Sign:
    """One of the two signs of drift: the largest difference of the shares, its p-value, and the means on both sides."""

    name: str
    statistic: float
    p_value: float
    reference_mean: float
    new_mean: float


@dataclass(frozen=True)
class Drifted:
    """What one look at new samples found.

    Attributes
    ----------
    alarm : whether `p_value` is at most `level`.
    p_value : twice the smaller p-value of the two tests, at most 1.
    level : alpha's share of this look.
    look : the number of this look; each look has its own samples.
    alpha : the probability of any false alarm over all looks.
    permutations : how many were drawn.
    samples, reference_samples : new ones and those they were compared with: samples, or groups.
    """

    alarm: bool
    p_value: float
    level: float
    look: int
    alpha: float
    permutations: int
    seed: int
    unit: str
    samples: int
    reference_samples: int
    tests: tuple[Sign, ...]

    @property
    def sentence(self) -> str:
        """The result as one plain sentence."""
        share, apart = self.tests
        looks = "differ from" if self.alarm else "are not distinguishable from"
        return (
            f"{self.samples:,} new {self.unit} {looks} {self.reference_samples:,} of the hold-out (p = "
            f"{self.p_value:.2g}, look {self.look} is held against {self.level:.2g}): the vote's largest share is "
            f"{share.new_mean:.4f} on average, {share.reference_mean:.4f} there; members disagree "
            f"{apart.new_mean:.4f}, {apart.reference_mean:.4f} there"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data."""
        record: dict[str, Any] = to_plain(self)
        return {**record, "sentence": self.sentence, "warning": WARNING}


def drift(
    ensemble: Ensemble,
    predictions: Predictions,
    *,
    reference: Predictions | None = None,
    alpha: float = 0.05,
    look: int = 1,
    seed: int = 0,
    permutations: int | None = None,
) -> Drifted:
    """Return whether new samples, which need no labels, look unlike the hold-out.

    Parameters
    ----------
    ensemble : its file keeps what the vote looked like on the samples that certify it.
    predictions : its members on new samples.
    reference : samples to compare with in place of those; of the hold-out only the certifying part is taken.
    alpha : the probability of a false alarm over all looks, ever.
    look : the number of this look, from 1 on. Every look needs samples of its own.
    seed : of the permutations.
    permutations : how many; by default enough for the level of this look.

    Examples
    --------
    >>> from comitia import weigh
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 4000)
    >>> votes = np.where(rng.random((5, 4000)) < 0.2, 1 - labels, labels)
    >>> ensemble = weigh(Predictions.from_arrays(votes=votes[:, :2000], labels=labels[:2000]))
    >>> harder = np.where(rng.random((5, 2000)) < 0.15, 1 - votes[:, 2000:], votes[:, 2000:])
    >>> drift(ensemble, Predictions.from_arrays(votes=votes[:, 2000:])).alarm
    False
    >>> drift(ensemble, Predictions.from_arrays(votes=harder)).alarm
    True
    """
    require_type("ensemble", ensemble, Ensemble, "read_ensemble reads one")
    require_predictions(predictions)
    level = level_of(look, alpha)
    known = reference_profile(ensemble, reference)
    new = new_profile(ensemble, predictions)
    if new.unit != known.unit:
        raise InputError(
            f"groups: the hold-out is compared by {known.unit}, the files are read by {new.unit}; give groups with "
            "both or with neither"
        )
    return examine(known, new, level=level, look=look, alpha=alpha, seed=seed, permutations=permutations)


def level_of(look: int, alpha: float) -> float:
    """Return the share of alpha that a look is held against: 6 alpha/(pi^2 k^2).

    >>> round(level_of(2, 0.05), 6)
    0.007599
    """
    number = require_whole_number("look", look, least=1)
    return 6 * require_open_unit("alpha", alpha) / (math.pi * number) ** 2


def new_profile(ensemble: Ensemble, predictions: Predictions) -> Profile:
    """Return the profile of the ensemble's vote on those samples."""
    voters = find_members(ensemble, predictions, ensemble.active)
    return profile_of(voters, ensemble.weights[ensemble.active], ensemble.vote)


def reference_profile(ensemble: Ensemble, reference: Predictions | None) -> Profile:
    """Return the profile of samples that had no part in the weights: that of the file, or of those given."""
    if reference is not None:
        require_type("reference", reference, Predictions, "read_predictions reads files")
        kept = untouched(ensemble, reference, "the reference")
        return new_profile(ensemble, reference if kept is None else reference.take(kept))
    if ensemble.profile is None:
        raise InputError(
            "reference: required, for the ensemble keeps no profile of samples that had no part in its weights; give "
            "such samples"
        )
    return ensemble.profile


def examine(
    known: Profile,
    new: Profile,
    *,
    level: float,
    look: int,
    alpha: float,
    seed: int,
    permutations: int | None,
) -> Drifted:
    """Return both tests of one look."""
    wanted = min(max(FEWEST, math.ceil(20 / level)), MOST) if permutations is None else permutations
    count = require_whole_number("permutations", wanted, least=1)
    if 2 / (1 + count) > level:
        raise InputError(
            f"permutations: {count:,} cannot show a p-value of {level:.2g}, which look {look} is held against; "
            + (
                "begin a new series of looks"
                if permutations is None
                else f"give {math.ceil(2 / level):,} or more"
            )
        )
    rng = np.random.default_rng([seed, look])
    pairs = (
        ("largest share", known.unsure, new.unsure, known.mean_share, new.mean_share),
        ("disagreement", known.disagreeing, new.disagreeing, known.mean_disagreement, new.mean_disagreement),
    )
    tests = tuple(
        Sign(name, *permutation_test(np.array(old), np.array(fresh), count, rng), *means)
        for name, old, fresh, *means in pairs
    )
    p_value = min(1.0, 2 * min(test.p_value for test in tests))
    return Drifted(
        p_value <= level,
        p_value,
        level,
        look,
        alpha,
        count,
        seed,
        new.unit,
        new.samples,
        known.samples,
        tests,
    )


def permutation_test(
    reference: NDArray[np.int64], new: NDArray[np.int64], permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the largest difference of cumulated shares between two rows of counts, and its permutation p-value.

    >>> permutation_test(np.array([50, 0]), np.array([0, 50]), 999, np.random.default_rng(0))
    (1.0, 0.001)
    """
    used = np.flatnonzero(reference + new)
    total, count = (reference + new)[used], int(new.sum())
    others = int(reference.sum())

    def differences(drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        ahead = np.cumsum(drawn, axis=-1) / count - np.cumsum(total - drawn, axis=-1) / others
        return np.asarray(np.abs(ahead).max(axis=-1))

    found, beyond = float(differences(new[used])), 0
    for start in range(0, permutations, CHUNK):
        size = min(CHUNK, permutations - start)
        drawn = rng.multivariate_hypergeometric(total, count, size=size, method="marginals")
        beyond += int((differences(drawn) >= found - 1e-12).sum())
    return found, (1 + beyond) / (1 + permutations)
