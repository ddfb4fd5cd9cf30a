"""The paper's three claims, worked out from the numbers: held, not held, or not decidable at this scale.

Each comparison, at the largest size, is decided by the rule of `findings`. A claim holds if all its decisive findings
do, and fails if one of them fails; findings for context decide nothing.

Under a budget of epochs every size of two runs or more is trained by itself and judged: the second claim needs all of
them, the first, which is about the best use of the budget, one, at intervals widened by the number of sizes.

An interval cannot know what other runs would have given where every draw is all the runs there are. A bound is a
number, not an estimate: with one draw, or draws that are all the same, its differences have no interval and count as
they are; where tandem and uniform weights have the same bound (one member, equal members) nothing is decided, nor where
it is vacuous and more samples could bring it below 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from comitia._words import counted
from comitia.evaluation.findings import (
    HELD,
    MARGIN,
    NOT_HELD,
    NOT_JUDGED,
    RULE,
    UNDECIDED,
    Finding,
    better,
    finding,
    findings_markdown,
    rounded,
    spread_width,
)
from comitia.evaluation.records import EARLY_STOPPING, Claim, Difference, Evaluation, Row
from comitia.evaluation.references import Reference

# Bounds closer than this are the same: the weights cannot differ in what they promise.
SAME = 1e-9
CLAIMS_RULE = (
    f"{RULE} A claim needs all its decisive findings. Where every draw is all runs, w does not have the noise of "
    "training them again. Against a number from elsewhere, the samples of both are taken as independent. Bounds "
    "without several draws that differ have no w and are compared as they are; equal bounds decide nothing, nor do "
    "vacuous ones that more samples could bring below 1. Under a budget of epochs every size of two runs or more is "
    "judged: the first claim needs one of them, with w widened for the choice, the second all."
)
STATEMENTS = {
    1: "A uniformly weighted deep ensemble is not worse than a Bayes ensemble.",
    2: "Weights that minimise the tandem bound keep or improve the accuracy of uniform weights and tighten the "
    "bound, which is not vacuous.",
    3: "With tandem weights all states of the training runs can be included without loss, they then do better "
    "than uniform weights, and this makes early stopping unnecessary.",
}
#: The third claim where early stopping was not evaluated: less is claimed, as less is judged.
WITHOUT_STOPPING = (
    "With tandem weights all states of the training runs can be included without loss, and they then do better "
    "than uniform weights."
)


def judge(evaluation: Evaluation) -> tuple[Claim, ...]:
    """Return the claims that the evaluation has numbers for; of a reproduction, which has a name, all three.

    The first needs a Bayes ensemble to compare with and a plain deep ensemble; all use the average vote where there is
    one.
    """
    claims = _all_claims(evaluation)
    return tuple(claim for claim in claims if claim.findings or evaluation.name is not None)


def left_out(evaluation: Evaluation) -> tuple[Claim, ...]:
    """Return the claims that the record does not have, each with the reason why it is not judged."""
    there = {claim.number for claim in evaluation.claims}
    missing = (claim for claim in _all_claims(evaluation) if claim.number not in there)
    older = "this record was written before the claim was judged; evaluate again to judge it"
    return tuple(
        replace(claim, verdict=NOT_JUDGED, findings=(), reason=claim.reason or older) for claim in missing
    )


def _all_claims(evaluation: Evaluation) -> tuple[Claim, ...]:
    some = evaluation.settings.grouped
    against = _against_bayes(evaluation)
    first = _claim(1, against, _why_no_first(evaluation), some=some)
    return (
        replace(first, reason=_beyond_reach(against)) if against else first,
        _claim(
            2,
            [] if evaluation.estimated else [*_against_uniform(evaluation), *_bounds(evaluation)],
            "out-of-fold predictions have no bound"
            if evaluation.estimated
            else "uniform and tandem weights must both be evaluated",
        ),
        _third(evaluation),
    )


def _claim(number: int, findings: Sequence[Finding], why_none: str, *, some: bool = False) -> Claim:
    verdict = combine(findings, some=some) if findings else NOT_JUDGED
    return Claim(number, STATEMENTS[number], verdict, tuple(findings), "" if findings else why_none)


def _third(evaluation: Evaluation) -> Claim:
    claim = _claim(3, _all_states(evaluation), _why_no_third(evaluation))
    whole = EARLY_STOPPING in evaluation.settings.weightings
    return claim if whole else replace(claim, statement=WITHOUT_STOPPING)


def combine(findings: Sequence[Finding], *, some: bool = False) -> str:
    """Return the verdict of a claim that needs all its decisive findings, or some of them."""
    verdicts = {finding.verdict for finding in findings if finding.decisive}
    decided, other = (HELD, NOT_HELD) if some else (NOT_HELD, HELD)
    if decided in verdicts:
        return decided
    return other if verdicts == {other} else UNDECIDED


def _beyond_reach(findings: Sequence[Finding]) -> str:
    """Return the warning that an equal ensemble could not pass, where every interval is wider than the margin."""
    reaches = [found.half_width for found in findings if found.half_width is not None]
    undecided = all(found.verdict == UNDECIDED for found in findings)
    if not undecided or not reaches or min(reaches) <= MARGIN:
        return ""
    return (
        f"the interval of ± {min(reaches):.4f} is wider than the margin of {MARGIN}, so that even an ensemble that "
        "equals the reference could not be shown to be not worse"
    )


def _why_no_first(evaluation: Evaluation) -> str:
    if evaluation.unjudged:
        return evaluation.unjudged
    if any(reference.kind == "bayes" for reference in evaluation.references):
        return "the Bayes ensemble of the literature was trained otherwise; bayes takes one that was trained here"
    return "there is no Bayes ensemble to compare with; bayes takes one that was trained here"


def _why_no_third(evaluation: Evaluation) -> str:
    if evaluation.single_states:
        return "every run has a single state"
    if evaluation.drawn:
        return "the members of a run are draws, none of which is its last state"
    return "last and all states, with uniform and tandem weights, must be evaluated"


def _sizes(evaluation: Evaluation) -> tuple[int, ...]:
    """The sizes that are judged: the largest; those of two runs or more where each was trained by itself."""
    sizes = evaluation.settings.sizes
    return tuple(s for s in sizes if s > 1) if evaluation.settings.grouped else sizes[-1:]


def _vote(evaluation: Evaluation) -> str:
    return "average" if "average" in evaluation.settings.votes else "majority"


def _row(evaluation: Evaluation, size: int, members: str, weights: str, vote: str) -> Row | None:
    return next((r for r in evaluation.curve(members, weights, vote) if r.size == size), None)


def _difference(
    evaluation: Evaluation, size: int, left: tuple[str, str], right: tuple[str, str]
) -> Difference | None:
    for row in evaluation.differences:
        # the interval of a difference is the same both ways round
        if (row.size, row.vote) == (size, _vote(evaluation)) and {row.left, row.right} == {left, right}:
            return row
    return None


def _against_bayes(evaluation: Evaluation) -> list[Finding]:
    """The uniform vote of last states against each Bayes ensemble, at each size that is judged; of the same vote."""
    if evaluation.unjudged:
        return []
    sizes = _sizes(evaluation)
    against = [
        r for r in evaluation.references if r.kind == "bayes" and r.quantity == "accuracy" and r.judged
    ]
    pairs = [
        (row, reference)
        for size in sizes
        for reference in against
        if (row := _row(evaluation, size, "last", "uniform", reference.vote or _vote(evaluation))) is not None
    ]
    return [
        finding(
            f"accuracy of uniform weights, last states of {counted(row.size, 'run')}, against {reference.label}",
            row.accuracy_mean,
            reference.value,
            _reach(row, reference, evaluation.source.samples) * _widened(len(sizes)),
            kind="not worse",
        )
        for row, reference in pairs
    ]


def _reach(row: Row, reference: Reference, samples: int) -> float:
    """Half of the 95% interval of an accuracy of ours less the reference's, on as many samples if not on the same."""
    if reference.half_width is not None:
        return reference.half_width
    ours, other = row.accuracy_mean, reference.value
    squared = 4 * (ours * (1 - ours) + other * (1 - other)) / samples
    return float(np.sqrt(squared + spread_width(np.array(row.accuracies)) ** 2))


