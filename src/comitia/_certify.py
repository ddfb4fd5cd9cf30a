"""Every certificate that is valid for how the weights were chosen and for the vote that is deployed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import bounds
from comitia._certificate import Certificate
from comitia._errors import InputError, require_choice, require_open_unit
from comitia._predictions import Predictions
from comitia._simplex import as_counts, as_prior, as_weights
from comitia._votes import certified_losses, require_kind
from comitia.bounds.terms import kl_divergence
from comitia.statistics import Statistics, measure
from comitia.statistics.unlabelled import matched, pooled_disagreement

CHOSEN_ON = ("nothing", "part", "all")
# Bounds from moments hold for votes that err at W >= 1/2; a deployed vote counts totals within 1e-9 as tied and may
# err at W >= 1/2 - 5e-10. That moves a bound by less than this, relatively, and so do float64 sums.
OUTWARD = 1 + 1e-8
# Names of the certificates that count the errors of the deployed vote itself.
COUNTED = ("holdout", "split", "occam", "best-member")
# Names of those that hold for all weights at once, if the prior gives weight to every member that votes.
ALL_WEIGHTS = ("first-order-kl", "first-order-lambda", "tandem-kl", "tandem-lambda", "moment", "cantelli")


@dataclass(frozen=True)
class Unavailable:
    """A certificate that is not given, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Certification:
    """All certificates, each at its own delta; the one that holds at the delta asked for; those not given.

    `best` was designated before looking at the certifying samples (`holdout`, `split`), or delta was shared
    out among the `compared` events it was chosen from.
    """

    certificates: tuple[Certificate, ...]
    best: Certificate
    compared: int
    unavailable: tuple[Unavailable, ...]


@dataclass(frozen=True)
class _Claim:
    """A bound waiting for its delta. Claims of one `event` hold together, at the price of one."""

    name: str
    event: str
    samples: int
    formula: Callable[[float], float]
    inputs: dict[str, Any]

    def at(self, delta: float, vote: str) -> Certificate:
        """The certificate at that delta, rounded outward."""
        risk = float(self.formula(delta)) * (1.0 if self.name in COUNTED else OUTWARD)
        return Certificate(self.name, vote, risk, delta, self.samples, self.inputs)


def certify(
    predictions: Predictions,
    weights: ArrayLike,
    *,
    vote: str = "majority",
    delta: float = 0.05,
    prior: ArrayLike | None = None,
    chosen_on: str = "all",
    certifying: ArrayLike | None = None,
    statistics: Statistics | None = None,
    unlabelled: Predictions | None = None,
) -> Certification:
    """Every certificate that is valid for these weights and this vote, and the reasons for those that are not.

    Parameters
    ----------
    predictions : hold-out predictions with labels.
    weights : (M,) the deployed weights, on the simplex.
    vote : ``"majority"`` or ``"average"``, the vote that is deployed.
    delta : probability with which a certificate may fail, in (0, 1).
    prior : (M,) over the members, fixed before the hold-out was seen; uniform when None.
    chosen_on : what chose the weights: ``"nothing"`` of the hold-out (uniform, or given beforehand),
        ``"part"`` of it (then `certifying` are the samples that had no part), or ``"all"`` of it, which
        assumes least and is the default.
    certifying : indices of the samples kept for certifying, with ``chosen_on="part"``.
    statistics : of all samples and of the vote's loss (majority: "hard", average: "soft"), if at hand.
    unlabelled : the same members on samples without labels; they sharpen the disagreement, two classes only.

    Examples
    --------
    >>> import numpy as np
    >>> votes = np.array([[0, 1, 1, 0] * 50, [0, 1, 0, 0] * 50])
    >>> pack = Predictions.from_arrays(votes=votes, labels=[0, 1, 1, 0] * 50)
    >>> certify(pack, [1.0, 0.0], chosen_on="nothing").best.name
    'holdout'
    """
    rho, pi = as_weights(weights, predictions.members), as_prior(prior, predictions.members)
    delta = require_open_unit("delta", delta)
    kept = _checked(predictions, vote, chosen_on, certifying)
    extra = None if unlabelled is None else matched(unlabelled, predictions)
    measured = _measured(predictions, vote, statistics)
    claims = list(_pac_bayes(measured, rho, kl_divergence(rho, pi), vote))
    if vote == "majority" and predictions.classes == 2:
        claims += _binary(measured, rho, kl_divergence(rho, pi), extra)
    claims += _counted(predictions, rho, vote, chosen_on, kept)
    return Certification(
        tuple(claim.at(delta, vote) for claim in claims),
        *_best(claims, delta, vote, chosen_on, _events(vote, predictions.shared)),
        tuple(_unavailable(predictions, rho, pi, vote, chosen_on)),
    )


