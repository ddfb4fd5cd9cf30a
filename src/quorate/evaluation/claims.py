"""The paper's three claims, worked out from the numbers: held, not held, or not decidable at this scale.

The rule, for a difference d (ours less the other) with standard error s:

- "not worse": held if d - 2 s >= -MARGIN, not held if that fails and d + 2 s < 0, else not decidable;
- "better": held if d - 2 s > 0, not held if that fails and d + 2 s < MARGIN, else not decidable.

2 s is a 95% interval and MARGIN, half a percentage point, the difference that is taken to matter. A claim
holds if all its decisive findings do, and fails if one of them fails. Findings for context decide nothing.

s cannot know what other runs would have given where every draw is all the runs there are. Its part from the samples
has a floor, one discordant sample more each way, lest two ensembles that agree on every sample pass for equal.
A bound is a number, not an estimate: with one draw, or draws that are all the same, its differences have no s and count
as they are; where tandem and uniform weights have the same bound (one member, equal members) nothing is decided.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quorate.evaluation.records import HELD, NOT_HELD, UNDECIDED, Claim, Comparison, Evaluation, Finding, Row

MARGIN = 0.005
# Bounds closer than this are the same: the weights cannot differ in what they promise.
SAME = 1e-9
RULE = (
    "Rule, for a difference d with standard error s: *not worse* is held if d − 2s ≥ −0.005, not held if that "
    "fails and d + 2s < 0; *better* is held if d − 2s > 0, not held if that fails and d + 2s < 0.005; all else is "
    "not decidable at this scale. A claim needs all its decisive findings. s has the noise of the test samples and "
    "of the draws, but where every draw is all runs, not that of training them again; the samples' part is never 0: it "
    "is √((variance + 2/n)/n), one discordant sample more each way. Against a number from elsewhere, the samples of "
    "both are taken as independent. Bounds without several draws that differ have no s and are compared as they are; "
    "equal bounds decide nothing."
)
STATEMENTS = {
    1: "A uniformly weighted deep ensemble is not worse than a Bayes ensemble.",
    2: "Weights that minimise the tandem bound keep or improve the accuracy of uniform weights and tighten the "
    "bound, which is not vacuous.",
    3: "With tandem weights all states of the training runs can be included without loss, and they then do better "
    "than uniform weights.",
}


def judge(evaluation: Evaluation) -> tuple[Claim, ...]:
    """The claims that the evaluation has numbers for, at its largest size.

    The first needs a reference of kind "bayes" and members that are not a Bayes ensemble's own; all use the
    average vote where there is one.
    """
    found = (
        (1, [] if evaluation.bayesian else _against_bayes(evaluation)),
        (2, [*_against_uniform(evaluation), *_bounds(evaluation)]),
        (3, _all_states(evaluation)),
    )
    return tuple(Claim(n, STATEMENTS[n], combine(list_), tuple(list_)) for n, list_ in found if list_)


def sampling_variance(differences: NDArray[np.float64]) -> float:
    """The variance of the mean of n differences, a sample each: (variance + 2/n)/n.

    One discordant sample more each way: ensembles that never differ on n samples may still differ on others.

    >>> sampling_variance(np.zeros(100))
    0.0002
    """
    n = len(differences)
    return (float(differences.var(ddof=1)) + 2 / n) / n


def combine(findings: Sequence[Finding]) -> str:
    """The verdict of a claim from its decisive findings."""
    verdicts = [finding.verdict for finding in findings if finding.decisive]
    if NOT_HELD in verdicts:
        return NOT_HELD
    return HELD if verdicts and all(verdict == HELD for verdict in verdicts) else UNDECIDED


def not_worse(difference: float, error: float) -> str:
    """Whether ours is not worse than the other.

    >>> not_worse(0.001, 0.001), not_worse(-0.01, 0.002), not_worse(-0.004, 0.003)
    ('held', 'not held', 'not decidable at this scale')
    """
    if difference - 2 * error >= -MARGIN:
        return HELD
    return NOT_HELD if difference + 2 * error < 0 else UNDECIDED


def better(difference: float, error: float) -> str:
    """Whether ours is better than the other.

    >>> better(0.01, 0.002), better(-0.001, 0.001), better(0.004, 0.003)
    ('held', 'not held', 'not decidable at this scale')
    """
    if difference - 2 * error > 0:
        return HELD
    return NOT_HELD if difference + 2 * error < MARGIN else UNDECIDED


def _vote(evaluation: Evaluation) -> str:
    return "average" if "average" in evaluation.settings.votes else "majority"


def _row(evaluation: Evaluation, members: str, weights: str, vote: str) -> Row | None:
    curve = evaluation.curve(members, weights, vote)
    return curve[-1] if curve else None


def _different(evaluation: Evaluation) -> tuple[str, ...]:
    """The choices of members that differ: one alone where every run has a single state."""
    members = evaluation.settings.members
    return members[:1] if evaluation.source.members == evaluation.source.runs else members


def _comparison(evaluation: Evaluation, left: tuple[str, str], right: tuple[str, str]) -> Comparison | None:
    size, vote = evaluation.settings.sizes[-1], _vote(evaluation)
    for row in evaluation.comparisons:
        # the spread of a difference is the same both ways round
        if (row.size, row.vote) == (size, vote) and {row.left, row.right} == {left, right}:
            return row
    return None


def _against_bayes(evaluation: Evaluation) -> list[Finding]:
    """The uniform average of last states against each Bayes ensemble; their samples count as independent."""
    row = _row(evaluation, "last", "uniform", _vote(evaluation))
    return (
        []
        if row is None
        else [
            _finding(
                f"accuracy of uniform weights, last states of {row.size} runs, against {reference.label}: not worse",
                row.accuracy_mean,
                reference.value,
                _error(row, reference.value, evaluation.source.samples),
                "not worse",
            )
            for reference in evaluation.references
            if reference.kind == "bayes" and reference.quantity == "accuracy" and reference.judged
        ]
    )


def _error(row: Row, other: float, samples: int) -> float:
    """The standard error of an accuracy of ours less one from elsewhere, on as many samples."""
    ours = row.accuracy_mean
    draws = (row.accuracy_sd or 0.0) ** 2 / len(row.accuracies)
    return float(np.sqrt(ours * (1 - ours) / samples + other * (1 - other) / samples + draws))


def _against_uniform(evaluation: Evaluation) -> list[Finding]:
    """Tandem against uniform weights, on last and on all states."""
    found = []
    for members in _different(evaluation):
        pair = _compared(evaluation, (members, "tandem"), (members, "uniform"), "not worse")
        found += [] if pair is None else [pair]
    return found


def _bounds(evaluation: Evaluation) -> list[Finding]:
    """The bound on the majority vote's risk, before and after the weights were optimised, and against 1."""
    found: list[Finding] = []
    for members in _different(evaluation):
        before = _row(evaluation, members, "uniform", "majority")
        after = _row(evaluation, members, "tandem", "majority")
        if before is None or after is None or before.bounds is None or after.bounds is None:
            continue
        found.append(_tightened(members, before.bounds, after.bounds))
        a = round(float(np.mean(after.bounds)), 10)
        text = f"bound on the risk of the majority vote, {members} states, tandem weights: below 1"
        verdict = HELD if max(after.bounds) < 1 else NOT_HELD
        found.append(Finding(text, a, 1.0, round(a - 1, 10), None, verdict))
    return found