def _widened(sizes: int) -> float:
    """Return the factor of an interval that allows to pick the best of that many sizes: Bonferroni's price.

    >>> [round(_widened(sizes), 3) for sizes in (1, 5)]
    [1.0, 1.304]
    """
    return float(ndtri(ndtr(-2.0) / sizes) / -2.0)


def _against_uniform(evaluation: Evaluation) -> Iterator[Finding]:
    """Tandem against uniform weights, on last and on all states."""
    for size in _sizes(evaluation):
        for members in evaluation.distinct:
            yield from _compared(evaluation, size, (members, "tandem"), (members, "uniform"), "not worse")


def _bounds(evaluation: Evaluation) -> Iterator[Finding]:
    """The bound on the majority vote's risk, before and after the weights were optimised, and against 1."""
    for size in _sizes(evaluation):
        for members in evaluation.distinct:
            before = _row(evaluation, size, members, "uniform", "majority")
            after = _row(evaluation, size, members, "tandem", "majority")
            if before is None or after is None or before.bounds is None or after.bounds is None:
                continue
            what = f"bound on the risk of the majority vote, {members} states of {counted(size, 'run')}"
            yield _tightened(what, np.array(before.bounds), np.array(after.bounds))
            mean = rounded(np.mean(after.bounds))
            verdict = HELD if max(after.bounds) < 1 else _vacuous(evaluation, size, members)
            yield Finding(f"{what}, tandem weights: below 1", mean, 1.0, rounded(mean - 1), None, verdict)


