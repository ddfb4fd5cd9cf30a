"""Is one ensemble better than another, than one of its members, or than the uniform vote of its members?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._ensemble import Ensemble
from comitia._errors import InputError, nearest, require_open_unit, require_type, require_whole_number
from comitia._gain import Gain, measure_gain
from comitia._predict import find_members
from comitia._predictions import Predictions, require_predictions
from comitia._records import to_plain
from comitia._untouched import certifies, is_holdout, untouched
from comitia._votes import deployed_classes

FORMAT = "comitia-compared-1"
RIVALS = ("uniform", "best-member")
ASSUMPTIONS = {
    "samples": "the samples are independent draws from the distribution of deployment",
    "groups": "the groups are independent draws from the distribution of deployment",
}
UNSEEN = (
    "no sample that was counted had a part in training, in the weights, or in the choice of the two votes that are "
    "compared"
)
VOID = (
    "samples that depend on each other and are not given as groups",
    "samples that chose weights, members, checkpoints or which two votes to compare",
    "picking the best of several comparisons, seeds or files: each holds by itself, at its own delta",
)


@dataclass(frozen=True)
class Compared:
    """The gain of vote A over vote B, where it was counted, and what it rests on.

    Attributes
    ----------
    a, b : what the two votes are, in words.
    result : the numbers.
    part : which samples were counted: ``"all"`` of the files, or the ``"certifying"`` part of the hold-out.
    seed : of the order in which samples or groups were counted.
    sha256 : checksum of the files.
    """

    a: str
    b: str
    result: Gain
    part: str
    seed: int
    sha256: str

    @property
    def gain(self) -> float:
        """The error rate of B less that of A on these samples."""
        return self.result.gain

    @property
    def gain_at_least(self) -> float:
        """By how much, at least, A errs less than B, with probability 1 - delta."""
        return self.result.gain_at_least

    @property
    def p_value(self) -> float:
        """Of the exact McNemar test."""
        return self.result.p_value

    @property
    def discordant(self) -> int:
        """On how many samples (or groups) the two do not err alike."""
        return self.result.discordant

    @property
    def certified(self) -> bool:
        """Whether A is certified to err less than B."""
        return self.result.certified

    @property
    def sentence(self) -> str:
        """The result as one plain sentence."""
        return self.result.sentence(self.a)

    @property
    def assumption(self) -> str:
        """What must be true for the sentence to hold."""
        return f"{ASSUMPTIONS[self.result.unit]}, and {UNSEEN}"

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data."""
        return {
            "format": FORMAT,
            "a": self.a,
            "b": self.b,
            **self.result.to_json(),
            **to_plain({"part": self.part, "seed": self.seed, "sha256": self.sha256}),
            "sentence": self.sentence,
            "assumption": self.assumption,
            "void": list(VOID),
        }


@dataclass(frozen=True, eq=False)
class _Side:
    """One of the two votes: some members of an ensemble with their weights, what it is called, and its threshold."""

    ensemble: Ensemble
    members: NDArray[np.int64]
    weights: NDArray[np.float64]
    called: str
    threshold: float | None = None

    def errs(self, predictions: Predictions) -> NDArray[np.bool_]:
        """Return, as (n,), where its answers are wrong."""
        voters = find_members(self.ensemble, predictions, self.members)
        classes = deployed_classes(voters, self.weights, self.ensemble.vote, self.threshold)
        return np.asarray(classes != voters.labels)


def compare(
    a: Ensemble,
    b: Ensemble | str | None,
    predictions: Predictions,
    *,
    member: str | None = None,
    other: Predictions | None = None,
    delta: float = 0.05,
    seed: int = 0,
    names: tuple[str, str] = ("A", "B"),
) -> Compared:
    """Return by how much `a` errs less than `b` on samples that chose neither, and how much of it is certified.

    Parameters
    ----------
    a : the ensemble that is asked about.
    b : another ensemble; ``"uniform"``, the vote of all members of `a` with equal weights; ``"best-member"``, the
        member of `a` that errs least on samples that are not counted here; None with `member`.
    predictions : the members of both on samples with labels. Where this is the hold-out that was weighed, only the
        samples kept for certifying are counted; samples that chose the weights are refused.
    member : the name of a member of `a` to compare with, in place of `b`.
    other : the members of `b` on the same samples, where they are not in `predictions`.
    delta : probability with which `gain_at_least` may fail.
    seed : of the order in which samples (or groups) are counted; fix it before looking.
    names : what to call the two ensembles.

    Notes
    -----
    Answers are compared as `predict` gives them. Samples in groups are averaged within each group first.

    Examples
    --------
    >>> from comitia import weigh
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 4000)
    >>> chance = np.array([0.05, 0.3, 0.3, 0.3, 0.3])[:, None]
    >>> votes = np.where(rng.random((5, 4000)) < chance, 1 - labels, labels)
    >>> pack = Predictions.from_arrays(votes=votes, labels=labels)
    >>> found = compare(weigh(pack), "uniform", pack)
    >>> found.certified, found.part
    (True, 'certifying')
    """
    require_type("a", a, Ensemble, "read_ensemble reads one")
    require_predictions(predictions)
    delta, seed = require_open_unit("delta", delta), require_whole_number("seed", seed, least=0)
    second = predictions if other is None else _alike(other, predictions)
    kept = _counted(a, b, predictions, second)
    sides = _sides(a, b, member, predictions, names)
    parts = [one if kept is None else one.take(kept) for one in (predictions, second)]
    losses = [side.errs(part) for side, part in zip(sides, parts)]
    groups = parts[0].groups
    found = measure_gain(losses[0], losses[1], groups, delta=delta, seed=seed, over=sides[1].called)
    part = "all" if kept is None else "certifying"
    return Compared(sides[0].called, sides[1].called, found, part, seed, predictions.fingerprint())