def _checked(
    predictions: Predictions, vote: str, chosen_on: str, certifying: ArrayLike | None
) -> NDArray[np.int64]:
    """The certifying samples; everything that makes the question meaningless is an error."""
    require_kind(predictions, vote)
    require_choice("chosen_on", chosen_on, CHOSEN_ON)
    if predictions.labels is None:
        raise InputError("labels: a certificate needs the true classes; give labels with the predictions")
    if (chosen_on == "part") != (certifying is not None):
        raise InputError(
            "certifying: the samples that had no part in the weights, with chosen_on='part' only"
        )
    if certifying is None:
        return np.arange(predictions.samples)
    kept = np.asarray(certifying)
    if not np.issubdtype(kept.dtype, np.integer) or kept.ndim != 1 or not kept.size:
        raise InputError("certifying: must be a non-empty list of sample indices")
    inside = kept.min() >= 0 and kept.max() < predictions.samples
    if not inside or np.bincount(kept.astype(np.int64)).max() > 1:
        raise InputError(f"certifying: must be distinct indices between 0 and {predictions.samples - 1}")
    if chosen_on == "part" and not predictions.shared:
        raise InputError(f"certifying: {_PER_MEMBER}; use chosen_on='all'")
    return kept.astype(np.int64)


def _measured(predictions: Predictions, vote: str, given: Statistics | None) -> Statistics:
    """The statistics of the vote's loss; those given, if they can be of these predictions."""
    loss = "hard" if vote == "majority" else "soft"
    if given is None:
        return measure(predictions, loss=loss)
    remedy = f"leave them out, or give measure(predictions, '{loss}')"
    if given.loss != loss:
        raise InputError(f"statistics: the {vote} vote needs {loss} losses, got {given.loss} ones; {remedy}")
    mask, own = predictions.mask(), given.member_samples
    counts = np.full(predictions.members, predictions.samples) if mask is None else mask.sum(axis=1)
    if not np.array_equal(np.full(len(given.first), given.first_samples) if own is None else own, counts):
        raise InputError(
            f"statistics: must be of {predictions.members} members with {counts.min():,} samples or more each, "
            f"got {len(given.first)} with {given.first_samples:,}; {remedy}"
        )
    return given


def _pac_bayes(measured: Statistics, rho: NDArray[np.float64], kl: float, vote: str) -> Iterator[_Claim]:
    """The bounds that hold for all weights at once, on all samples."""
    if not np.isfinite(kl):
        return
    g, t, m = measured.gibbs(rho), measured.tandem(rho), measured.moment(rho)
    n, pairs = measured.first_samples, measured.pair_samples
    first = {"gibbs": g, "kl": kl, "n": n}
    second = {"tandem": t, "kl": kl, "n": pairs}
    both = {"gibbs": g, "tandem": t, "kl": kl, "n_first": n, "n_pair": pairs}
    yield _Claim("first-order-kl", "gibbs", n, lambda d: bounds.first_order_kl(g, kl, n, d), first)
    yield _Claim("first-order-lambda", "gibbs", n, lambda d: bounds.first_order_lambda(g, kl, n, d), first)
    yield _Claim("tandem-kl", "tandem", pairs, lambda d: bounds.tandem_kl(t, kl, pairs, d), second)
    yield _Claim("tandem-lambda", "tandem", pairs, lambda d: bounds.tandem_lambda(t, kl, pairs, d), second)
    moment = {"moment": m, "kl": kl, "n": pairs}
    yield _Claim("moment", "moment", pairs, lambda d: bounds.moment(m, kl, pairs, d), moment)
    yield _Claim("cantelli", "gibbs, tandem", pairs, lambda d: bounds.cantelli(g, t, kl, n, pairs, d), both)
    if vote == "majority":
        yield _Claim("ctd", "gibbs, tandem", pairs, lambda d: bounds.ctd(g, t, kl, n, pairs, d), both)


def _binary(
    measured: Statistics, rho: NDArray[np.float64], kl: float, unlabelled: Predictions | None
) -> Iterator[_Claim]:
    """The bounds that are proved for two classes only."""
    if not np.isfinite(kl):
        return
    g, t, own = measured.gibbs(rho), measured.tandem(rho), measured.disagreement_of(rho)
    assert own is not None
    shares, m = pooled_disagreement(measured, unlabelled)
    d = float(rho @ shares @ rho)
    n, pairs = measured.first_samples, measured.pair_samples
    both = {"gibbs": g, "disagreement": d, "kl": kl, "n_first": n, "n_pair": m}
    event = "gibbs, disagreement"
    yield _Claim("disagreement", event, n, lambda x: bounds.disagreement(g, d, kl, n, m, x), both)
    yield _Claim("c1", event, n, lambda x: bounds.c1(g, d, kl, n, m, x), both)
    joint = {"tandem": t, "disagreement": own, "kl": kl, "n": pairs}
    yield _Claim("c2", "tandem, disagreement", pairs, lambda x: bounds.c2(t, own, kl, pairs, x), joint)