def _vacuous(evaluation: Evaluation, size: int, members: str) -> str:
    """Not held if the members err together so often that no number of samples would help, else not decidable."""
    if size == evaluation.settings.sizes[-1]:
        for row in evaluation.certificates:
            c = row.certificate
            if (row.members, row.weights, c.vote, c.name) == (members, "tandem", "majority", "tandem-kl"):
                return NOT_HELD if 4 * c.inputs.get("tandem", 0.0) >= 1 else UNDECIDED
    return UNDECIDED


def _tightened(what: str, before: NDArray[np.float64], after: NDArray[np.float64]) -> Finding:
    """Whether tandem weights have the lower bound; the draws, if they differ, are all its noise."""
    reach = None
    if np.ptp(before) > SAME or np.ptp(after) > SAME:
        reach = rounded(spread_width(before - after))
    b, a = rounded(before.mean()), rounded(after.mean())
    verdict = UNDECIDED if abs(b - a) <= SAME else better(b - a, reach or 0.0)
    return Finding(f"{what}: tandem below uniform weights", a, b, rounded(a - b), reach, verdict)


def _all_states(evaluation: Evaluation) -> list[Finding]:
    """All states with tandem weights against last ones, uniform weights and early stopping; the rest is context."""
    stopped = ("all", EARLY_STOPPING)
    wanted = (
        (("all", "tandem"), ("last", "tandem"), "not worse", True),
        (("all", "tandem"), ("all", "uniform"), "better", True),
        (("last", "uniform"), ("all", "uniform"), "better", False),
        (("all", "tandem"), stopped, "not worse", True),
        (("all", "tandem"), stopped, "better", False),
        (stopped, ("last", "uniform"), "better", False),
    )
    if evaluation.single_states or evaluation.drawn:
        return []
    return [
        found
        for size in _sizes(evaluation)
        for left, right, kind, decisive in wanted
        for found in _compared(evaluation, size, left, right, kind, decisive)
    ]


def _compared(
    evaluation: Evaluation,
    size: int,
    left: tuple[str, str],
    right: tuple[str, str],
    kind: str,
    decisive: bool = True,
) -> Iterator[Finding]:
    """The finding of one comparison; none if it was not evaluated."""
    row, vote = _difference(evaluation, size, left, right), _vote(evaluation)
    ours, other = _row(evaluation, size, *left, vote), _row(evaluation, size, *right, vote)
    if row is None or ours is None or other is None:
        return
    text = (
        f"accuracy of the {vote} vote of {counted(size, 'run')}: {_called(*left)} against {_called(*right)}"
    )
    yield finding(text, ours.accuracy_mean, other.accuracy_mean, row.half_width, kind=kind, decisive=decisive)


def _called(members: str, weights: str) -> str:
    stopped = "early stopping by the same samples"
    return stopped if weights == EARLY_STOPPING else f"{weights} weights on {members} states"


def claims_markdown(claims: Sequence[Claim]) -> str:
    """Return the claims as Markdown: each statement with its verdict and the numbers behind it."""
    parts = [CLAIMS_RULE]
    for claim in claims:
        why = f" {'Note' if claim.findings else 'Why'}: {claim.reason}." if claim.reason else ""
        parts.append(f"**Claim {claim.number}: {claim.verdict}.** {claim.statement}{why}")
        if claim.findings:
            parts.append(findings_markdown(claim.findings))
    return "\n\n".join(parts) + "\n"