def uniform_side(ensemble: Ensemble) -> _Side:
    """Return the vote of all members with equal weights."""
    count = len(ensemble.names)
    called = f"the uniform vote of its {count} members"
    return _Side(ensemble, np.arange(count), np.full(count, 1 / count), called)


def _sides(
    a: Ensemble,
    b: Ensemble | str | None,
    member: str | None,
    predictions: Predictions,
    names: tuple[str, str],
) -> tuple[_Side, _Side]:
    first = _deployed(a, names[0])
    if member is not None:
        if b is not None:
            raise InputError("member: takes the place of the other ensemble; leave one of the two out")
        return first, _alone(a, _place_of(a, member), f"its member '{member}'")
    if isinstance(b, Ensemble):
        return first, _deployed(b, names[1])
    if b == "uniform":
        return first, uniform_side(a)
    if b == "best-member":
        best = _best_member(a, predictions)
        return first, _alone(a, best, f"its best member, '{a.names[best]}'")
    raise InputError(f"b: must be an ensemble or one of {', '.join(RIVALS)}, got {b!r}; or give member")


def _deployed(ensemble: Ensemble, called: str) -> _Side:
    """The vote as it is deployed, with its threshold; an ensemble that declines is compared as if it answered."""
    active = ensemble.active
    return _Side(ensemble, active, ensemble.weights[active], called, ensemble.decision.threshold)


def _alone(ensemble: Ensemble, index: int, called: str) -> _Side:
    return _Side(ensemble, np.array([index]), np.ones(1), called)


def _place_of(ensemble: Ensemble, member: str) -> int:
    if member not in ensemble.names:
        raise InputError(f"member: the ensemble has no member '{member}'{nearest(member, ensemble.names)}")
    return ensemble.names.index(member)


def _best_member(ensemble: Ensemble, predictions: Predictions) -> int:
    """The member that errs least on samples that are not counted: those that chose the weights, or by stated risk."""
    if is_holdout(ensemble, predictions) and ensemble.chosen_on == "part":
        kept = untouched(ensemble, predictions)
        assert kept is not None
        weighing = predictions.take(np.setdiff1d(np.arange(predictions.samples), kept))
        members = find_members(ensemble, weighing, np.arange(len(ensemble.names)))
        return int((members.votes() != members.labels).mean(axis=1).argmin())
    if is_holdout(ensemble, predictions) or certifies(ensemble, predictions):
        raise InputError(
            "best-member: the stated risks of the members were measured on these very samples, which cannot choose one "
            "and judge it; name a member, or give other samples"
        )
    return int(np.argmin(ensemble.member_risks))


def _alike(other: Predictions, predictions: Predictions) -> Predictions:
    """Return the predictions of B's members, if they are on the same samples."""
    require_type("other", other, Predictions, "read_predictions reads files")
    if other.samples != predictions.samples:
        raise InputError(f"other: must hold the same {predictions.samples:,} samples, got {other.samples:,}")
    ids = predictions.ids is None or other.ids is None or np.array_equal(predictions.ids, other.ids)
    if not ids or _labels(other) != _labels(predictions):
        raise InputError("other: must hold the same samples in the same order; ids or labels differ")
    return other


def _labels(predictions: Predictions) -> list[str]:
    if predictions.labels is None:
        raise InputError("labels: votes cannot be compared without them; give the true classes")
    return [predictions.class_names[code] for code in predictions.labels.tolist()]


def _counted(
    a: Ensemble, b: Ensemble | str | None, predictions: Predictions, second: Predictions
) -> NDArray[np.int64] | None:
    """The samples that had no part in the weights of either; None for all."""
    if predictions.labels is None:
        raise InputError("labels: votes cannot be compared without them; give the true classes")
    parts = [untouched(a, predictions)]
    if isinstance(b, Ensemble):
        parts.append(untouched(b, second))
    known = [part for part in parts if part is not None]
    if not known:
        return None
    kept = known[0] if len(known) == 1 else np.intersect1d(known[0], known[1])
    if not kept.size:
        raise InputError("the files: every sample had a part in the weights of one of the two; give others")
    return kept
