"""What looks off in a pack of predictions or its certificates, one plain line each."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from comitia._answers import Answers, answers_of
from comitia._certificate import percent_up
from comitia._certify import Certification
from comitia._copies import marks, repeats, telling
from comitia._predictions import Predictions
from comitia._votes import certified_losses
from comitia.statistics import Statistics
from comitia.statistics.counted import Counted, Holdout
from comitia.statistics.neighbours import errors_together

# Overlaps below this leave a pair's co-errors so uncertain that the whole second-order bound is loose.
THIN_OVERLAP = 500
# A gap in the members' errors counts as suspicious if those below it err at most a third as often as the next
# one above, by at least six standard errors, and are a minority.
SUSPICIOUS_RATIO, SUSPICIOUS_SIGMAS = 3, 6
# A member without an error on that many samples may be the labels; two members with the same votes may be one.
TELLING_SAMPLES = 50
# Samples that look alike are called copies from this many and this share on, if their labels are alike too: more
# than that many with another label, and they are different samples of members that know few probabilities.
FEWEST_COPIES, COPIED_SHARE, LABELS_DIFFER = 5, 0.01, 0.05
# Neighbours are looked at from this many samples on, at most in this many, which then are runs of that length. Where
# samples err independently the evidence reaches its limit with probability 1e-4 at most.
FEWEST_NEIGHBOURS, MOST_NEIGHBOURS, RUN, EVIDENCE = 200, 200_000, 1000, 1e4
# How lines on bounds begin that are not the promise: of interest to who compares bounds.
TANDEM_ABOVE, VACUOUS = "the tandem risk", "vacuous (1 or more, promises nothing)"
MASKED = "cells are empty or masked (not hold-out for that member)"
ABOUT_MEMBERS = ("member '", "members ('", "members '")
# Shares of groups are sums of fractions: members that never differ miss 0 by their last bits.
ROUNDING = 1e-12


def about_data(predictions: Holdout, hard: Statistics) -> tuple[str, ...]:
    """Return warnings about samples, members and overlaps, whatever their weights; empty when nothing is off.

    Counts cannot tell copies and neighbours.
    """
    answers = answers_of(predictions, hard)
    return (
        *_about_cells(answers.empty, predictions.members * predictions.samples),
        *(_about_single_samples(predictions) if isinstance(predictions, Predictions) else ()),
        *_about_classes(predictions, answers),
        *_about_members(predictions, hard, answers),
        *_about_overlap(hard),
    )


def about_bounds(
    measured: Statistics,
    weights: NDArray[np.float64],
    certification: Certification,
    predictions: Holdout,
) -> tuple[str, ...]:
    """Return warnings about the certificates at those weights, which are of those samples."""
    return (
        *_about_baseline(predictions, certification),
        *_about_bounds(measured, weights, certification),
    )


def of_concern(warnings: Iterable[str], *, drawn: bool = False) -> tuple[str, ...]:
    """Return the warnings about samples, members and the promise: all but those on bounds that are no promise.

    `drawn`: members are of one kind and were drawn at random with the samples that are hold-out for each, as the trees
    of a forest, so that single ones and masked cells are no concern.
    """
    lines = tuple(line for line in warnings if not line.startswith((TANDEM_ABOVE, VACUOUS)))
    of_members = (MASKED, *ABOUT_MEMBERS)
    return tuple(line for line in lines if not (drawn and any(text in line for text in of_members)))


def _about_cells(empty: int, cells: int) -> Iterator[str]:
    if empty:
        yield (
            f"{empty:,} of {cells:,} {MASKED}: valid only if which ones was decided without looking at the labels"
        )


def _about_single_samples(predictions: Predictions) -> Iterator[str]:
    yield from _about_copies(predictions)
    yield from _about_neighbours(predictions)
    yield from _about_folds(predictions)


def _about_copies(predictions: Predictions) -> Iterator[str]:
    copies, told = _copies(predictions)
    if copies:
        yield (
            f"{copies:,} of {told:,} samples (very confident ones not counted) have exactly the probabilities and "
            "the label of an earlier one: if they are copies of it, every certificate is too tight; give each "
            "sample once"
        )


def _copies(predictions: Predictions) -> tuple[int, int]:
    """How many samples look like copies of an earlier one, 0 if too few to speak of, and of how many that can tell.

    Votes cannot: different samples often get the same ones from all members.
    """
    if not predictions.has_probs:
        return 0, 0
    glance = marks(predictions.shards, quick=True)
    if repeats(glance) < FEWEST_COPIES:
        return 0, 0
    tell = telling(predictions.shards)
    _, place, counts = np.unique(glance, return_inverse=True, return_counts=True)
    suspects = np.flatnonzero(tell & (counts[place] > 1))
    copies, others = _same_labels(predictions.take(suspects)) if len(suspects) else (0, 0)
    told = int(tell.sum())
    enough = copies >= max(FEWEST_COPIES, COPIED_SHARE * told) and others <= LABELS_DIFFER * copies
    return (copies if enough else 0), told


def _same_labels(predictions: Predictions) -> tuple[int, int]:
    """How many samples repeat the probabilities of an earlier one with its label, and with another label.

    Copies within a group do no harm, for groups are counted.
    """
    assert predictions.labels is not None
    _, first, place = np.unique(marks(predictions.shards), return_index=True, return_inverse=True)
    earlier = first[place]
    units = np.arange(predictions.samples) if predictions.groups is None else predictions.groups.codes
    again = units[earlier] != units
    same = predictions.labels == predictions.labels[earlier]
    return int((again & same).sum()), int((again & ~same).sum())


def _about_neighbours(predictions: Predictions) -> Iterator[str]:
    """Samples that look grouped, and nobody said so. Members with hold-outs of their own do not vote together."""
    n, told = predictions.samples, predictions.groups is not None or predictions.folds is not None
    if told or n < FEWEST_NEIGHBOURS or not predictions.shared:
        return
    part = predictions if n <= MOST_NEIGHBOURS else predictions.take(_runs(n))
    errors = certified_losses(part, np.full(part.members, 1 / part.members))
    assert part.labels is not None
    found = errors_together(errors, part.labels)
    if found.log_evidence > np.log(EVIDENCE):
        yield (
            f"neighbouring samples err together far beyond chance (correlation {found.correlation:.2f}): if samples of "
            "one patient, document or source follow each other, name their groups, else every certificate is too tight"
        )


def _about_folds(predictions: Predictions) -> Iterator[str]:
    """Groups that folds tear apart: models have seen samples of the groups that they are judged on."""
    groups, folds = predictions.groups, predictions.folds
    if groups is None or folds is None:
        return
    pairs = np.unique(np.stack([groups.codes, folds.codes]), axis=1)
    torn = int((np.unique(pairs[0], return_counts=True)[1] > 1).sum())
    if torn:
        yield (
            f"{torn:,} of {groups.count:,} groups have samples in several folds, so models saw other samples of the "
            "groups that they are judged on: the estimate may be far too low; keep groups whole in the folds"
        )


def _runs(samples: int) -> NDArray[np.int64]:
    """Return the positions of runs of neighbours that are spread over all samples."""
    starts = np.linspace(0, samples - RUN, MOST_NEIGHBOURS // RUN).astype(np.int64)
    return np.unique(starts[:, None] + np.arange(RUN))


def _about_classes(predictions: Holdout, answers: Answers) -> Iterator[str]:
    counts, voted, names = answers.labels, answers.voted, np.array(predictions.class_names)
    known = predictions.declared or (isinstance(predictions, Predictions) and predictions.has_probs)
    unknown = (counts > 0) & ~voted
    if unknown.any():
        yield (
            f"no member ever answers {_classes(names[unknown])}, so every vote errs on {counts[unknown].sum():,} "
            "samples: check the names of the classes, or add a member that knows it"
        )
    absent = (counts == 0) & (voted | known)
    if absent.any():
        yield (
            f"no sample is of {_classes(names[absent])}, which members know: if new samples can be, add such samples, "
            "for how often the vote errs on them was not seen"
        )


def _classes(names: NDArray[np.str_]) -> str:
    return f"class '{names[0]}'" if len(names) == 1 else f"{len(names)} classes ({_shown(names.tolist())})"


def _about_members(predictions: Holdout, hard: Statistics, answers: Answers) -> Iterator[str]:
    names, errors = predictions.names, answers.errors
    chance, silent = 1 - 1 / predictions.classes, answers.given == 0
    where = " that it answers" if predictions.abstains else ""
    yield from _listed(names, silent, "answers no sample; drop it")
    yield from _listed(names, answers.constant, f"gives every sample{where} the same class; check or drop it")
    poor = (errors >= chance) & ~silent
    yield from _listed(names, poor, f"is no better than chance (error ≥ {chance:.2f})")
    perfect = (errors == 0) & (answers.given >= TELLING_SAMPLES)
    leaked = "did its training data leak into the hold-out?"
    yield from _listed(names, perfect, f"errs on no sample{where}: is it the labels, or {leaked}")
    n = answers.given if predictions.abstains else np.full(len(names), hard.first_samples)
    good = _too_good(errors, n) & ~perfect & ~silent
    yield from _listed(names, good, f"is suspiciously good: {leaked}")
    if answers.grouped or hard.pair_samples >= TELLING_SAMPLES:
        yield from _duplicates(names, hard)


def _listed(names: tuple[str, ...], flags: NDArray[np.bool_], what: str) -> Iterator[str]:
    """One line for all members that are flagged, the first three by name."""
    found = [names[i] for i in np.flatnonzero(flags)]
    if len(found) == 1:
        yield f"member '{found[0]}' {what}"
    elif found:
        yield f"{len(found)} members ({_shown(found)}): each {what}"


def _shown(names: Sequence[str]) -> str:
    """The first three names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(f"'{name}'" for name in names[:3]) + more


