"""Every certificate that is valid for how the weights were chosen and for the vote that is deployed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._certificate import Certificate
from comitia._counting import counted
from comitia._errors import InputError, require_choice, require_open_unit
from comitia._pairing import pairs_kept
from comitia._predictions import Predictions
from comitia._simplex import as_prior, as_weights
from comitia._votes import default_vote, require_kind, require_threshold
from comitia.bounds.designation import designate
from comitia.bounds.row import CHOSEN_ON, NO_PRIOR, NO_VOTES, Bound, Facts
from comitia.bounds.table import price, with_outside
from comitia.bounds.terms import kl_divergence
from comitia.statistics import Statistics, measure
from comitia.statistics.counted import Counted, Holdout, require_holdout
from comitia.statistics.unlabelled import matched, pooled_disagreement

Array = NDArray[np.float64]

NO_COUNT = (
    "errors of the vote with it must be counted on samples that chose neither it nor the weights; keep some for "
    "certifying (certify_fraction), or give them apart (certify=)"
)


@dataclass(frozen=True)
class Unavailable:
    """A certificate that is not given, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Certification:
    """All certificates, each at its own delta; the one that holds at the delta asked for; those not given.

    `best` was designated before looking at the certifying samples (`holdout`, `split`, `unlabelled`, `groups`), or
    delta was divided among the `compared` events it was chosen from. It is None where nothing can be promised.
    """

    certificates: tuple[Certificate, ...]
    best: Certificate | None
    compared: int
    unavailable: tuple[Unavailable, ...]

    @property
    def promised(self) -> Certificate:
        """The certificate that holds at the delta asked for; an error where nothing is promised."""
        if self.best is None:
            raise InputError(
                "nothing is promised here, there is only an estimate; weigh with samples that certify"
            )
        return self.best


def certify(
    predictions: Holdout,
    weights: ArrayLike,
    *,
    vote: str | None = None,
    delta: float = 0.05,
    prior: ArrayLike | None = None,
    chosen_on: str = "all",
    certifying: ArrayLike | None = None,
    unlabelled: Predictions | None = None,
    bounds: Iterable[Any] = (),
    seed: int = 0,
    threshold: float | None = None,
) -> Certification:
    """Return every certificate that is valid for these weights and this vote, and why the others are not.

    Parameters
    ----------
    predictions : hold-out predictions with labels; or their counts, for certificates that need no single samples.
    weights : (M,) the deployed weights, on the simplex.
    vote : ``"majority"`` or ``"average"``, the vote that is deployed. None, as in `weigh`: the average where members
        gave probabilities, else the majority.
    delta : probability with which a certificate may fail, in (0, 1).
    prior : (M,) over the members, fixed before the hold-out was seen; uniform when None.
    chosen_on : what chose the weights: ``"nothing"`` of the hold-out (uniform, or given beforehand), samples
        ``"apart"`` from it, ``"part"`` of it (then `certifying` are the samples that had no part), or ``"all"`` of
        it, which assumes least and is the default.
    certifying : indices of the samples kept for certifying, with ``chosen_on="part"``; whole groups.
    unlabelled : the same members on samples without labels that had no part in the weights. They give the
        certificate ``"unlabelled"``, and sharpen the disagreement of two classes.
    bounds : further bounds from outside (see `comitia.bounds.row.as_bound`), whose validity is their author's claim.
    seed : of the order in which groups are counted and samples are paired, fixed before looking at them.
    threshold : of two classes, the second is answered where its share is above this; chosen like the weights.

    Examples
    --------
    >>> import numpy as np
    >>> votes = np.array([[0, 1, 1, 0] * 50, [0, 1, 0, 0] * 50])
    >>> pack = Predictions.from_arrays(votes=votes, labels=[0, 1, 1, 0] * 50)
    >>> certify(pack, [1.0, 0.0], chosen_on="nothing").best.name
    'holdout'
    """
    require_holdout(predictions)
    return certify_with(
        None,
        predictions,
        weights,
        vote=default_vote(predictions) if vote is None else vote,
        delta=delta,
        prior=prior,
        chosen_on=chosen_on,
        certifying=certifying,
        unlabelled=unlabelled,
        bounds=bounds,
        seed=seed,
        threshold=threshold,
    )