def _tightened(members: str, before: Sequence[float], after: Sequence[float]) -> Finding:
    """Whether tandem weights have the lower bound; the draws, if they differ, are all its noise."""
    gain = np.array(before) - np.array(after)
    error = None
    if np.ptp(before) > SAME or np.ptp(after) > SAME:
        error = round(float(gain.std(ddof=1) / np.sqrt(len(gain))), 10)
    b, a = round(float(np.mean(before)), 10), round(float(np.mean(after)), 10)
    verdict = UNDECIDED if abs(b - a) <= SAME else better(b - a, error or 0.0)
    text = f"bound on the risk of the majority vote, {members} states: tandem below uniform weights"
    return Finding(text, a, b, round(a - b, 10), error, verdict)


def _all_states(evaluation: Evaluation) -> list[Finding]:
    """All states against last with tandem weights, and against uniform weights; uniform for context."""
    wanted = (
        (("all", "tandem"), ("last", "tandem"), "not worse", True),
        (("all", "tandem"), ("all", "uniform"), "better", True),
        (("last", "uniform"), ("all", "uniform"), "better", False),
    )
    if evaluation.source.members == evaluation.source.runs:
        return []
    found = [_compared(evaluation, left, right, kind, decisive) for left, right, kind, decisive in wanted]
    return [finding for finding in found if finding is not None]


def _compared(
    evaluation: Evaluation,
    left: tuple[str, str],
    right: tuple[str, str],
    kind: str,
    decisive: bool = True,
) -> Finding | None:
    """The finding of one comparison at the largest size; None if it was not evaluated."""
    row, vote = _comparison(evaluation, left, right), _vote(evaluation)
    ours, other = _row(evaluation, *left, vote), _row(evaluation, *right, vote)
    if row is None or ours is None or other is None:
        return None
    text = (
        f"accuracy of the {vote} vote of {row.size} runs: {left[1]} weights on {left[0]} states against "
        f"{right[1]} weights on {right[0]} states: {kind}"
    )
    return _finding(text, ours.accuracy_mean, other.accuracy_mean, row.standard_error, kind, decisive)


def _finding(text: str, ours: float, other: float, error: float, kind: str, decisive: bool = True) -> Finding:
    decide = not_worse if kind == "not worse" else better
    difference = ours - other
    return Finding(
        text, ours, other, round(difference, 10), round(error, 10), decide(difference, error), decisive
    )


def claims_markdown(claims: Sequence[Claim]) -> str:
    """The claims as Markdown: each statement with its verdict and the numbers behind it."""
    parts = [RULE]
    for claim in claims:
        parts.append(f"**Claim {claim.number}: {claim.verdict}.** {claim.statement}")
        rows = [
            "| finding | ours | other | difference | standard error | verdict |",
            "|---|--:|--:|--:|--:|---|",
        ]
        for f in claim.findings:
            context = "" if f.decisive else " (context)"
            numbers = f"{f.ours:.4f} | {f.other:.4f} | {f.difference:+.4f} | {f.shown_error}"
            rows.append(f"| {f.text.replace('|', chr(92) + '|')} | {numbers} | {f.verdict}{context} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"
