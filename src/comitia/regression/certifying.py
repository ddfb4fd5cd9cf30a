"""Every certificate that is valid for a weighted mean, by what chose its weights."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from comitia._certify import Unavailable
from comitia.bounds.digital import digital
from comitia.bounds.error_quantile import error_quantile, quantile_rank
from comitia.bounds.row import NO_PRIOR
from comitia.bounds.terms import kl_divergence
from comitia.promises.order import key_of
from comitia.regression.certificate import ABSOLUTE, FORMULAS, QUANTILE, SQUARED, RealCertificate
from comitia.regression.limits import Limit, require_true
from comitia.regression.predictions import RealPredictions
from comitia.regression.weighting import products, weighted_mean

Array = NDArray[np.float64]

NO_PART = "all samples chose the weights; keep some for certifying (certify_fraction), or give them apart (certify=)"
NOT_KNOWN = (
    "all samples chose the weights, and then a promise needs the largest error that is possible (largest_error=); a "
    "clipped loss is no quadratic form of the weights"
)
NO_LIMIT = "every error of the samples that choose is 0, so they cannot say at what to clip; clip= does"
OUT_OF_FOLD = "out-of-fold samples trained the models of other folds; certify= takes untouched samples"
IN_GROUPS = "samples of one group are not independent, and order statistics need samples that are"
TOO_FEW = "{} samples are too few for a quantile of level {:g} at delta {:g}"


@dataclass(frozen=True)
class RealCertification:
    """All certificates, each at its own delta; the one to quote, out of how many; those not given, and why."""

    certificates: tuple[RealCertificate, ...]
    best: RealCertificate | None
    compared: int
    unavailable: tuple[Unavailable, ...]


@dataclass(frozen=True)
class Question:
    """What is asked of the certificates, fixed before the samples that certify are looked at."""

    delta: float
    seed: int
    prior: Array
    quantiles: tuple[float, ...]


def certify_untouched(
    samples: RealPredictions, weights: Array, limit: Limit, asked: Question, name: str
) -> RealCertification:
    """Return the certificates of a mean whose weights and limit no sample here chose; the squared error is designated.

    Samples, or groups, enter in an order drawn from the seed and their checksum: `comitia.promises.order` says why.
    """
    errors = weighted_mean(samples, weights) - samples.truth
    require_true(limit, errors, "the weighted mean")
    order = _order(samples, asked.seed)
    sizes = limit.clipped(errors)
    given = [
        _mean(name, measure, losses, order, limit, asked.delta, samples)
        for measure, losses in ((SQUARED, sizes * sizes), (ABSOLUTE, sizes))
    ]
    found = [_quantile(name, errors, level, asked.delta, samples) for level in asked.quantiles]
    given += [one for one in found if isinstance(one, RealCertificate)]
    return RealCertification(
        tuple(given), given[0], 1, tuple(one for one in found if isinstance(one, Unavailable))
    )


def certified_square(samples: RealPredictions, weights: Array, limit: Limit, asked: Question) -> float:
    """Return the certificate of the mean squared error alone, as `certify_untouched` gives it."""
    errors = weighted_mean(samples, weights) - samples.truth
    require_true(limit, errors, "the weighted mean")
    losses, order = limit.clipped(errors) ** 2, _order(samples, asked.seed)
    return _mean("split", SQUARED, losses, order, limit, asked.delta, samples).risk


def _order(samples: RealPredictions, seed: int) -> NDArray[np.int64]:
    key = int(key_of(samples.fingerprint()), 16)
    return np.random.default_rng([seed, key]).permutation(samples.units)


def _mean(
    name: str,
    measure: str,
    losses: Array,
    order: NDArray[np.int64],
    limit: Limit,
    delta: float,
    samples: RealPredictions,
) -> RealCertificate:
    """The digital bound of mean losses, averaged within groups first."""
    largest = limit.value**2 if measure == SQUARED else limit.value
    drawn = samples.averaged(losses)[order]
    inputs = {
        "mean": float(drawn.mean()),
        "n": len(drawn),
        "at_limit": int((losses >= largest).sum()) if limit.clips else 0,
    }
    risk = digital(np.minimum(drawn, largest), delta, upper=largest)
    unit = "samples" if samples.groups is None else "groups"
    return RealCertificate(name, measure, risk, delta, len(drawn), inputs, limit, unit=unit)


def _quantile(
    name: str, errors: Array, level: float, delta: float, samples: RealPredictions
) -> RealCertificate | Unavailable:
    n, what = len(errors), f"{100 * level:g}% of errors"
    if samples.groups is not None:
        return Unavailable(what, IN_GROUPS)
    if (rank := quantile_rank(n, level, delta)) is None:
        return Unavailable(what, TOO_FEW.format(n, level, delta))
    return RealCertificate(
        name, QUANTILE, error_quantile(errors, level, delta), delta, n, {"n": n, "rank": rank}, level=level
    )


def certify_chosen(
    samples: RealPredictions, weights: Array, limit: Limit | None, asked: Question
) -> RealCertification:
    """Return the certificates that hold for all weights at once, and so for those that these samples chose.

    The smaller of the two is quoted at delta/2, so that it holds at delta.
    """
    lost = [
        Unavailable(measure, NO_PART)
        for measure in (ABSOLUTE, *(f"{100 * p:g}% of errors" for p in asked.quantiles))
    ]
    if limit is None or limit.clips:
        return nothing_promised(NOT_KNOWN, asked)
    if not np.isfinite(kl_divergence(weights, asked.prior)):
        return nothing_promised(NO_PRIOR, asked)
    for member, errors in zip(samples.names, samples.errors):
        require_true(limit, errors, f"member '{member}'")
    given = tuple(_for_all(samples, weights, limit, asked, asked.delta))
    share = asked.delta / len(given)
    smallest = min(_for_all(samples, weights, limit, asked, share), key=lambda one: one.risk)
    best = replace(smallest, delta=asked.delta, inputs={**smallest.inputs, "delta_share": share})
    return RealCertification(given, best, len(given), tuple(lost))


def _for_all(
    samples: RealPredictions, weights: Array, limit: Limit, asked: Question, delta: float
) -> Iterator[RealCertificate]:
    found, kl = products(samples), kl_divergence(weights, asked.prior)
    square = limit.value**2
    means = {
        "tandem": ("product", float(weights @ found.matrix @ weights)),
        "first-order": ("mean", float(weights @ np.diagonal(found.matrix))),
    }
    for name, (key, value) in means.items():
        value = min(max(value, 0.0), square)
        risk = min(FORMULAS[name](value, kl, found.units, limit.value, delta), square)
        unit = "samples" if samples.groups is None else "groups"
        inputs = {key: value, "kl": kl, "n": found.units}
        yield RealCertificate(name, SQUARED, risk, delta, found.units, inputs, limit, unit=unit)


def nothing_promised(why: str, asked: Question) -> RealCertification:
    """Return no certificate at all, and why."""
    measures = (SQUARED, ABSOLUTE, *(f"{100 * level:g}% of errors" for level in asked.quantiles))
    return RealCertification((), None, 0, tuple(Unavailable(measure, why) for measure in measures))