def certify_with(
    statistics: Statistics | None,
    predictions: Holdout,
    weights: ArrayLike,
    *,
    vote: str = "majority",
    delta: float = 0.05,
    prior: ArrayLike | None = None,
    chosen_on: str = "all",
    certifying: ArrayLike | None = None,
    unlabelled: Predictions | None = None,
    bounds: Iterable[Any] = (),
    seed: int = 0,
    threshold: float | None = None,
    weighing: Predictions | None = None,
    unlabelled_chose: bool = False,
) -> Certification:
    """Return what `certify` does, from statistics of these very samples and the vote's loss, if they are known.

    `weighing` are the samples that chose the weights where they are apart from these; `unlabelled_chose` says whether
    the unlabelled ones had a part in that. Private: only the form of statistics can be checked, and those of other
    samples would make every certificate false.
    """
    rho, pi = as_weights(weights, predictions.members), as_prior(prior, predictions.members)
    delta = require_open_unit("delta", delta)
    threshold = require_threshold(threshold, predictions.classes)
    if threshold is not None and isinstance(predictions, Counted):
        raise InputError(f"threshold: {NO_VOTES}")
    kept = _checked(predictions, vote, chosen_on, certifying)
    extra = None if unlabelled is None else matched(unlabelled, predictions)
    measured = _measured(predictions, vote, statistics)
    facts = Facts(
        vote=vote,
        classes=predictions.classes,
        shared=predictions.shared,
        chosen_on=chosen_on,
        members=predictions.members,
        kl=kl_divergence(rho, pi),
        **_moments(measured, rho),
        **_disagreements(measured, rho, extra if vote == "majority" and predictions.classes == 2 else None),
        **counted(predictions, rho, vote, kept, seed, threshold),
        **pairs_kept(predictions, kept, extra, rho, vote, seed, weighing, unlabelled_chose, threshold),
        abstains=predictions.abstains,
        threshold=threshold,
    )
    return certification(facts, delta, with_outside(bounds))


def nothing_promised(why: str, bounds: Iterable[Any]) -> Certification:
    """Return no certificate at all, and why."""
    rows = (row for row in with_outside(bounds) if not row.grouped)
    return Certification((), None, 0, tuple(Unavailable(row.name, why) for row in rows))


def certification(facts: Facts, delta: float, rows: tuple[Bound, ...]) -> Certification:
    """Return what the rows of the table say of those facts."""
    reasons = {row.name: row.unavailable(facts) for row in rows}
    valid = [row for row in rows if reasons[row.name] is None]
    if not valid and facts.threshold is not None:
        raise InputError(f"threshold: {NO_COUNT}")
    if not valid:
        raise InputError(f"prior: {NO_PRIOR}, so nothing can be certified")
    events = price(facts.vote, shared=facts.shared, chosen_on=facts.chosen_on, rows=rows)
    given = tuple(_certificate(row, facts, delta) for row in valid)
    return Certification(
        given,
        *_best(valid, given, facts, delta, events),
        tuple(Unavailable(name, why) for name, why in reasons.items() if why),
    )


def _certificate(row: Bound, facts: Facts, delta: float) -> Certificate:
    risk, stored = row.value(row.inputs(facts), delta), row.stored(facts)
    unit = "groups" if facts.grouped else "samples"
    return Certificate(row.name, facts.vote, risk, delta, stored[row.samples], stored, row.meaning, unit)


def _best(
    valid: list[Bound], given: tuple[Certificate, ...], facts: Facts, delta: float, events: int
) -> tuple[Certificate, int]:
    """Return the certificate that holds at delta: the designated one, or the smallest at delta / events."""
    named = designate(valid, facts)
    if named is not None:
        return given[valid.index(named)], 1
    share = delta / events
    smallest = min((_certificate(row, facts, share) for row in valid), key=lambda found: found.risk)
    return replace(smallest, delta=delta, inputs={**smallest.inputs, "delta_share": share}), events


