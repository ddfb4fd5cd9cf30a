"""Which curve of an evaluation the page puts first, and what it is compared with.

The choice follows a fixed rule, never the numbers, so that what was designated before looking stays so.
"""

from dataclasses import dataclass

from comitia.evaluation.records import Certified, Difference, Evaluation, Row

# the first of these that was evaluated stands for "weighed"
PREFERRED = ("tandem", "auto", "cantelli", "disagreement", "greedy", "likelihood", "first-order", "best")
CALLED = {"all": "all states", "last": "the last states"}


@dataclass(frozen=True)
class Standing:
    """The weighed curve at the largest size beside the same members with equal weights.

    `plain` and `comparison` are None where equal weights were not evaluated.
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
        """The certificate of this very vote that was designated before looking, if there is one."""
        fitting = (c for c in self.certificates if c.designated and c.certificate.vote == self.vote)
        return next(fitting, None)


def standing_of(evaluation: Evaluation) -> Standing:
    """The curve that comes first: preferred weights, all states, average vote, each where it was evaluated."""
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
    """Whether it certifies those weights, or those weights rounded (`tandem, multiples of 1/20`)."""
    return certified.members == members and certified.weights.partition(",")[0] == weights


def _largest(evaluation: Evaluation, members: str, weights: str, vote: str) -> Row | None:
    curve = evaluation.curve(members, weights, vote)
    return max(curve, key=lambda row: row.size) if curve else None


def _compared(evaluation: Evaluation, row: Row) -> Difference | None:
    """The row's comparison with equal weights on the same members."""
    for found in evaluation.differences:
        sides = (tuple(found.left), tuple(found.right))
        wanted = ((row.members, row.weights), (row.members, "uniform"))
        if (found.size, found.vote) == (row.size, row.vote) and sides == wanted:
            return found
    return None