def _too_good(errors: NDArray[np.float64], samples: NDArray[np.int64]) -> NDArray[np.bool_]:
    """A minority of members far below all others: what a member looks like that has seen the hold-out."""
    order = np.argsort(errors, kind="stable")
    below, above = errors[order[:-1]], errors[order[1:]]
    error = np.sqrt(above * (1 - above) / np.maximum(samples[order[1:]], 1))
    gaps = (above >= SUSPICIOUS_RATIO * below) & (above - below > SUSPICIOUS_SIGMAS * error)
    places = np.flatnonzero(gaps[: max(0, (len(order) - 1) // 2)])
    return np.asarray(errors <= (below[places[-1]] if len(places) else -1.0))


def _duplicates(names: tuple[str, ...], hard: Statistics) -> Iterator[str]:
    if hard.disagreement is None:
        return
    first, second = np.nonzero(np.triu(hard.disagreement <= ROUNDING, k=1))
    if len(first):
        more = f" (and {len(first) - 1} more pairs)" if len(first) > 1 else ""
        yield (
            f"members '{names[first[0]]}' and '{names[second[0]]}' give the same votes on every sample{more}: "
            "duplicates? A copy's vote counts twice; drop one"
        )


def _about_overlap(hard: Statistics) -> Iterator[str]:
    if not hard.shared and hard.pair_samples < THIN_OVERLAP:
        yield (
            f"some pair of members shares only {hard.pair_samples} hold-out samples, "
            "and the smallest overlap is the n of every second-order bound"
        )


def _about_baseline(predictions: Holdout, certification: Certification) -> Iterator[str]:
    """A promise that needs no members: always answering the most frequent class errs as seldom."""
    best, shares = certification.best, _class_shares(predictions)
    baseline = 1 - float(shares.max())
    if best is not None and best.risk >= baseline:
        yield (
            f"the promise ({percent_up(best.risk)}) is not below {baseline:.2%}, the errors of always answering the "
            f"most frequent class, '{predictions.class_names[shares.argmax()]}': add hold-out samples or better members"
        )


def _class_shares(holdout: Holdout) -> NDArray[np.float64]:
    """Return how frequent each class is, groups counting alike."""
    if isinstance(holdout, Counted):
        return np.asarray(holdout.label_counts / holdout.samples)
    assert holdout.labels is not None
    sizes = None if holdout.groups is None else 1 / holdout.groups.sizes()
    return np.asarray(np.bincount(holdout.labels, sizes) / holdout.units)


def _about_bounds(
    measured: Statistics, weights: NDArray[np.float64], certification: Certification
) -> Iterator[str]:
    gibbs, tandem = measured.gibbs(weights), measured.tandem(weights)
    if tandem > gibbs / 2 and np.count_nonzero(weights) > 1:
        yield (
            f"{TANDEM_ABOVE} {tandem:.4f} is above half the Gibbs risk {gibbs:.4f} (members err together): "
            "first-order and moment bounds are tighter here than tandem ones"
        )
    empty = [c.name for c in certification.certificates if c.vacuous]
    if empty:
        yield f"{VACUOUS}: {', '.join(empty)}"