def _counted(
    predictions: Predictions,
    rho: NDArray[np.float64],
    vote: str,
    chosen_on: str,
    kept: NDArray[np.int64],
) -> Iterator[_Claim]:
    """The bounds that count the errors of the deployed vote itself."""
    if not predictions.shared:
        yield from _own_samples(predictions, rho, vote)
        return
    losses = certified_losses(predictions, rho, vote)
    everywhere, n, members = int(losses.sum()), len(losses), predictions.members
    if chosen_on != "all":
        name = "holdout" if chosen_on == "nothing" else "split"
        errors, samples = int(losses[kept].sum()), len(kept)
        inputs: dict[str, Any] = {"errors": errors, "n": samples}
        yield _Claim(name, name, samples, lambda d: bounds.clopper_pearson(errors, samples, d), inputs)
    if (counts := as_counts(rho)) is not None:
        parts = counts.tolist()
        inputs = {"errors": everywhere, "n": n, "counts": parts}
        yield _Claim("occam", "occam", n, lambda d: bounds.occam(everywhere, n, d, parts), inputs)
    if np.count_nonzero(rho) == 1:
        inputs = {"errors": everywhere, "n": n, "members": members}
        yield _Claim(
            "best-member", "best-member", n, lambda d: bounds.best_member(everywhere, n, d, members), inputs
        )


def _own_samples(predictions: Predictions, rho: NDArray[np.float64], vote: str) -> Iterator[_Claim]:
    """The best-member claim for per-member hold-outs: the one member that votes, on its own samples."""
    if np.count_nonzero(rho) != 1:
        return
    one, members = predictions.pick(np.flatnonzero(rho)), predictions.members
    mask = one.mask()
    assert mask is not None
    n = int(mask.sum())
    errors = int(certified_losses(one.take(np.flatnonzero(mask[0])), [1.0], vote).sum())
    inputs = {"errors": errors, "n": n, "members": members}
    yield _Claim("best-member", "best-member", n, lambda d: bounds.best_member(errors, n, d, members), inputs)


def _events(vote: str, shared: bool) -> int:
    """How many events the smallest certificate is chosen from.

    The number is fixed by the question, not by which claims the data happen to allow: if it shrank when they lead
    to weights without an occam claim, or show two classes only, the shares of delta could add up to more than delta.
    """
    events = 4 + (2 if shared else 1)  # gibbs, tandem, moment, both; occam, best-member
    return events + (2 if vote == "majority" else 0)  # disagreement with gibbs, with tandem


def _best(
    claims: list[_Claim], delta: float, vote: str, chosen_on: str, events: int
) -> tuple[Certificate, int]:
    """The certificate that holds at delta: the designated one, or the smallest at delta / (number of events)."""
    designated = {"nothing": "holdout", "part": "split"}.get(chosen_on)
    for claim in claims:
        if claim.name == designated:
            return claim.at(delta, vote), 1
    if not claims:
        raise InputError("prior: gives no weight to a member that votes, so that nothing can be certified")
    smallest = min((claim.at(delta / events, vote) for claim in claims), key=lambda c: c.risk)
    paid = {**smallest.inputs, "delta_share": delta / events}
    return replace(smallest, delta=delta, inputs=paid), events


_PER_MEMBER = "each member has its own hold-out samples, on which not all members may vote"


def _unavailable(
    predictions: Predictions, rho: NDArray[np.float64], pi: NDArray[np.float64], vote: str, chosen_on: str
) -> Iterator[Unavailable]:
    """Why each of the remaining certificates is not given."""
    if not predictions.shared:
        for name in ("holdout", "split", "occam"):
            yield Unavailable(name, f"{_PER_MEMBER}, so the vote's own errors cannot be counted")
    else:
        if chosen_on != "nothing":
            yield Unavailable("holdout", "the weights were chosen on these samples")
        if chosen_on == "all":
            yield Unavailable("split", "all samples chose the weights; keep some with --certify-fraction")
        if as_counts(rho) is None:
            yield Unavailable("occam", "the weights are not multiples of 1/k; --resolution makes them so")
    if vote == "average":
        yield Unavailable("ctd", "given for 0/1 losses, that is the majority vote")
    if vote == "average" or predictions.classes != 2:
        why = "the majority vote" if vote == "average" else "two classes"
        for name in ("disagreement", "c1", "c2"):
            yield Unavailable(name, f"proved for {why} only")
    if not np.isfinite(kl_divergence(rho, pi)):
        for name in ALL_WEIGHTS:
            yield Unavailable(name, "the prior gives no weight to a member that votes")
    if np.count_nonzero(rho) > 1:
        yield Unavailable("best-member", "more than one member votes")
