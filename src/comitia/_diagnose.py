"""What looks off in a pack of predictions or its certificates, one plain line each."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from comitia._certify import Certification
from comitia._copies import marks, repeats, telling
from comitia._predictions import Predictions
from comitia.statistics import Statistics

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


def about_data(predictions: Predictions, hard: Statistics) -> tuple[str, ...]:
    """Return warnings about samples, members and overlaps, whatever their weights; empty when nothing is off."""
    return (*_about_samples(predictions), *_about_members(predictions, hard), *_about_overlap(hard))


def about_bounds(
    measured: Statistics, weights: NDArray[np.float64], certification: Certification
) -> tuple[str, ...]:
    """Return warnings about the certificates at those weights."""
    return tuple(_about_bounds(measured, weights, certification))


def _about_samples(predictions: Predictions) -> Iterator[str]:
    mask = predictions.mask()
    empty = 0 if mask is None else mask.size - np.count_nonzero(mask)
    if mask is not None and empty:
        yield (
            f"{empty:,} of {mask.size:,} cells are empty or masked (not hold-out for that member): valid only if "
            "which ones was decided without looking at the labels"
        )
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
    """How many samples repeat the probabilities of an earlier one with its label, and with another label."""
    assert predictions.labels is not None
    _, first, place = np.unique(marks(predictions.shards), return_index=True, return_inverse=True)
    earlier = first[place]
    again = earlier != np.arange(predictions.samples)
    same = predictions.labels == predictions.labels[earlier]
    return int((again & same).sum()), int((again & ~same).sum())


def _about_members(predictions: Predictions, hard: Statistics) -> Iterator[str]:
    names, classes = predictions.names, predictions.classes
    chance = 1 - 1 / classes
    yield from _listed(names, _constant(predictions), "gives every sample the same class")
    yield from _listed(names, hard.first >= chance, f"is no better than chance (error ≥ {chance:.2f})")
    perfect = _perfect(hard)
    yield from _listed(
        names,
        perfect,
        "errs on no sample: is it the labels, or did its training data leak into the hold-out?",
    )
    leaked = "is suspiciously good: did its training data leak into the hold-out?"
    yield from _listed(names, _too_good(hard) & ~perfect, leaked)
    yield from _duplicates(names, hard)


def _listed(names: tuple[str, ...], flags: NDArray[np.bool_], what: str) -> Iterator[str]:
    """One line for all members that are flagged, the first three by name."""
    found = [names[i] for i in np.flatnonzero(flags)]
    if len(found) == 1:
        yield f"member '{found[0]}' {what}"
    elif found:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        shown = ", ".join(f"'{name}'" for name in found[:3])
        yield f"{len(found)} members ({shown}{more}): each {what}"


def _constant(predictions: Predictions) -> NDArray[np.bool_]:
    votes, mask = predictions.votes(), predictions.mask()
    flags = np.zeros(predictions.members, dtype=bool)
    for i, row in enumerate(votes):
        seen = row if mask is None else row[mask[i]]
        flags[i] = len(seen) > 1 and seen.min() == seen.max()
    return flags


def _perfect(hard: Statistics) -> NDArray[np.bool_]:
    own = hard.first_samples if hard.member_samples is None else hard.member_samples
    return np.asarray((hard.first == 0) & (own >= TELLING_SAMPLES))


def _too_good(hard: Statistics) -> NDArray[np.bool_]:
    """A minority of members far below all others: what a member looks like that has seen the hold-out."""
    ranked = np.sort(hard.first)
    below, above = ranked[:-1], ranked[1:]
    error = np.sqrt(above * (1 - above) / hard.first_samples)
    gaps = (above >= SUSPICIOUS_RATIO * below) & (above - below > SUSPICIOUS_SIGMAS * error)
    places = np.flatnonzero(gaps[: max(0, (len(ranked) - 1) // 2)])
    return np.asarray(hard.first <= (below[places[-1]] if len(places) else -1.0))


def _duplicates(names: tuple[str, ...], hard: Statistics) -> Iterator[str]:
    if hard.disagreement is None or hard.pair_samples < TELLING_SAMPLES:
        return
    first, second = np.nonzero(np.triu(hard.disagreement == 0, k=1))
    if len(first):
        more = f" (and {len(first) - 1} more pairs)" if len(first) > 1 else ""
        yield (
            f"members '{names[first[0]]}' and '{names[second[0]]}' give the same votes on every sample{more}: "
            "duplicates?"
        )


def _about_overlap(hard: Statistics) -> Iterator[str]:
    if not hard.shared and hard.pair_samples < THIN_OVERLAP:
        yield (
            f"some pair of members shares only {hard.pair_samples} hold-out samples, "
            "and the smallest overlap is the n of every second-order bound"
        )


def _about_bounds(
    measured: Statistics, weights: NDArray[np.float64], certification: Certification
) -> Iterator[str]:
    gibbs, tandem = measured.gibbs(weights), measured.tandem(weights)
    if tandem > gibbs / 2 and np.count_nonzero(weights) > 1:
        yield (
            f"the tandem risk {tandem:.4f} is above half the Gibbs risk {gibbs:.4f} (members err together): "
            "first-order and moment bounds are tighter here than tandem ones"
        )
    empty = [c.name for c in certification.certificates if c.vacuous]
    if empty:
        yield f"vacuous (1 or more, promises nothing): {', '.join(empty)}"
