"""The figures of one evaluated ensemble: its members and their weights, its tandem matrix, its certificates."""

from collections.abc import Sequence

from comitia._words import counted
from comitia.evaluation.records import Evaluation, MemberFacts
from comitia.pages.ensemble_figures import NAMED_MEMBERS, bars_of, in_words
from comitia.pages.figure import Figure, Panel, Series, Table, legible, percent, role_of
from comitia.pages.verdict import Standing


def weights_figure(evaluation: Evaluation) -> Figure:
    """Return the accuracy of each member and the weight that each method gives it, stacked as in the paper."""
    members = evaluation.members
    names = tuple(legible(member.name) for member in members)
    x = tuple(float(i) for i in range(len(members)))
    ticks = names if len(names) <= NAMED_MEMBERS else None
    accuracies = tuple(member.accuracy for member in members)
    known = list(members[0].weights)
    methods = [method for method in ("first-order", "tandem") if method in known] or known
    last = tuple(member.last for member in members)
    points = Series("accuracy", "best", x, accuracies, labels=names, strong=last)
    panels = [Panel("dots", "accuracy", (points,), (), ticks, percent=True)]
    for method in methods:
        weights = tuple(member.weights.get(method) for member in members)
        bars = Series(legible(method), role_of(method), x, weights, labels=names)
        panels.append(Panel("bars", f"{legible(method)} weight", (bars,), (), ticks))
    return Figure(
        key="weights",
        title="Who votes: accuracy and weight of each member",
        caption=(
            "All states of the largest ensemble, run by run (last states filled), with the weights chosen on half of "
            "the samples. First-order weights look at each member alone. Tandem weights favour members that make "
            "different errors."
        ),
        alt=f"Charts over {counted(len(members), 'member')}. {_weights_in_words(members, methods)}",
        x_title="member" if ticks else _members_title(evaluation),
        panels=tuple(panels),
        table=Table(
            ("member", "last state", "accuracy", *(f"{legible(m)} weight" for m in methods)),
            tuple(
                (n, m.last, m.accuracy, *(m.weights.get(k) for k in methods)) for n, m in zip(names, members)
            ),
        ),
    )


def _members_title(evaluation: Evaluation) -> str:
    """Return what the numbers along an axis of members mean."""
    known = all(member.run is not None for member in evaluation.members)
    return "member, by run and step" if known else "member, in the order of the file"


def _weights_in_words(members: Sequence[MemberFacts], methods: Sequence[str]) -> str:
    told = [
        f"accuracy from {percent(min(m.accuracy for m in members))} to {percent(max(m.accuracy for m in members))}"
    ]
    for method in methods:
        weights = [m.weights.get(method, 0.0) for m in members]
        some = sum(w > 1e-3 for w in weights)
        told.append(f"the largest {legible(method)} weight is {max(weights):.3g}, {some} are above 0.001")
    return f"{'; '.join(told)}."


def tandem_figure(evaluation: Evaluation) -> Figure:
    """Return how often every two members err together, as a heat map."""
    assert evaluation.tandem is not None
    matrix = evaluation.tandem.matrix()
    names = tuple(legible(member.name) for member in evaluation.members)
    others = [_off_diagonal(row, i) for i, row in enumerate(matrix)]
    apart = sum(map(sum, others)) / (len(matrix) * (len(matrix) - 1))
    own = sum(row[i] for i, row in enumerate(matrix)) / len(matrix)
    return Figure(
        key="tandem",
        title="Who errs together: the tandem matrix",
        caption=(
            "The share of samples on which both members err. The diagonal is each member's own error, "
            "in the brightest colour if it exceeds all pairs. The darker a square, the less the two err together."
        ),
        alt=(
            f"Heat map of {len(matrix)} by {len(matrix)} members. A member errs on {percent(own)} of the samples on "
            f"average, two different members together on {percent(apart)}."
        ),
        x_title=_members_title(evaluation),
        panels=(
            Panel(
                "heat",
                "both err",
                ticks=names,
                matrix=tuple(tuple(round(v, 6) for v in row) for row in matrix),
                # a member always errs with itself: the diagonal would take up all the colours
                levels=(min(map(min, others)), max(map(max, others))),
                percent=True,
            ),
        ),
        table=Table(
            ("member", "own error", "errs together with another, mean", "least", "most"),
            tuple(
                (name, row[i], sum(o) / len(o), min(o), max(o))
                for i, (name, row, o) in enumerate(zip(names, matrix, others))
            ),
        ),
    )


def _off_diagonal(row: Sequence[float], i: int) -> list[float]:
    return [value for j, value in enumerate(row) if j != i]


def certified_figure(standing: Standing, vote: str) -> Figure:
    """Return the certificates for one vote of the weighting that comes first, the designated one strong."""
    rows = sorted(
        (c for c in standing.certificates if c.certificate.vote == vote),
        key=lambda c: (c.certificate.risk, c.certificate.name),
    )
    found = tuple(c.certificate for c in rows)
    names = tuple(
        c.name if row.weights == standing.weights else f"{c.name}, rounded" for c, row in zip(found, rows)
    )
    return Figure(
        key=f"certificates-{vote}",
        title=f"Certificates for the {vote} vote",
        caption=(
            f"The share of errors that each certificate allows for {legible(standing.called)}. Shorter is better. The "
            "strong bar was designated before looking: each of the others holds only by itself, at its own δ. Hatched "
            "bars promise nothing."
        ),
        alt=in_words(found, names),
        x_title=f"certified risk of the {vote} vote",
        panels=(bars_of(found, names, tuple(row.designated for row in rows)),),
        table=Table(
            (
                "certificate",
                "risk at most",
                "δ",
                found[0].unit,
                "vacuous",
                "designated",
                "weights",
                "what it is",
            ),
            tuple(
                (
                    c.name,
                    c.risk,
                    c.delta,
                    c.samples,
                    c.vacuous,
                    row.designated,
                    row.weights,
                    c.meaning,
                )
                for c, row in zip(found, rows)
            ),
        ),
    )
