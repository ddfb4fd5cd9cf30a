"""The figures of an evaluation, as in the paper: curves by size, members, tandem matrix, certificates."""

from collections.abc import Sequence

from comitia.evaluation.records import Evaluation, MemberFacts, Row, Settings
from comitia.pages.ensemble_figures import NAMED_MEMBERS, bars_of, in_words
from comitia.pages.figure import Figure, Panel, Reference, Series, Table, legible, percent, role_of
from comitia.pages.verdict import Standing, standing_of

# drawn from the start, as in the paper; the legend adds the other weightings
DRAWN = ("uniform", "tandem")

_DRAWS = "Mean over {repeats} drawn ensembles per size. The band is ± one standard deviation."
_DRAW = "One drawn ensemble per size."
_BUDGET = (
    "All ensembles cost the same number of epochs: the more runs, the shorter each run. There is one ensemble per "
    "size, trained separately."
)
_LINES = "Dashed lines use the last state of each run, solid lines all states."


def evaluation_figures(evaluation: Evaluation) -> tuple[Figure, ...]:
    """Return the figures that the evaluation has numbers for, in the order in which they are shown."""
    votes = sorted(evaluation.settings.votes, key=lambda vote: vote != "average")
    found: list[Figure] = [accuracy_figure(evaluation, vote) for vote in votes]
    if any(row.bound_mean is not None for row in evaluation.rows if row.vote == "majority"):
        found.append(bound_figure(evaluation))
    if evaluation.members:
        found.append(weights_figure(evaluation))
    if evaluation.tandem is not None and len(evaluation.members) > 1:
        found.append(tandem_figure(evaluation))
    standing = standing_of(evaluation)
    certified = {c.certificate.vote for c in standing.certificates}
    found += [certified_figure(standing, vote) for vote in votes if vote in certified]
    return tuple(found)


def accuracy_figure(evaluation: Evaluation, vote: str) -> Figure:
    """Return the accuracy of one vote by number of runs, ± one standard deviation, with reference lines."""
    settings, curves = evaluation.settings, [c for c in _curves(evaluation) if c[0].vote == vote]
    series = tuple(_series(evaluation, c, [row.accuracy_mean for row in c], _spread(c)) for c in curves)
    references = tuple(
        Reference(legible(r.label), "bayes", r.value)
        for r in evaluation.references
        if r.kind == "bayes" and r.quantity == "accuracy"
    )
    single = Reference("best single member", "best", evaluation.single_best.accuracy_mean)
    return Figure(
        key=f"accuracy-{vote}",
        title=f"Accuracy of the {vote} vote" + (" under one budget of epochs" if settings.grouped else ""),
        caption=_drawn(settings) if evaluation.single_states else f"{_drawn(settings)} {_LINES}",
        alt=_curves_in_words(
            f"Accuracy of the {vote} vote against the number of runs", series, (single, *references)
        ),
        x_title="runs in the ensemble",
        panels=(Panel("lines", "accuracy", series, (single, *references), percent=True),),
        table=_rows_table(curves),
    )


def _drawn(settings: Settings) -> str:
    """Return how many ensembles a point averages."""
    if settings.grouped:
        return _BUDGET
    return _DRAW if settings.repeats == 1 else _DRAWS.format(repeats=settings.repeats)


def _curves(evaluation: Evaluation) -> list[tuple[Row, ...]]:
    """Return all curves that have points: the drawn weightings first, all states before last ones."""
    settings = evaluation.settings
    ordered = sorted(settings.weightings, key=lambda w: w not in DRAWN)
    keys = [(m, w, v) for v in settings.votes for w in ordered for m in sorted(evaluation.distinct)]
    return [curve for key in keys if (curve := evaluation.curve(*key))]


def _name(evaluation: Evaluation, row: Row) -> str:
    """Return the name of the row's curve: its weights, and its members if there are several choices."""
    weights, members = legible(row.weights), legible(row.members)
    return weights if evaluation.single_states else f"{weights}, {members}"


def _series(
    evaluation: Evaluation,
    curve: tuple[Row, ...],
    values: Sequence[float | None],
    spread: tuple[float, ...] | None = None,
) -> Series:
    first = curve[0]
    return Series(
        name=_name(evaluation, first),
        role=role_of(first.weights),
        x=tuple(float(row.size) for row in curve),
        y=tuple(values),
        spread=spread,
        dashed=first.members == "last" and not evaluation.single_states,
        shown=first.weights in DRAWN,
    )


def _spread(curve: tuple[Row, ...]) -> tuple[float, ...] | None:
    found = tuple(row.accuracy_sd for row in curve if row.accuracy_sd is not None)
    return found if len(found) == len(curve) else None


def _curves_in_words(what: str, curves: Sequence[Series], levels: Sequence[Reference]) -> str:
    told = [
        f"{c.name} goes from {percent(c.y[0] or 0.0)} at {c.x[0]:g} to {percent(c.y[-1] or 0.0)} at {c.x[-1]:g}"
        for c in curves
        if c.shown
    ] + [f"{level.name} at {percent(level.value)}" for level in levels]
    return legible(f"{what}: {'; '.join(told)}.")


def _rows_table(curves: Sequence[tuple[Row, ...]]) -> Table:
    columns = ("runs", "members", "weights", "accuracy", "± sd", "NLL", "Brier", "ECE", "AUROC", "bound")
    rows = tuple(
        (
            *(row.size, row.members, row.weights, row.accuracy_mean, row.accuracy_sd),
            *(row.nll_mean, row.brier_mean, row.ece_mean, row.auroc_mean, row.bound_mean),
        )
        for curve in curves
        for row in curve
    )
    return Table(columns, rows)


def bound_figure(evaluation: Evaluation) -> Figure:
    """Return the tandem bound on the risk of the majority vote by number of runs, before and after weighing."""
    curves = [c for c in _curves(evaluation) if c[0].vote == "majority" and c[0].bound_mean is not None]
    series = tuple(_series(evaluation, c, [row.bound_mean for row in c]) for c in curves)
    return Figure(
        key="bound",
        title="The tandem bound, before and after weighing",
        caption=(
            "Upper bound (tandem-kl) on the risk of the majority vote. Lower is better, 100% promises nothing. "
            "Tandem weights minimise it. As a certificate it is loose."
        ),
        alt=legible(
            "Tandem bound against the number of runs: "
            + "; ".join(f"{s.name} ends at {percent(s.y[-1] or 0.0)}" for s in series if s.shown)
            + "."
        ),
        x_title="runs in the ensemble",
        panels=(Panel("lines", "bound on the risk", series, _nothing(series), percent=True),),
        table=_rows_table(curves),
    )


def _nothing(series: Sequence[Series]) -> tuple[Reference, ...]:
    """Return the line from which on a bound promises nothing, if one reaches it."""
    reached = any(y is not None and y >= 1 for one in series for y in one.y)
    return (Reference("promises nothing", "best", 1.0),) if reached else ()


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
        alt=f"Charts over {len(members)} members. {_weights_in_words(members, methods)}",
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
            ("certificate", "risk at most", "δ", "samples", "vacuous", "designated", "weights", "what it is"),
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
