"""What the page of an evaluation says first: which weighting, what it gains, what is promised and when it holds.

Which curve of an evaluation comes first follows a fixed rule and never the numbers, so that a certificate designated
before looking stays so.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from comitia._certificate import percent_up
from comitia._words import counted
from comitia.evaluation.records import Certified, Difference, Evaluation, Row
from comitia.pages.figure import percent
from comitia.pages.page_parts import Fact, Verdict

# the first of these that was evaluated comes first on the page
PREFERRED = (
    *("tandem", "auto", "cantelli", "disagreement", "greedy", "likelihood"),
    *("first-order", "early-stopping", "best"),
)
CALLED = {"all": "all states", "last": "the last states"}


@dataclass(frozen=True)
class Standing:
    """The weighed curve at the largest size, and the same members with equal weights.

    `plain` and `comparison` are None if equal weights were not evaluated.
    """

    members: str
    weights: str
    vote: str
    single_states: bool
    row: Row
    plain: Row | None
    comparison: Difference | None
    certificates: tuple[Certified, ...]

    @property
    def called(self) -> str:
        """The weighting in words: `tandem weights on all states`."""
        weights = "equal" if self.weights == "uniform" else self.weights
        where = "" if self.single_states else f" on {CALLED.get(self.members, self.members)}"
        return f"{weights} weights{where}"

    @property
    def promised(self) -> Certified | None:
        """The certificate of this vote that was designated before looking, if there is one."""
        fitting = (c for c in self.certificates if c.designated and c.certificate.vote == self.vote)
        return next(fitting, None)


def standing_of(evaluation: Evaluation) -> Standing:
    """Return the curve that comes first: preferred weights, all states, average vote, each if it was evaluated."""
    settings = evaluation.settings
    weights = next((w for w in PREFERRED if w in settings.weightings), settings.weightings[0])
    members = "all" if "all" in evaluation.distinct else evaluation.distinct[0]
    vote = "average" if "average" in settings.votes else settings.votes[0]
    row = _largest(evaluation, members, weights, vote)
    if row is None:
        row = max(evaluation.rows, key=lambda found: found.size)
        members, weights, vote = row.key
    return Standing(
        members=members,
        weights=weights,
        vote=vote,
        single_states=evaluation.single_states,
        row=row,
        plain=_largest(evaluation, members, "uniform", vote),
        comparison=_compared(evaluation, row),
        certificates=tuple(c for c in evaluation.certificates if _belongs(c, members, weights)),
    )


def _belongs(certified: Certified, members: str, weights: str) -> bool:
    """Whether it certifies those weights, possibly rounded (`tandem, multiples of 1/20`)."""
    return certified.members == members and certified.weights.partition(",")[0] == weights


def _largest(evaluation: Evaluation, members: str, weights: str, vote: str) -> Row | None:
    curve = evaluation.curve(members, weights, vote)
    return max(curve, key=lambda row: row.size) if curve else None


def _compared(evaluation: Evaluation, row: Row) -> Difference | None:
    """Return the comparison of the row with equal weights on the same members."""
    for found in evaluation.differences:
        sides = (tuple(found.left), tuple(found.right))
        wanted = ((row.members, row.weights), (row.members, "uniform"))
        if (found.size, found.vote) == (row.size, row.vote) and sides == wanted:
            return found
    return None


def evaluation_verdict(evaluation: Evaluation) -> Verdict:
    """Return the verdict of an evaluation: the weights that come first, compared with equal weights."""
    standing = standing_of(evaluation)
    return Verdict(
        kind="Reproduction" if evaluation.references else "Evaluation",
        headline=_accuracy_in_short(standing),
        text=" ".join(_evaluation_text(evaluation, standing)),
        facts=tuple(_evaluation_facts(evaluation, standing)),
        assumptions=tuple(_evaluation_assumptions(evaluation, standing)),
        warnings=evaluation.notes,
    )


def _accuracy_in_short(standing: Standing) -> str:
    reached = f"{percent(standing.row.accuracy_mean)} accuracy"
    found = standing.comparison
    if found is None:
        return f"{reached} with {standing.called}"
    if abs(found.difference) <= found.half_width:
        return f"{reached} with {standing.called}, not distinguishable from equal weights"
    direction = "above" if found.difference > 0 else "below"
    return f"{reached}, {_points(abs(found.difference))} {direction} equal weights"


def _points(difference: float) -> str:
    return (
        f"{100 * difference:.1f} points" if abs(difference) >= 0.00095 else f"{100 * difference:.2f} points"
    )


def _evaluation_text(evaluation: Evaluation, standing: Standing) -> Iterator[str]:
    row = standing.row
    kind = "out-of-fold sample" if evaluation.estimated else "test sample"
    yield (
        f"The {standing.vote} vote of {counted(row.size, 'run')} with {standing.called} is right on "
        f"{percent(row.accuracy_mean, 2)} of {counted(evaluation.source.samples, kind)}. No sample had a part "
        "in choosing the weights that it is scored with."
    )
    if standing.comparison is not None and standing.plain is not None:
        found = standing.comparison
        yield (
            f"The same members with equal weights reach {percent(standing.plain.accuracy_mean, 2)}: a difference of "
            f"{100 * found.difference:+.2f} ± {100 * found.half_width:.2f} points (95%)."
        )
    if standing.promised is not None:
        chosen = "" if standing.weights == "uniform" else " for the weights chosen on the first half"
        yield f"Certified{chosen}: {standing.promised.certificate.promise}."


def _evaluation_facts(evaluation: Evaluation, standing: Standing) -> Iterator[Fact]:
    yield Fact(capital(standing.called), percent(standing.row.accuracy_mean), _spread(standing.row))
    for members in sorted(evaluation.distinct):
        curve = evaluation.curve(members, "uniform", standing.vote)
        if curve and standing.weights != "uniform":
            row = max(curve, key=lambda found: found.size)
            trained = any(member.run is not None for member in evaluation.members)
            usual = ", the usual deep ensemble" if members == "last" and trained else ""
            where = "" if evaluation.single_states else f" on {CALLED[members]}"
            yield Fact(f"Equal weights{where}", percent(row.accuracy_mean), f"{_spread(row)}{usual}")
    single = evaluation.single_best
    yield Fact("Best single member", percent(single.accuracy_mean), "chosen on one half, scored on the other")
    if standing.promised is not None:
        c = standing.promised.certificate
        shown = "vacuous" if c.vacuous else f"≤ {percent_up(c.risk)}"
        yield Fact(
            "Certified errors", shown, f"{c.name}, {c.vote} vote, δ = {c.delta:g}, {c.samples:,} {c.unit}"
        )


def _spread(row: Row) -> str:
    if row.accuracy_sd is None or len(set(row.accuracies)) == 1:
        members = "1 member" if row.member_count == 1 else f"{row.member_count:g} members"
        return f"{counted(row.size, 'run')}, {members}"
    draws = f"{counted(len(row.accuracies), 'draw')} of {counted(row.size, 'run')}"
    return f"± {100 * row.accuracy_sd:.2f} over {draws}"


def _evaluation_assumptions(evaluation: Evaluation, standing: Standing) -> Iterator[str]:
    yield (
        "Test-time cross-validation: a seed splits the samples into two halves. One half chooses the weights and the "
        "other is scored, then they swap. All weightings use the same halves and the same draws."
    )
    yield (
        "A difference counts only if its 95% interval excludes 0. The interval includes the noise of the samples and "
        "of the draws."
    )
    if standing.promised is not None:
        draw = "" if len(set(standing.row.accuracies)) == 1 else " and the first draw"
        weights = "equal weights" if standing.weights == "uniform" else "the weights chosen on the first half"
        yield f"The certificate is for {weights}{draw}. The accuracies are means over both halves and all draws."
        yield sentence(standing.promised.certificate.assumption)


def sentence(text: str) -> str:
    """Return the text as a sentence."""
    return f"{capital(text)}."


def capital(text: str) -> str:
    """Return the text with its first letter large."""
    return text[:1].upper() + text[1:]