def _checked(
    predictions: Holdout, vote: str, chosen_on: str, certifying: ArrayLike | None
) -> NDArray[np.int64] | None:
    """Return the certifying samples, None for all; everything that makes the question meaningless is an error."""
    require_kind(predictions, vote)
    require_choice("chosen_on", chosen_on, CHOSEN_ON)
    if isinstance(predictions, Predictions) and predictions.labels is None:
        raise InputError("labels: a certificate needs the true classes; give labels with the predictions")
    if predictions.folds is not None:
        raise InputError(
            "predictions: out-of-fold samples trained models of other folds and certify nothing; give samples that no "
            "fold has seen"
        )
    if (chosen_on == "part") != (certifying is not None):
        raise InputError("certifying: required with chosen_on='part', and only then")
    if isinstance(predictions, Counted):
        if certifying is not None:
            raise InputError(
                "certifying: counts cannot be split into samples; give predictions of samples apart"
            )
        return None
    if certifying is None:
        return None
    kept = np.asarray(certifying)
    if not np.issubdtype(kept.dtype, np.integer) or kept.ndim != 1 or not kept.size:
        raise InputError("certifying: must be a non-empty list of sample indices")
    inside = kept.min() >= 0 and kept.max() < predictions.samples
    if not inside or np.bincount(kept.astype(np.int64)).max() > 1:
        raise InputError(f"certifying: must be distinct indices between 0 and {predictions.samples - 1}")
    if not predictions.shared:
        raise InputError(
            "certifying: each member has its own hold-out samples, on which not all members may vote; "
            "use chosen_on='all'"
        )
    _require_whole_groups(predictions, kept)
    return kept.astype(np.int64)


def _require_whole_groups(predictions: Predictions, kept: NDArray[Any]) -> None:
    """Raise where samples of one group are on both sides: those that certify would depend on those that chose."""
    if predictions.groups is None:
        return
    inside = np.zeros(predictions.samples, bool)
    inside[kept] = True
    codes = predictions.groups.codes
    torn = np.intersect1d(codes[inside], codes[~inside])
    if torn.size:
        raise InputError(
            f"certifying: must hold whole groups; '{predictions.groups.names[torn[0]]}' has samples on both sides"
        )


def _measured(predictions: Holdout, vote: str, given: Statistics | None) -> Statistics:
    """Return the statistics of the vote's loss; those given, if they can be of these predictions."""
    loss = "hard" if vote == "majority" else "soft"
    if given is None or isinstance(predictions, Counted):
        return measure(predictions, loss=loss)
    remedy = f"leave them out, or give measure(predictions, '{loss}')"
    if given.loss != loss:
        raise InputError(f"statistics: the {vote} vote needs {loss} losses, got {given.loss} ones; {remedy}")
    mask, own = predictions.mask(), given.member_samples
    counts = np.full(predictions.members, predictions.units) if mask is None else mask.sum(axis=1)
    if not np.array_equal(np.full(len(given.first), given.first_samples) if own is None else own, counts):
        raise InputError(
            f"statistics: must be of {predictions.members} members with {counts.min():,} samples or more each, "
            f"got {len(given.first)} with {given.first_samples:,}; {remedy}"
        )
    return given


def _moments(measured: Statistics, rho: Array) -> dict[str, Any]:
    return {
        "gibbs": measured.gibbs(rho),
        "tandem": measured.tandem(rho),
        "moment": measured.moment(rho),
        "n_first": measured.first_samples,
        "n_pair": measured.pair_samples,
    }


def _disagreements(measured: Statistics, rho: Array, extra: Predictions | None) -> dict[str, Any]:
    """Return the disagreement of all samples and of the labelled ones; nothing for soft losses."""
    own = measured.disagreement_of(rho)
    if own is None:
        return {}
    shares, m = pooled_disagreement(measured, extra)
    return {"disagreement": float(rho @ shares @ rho), "n_disagreement": m, "own_disagreement": own}
